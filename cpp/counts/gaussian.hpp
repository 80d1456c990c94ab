// Log densities of independent normal variables.
#pragma once

#include <cstddef>
#include <span>

#include "base/dense.hpp"
#include "base/parallel.hpp"

namespace quire {

// L_ik = offset_k - 1/2 sum_j ((x_ij - mean_kj) scale_kj)^2, into result (n_rows x n_classes,
// row-major; what it held is overwritten). mean and scale are n_classes x n_cols, row-major.
//
// The sum runs over the columns in order and a vector holds several rows, so that every
// instruction set gives the same bits. Tiles of X are turned to columns of doubles in the cache: X
// is read once, in any order of storage, and nothing of its size is allocated. A value that is not
// finite makes its row of the result NaN or -infinity.
//
// Equivalent to
//     offset - 0.5 * (((X[:, None] - mean) * scale) ** 2).sum(axis=2)
template <class Value>
void dense_gaussian_log_likelihood(const DenseView<Value>& X, std::span<const double> mean,
                                   std::span<const double> scale, std::span<const double> offset,
                                   std::span<double> result, const Execution& execution);

}  // namespace quire
