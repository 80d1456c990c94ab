// Sums over the rows of each class: what naive Bayes counts and what term selection scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "csr.hpp"
#include "parallel.hpp"

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
struct ClassSums {
    std::span<double> sums;    // n_classes x n_cols, row-major
    std::span<double> totals;  // n_classes: the sums of the rows of `sums`
};

// S_kj = sum over rows i of class k of w_i x_ij, and T_k = sum over j of S_kj. No weights (an empty
// span) means w_i = 1.
//
// One add for every stored value. Each entry of the result is summed by one worker in row order,
// whether the work was cut by class or also by columns, so the bits depend on the data alone; no
// memory but one number for each row is used besides the result.
//
// Equivalent to
//     S = numpy.stack([w[labels == k] @ X[labels == k] for k in range(n_classes)])
//     T = S.sum(axis=1)
template <class Value, class Index>
void csr_class_sums(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                    std::size_t n_classes, std::span<const double> weights, const ClassSums& out,
                    const Execution& execution);

// The same with 1 in place of every value above the threshold, which must not be negative, and 0 in
// place of the others: in how many rows of class k does column j occur. The matrix must not store
// an entry twice.
//
// Equivalent to
//     csr_class_sums(X > threshold, labels, n_classes, w)
template <class Value, class Index>
void csr_class_presence(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                        std::size_t n_classes, std::span<const double> weights, double threshold,
                        const ClassSums& out, const Execution& execution);

// Both for a dense matrix (n_rows x n_cols, row-major).
template <class Value>
void dense_class_sums(std::span<const Value> X, std::size_t n_cols,
                      std::span<const std::int32_t> labels, std::size_t n_classes,
                      std::span<const double> weights, std::optional<double> threshold,
                      const ClassSums& out, const Execution& execution);

}  // namespace quire
