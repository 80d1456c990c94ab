// Distances of rows to the components of a mixture.
#include "cluster/mahalanobis.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/dense_arrays.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

template <class Value>
void bind_mahalanobis_of(nb::module_& m) {
    m.def(
        "dense_mahalanobis",
        [](const StridedMatrix<Value>& X, const Matrix<double>& means, const Array<double>& factors,
           bool upper, int n_threads) {
            auto out = filled<double>(
                X.shape(0) * means.shape(0), n_threads, [&](auto squares, const auto& execution) {
                    dense_mahalanobis(as_dense(X), as_span(means), as_span(factors), upper, squares,
                                      execution);
                });
            return to_numpy(std::move(out), {X.shape(0), means.shape(0)});
        },
        nb::arg("X").noconvert(), nb::arg("means").noconvert(), nb::arg("factors").noconvert(),
        nb::arg("upper"), nb::arg("n_threads") = 1);
}

}  // namespace

void bind_mahalanobis(nb::module_& m) {
    bind_mahalanobis_of<float>(m);
    bind_mahalanobis_of<double>(m);
}

}  // namespace quire::bindings
