// Paths of the lasso and the elastic net. Every matrix type is one overload.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"
#include "bindings/base/arrays.hpp"
#include "bindings/base/dense_arrays.hpp"
#include "bindings/base/execution.hpp"
#include "linear/coordinate_descent.hpp"

namespace quire::bindings {

namespace {

struct Result {
    RawVector<double> coefs, gaps;
    RawVector<std::int64_t> n_iter;
};

// Calls kernel(path, execution) with a path whose results are new arrays.
template <class Kernel>
nb::tuple path_of(std::size_t n_features, const Array<double>& l1, const Array<double>& l2,
                  const Array<double>& start, double tol, std::size_t max_iter, bool positive,
                  int n_threads, Kernel&& kernel) {
    const std::size_t n = l1.size();
    Result result = run(n_threads, [&](const Execution& execution) {
        Result out{RawVector<double>(n * n_features), RawVector<double>(n),
                   RawVector<std::int64_t>(n)};
        kernel(EnetPath{as_span(l1), as_span(l2), as_span(start), tol, max_iter, positive,
                        out.coefs, out.gaps, out.n_iter},
               execution);
        return out;
    });
    return nb::make_tuple(to_numpy(std::move(result.coefs), {n, n_features}),
                          to_numpy(std::move(result.gaps)), to_numpy(std::move(result.n_iter)));
}

template <class Value, class Index>
void bind_csc_enet_path(nb::module_& m) {
    m.def(
        "csc_enet_path",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_samples, const Array<double>& means, const Array<double>& root_weights,
           const Array<double>& y, const Array<double>& l1, const Array<double>& l2,
           const Array<double>& start, double tol, std::size_t max_iter, bool positive,
           int n_threads) {
            const auto columns =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_samples));
            return path_of(indptr.size() - 1, l1, l2, start, tol, max_iter, positive, n_threads,
                           [&](const EnetPath& path, const Execution& execution) {
                               csc_enet_path(columns, as_span(means), as_span(root_weights),
                                             as_span(y), path, execution);
                           });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_samples"), nb::arg("means").noconvert(), nb::arg("root_weights").noconvert(),
        nb::arg("y").noconvert(), nb::arg("l1").noconvert(), nb::arg("l2").noconvert(),
        nb::arg("start").noconvert(), nb::arg("tol"), nb::arg("max_iter"), nb::arg("positive"),
        nb::arg("n_threads") = 1);
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
        nb::arg("X").noconvert(), nb::arg("y").noconvert(), nb::arg("l1").noconvert(),
        nb::arg("l2").noconvert(), nb::arg("start").noconvert(), nb::arg("tol"),
        nb::arg("max_iter"), nb::arg("positive"), nb::arg("n_threads") = 1);
}

}  // namespace

void bind_coordinate_descent(nb::module_& m) {
    bind_csc_enet_path<float, std::int32_t>(m);
    bind_csc_enet_path<float, std::int64_t>(m);
    bind_csc_enet_path<double, std::int32_t>(m);
    bind_csc_enet_path<double, std::int64_t>(m);
    bind_dense_enet_path<float>(m);
    bind_dense_enet_path<double>(m);
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
        nb::arg("gram").noconvert(), nb::arg("Xy").noconvert(), nb::arg("yy"),
        nb::arg("l1").noconvert(), nb::arg("l2").noconvert(), nb::arg("start").noconvert(),
        nb::arg("tol"), nb::arg("max_iter"), nb::arg("positive"), nb::arg("n_threads") = 1);
}

}  // namespace quire::bindings
