// Logistic regression, row by row: losses, their gradients and curvatures from scores.
//
// Scores have `width` columns: 1 for two classes (the log-odds of the second, sigmoid), and
// otherwise one for each class (softmax). Class numbers are in [0, max(width, 2)). Empty weights
// mean that every row weighs 1. Sums over rows are made in parts of fixed size, which are added up
// in order, so the number of threads changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"

namespace quire {

struct LogisticRows {
    std::span<const double> scores;       // n x width
    std::span<const std::int32_t> codes;  // n
    std::span<const double> weights;      // n, or none
    std::size_t width = 1;
};

// sum_i s_i loss_i at scores + step * direction (an empty direction is zero).
//
// Equivalent to
//     Z = scores + step * direction
//     (s * (np.logaddexp(0, Z[:, 0]) - codes * Z[:, 0])).sum()               # width 1
//     (s * (logsumexp(Z, axis=1) - Z[np.arange(n), codes])).sum()            # otherwise
double logistic_loss(const LogisticRows& rows, std::span<const double> direction, double step,
                     const Execution& execution);

// The same sum at the scores; residuals = d loss / d scores (n x width); curvature (n x width) is
// what products with the second derivative need: with width 1 the derivative s q (1 - q) itself,
// and otherwise the probabilities, from which d2 loss_i = s_i (diag(P_i) - P_i P_i').
//
// Equivalent to
//     Q = expit(scores); residuals = s * (Q - codes); curvature = s * Q * (1 - Q)     # width 1
//     P = softmax(scores, axis=1); residuals = s * (P - one_hot); curvature = P       # otherwise
template <class Real>
double logistic_state(const LogisticRows& rows, std::span<double> residuals,
                      std::span<Real> curvature, const Execution& execution);

}  // namespace quire
