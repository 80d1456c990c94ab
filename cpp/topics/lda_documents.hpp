// Documents under topics that are known: their shares of topics, and how likely they are.
//
// phi is word-major (n_words x width), width being the number of topics padded to whole chunks of
// 16 with zeros, as is alpha. Documents are independent of each other and of their place among the
// others, so that any split of the work gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "topics/lda_corpus.hpp"

namespace quire {

struct KnownTopics {
    std::span<const float> phi;    // n_words x width
    std::span<const float> alpha;  // width
    std::size_t n_topics;
};

// theta[d, k] = (n_dk + alpha_k) / (n_d + sum of alpha), where n_dk is the expected number of
// tokens of topic k by the collapsed variational method of order zero (Asuncion et al., "On
// smoothing and inference for topic models", UAI 2009): the probabilities of a token are
//     r_k ~ (n_dk - r_k + alpha_k) phi_kw
// until a pass changes less than tol of the tokens of a document, or max_iter passes.
void lda_infer(const CountRows& X, const KnownTopics& topics, std::size_t max_iter, double tol,
               std::span<double> theta, const Execution& execution);

// log p(w) of every document by sampling from left to right (Wallach et al., "Evaluation methods
// for topic models", ICML 2009): the tokens, in an order drawn once, come one by one; each
// particle draws the topics of the tokens before it anew (256 of them, in turn), multiplies its
// weight by p(w_n | topics before) and draws the topic of the token. The mean weight of the
// particles has the expectation p(w) (Buntine, "Estimating likelihoods for topic models", ACML
// 2009); its logarithm is returned.
void lda_left_to_right(const CountRows& X, const KnownTopics& topics, std::size_t n_particles,
                       std::uint64_t seed, std::span<double> log_likelihood,
                       const Execution& execution);

// sum over half of the tokens of log p(w | the other half): theta is the mean over n_samples states
// of a Gibbs sampler on the first half of a random order, after as many that are not used. n_scored
// gets the number of tokens of the second half.
void lda_completion(const CountRows& X, const KnownTopics& topics, std::size_t n_samples,
                    std::uint64_t seed, std::span<double> log_likelihood,
                    std::span<std::int64_t> n_scored, const Execution& execution);

}  // namespace quire
