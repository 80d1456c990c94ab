// Means and squared deviations within each class: what a normal density needs to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dense.hpp"
#include "base/parallel.hpp"

namespace quire {

// Where the results go; what was there is overwritten.
struct ClassMoments {
    std::span<double> count;  // n_classes: W_k, the sum of weights
    std::span<double> mean;   // n_classes x n_cols, row-major
    std::span<double> low;    // the same: what rounding took from the mean
    std::span<double> ssd;    // the same: sum of squared deviations
};

// With w_i = 1 where there are no weights (an empty span), for class k and column j
//     W_k = sum w_i,   mean_kj = sum w_i x_ij / W_k,   ssd_kj = sum w_i (x_ij - mean_kj)^2
// over the rows i of class k; zeros where W_k is zero. mean + low is the mean to about twice the
// digits, so that moments of several matrices can be joined as accurately as they were taken.
//
// One pass: d = x - shift is summed with its square, and the shift of a class is its first row, so
// that a mean far from zero costs no digits and a column of equal values has ssd 0. Should the
// shift turn out to be far from the mean (beyond 8 standard deviations), a second pass takes the
// mean in its place.
//
// Rows are cut into at most 64 parts, fewer where n_classes x n_cols is large: the sums of all
// parts take 32 MB, or the size of the result if that is more. The same bits for every number of
// threads, instruction set and order of storage. Values that are not finite make moments of their
// column that are not.
//
// Equivalent to
//     mean = numpy.stack([numpy.average(X[labels == k], 0, w[labels == k]) for k in ...])
//     ssd = numpy.stack([w[labels == k] @ (X[labels == k] - mean[k]) ** 2 for k in ...])
template <class Value>
void dense_class_moments(const DenseView<Value>& X, std::span<const std::int32_t> labels,
                         std::size_t n_classes, std::span<const double> weights,
                         const ClassMoments& moments, const Execution& execution);

}  // namespace quire
