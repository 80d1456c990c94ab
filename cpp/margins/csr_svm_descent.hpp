// Linear support vector machines on a sparse matrix: coordinate descent on the dual.
//
// Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for large-scale
// linear SVM", ICML 2008; for numbers: Ho, Lin, "Large-scale linear support vector regression",
// JMLR 13, 2012.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

struct SvmDescent {
    bool squared = true;  // the squared loss, or the plain one
    double bias = 0;      // value of a constant feature that every row has; 0 for none
    double tol = 1e-4;    // of the range of the projected gradient, see below
    std::size_t max_passes = 1000;
    std::uint64_t seed = 0;  // of the orders in which the rows are visited
};

// One problem for each column k of W ((n_cols + 1) x n_problems; the last row is the weight of the
// bias): with y_i = 1 where codes[i] == positives[k] and -1 elsewhere,
//
//     min ||w||^2 / 2 + sum_i C_ik max(0, 1 - y_i w'x_i)^power       power 1, or 2 if squared
//     C_ik = costs[i] * (y_i > 0 ? positive_costs[k] : negative_costs[k])
//
// through its dual, min ||sum_i a_i y_i x_i||^2 / 2 + sum_i (d_i a_i^2 / 2 - a_i), 0 <= a_i <= U_i,
// (U, d) = (C, 0), or (infinity, 1 / 2C) if squared. A pass visits the rows in an order of the
// seed and the number of the pass; a row meets the weights of many problems side by side. Every
// problem leaves out samples at their bounds, and ends, by itself (shrinking): problems do not
// meet, so that neither threads nor the other problems change a bit of one.
//
// A problem ends when its projected gradient has a range of at most tol over all samples, or when
// its duality gap, which is looked at after some of the passes, is at most tol / 100 of the
// objective. Weights and multipliers are in the precision of the values of X, and W is made of the
// multipliers in double precision at the end.
//
// n_passes[k] is the number of passes, max_passes if the tolerance was not reached. Equivalent to
// the Python in tests/reference/csr_svm_descent.py.
template <class Value, class Index>
void csr_svm_descent(const CsrView<Value, Index>& X, std::span<const std::int32_t> codes,
                     std::span<const double> costs, std::span<const std::int32_t> positives,
                     std::span<const double> positive_costs, std::span<const double> negative_costs,
                     const SvmDescent& options, std::span<double> W,
                     std::span<std::int64_t> n_passes, const Execution& execution);

// The same for numbers: one problem,
//
//     min ||w||^2 / 2 + sum_i costs[i] max(0, |y_i - w'x_i| - epsilon)^power
//
// w has n_cols + 1 entries. Returns the number of passes.
template <class Value, class Index>
std::int64_t csr_svr_descent(const CsrView<Value, Index>& X, std::span<const double> y,
                             std::span<const double> costs, double epsilon,
                             const SvmDescent& options, std::span<double> w,
                             const Execution& execution);

}  // namespace quire
