// Sums by class and the term scores built on them. Every matrix type is one overload.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/filled.hpp"
#include "counts/class_sums.hpp"
#include "counts/term_scores.hpp"

namespace quire::bindings {

namespace {

// The sums and totals that a kernel fills.
template <class Sum, class Kernel>
auto class_sums(std::size_t n_classes, std::size_t n_cols, int n_threads, Kernel&& kernel) {
    auto totals = unset<double>(n_classes);
    auto sums = filled<Sum>(
        n_entries(n_classes, n_cols), n_threads,
        [&](auto out, const auto& execution) { kernel(ClassSums<Sum>{out, totals}, execution); });
    return tuple_of(to_numpy(std::move(sums), {n_classes, n_cols}), to_numpy(std::move(totals)));
}

template <class Value, class Index>
void bind_class_sums_of(nb::module_& m) {
    using Labels = Array<std::int32_t>;
    m.def(
        "csr_class_sums",
        [](const CsrView<Value, Index>& X, const Labels& labels, std::size_t n_classes,
           const Array<double>& weights, std::optional<double> threshold, int n_threads) {
            return class_sums<double>(
                n_classes, n_cols_of(X), n_threads, [&](const auto& out, const auto& execution) {
                    csr_class_sums(X, as_span(labels), n_classes, as_span(weights), threshold, out,
                                   execution);
                });
        },
        "X"_a, "labels"_exact, "n_classes"_a, "weights"_exact, "threshold"_a.none(),
        "n_threads"_a = 1);
    m.def(
        "csr_class_counts",
        [](const CsrView<Value, Index>& X, const Labels& labels, std::size_t n_classes,
           std::optional<double> threshold, int n_threads) {
            bool exact = true;
            auto counts = class_sums<std::uint32_t>(
                n_classes, n_cols_of(X), n_threads, [&](const auto& out, const auto& execution) {
                    exact =
                        csr_class_counts(X, as_span(labels), n_classes, threshold, out, execution);
                });
            return exact ? std::optional(std::move(counts)) : std::nullopt;
        },
        "X"_a, "labels"_exact, "n_classes"_a, "threshold"_a.none(), "n_threads"_a = 1);
    m.def(
        "csr_has_duplicates",
        [](const CsrView<Value, Index>& X, int n_threads) {
            return run(n_threads, [&](const Execution& execution) {
                return csr_has_duplicates(X, execution);
            });
        },
        "X"_a, "n_threads"_a = 1);

    const auto bind_scores = [&](const char* name, auto kernel) {
        m.def(
            name,
            [kernel](const CsrView<Value, Index>& X, const Labels& labels, std::size_t n_classes,
                     int n_threads) {
                return to_numpy(
                    filled<double>(n_cols_of(X), n_threads, [&](auto out, const auto& execution) {
                        kernel(X, as_span(labels), n_classes, out, execution);
                    }));
            },
            "X"_a, "labels"_exact, "n_classes"_a, "n_threads"_a = 1);
    };
    bind_scores("csr_chi2", &csr_chi2<Value, Index>);
    bind_scores("csr_mutual_info", &csr_mutual_info<Value, Index>);
}

template <class Value>
void bind_dense_class_sums_of(nb::module_& m) {
    m.def(
        "dense_class_sums",
        [](const Matrix<Value>& X, const Array<std::int32_t>& labels, std::size_t n_classes,
           const Array<double>& weights, std::optional<double> threshold, int n_threads) {
            const std::size_t n_cols = X.shape(1);
            return class_sums<double>(
                n_classes, n_cols, n_threads, [&](const auto& out, const auto& execution) {
                    dense_class_sums(as_span(X), n_cols, as_span(labels), n_classes,
                                     as_span(weights), threshold, out, execution);
                });
        },
        "X"_exact, "labels"_exact, "n_classes"_a, "weights"_exact, "threshold"_a.none(),
        "n_threads"_a = 1);
}

}  // namespace

void bind_class_sums(nb::module_& m) {
    for_matrices<float, double, std::int64_t>(
        [&]<class Value, class Index>() { bind_class_sums_of<Value, Index>(m); });
    for_types<float, double, std::int64_t>(
        [&]<class Value>() { bind_dense_class_sums_of<Value>(m); });
}

}  // namespace quire::bindings
