// Normal densities: their moments by class, and their logarithms.
#include "counts/gaussian.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/dense_arrays.hpp"
#include "bindings/base/filled.hpp"
#include "counts/class_moments.hpp"

namespace quire::bindings {

namespace {

template <class Value>
void bind_gaussian_of(nb::module_& m) {
    m.def(
        "dense_class_moments",
        [](const StridedMatrix<Value>& X, const Array<std::int32_t>& labels, std::size_t n_classes,
           const Array<double>& weights, int n_threads) {
            const std::size_t n_cols = X.shape(1);
            auto count = unset<double>(n_classes), mean = unset<double>(n_classes, n_cols),
                 low = unset<double>(n_classes, n_cols);
            auto ssd = filled<double>(mean.size(), n_threads, [&](auto out, const auto& execution) {
                dense_class_moments(as_dense(X), as_span(labels), n_classes, as_span(weights),
                                    {count, mean, low, out}, execution);
            });
            return tuple_of(to_numpy(std::move(count)),
                            to_numpy(std::move(mean), {n_classes, n_cols}),
                            to_numpy(std::move(low), {n_classes, n_cols}),
                            to_numpy(std::move(ssd), {n_classes, n_cols}));
        },
        "X"_exact, "labels"_exact, "n_classes"_a, "weights"_exact, "n_threads"_a = 1);
    m.def(
        "dense_gaussian_log_likelihood",
        [](const StridedMatrix<Value>& X, const Array<double>& mean, const Array<double>& scale,
           const Array<double>& offset, int n_threads) {
            auto scores = filled<double>(n_entries(X.shape(0), offset.size()), n_threads,
                                         [&](auto out, const auto& execution) {
                                             dense_gaussian_log_likelihood(
                                                 as_dense(X), as_span(mean), as_span(scale),
                                                 as_span(offset), out, execution);
                                         });
            return to_numpy(std::move(scores), {X.shape(0), offset.size()});
        },
        "X"_exact, "mean"_exact, "scale"_exact, "offset"_exact, "n_threads"_a = 1);
}

}  // namespace

void bind_gaussian(nb::module_& m) {
    for_types<float, double>([&]<class Value>() { bind_gaussian_of<Value>(m); });
}

}  // namespace quire::bindings
