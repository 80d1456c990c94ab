// Logistic regression with L1 and elastic-net penalties. Every matrix type is one overload.
#include "linear/sparse_logistic.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

namespace {

template <class T>
using ColumnMajor = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

template <class Value, class Index>
void bind_csr_sparse_logistic(nb::module_& m) {
    m.def(
        "csr_sparse_logistic",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Array<std::int32_t>& codes, std::size_t n_classes,
           const Array<double>& weights, bool fit_intercept, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            const LogisticTask task{as_span(codes), n_classes, as_span(weights), fit_intercept};
            return run(n_threads, [&](const Execution& execution) {
                return csr_sparse_logistic(X, task, execution);
            });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("codes").noconvert(), nb::arg("n_classes"),
        nb::arg("weights").noconvert(), nb::arg("fit_intercept"), nb::arg("n_threads") = 1,
        nb::keep_alive<0, 5>(), nb::keep_alive<0, 7>());
}

template <class Value>
void bind_dense_sparse_logistic(nb::module_& m) {
    m.def(
        "dense_sparse_logistic",
        [](const ColumnMajor<Value>& X, const Array<std::int32_t>& codes, std::size_t n_classes,
           const Array<double>& weights, bool fit_intercept) {
            const LogisticTask task{as_span(codes), n_classes, as_span(weights), fit_intercept};
            return dense_sparse_logistic(std::span<const Value>(X.data(), X.size()), X.shape(0),
                                         X.shape(1), task);
        },
        nb::arg("X").noconvert(), nb::arg("codes").noconvert(), nb::arg("n_classes"),
        nb::arg("weights").noconvert(), nb::arg("fit_intercept"), nb::keep_alive<0, 1>(),
        nb::keep_alive<0, 2>(), nb::keep_alive<0, 4>());
}

}  // namespace

void bind_sparse_logistic(nb::module_& m) {
    nb::class_<SparseLogistic>(m, "SparseLogistic")
        .def("null_objective", &SparseLogistic::null_objective)
        .def(
            "l1_max",
            [](SparseLogistic& self, int n_threads) {
                return run(n_threads,
                           [&](const Execution& execution) { return self.l1_max(execution); });
            },
            nb::arg("n_threads") = 1)
        .def(
            "start",
            [](SparseLogistic& self, const Matrix<double>& coef, const Array<double>& intercept,
               int n_threads) {
                run(n_threads, [&](const Execution& execution) {
                    self.start(as_span(coef), as_span(intercept), execution);
                });
            },
            nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(), nb::arg("n_threads") = 1)
        .def(
            "fit",
            [](SparseLogistic& self, double l1, double l2, double wanted, std::size_t max_iter,
               double l1_before, int n_threads) {
                LogisticFit fit = run(n_threads, [&](const Execution& execution) {
                    return self.fit(l1, l2, wanted, max_iter, l1_before, execution);
                });
                const std::size_t width = fit.intercept.size(), n_cols = fit.coef.size() / width;
                return nb::make_tuple(to_numpy(std::move(fit.coef), {n_cols, width}),
                                      to_numpy(std::move(fit.intercept)), fit.objective, fit.gap,
                                      fit.n_iter, fit.converged);
            },
            nb::arg("l1"), nb::arg("l2"), nb::arg("wanted"), nb::arg("max_iter"),
            nb::arg("l1_before"), nb::arg("n_threads") = 1);
    bind_csr_sparse_logistic<float, std::int32_t>(m);
    bind_csr_sparse_logistic<float, std::int64_t>(m);
    bind_csr_sparse_logistic<double, std::int32_t>(m);
    bind_csr_sparse_logistic<double, std::int64_t>(m);
    bind_dense_sparse_logistic<float>(m);
    bind_dense_sparse_logistic<double>(m);
}

}  // namespace quire::bindings
