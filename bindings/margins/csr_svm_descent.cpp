// Linear support vector machines. Every matrix type is one overload.
#include "margins/csr_svm_descent.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_svm_descent_of(nb::module_& m) {
    m.def(
        "csr_svm_descent",
        [](const CsrView<Value, Index>& X, const Array<std::int32_t>& codes,
           const Array<double>& costs, const Array<std::int32_t>& positives,
           const Array<double>& positive_costs, const Array<double>& negative_costs, bool squared,
           double bias, double tol, std::size_t max_passes, std::uint64_t seed, int n_threads) {
            const std::size_t n_cols = n_cols_of(X), n_problems = positives.size();
            RawVector<std::int64_t> n_passes(n_problems);
            auto W = filled<double>(
                n_entries(n_cols + 1, n_problems), n_threads, [&](auto out, const auto& execution) {
                    csr_svm_descent(X, as_span(codes), as_span(costs), as_span(positives),
                                    as_span(positive_costs), as_span(negative_costs),
                                    {squared, bias, tol, max_passes, seed}, out,
                                    std::span<std::int64_t>(n_passes), execution);
                });
            return tuple_of(to_numpy(std::move(W), {n_cols + 1, n_problems}),
                            to_numpy(std::move(n_passes)));
        },
        "X"_a, "codes"_exact, "costs"_exact, "positives"_exact, "positive_costs"_exact,
        "negative_costs"_exact, "squared"_a, "bias"_a, "tol"_a, "max_passes"_a, "seed"_a,
        "n_threads"_a = 1);
    m.def(
        "csr_svr_descent",
        [](const CsrView<Value, Index>& X, const Array<double>& y, const Array<double>& costs,
           double epsilon, bool squared, double bias, double tol, std::size_t max_passes,
           std::uint64_t seed) {
            std::int64_t n_passes = 0;
            auto w = filled<double>(n_cols_of(X) + 1, 1, [&](auto out, const auto& execution) {
                n_passes = csr_svr_descent(X, as_span(y), as_span(costs), epsilon,
                                           {squared, bias, tol, max_passes, seed}, out, execution);
            });
            return tuple_of(to_numpy(std::move(w)), n_passes);
        },
        "X"_a, "y"_exact, "costs"_exact, "epsilon"_a, "squared"_a, "bias"_a, "tol"_a,
        "max_passes"_a, "seed"_a);
}

}  // namespace

void bind_csr_svm_descent(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csr_svm_descent_of<Value, Index>(m); });
}

}  // namespace quire::bindings
