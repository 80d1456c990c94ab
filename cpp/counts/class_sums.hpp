// Sums over the rows of each class: what naive Bayes counts and what term selection scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// The rows of each class, in the order of the matrix: those of class k are
// rows[begin[k]] ... rows[begin[k + 1] - 1].
struct ClassRows {
    std::vector<std::size_t> rows;   // n_rows
    std::vector<std::size_t> begin;  // n_classes + 1

    std::span<const std::size_t> of(std::size_t k) const {
        return std::span(rows).subspan(begin[k], begin[k + 1] - begin[k]);
    }
};

// Throws std::invalid_argument if a label is not in [0, n_classes) or their number is not n_rows.
ClassRows rows_by_class(std::span<const std::int32_t> labels, std::size_t n_classes,
                        std::size_t n_rows);

// Where the sums go; what was there is overwritten.
template <class Sum>
struct ClassSums {
    std::span<Sum> sums;       // n_classes x n_cols, row-major
    std::span<double> totals;  // n_classes: the sums of the rows of `sums`
};

// S_kj = sum over rows i of class k of w_i x_ij, and T_k = sum over j of S_kj. No weights (an empty
// span) means w_i = 1. With a threshold, which must not be negative, 1 stands in place of every
// value above it and 0 in place of the others: in how many rows of class k does column j occur. The
// matrix must not store an entry twice then.
//
// One add for every stored value. Each entry of the result is summed by one worker in row order,
// whether the work was cut by class or also by columns, so the bits depend on the data alone; no
// memory but one number for each row is used besides the result.
//
// Equivalent to
//     values = X if threshold is None else X > threshold
//     S = numpy.stack([w[labels == k] @ values[labels == k] for k in range(n_classes)])
//     T = S.sum(axis=1)
template <class Value, class Index>
void csr_class_sums(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                    std::size_t n_classes, std::span<const double> weights,
                    std::optional<double> threshold, const ClassSums<double>& out,
                    const Execution& execution);

// The same without weights, in 32 bits: half the memory, which is where the time goes. For whole
// numbers, or with a threshold. Returns false, and the sums are of no use, if a value is negative
// or a class might have sums of 2^32 or more.
template <class Value, class Index>
bool csr_class_counts(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                      std::size_t n_classes, std::optional<double> threshold,
                      const ClassSums<std::uint32_t>& out, const Execution& execution);

// csr_class_sums for a dense matrix (n_rows x n_cols, row-major).
template <class Value>
void dense_class_sums(std::span<const Value> X, std::size_t n_cols,
                      std::span<const std::int32_t> labels, std::size_t n_classes,
                      std::span<const double> weights, std::optional<double> threshold,
                      const ClassSums<double>& out, const Execution& execution);

// Whether a row stores an entry twice. Rows in rising order cannot; the others are looked at one
// entry after the other.
template <class Value, class Index>
bool csr_has_duplicates(const CsrView<Value, Index>& X, const Execution& execution);

}  // namespace quire
