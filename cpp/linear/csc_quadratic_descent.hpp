// Coordinate descent on a quadratic with an elastic net: the inner problem of a proximal Newton
// step.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// Passes over the coordinates `working` of
//
//     min_w  sum_i (r_i dz_i + h_i dz_i^2 / 2) + l1 |w|_1 + l2 |w|^2 / 2,   dz = X (w - w_start),
//
// one exact minimisation for each coordinate in turn:
//
//     w_j <- soft(c_j w_j - x_j'r, l1) / (c_j + l2),   then   r += h * x_j * (change of w_j),
//
// with c_j = sum_i h_i x_ij^2 in `curvature`, one for each entry of `working`. Columns are the rows
// of the CSR view (n_features x n_samples). `residual` and `w` are updated in place. The passes end
// after `max_passes`, or when no coordinate moved by more than `tol` in units of the gradient,
// which is (c_j + l2) times its change. Returns the largest such move of the last pass.
//
// Equivalent to
//     for j, c in zip(working, curvature):
//         step = soft(c * w[j] - X[:, j] @ residual, l1) / (c + l2) - w[j]
//         residual += h * X[:, j] * step; w[j] += step
//
// Coordinates depend on those before them, so this runs on one thread.
template <class Value, class Index>
double csc_quadratic_descent(const CsrView<Value, Index>& columns,
                             std::span<const std::int64_t> working,
                             std::span<const double> curvature, std::span<const double> h,
                             std::span<double> residual, std::span<double> w, double l1, double l2,
                             double tol, std::int64_t max_passes, const Execution& execution);

}  // namespace quire
