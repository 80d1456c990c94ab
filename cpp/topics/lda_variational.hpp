// Variational Bayes for latent Dirichlet allocation: documents given topics, and what topics need.
//
// D. Blei, A. Ng, M. Jordan, "Latent Dirichlet allocation", JMLR 3, 2003; M. Hoffman, D. Blei,
// F. Bach, "Online learning for latent Dirichlet allocation", NIPS 2010. Topics lie word by word
// (n_words x n_topics, row-major), so that a word of a document finds its topics side by side.
#pragma once

#include <cstddef>
#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// When the update of a document is over.
struct LdaStop {
    int max_iter;
    double tol;  // the mean absolute change of gamma
};

// What is learned about documents. weights and ratios may both be empty: they are not needed to
// infer topics of new documents.
template <class Real>
struct LdaDocuments {
    std::span<Real> gamma;    // n_documents x n_topics: in, where to start; out, the result
    std::span<Real> weights;  // n_documents x n_topics: exp(E[log theta])
    std::span<Real> ratios;   // n_stored: count / (expected probability of the word)
};

// The fixed point, document by document, of
//     weights_k = exp(psi(gamma_k) - psi(sum of gamma))
//     ratios_i  = x_i / (sum_k weights_k topics[i, k] + eps)
//     gamma_k   = prior_k + weights_k sum_i ratios_i topics[i, k]
// with eps the precision of Real. topics is exp(E[log phi]).
//
// Costs two multiplications for each stored value, topic and step. A topic whose gamma has fallen
// to its prior is left out of later steps of the document if it is certain that it cannot come
// back: if weights_k * (length of document) / eps is nothing beside prior_k. With small priors
// these are most topics after a few steps. Documents are independent, so that the bits depend on
// neither threads nor instruction sets.
//
// Equivalent to
//     tests/reference/lda_variational.py
template <class Real, class Index>
void lda_variational_documents(const CsrView<Real, Index>& X, std::span<const Real> topics,
                               std::span<const double> prior, const LdaStop& stop,
                               const LdaDocuments<Real>& out, const Execution& execution);

// exp(E[log phi]) of some words, or of all if `words` is empty, where the topics are Dirichlet with
// the parameters scale * lambda + shift, and totals are the sums of these over all words:
//
// Equivalent to
//     x = scale * lambda[words] + shift
//     numpy.exp(psi(x) - psi(totals))
template <class Real>
void lda_expected_topics(std::span<const Real> lambda, std::span<const std::int64_t> words,
                         double scale, double shift, std::span<const double> totals,
                         std::span<Real> out, const Execution& execution);

// Topics for lda_variational_bound: their Dirichlet parameters, n_words x n_topics, the sums of
// these over the words, and exp(E[log phi]) by lda_expected_topics.
struct LdaTopics {
    std::span<const double> lambda;
    std::span<const double> totals;
    std::span<const double> expected;
};

// The part of the variational bound that the words make up. It is exact also where probabilities
// are too small for floating point.
//
// Equivalent to
//     log_theta = psi(gamma) - psi(gamma.sum(axis=1))[:, None]
//     log_phi = psi(lambda) - psi(totals)
//     sum(x * logsumexp(log_theta[d] + log_phi[w]) for (d, w), x in X)
template <class Index>
double lda_variational_bound(const CsrView<double, Index>& X, std::span<const double> gamma,
                             const LdaTopics& topics, const Execution& execution);

}  // namespace quire
