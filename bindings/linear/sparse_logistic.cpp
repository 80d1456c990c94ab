// Logistic regression with L1 and elastic-net penalties. Every matrix type is one overload.
#include "linear/sparse_logistic.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/execution.hpp"
#include "bindings/base/one_at_a_time.hpp"

namespace quire::bindings {

namespace {

template <class T>
using ColumnMajor = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

// A problem, the dense matrix that it reads (held, so that nobody gives its memory back), and who
// is at work on it.
struct Problem {
    std::unique_ptr<SparseLogistic> solver;
    nb::ndarray<> matrix;
    mutable OneAtATime calls;
};
using Turn = OneAtATime::Turn;

template <class Value, class Index>
void bind_csr_sparse_logistic(nb::module_& m) {
    m.def(
        "csr_sparse_logistic",
        [](const CsrView<Value, Index>& X, const Array<std::int32_t>& codes, std::size_t n_classes,
           const Array<double>& weights, bool fit_intercept, int n_threads) {
            const LogisticTask task{as_span(codes), n_classes, as_span(weights), fit_intercept};
            return Problem{run(n_threads,
                               [&](const Execution& execution) {
                                   return csr_sparse_logistic(X, task, execution);
                               }),
                           {},
                           {}};
        },
        "X"_a, "codes"_exact, "n_classes"_a, "weights"_exact, "fit_intercept"_a, "n_threads"_a = 1);
}

template <class Value>
void bind_dense_sparse_logistic(nb::module_& m) {
    m.def(
        "dense_sparse_logistic",
        [](const ColumnMajor<Value>& X, const Array<std::int32_t>& codes, std::size_t n_classes,
           const Array<double>& weights, bool fit_intercept) {
            const LogisticTask task{as_span(codes), n_classes, as_span(weights), fit_intercept};
            return Problem{
                dense_sparse_logistic(std::span<const Value>(aligned(X.data()), X.size()),
                                      X.shape(0), X.shape(1), task),
                nb::ndarray<>(X),
                {}};
        },
        "X"_exact, "codes"_exact, "n_classes"_a, "weights"_exact, "fit_intercept"_a);
}

}  // namespace

void bind_sparse_logistic(nb::module_& m) {
    nb::class_<Problem>(m, "SparseLogistic")
        .def("null_objective",
             [](const Problem& self) {
                 const Turn turn(self.calls);
                 return self.solver->null_objective();
             })
        .def(
            "l1_max",
            [](Problem& self, int n_threads) {
                const Turn turn(self.calls);
                return run(n_threads, [&](const Execution& execution) {
                    return self.solver->l1_max(execution);
                });
            },
            "n_threads"_a = 1)
        .def(
            "start",
            [](Problem& self, const Matrix<double>& coef, const Array<double>& intercept,
               int n_threads) {
                const Turn turn(self.calls);
                run(n_threads, [&](const Execution& execution) {
                    self.solver->start(as_span(coef), as_span(intercept), execution);
                });
            },
            "coef"_exact, "intercept"_exact, "n_threads"_a = 1)
        .def(
            "fit",
            [](Problem& self, double l1, double l2, double wanted, std::size_t max_iter,
               double l1_before, int n_threads) {
                const Turn turn(self.calls);
                LogisticFit fit = run(n_threads, [&](const Execution& execution) {
                    return self.solver->fit(l1, l2, wanted, max_iter, l1_before, execution);
                });
                const std::size_t width = fit.intercept.size(), n_cols = fit.coef.size() / width;
                return tuple_of(to_numpy(std::move(fit.coef), {n_cols, width}),
                                to_numpy(std::move(fit.intercept)), fit.objective, fit.gap,
                                fit.n_iter, fit.converged);
            },
            "l1"_a, "l2"_a, "wanted"_a, "max_iter"_a, "l1_before"_a, "n_threads"_a = 1);
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csr_sparse_logistic<Value, Index>(m); });
    for_types<float, double>([&]<class Value>() { bind_dense_sparse_logistic<Value>(m); });
}

}  // namespace quire::bindings
