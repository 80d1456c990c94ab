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

struct ConjugateGradients {
    std::size_t n_products = 0;  // with the Hessian
    double residual = 1;         // its norm, relative to that of the gradient
    double slope = 0;            // gradient times direction: minus twice the expected decrease
};

// direction = an approximate solution of H d = -gradient, both of (p + 1) x width entries: a row
// for each feature and then that of the intercept, which stays 0 where there is none. Conjugate
// gradients, preconditioned by the diagonal of H averaged over the classes (with width 1, by what
// it would be if all rows had the mean curvature), until the (preconditioned) residual is
// `accuracy` times that of d = 0, or for `max_products`.
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
                                   std::span<const double> gradient, double accuracy,
                                   std::size_t max_products, std::span<double> direction,
                                   const Execution& execution);

// The product alone: out = H vector.
template <class Real, class Value, class Index>
void logistic_hessian_product(const LogisticHessian<Real, Value, Index>& H,
                              std::span<const double> vector, std::span<double> out,
                              const Execution& execution);

}  // namespace quire
