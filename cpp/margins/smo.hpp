// Sequential minimal optimisation: the dual of a kernel machine, two variables at a time.
//
// Platt, "Fast training of support vector machines using sequential minimal optimization", 1998;
// pairs by Fan, Chen, Lin, "Working set selection using second order information for training
// support vector machines", JMLR 6, 2005.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"

namespace quire {

// Variables [start, start + size) belong to the rows (and columns) of K from `first` on: two
// classes of a larger matrix, or both variables of every sample in regression.
struct SmoSegment {
    std::size_t start = 0, first = 0, size = 0;
};

struct SmoResult {
    std::int64_t n_iter = 0;
    double gap = 0;  // of the optimality conditions; at most tol unless iterations ran out
};

// min beta' K beta / 2 - q' beta,  low <= beta <= high,  sum beta unchanged,
//
// where slack = q - K beta is kept with beta. (In the usual variables beta_i = y_i alpha_i; a
// classifier has q = y and 0 <= y beta <= C.) At the optimum, max slack over beta < high is at most
// min slack over beta > low, up to tol. K is in single precision, everything else in double.
//
// Starts where beta and slack are and changes both. K has rows of `stride` numbers.
//
// Equivalent to the Python in tests/reference/smo.py.
SmoResult smo(std::span<const float> K, std::size_t stride, std::span<const SmoSegment> segments,
              std::span<const double> low, std::span<const double> high, double tol,
              std::int64_t max_iter, std::span<double> beta, std::span<double> slack,
              const Execution& execution);

// slack -= change' rows: what a change of some variables does to all the others. Row i of change is
// row which[i] of a table whose rows are as long as slack.
//
// Equivalent to
//     slack -= change @ table[which]
void smo_slack(std::span<const float> table, std::span<const std::int64_t> which,
               std::span<const double> change, std::span<double> slack, const Execution& execution);

}  // namespace quire
