// A sparse matrix times a dense one: the scores of linear models, naive Bayes among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// out = offset + X W, with W (n_cols x width) row-major, so that a stored value of X meets `width`
// numbers that lie side by side; out is n_rows x width and overwritten, an empty offset means zero.
// With a threshold, x_ij counts as 1 if it is above it and as 0 otherwise (the threshold must not
// be negative, since zeros are not stored).
//
// One multiplication and one addition for each stored value and column, in the order of storage:
// the same bits with any number of threads and any instruction set.
//
// Equivalent to
//     offset + (X if threshold is None else X > threshold) @ W
template <class Value, class Index>
void csr_matmul(const CsrView<Value, Index>& X, std::span<const double> W, std::size_t width,
                std::span<const double> offset, std::optional<double> threshold,
                std::span<double> out, const Execution& execution);

// best_i = the first column in which row i of the same product is largest: predictions without the
// scores. Returns whether all of these largest numbers are finite.
//
// Equivalent to
//     (offset + X @ W).argmax(axis=1)
template <class Value, class Index>
bool csr_argmax(const CsrView<Value, Index>& X, std::span<const double> W, std::size_t width,
                std::span<const double> offset, std::optional<double> threshold,
                std::span<std::int64_t> best, const Execution& execution);

}  // namespace quire
