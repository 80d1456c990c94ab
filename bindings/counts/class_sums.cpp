// Sums by class and the term scores built on them. Every matrix type is one overload.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"
#include "counts/class_sums.hpp"
#include "counts/term_scores.hpp"

namespace quire::bindings {

namespace {

// The sums and totals that a kernel fills; None if it says that they are of no use.
template <class Sum, class Kernel>
nb::object class_sums(std::size_t n_classes, std::size_t n_cols, int n_threads, Kernel&& kernel) {
    RawVector<double> totals(n_classes);
    bool good = true;
    auto sums = filled<Sum>(n_classes * n_cols, n_threads, [&](auto out, const auto& execution) {
        good = kernel(ClassSums<Sum>{out, totals}, execution);
    });
    if (!good) return nb::none();
    return nb::make_tuple(to_numpy(std::move(sums), {n_classes, n_cols}),
                          to_numpy(std::move(totals)));
}

template <class Value, class Index>
void bind_class_sums_of(nb::module_& m) {
    using Labels = Array<std::int32_t>;
    m.def(
        "csr_class_sums",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Labels& labels, std::size_t n_classes,
           const Array<double>& weights, std::optional<double> threshold, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            return class_sums<double>(
                n_classes, n_cols, n_threads, [&](const auto& out, const auto& execution) {
                    csr_class_sums(X, as_span(labels), n_classes, as_span(weights), threshold, out,
                                   execution);
                    return true;
                });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("labels").noconvert(), nb::arg("n_classes"),
        nb::arg("weights").noconvert(), nb::arg("threshold").none(), nb::arg("n_threads") = 1);
    m.def(
        "csr_class_counts",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Labels& labels, std::size_t n_classes,
           std::optional<double> threshold, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            return class_sums<std::uint32_t>(
                n_classes, n_cols, n_threads, [&](const auto& out, const auto& execution) {
                    return csr_class_counts(X, as_span(labels), n_classes, threshold, out,
                                            execution);
                });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("labels").noconvert(), nb::arg("n_classes"),
        nb::arg("threshold").none(), nb::arg("n_threads") = 1);
    m.def(
        "csr_has_duplicates",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            return run(n_threads, [&](const Execution& execution) {
                return csr_has_duplicates(X, execution);
            });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("n_threads") = 1);

    const auto bind_scores = [&](const char* name, auto kernel) {
        m.def(
            name,
            [kernel](const Array<Value>& data, const Array<Index>& indices,
                     const Array<Index>& indptr, std::size_t n_cols, const Labels& labels,
                     std::size_t n_classes, int n_threads) {
                const auto X =
                    as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
                return to_numpy(
                    filled<double>(n_cols, n_threads, [&](auto out, const auto& execution) {
                        kernel(X, as_span(labels), n_classes, out, execution);
                    }));
            },
            nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
            nb::arg("indptr").noconvert(), nb::arg("n_cols"), nb::arg("labels").noconvert(),
            nb::arg("n_classes"), nb::arg("n_threads") = 1);
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
                    return true;
                });
        },
        nb::arg("X").noconvert(), nb::arg("labels").noconvert(), nb::arg("n_classes"),
        nb::arg("weights").noconvert(), nb::arg("threshold").none(), nb::arg("n_threads") = 1);
}

}  // namespace

void bind_class_sums(nb::module_& m) {
    bind_class_sums_of<float, std::int32_t>(m);
    bind_class_sums_of<float, std::int64_t>(m);
    bind_class_sums_of<double, std::int32_t>(m);
    bind_class_sums_of<double, std::int64_t>(m);
    bind_class_sums_of<std::int64_t, std::int32_t>(m);
    bind_class_sums_of<std::int64_t, std::int64_t>(m);
    bind_dense_class_sums_of<float>(m);
    bind_dense_class_sums_of<double>(m);
    bind_dense_class_sums_of<std::int64_t>(m);
}

}  // namespace quire::bindings
