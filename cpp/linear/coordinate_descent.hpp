// Lasso and elastic net by coordinate descent on working sets, for a whole path of penalties.
//
// Minimises, for every pair (l1, l2) in turn, each from the solution of the one before,
//     P(w) = 1/2 ||y - X w||^2 + l1 ||w||_1 + l2/2 ||w||^2        (w >= 0 if `positive`)
// until the duality gap of the whole problem is at most tol ||y||^2 and, as in scikit-learn, the
// largest change of a coefficient in the last sweep at most tol times the largest coefficient.
//
// The gap is P(w) - D(v) with D(v) = y'v - ||v||^2 / 2 at the residual v of the problem that has
// sqrt(l2) I below X, made feasible by scaling: max_j |x_j'v| <= l1. It bounds P(w) - min P.
// Without an l1 penalty it is that of ridge regression, and without any the squared norm of X'r.
//
// A round: gradient of all columns (in parallel), gap, then sweeps over a working set: the support,
// the columns that the sequential strong rule keeps, and later those that break their optimality
// condition. Small working sets are swept through their Gram matrix, which grows along the path;
// there one step costs the length of the set, not the stored values of a column. Every five sweeps
// Anderson's extrapolation is tried and kept if it lowers P.
//
// Same bits with any number of threads.
//
// Equivalent to, for every (l1, l2), with G = X'X
//     while gap > tol * (y @ y):
//         for j in range(p):
//             z = X[:, j] @ (y - X @ w) + G[j, j] * w[j]
//             w[j] = np.sign(z) * max(abs(z) - l1, 0) / (G[j, j] + l2)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dense.hpp"
#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

struct EnetPath {
    std::span<const double> l1;     // n_penalties
    std::span<const double> l2;     // n_penalties
    std::span<const double> start;  // n_features: the first w; empty means zero
    double tol = 1e-4;
    std::size_t max_iter = 1000;  // sweeps for one penalty
    bool positive = false;
    std::span<double> coefs;         // n_penalties x n_features, out
    std::span<double> gaps;          // n_penalties, out
    std::span<std::int64_t> n_iter;  // n_penalties, out: sweeps made
};

// X sparse, given by columns (the rows of X'). With means, X stands for X - q means', where
// q are the roots of the weights that the rows were multiplied with (empty: ones); then y must be
// orthogonal to q.
template <class Value, class Index>
void csc_enet_path(const CsrView<Value, Index>& columns, std::span<const double> means,
                   std::span<const double> root_weights, std::span<const double> y,
                   const EnetPath& path, const Execution& execution);

// X dense, each column in one piece.
template <class Value>
void dense_enet_path(const DenseView<Value>& X, std::span<const double> y, const EnetPath& path,
                     const Execution& execution);

// Only G = X'X (n_features x n_features), X'y and y'y are known.
void gram_enet_path(std::span<const double> gram, std::span<const double> Xy, double yy,
                    const EnetPath& path, const Execution& execution);

}  // namespace quire
