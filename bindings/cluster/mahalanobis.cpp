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
            auto out =
                filled<double>(n_entries(X.shape(0), means.shape(0)), n_threads,
                               [&](auto squares, const auto& execution) {
                                   dense_mahalanobis(as_dense(X), as_span(means), as_span(factors),
                                                     upper, squares, execution);
                               });
            return to_numpy(std::move(out), {X.shape(0), means.shape(0)});
        },
        "X"_exact, "means"_exact, "factors"_exact, "upper"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_mahalanobis(nb::module_& m) {
    for_types<float, double>([&]<class Value>() { bind_mahalanobis_of<Value>(m); });
}

}  // namespace quire::bindings
