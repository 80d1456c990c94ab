// Newton directions of logistic regression on a sparse matrix, by conjugate gradients.
#pragma once

#include <cstddef>
#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// The Hessian of sum_i s_i loss_i + (l2/2) ||W||^2 + (intercept_l2/2) ||b||^2, where row i has the
// scores x_i W + b. Real, float or double, is what vectors are held in during the iterations.
template <class Real, class Value, class Index>
struct LogisticHessian {
    CsrView<Value, Index> X;          // n x p
    CsrView<Value, Index> Xt;         // p x n, its transpose; not read if width is 1
    std::span<const Real> curvature;  // n x width, from logistic_state
    std::span<const double> weights;  // n, or none
    std::size_t width = 1;
    double l2 = 0;
    double intercept_l2 = 0;
    bool has_intercept = true;
    std::span<const double> squares = {};  // p, of the columns: for directions with width 1
    std::span<const Real> head = {};       // n x n_head: added to the first columns of X; width 1
    std::size_t n_head = 0;                // a multiple of eight (csr_frequent_first)
};

// When the iterations end: the (preconditioned) residual is `accuracy` times that of d = 0, or none
// of its components (the gradient that the quadratic model expects at the end of d) is above
// `largest`, or so many products have been made.
struct Enough {
    double accuracy = 0.1;
    double largest = 0;
    std::size_t max_products = 500;
};

struct ConjugateGradients {
    std::size_t n_products = 0;  // with the Hessian
    double residual = 1;         // its norm, relative to that of the gradient
    double slope = 0;            // gradient times direction: minus twice the expected decrease
};

// direction = an approximate solution of H d = -gradient, both of (p + 1) x width entries: a row
// for each feature and then that of the intercept, which stays 0 where there is none. Conjugate
// gradients, preconditioned by the root of the diagonal of H averaged over the classes (with width
// 1, by what it would be if all rows had the mean curvature), as far as is `enough`. scores = X d +
// b, n x width: the sum of what the products had to compute anyway.
//
// A product takes one sparse pass with width 1, and otherwise two, each of which writes every row
// of its result on one thread; sums are made in parts of fixed size and order. The number of
// threads changes no bit.
//
// Equivalent to
//     Z = X @ V[:-1] + V[-1]
//     T = curvature * Z                                                    # width 1
//     T = s * curvature * (Z - (curvature * Z).sum(axis=1, keepdims=True)) # otherwise
//     HV = np.vstack([X.T @ T + l2 * V[:-1], T.sum(axis=0) + intercept_l2 * V[-1]])
//     # and conjugate gradients with this product
template <class Real, class Value, class Index>
ConjugateGradients logistic_newton(const LogisticHessian<Real, Value, Index>& H,
                                   std::span<const double> gradient, const Enough& enough,
                                   std::span<double> direction, std::span<double> scores,
                                   const Execution& execution);

struct GradientSize {
    double largest = 0;  // of the absolute values of all components
    double square = 0;   // sum of the squares of those of the features
};

// The gradient, (p + 1) x width, from that of the losses by the scores (n x width, logistic_state).
// Real is what the sums of a column are made in. Xt is the transpose of X.
//
// Equivalent to
//     gradient = np.vstack([X.T @ residuals + l2 * W[:-1],
//                           has_intercept * residuals.sum(axis=0) + intercept_l2 * W[-1]])
//     return abs(gradient).max(), (gradient[:-1] ** 2).sum()
// where the last row is zero without an intercept.
template <class Real, class Value, class Index>
GradientSize logistic_gradient(const CsrView<Value, Index>& Xt, std::span<const double> residuals,
                               std::size_t width, std::span<const double> weights, double l2,
                               double intercept_l2, bool has_intercept, std::span<double> gradient,
                               const Execution& execution);

// The product alone: out = H vector.
template <class Real, class Value, class Index>
void logistic_hessian_product(const LogisticHessian<Real, Value, Index>& H,
                              std::span<const double> vector, std::span<double> out,
                              const Execution& execution);

}  // namespace quire
