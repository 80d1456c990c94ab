// Paths of the lasso and the elastic net. Every matrix type is one overload.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"
#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/dense_arrays.hpp"
#include "bindings/base/filled.hpp"
#include "linear/coordinate_descent.hpp"

namespace quire::bindings {

namespace {

struct Result {
    RawVector<double> coefs, gaps;
    RawVector<std::int64_t> n_iter;
};

// Calls kernel(path, execution) with a path whose results are new arrays.
template <class Kernel>
auto path_of(std::size_t n_features, const Array<double>& l1, const Array<double>& l2,
             const Array<double>& start, double tol, std::size_t max_iter, bool positive,
             int n_threads, Kernel&& kernel) {
    const std::size_t n = l1.size();
    Result result = run(n_threads, [&](const Execution& execution) {
        Result out{unset<double>(n, n_features), RawVector<double>(n), RawVector<std::int64_t>(n)};
        kernel(EnetPath{as_span(l1), as_span(l2), as_span(start), tol, max_iter, positive,
                        out.coefs, out.gaps, out.n_iter},
               execution);
        return out;
    });
    return tuple_of(to_numpy(std::move(result.coefs), {n, n_features}),
                    to_numpy(std::move(result.gaps)), to_numpy(std::move(result.n_iter)));
}

template <class Value, class Index>
void bind_csc_enet_path(nb::module_& m) {
    m.def(
        "csc_enet_path",
        [](const CscView<Value, Index>& X, const Array<double>& means,
           const Array<double>& root_weights, const Array<double>& y, const Array<double>& l1,
           const Array<double>& l2, const Array<double>& start, double tol, std::size_t max_iter,
           bool positive, int n_threads) {
            return path_of(X.n_rows(), l1, l2, start, tol, max_iter, positive, n_threads,
                           [&](const EnetPath& path, const Execution& execution) {
                               csc_enet_path(X, as_span(means), as_span(root_weights), as_span(y),
                                             path, execution);
                           });
        },
        "X"_a, "means"_exact, "root_weights"_exact, "y"_exact, "l1"_exact, "l2"_exact,
        "start"_exact, "tol"_a, "max_iter"_a, "positive"_a, "n_threads"_a = 1);
}

template <class Value>
void bind_dense_enet_path(nb::module_& m) {
    m.def(
        "dense_enet_path",
        [](const StridedMatrix<Value>& X, const Array<double>& y, const Array<double>& l1,
           const Array<double>& l2, const Array<double>& start, double tol, std::size_t max_iter,
           bool positive, int n_threads) {
            return path_of(X.shape(1), l1, l2, start, tol, max_iter, positive, n_threads,
                           [&](const EnetPath& path, const Execution& execution) {
                               dense_enet_path(as_dense(X), as_span(y), path, execution);
                           });
        },
        "X"_exact, "y"_exact, "l1"_exact, "l2"_exact, "start"_exact, "tol"_a, "max_iter"_a,
        "positive"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_coordinate_descent(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csc_enet_path<Value, Index>(m); });
    for_types<float, double>([&]<class Value>() { bind_dense_enet_path<Value>(m); });
    m.def(
        "gram_enet_path",
        [](const Matrix<double>& gram, const Array<double>& Xy, double yy, const Array<double>& l1,
           const Array<double>& l2, const Array<double>& start, double tol, std::size_t max_iter,
           bool positive, int n_threads) {
            return path_of(Xy.size(), l1, l2, start, tol, max_iter, positive, n_threads,
                           [&](const EnetPath& path, const Execution& execution) {
                               gram_enet_path(as_span(gram), as_span(Xy), yy, path, execution);
                           });
        },
        "gram"_exact, "Xy"_exact, "yy"_a, "l1"_exact, "l2"_exact, "start"_exact, "tol"_a,
        "max_iter"_a, "positive"_a, "n_threads"_a = 1);
}

}  // namespace quire::bindings
