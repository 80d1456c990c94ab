// Collapsed Gibbs sampling of latent Dirichlet allocation: the topic of every token is drawn given
// those of all others,
//     p(z = k) ~ (n_dk + alpha_k) (n_wk + beta_wk) / (n_k + sum_w beta_wk),
// counts without the token itself.
//
// A sweep goes through P epochs of P blocks that share no document and no word (lda_corpus.hpp), so
// that n_dk and n_wk are exact. The totals n_k are those of the beginning of the epoch and the
// block's own changes; changes are joined after the epoch, as whole numbers. With one part this is
// the exact sampler. Random numbers belong to (seed, sweep, epoch, block). So the bits depend on
// the data and the seed alone, not on threads or instructions, and a sampler that was interrupted,
// which happens between epochs, goes on as if it had not been.
//
// Griffiths and Steyvers, "Finding scientific topics", PNAS 101, 2004; the grid: Yan, Xu, Qi,
// "Parallel inference for latent Dirichlet allocation on graphics processing units", NIPS 2009.
//
// The twin in tests/reference/lda_gibbs.py draws the same topics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/parallel.hpp"
#include "topics/lda_corpus.hpp"
#include "topics/lda_gibbs_block.hpp"

namespace quire {

// How many documents have more than n tokens of topic k, for n = 0, 1, ...: tails[begin[k] + n].
struct TopicTails {
    std::vector<std::int64_t> begin, tails;
};

// Counts of topics in documents as CSR arrays, documents in the order of the rows.
struct DocTopics {
    std::vector<std::int64_t> indptr;
    RawVector<std::int32_t> topics, counts;
};

class LdaGibbs {
  public:
    enum class Storage { automatic, rows, lists };

    // Rows must outlive the sampler. n_parts 0 chooses by the number of tokens.
    LdaGibbs(const CountRows& X, std::size_t n_topics, std::size_t n_parts, Storage storage);

    // alpha: K. beta: one entry, or one for each word. Seed words: those of word w are [begin[w],
    // begin[w + 1]), or all empty.
    void set_priors(std::span<const double> alpha, std::span<const double> beta,
                    std::span<const std::int32_t> seed_begin,
                    std::span<const std::int32_t> seed_topics,
                    std::span<const double> seed_weights);

    // Draws new topics until `sweep` sweeps are done since the beginning.
    void run(std::uint64_t seed, std::size_t sweep, const Execution& execution);

    // Topics in the order of the rows, each entry's tokens one after the other; kNoTopic for none.
    void assignments(std::span<std::uint16_t> topics) const;
    void set_assignments(std::span<const std::uint16_t> topics, std::size_t sweep,
                         std::size_t epoch);

    TopicTails topic_tails(const Execution& execution) const;
    // By count: how many pairs (word, topic) have it, seed words left out.
    std::vector<std::int64_t> word_histogram() const;
    // out[w, k] += n_wk
    void add_word_topics(std::span<double> out) const;
    // out[i, k] = n_wk of the word in column columns[i]
    void word_topics(std::span<const std::int32_t> columns, std::span<std::int32_t> out) const;
    DocTopics doc_topics() const;

    std::size_t n_topics() const { return n_topics_; }
    std::size_t n_tokens() const { return corpus_.n_tokens(); }
    std::size_t n_words() const { return corpus_.n_words(); }
    std::size_t n_parts() const { return corpus_.n_parts(); }
    std::size_t sweep() const { return sweep_; }
    std::size_t epoch() const { return epoch_; }
    bool has_lists() const { return docs_.index() >= 2; }
    std::span<const std::int32_t> totals() const { return totals_; }

  private:
    // Calls visit(topic, count) for the topics of a document, by internal number.
    template <class Visit>
    void visit_doc(std::size_t doc, Visit&& visit) const;
    void run_epoch(std::uint64_t seed, const Execution& execution);

    CountRows X_;
    LdaCorpus corpus_;
    std::size_t n_topics_;
    LdaPriors priors_;
    std::vector<std::int32_t> totals_;  // n_k
    WordTopics words_;
    std::variant<DocRows<std::uint16_t>, DocRows<std::uint32_t>, DocLists<std::uint32_t>,
                 DocLists<std::uint64_t>>
        docs_;
    std::size_t sweep_ = 0, epoch_ = 0;
    bool is_sound_ = true;  // all counts are of the topics that the tokens have
};

}  // namespace quire
