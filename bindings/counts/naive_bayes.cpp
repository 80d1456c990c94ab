// The parameters of naive Bayes from counts by class.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"
#include "counts/naive_bayes.hpp"

namespace quire::bindings {

namespace {

template <class Count>
SmoothedCounts<Count> smoothed(const Matrix<Count>& counts, const Array<double>& alpha,
                               std::span<const double> totals = {}) {
    return {as_span(counts), counts.shape(0), counts.shape(1), as_span(alpha), totals};
}

// A kernel that fills one number for each column and class.
template <class Count, class Kernel>
auto feature_major(const Matrix<Count>& counts, int n_threads, Kernel&& kernel) {
    return to_numpy(filled<double>(counts.size(), n_threads, kernel),
                    {counts.shape(1), counts.shape(0)});
}

template <class Count>
void bind_naive_bayes_of(nb::module_& m) {
    m.def(
        "multinomial_log_prob",
        [](const Matrix<Count>& counts, const Array<double>& totals, const Array<double>& alpha,
           int n_threads) {
            return feature_major(counts, n_threads, [&](auto out, const auto& execution) {
                multinomial_log_prob(smoothed(counts, alpha, as_span(totals)), out, execution);
            });
        },
        "counts"_exact, "totals"_exact, "alpha"_exact, "n_threads"_a = 1);
    m.def(
        "bernoulli_log_prob",
        [](const Matrix<Count>& counts, const Array<double>& n, const Array<double>& alpha,
           int n_threads) {
            return feature_major(counts, n_threads, [&](auto out, const auto& execution) {
                bernoulli_log_prob(smoothed(counts, alpha), as_span(n), out, execution);
            });
        },
        "counts"_exact, "n"_exact, "alpha"_exact, "n_threads"_a = 1);
    m.def(
        "bernoulli_weights",
        [](const Matrix<Count>& counts, const Array<double>& n, const Array<double>& alpha,
           int n_threads) {
            RawVector<double> base(counts.shape(0));
            auto weights = feature_major(counts, n_threads, [&](auto out, const auto& execution) {
                bernoulli_weights(smoothed(counts, alpha), as_span(n), out, base, execution);
            });
            return tuple_of(std::move(weights), to_numpy(std::move(base)));
        },
        "counts"_exact, "n"_exact, "alpha"_exact, "n_threads"_a = 1);
    m.def(
        "complement_weights",
        [](const Matrix<Count>& counts, const Array<double>& totals, const Array<double>& alpha,
           int n_threads) {
            RawVector<double> all(counts.shape(1));
            auto weights = feature_major(counts, n_threads, [&](auto out, const auto& execution) {
                complement_weights(smoothed(counts, alpha, as_span(totals)), all, out, execution);
            });
            return tuple_of(std::move(weights), to_numpy(std::move(all)));
        },
        "counts"_exact, "totals"_exact, "alpha"_exact, "n_threads"_a = 1);
}

}  // namespace

void bind_naive_bayes(nb::module_& m) {
    for_types<double, std::uint32_t>([&]<class Value>() { bind_naive_bayes_of<Value>(m); });
}

}  // namespace quire::bindings
