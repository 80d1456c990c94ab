// Squared distances of rows to the components of a mixture, each with a metric of its own.
#pragma once

#include <cstddef>
#include <span>

#include "base/dense.hpp"
#include "base/parallel.hpp"

namespace quire {

// out_ik = |(x_i - mean_k)' P_k|^2, into out (n_rows x n_components). means is n_components x
// n_cols, factors n_components x n_cols x n_cols; both row-major. Where the factors are known to be
// upper triangular, what lies below the diagonal is not read.
//
// X must be stored by rows. Every number of a product is summed up over the columns in order, and
// squares in eight strands: the same bits with any instruction set and number of threads.
//
// Equivalent to
//     [(((X - mean) @ P) ** 2).sum(axis=1) for mean, P in zip(means, factors)], as columns
template <class Value>
void dense_mahalanobis(const DenseView<Value>& X, std::span<const double> means,
                       std::span<const double> factors, bool upper, std::span<double> out,
                       const Execution& execution);

}  // namespace quire
