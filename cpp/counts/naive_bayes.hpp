// From counts by class to the parameters of naive Bayes.
//
// Counts c_kj come class-major (n_classes x n_cols), as they are summed; logarithms go out
// feature-major (n_cols x n_classes), as csr_matmul reads them. Most counts are zero or small whole
// numbers, so that few logarithms have to be worked out.
#pragma once

#include <cstddef>
#include <span>

#include "base/parallel.hpp"

namespace quire {

// Counts by class and what is added to each: `alpha` has one entry for all columns or one for each.
// Count is double or std::uint32_t.
template <class Count>
struct SmoothedCounts {
    std::span<const Count> counts;  // n_classes x n_cols
    std::size_t n_classes;
    std::size_t n_cols;
    std::span<const double> alpha;
    std::span<const double> totals;  // n_classes: the sums over the columns; for the first and last

    double alpha_of(std::size_t column) const { return alpha[alpha.size() == 1 ? 0 : column]; }
};

// In a class in which nothing was counted, and with alpha zero, probabilities are what they are in
// the limit of a vanishing alpha: all the same.

// out_jk = log(c_kj + a_j) - log(sum over i of c_ki + a_i).
//
// Equivalent to
//     log((counts + alpha) / (counts + alpha).sum(axis=1, keepdims=True)).T
template <class Count>
void multinomial_log_prob(const SmoothedCounts<Count>& c, std::span<double> out,
                          const Execution& execution);

// out_jk = log(c_kj + a_j) - log(n_k + 2 a_j); n_k is the number of documents of class k.
//
// Equivalent to
//     log((counts + alpha) / (n[:, None] + 2 * alpha)).T
template <class Count>
void bernoulli_log_prob(const SmoothedCounts<Count>& c, std::span<const double> n,
                        std::span<double> out, const Execution& execution);

// The Bernoulli model as a linear one. With p_kj = exp of the above: weights_jk = log p - log(1-p),
// base_k = sum over j of log(1-p). Terms with p_kj of 0 or 1 have weight 0 and add nothing to the
// base: what they rule out is for the caller to see to.
//
// Equivalent to
//     log(p / (1 - p)).T, log(1 - p).sum(axis=1)
template <class Count>
void bernoulli_weights(const SmoothedCounts<Count>& c, std::span<const double> n,
                       std::span<double> weights, std::span<double> base,
                       const Execution& execution);

// all_j = sum over k of c_kj, and with what the other classes have, r_kj = all_j + a_j - c_kj,
// out_jk = log(sum over i of r_ki) - log r_kj, which is inf where r_kj is zero.
//
// Equivalent to
//     r = counts.sum(axis=0) + alpha - counts; -log(r / r.sum(axis=1, keepdims=True)).T
template <class Count>
void complement_weights(const SmoothedCounts<Count>& c, std::span<double> all,
                        std::span<double> out, const Execution& execution);

}  // namespace quire
