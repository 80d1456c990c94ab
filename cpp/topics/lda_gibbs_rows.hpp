// What one worker of the topic sampler keeps beside the corpus: the totals of its block and the
// weights of the word at hand. See lda_gibbs.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.hpp"
#include "base/lanes16.hpp"
#include "base/memory.hpp"
#include "topics/lda_corpus.hpp"

namespace quire {

// The priors in the precision of the sampler, padded to whole chunks with zeros.
struct LdaPriors {
    std::vector<float> alpha;      // by topic
    float beta = 0.01f;            // of every word in every topic, or ...
    std::vector<float> betas;      // ... by word; empty if all have the same
    std::vector<float> beta_sums;  // by topic: over all words, with the weights of seed words
    // More for seed words: those of word w are [seed_begin[w], seed_begin[w + 1]); empty if
    // there are none.
    std::vector<std::int32_t> seed_begin, seed_topics;
    std::vector<float> seed_weights;
};

struct TopicCount {
    std::int32_t topic;
    std::int32_t count;
};

// The topics of the words: lists that hold the topics with a count, in room for min(K, tokens).
struct WordTopics {
    std::vector<std::int64_t> begin;  // by word, and the end
    std::vector<std::int32_t> size;   // by word
    RawVector<TopicCount> entries;
    void ask_for(std::size_t word) const {
        const TopicCount* const list = entries.data() + begin[word];
        for (std::int32_t i = 0; i < size[word]; i += 8) prefetch(list + i);
    }
    std::span<const TopicCount> of(std::size_t word) const {
        return {entries.data() + begin[word], static_cast<std::size_t>(size[word])};
    }
};

// A generator for one block: xoshiro256++ (Blackman and Vigna, 2021), from a 256-bit state.
class Xoshiro {
  public:
    explicit Xoshiro(const std::array<std::uint64_t, 4>& state) : s_(state) { s_[0] |= 1; }
    // 24 bits in [0, 1).
    float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

  private:
    static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
    std::uint64_t next() {
        const std::uint64_t result = rotate(s_[0] + s_[3], 23) + s_[0];
        const std::uint64_t t = s_[1] << 17;
        s_[2] ^= s_[0];
        s_[3] ^= s_[1];
        s_[1] ^= s_[2];
        s_[0] ^= s_[3];
        s_[2] ^= t;
        s_[3] = rotate(s_[3], 45);
        return result;
    }
    std::array<std::uint64_t, 4> s_;
};

// q[k] = (n_wk + beta_wk) / (n_k + sum of beta_k) for the word at hand, kept up to date. Between
// words it is the row of a word that was never seen, so that beginning and ending a word costs as
// much as it has topics; where words have priors of their own it costs as much as there are
// topics. Reciprocals are kept: a token that moves changes those of two topics.
struct WordRow {
    WordRow(const LdaPriors& priors, std::size_t n_topics, std::span<const std::int32_t> totals);

    void begin(std::size_t word, const WordTopics& words);
    void end(std::size_t word, WordTopics& words);

    // Takes a token away from a topic, or gives it one. Where there are rows of documents, alpha_q
    // is not needed.
    template <bool with_alpha_q>
    void remove(std::size_t k) {
        --count[k];
        --total[k];
        change<with_alpha_q>(k, reciprocal_less[k], reciprocal_of(k, total[k] - 1));
    }
    template <bool with_alpha_q>
    void add(std::size_t k) {
        if (!listed[k]) {
            listed[k] = 1;
            topics.push_back(static_cast<std::uint16_t>(k));
        }
        ++count[k];
        ++total[k];
        change<with_alpha_q>(k, reciprocal_of(k, total[k]), reciprocal[k]);
    }
    // The weight of a topic for the word if one of its tokens there is taken away.
    float q_less(std::size_t k) const {
        return (static_cast<float>(count[k] - 1) + prior[k]) * reciprocal_less[k];
    }

    const LdaPriors& priors;
    std::size_t n_topics, n_chunks;
    std::vector<float> q, prior, reciprocal, reciprocal_less;
    std::vector<std::int32_t> count, total;
    std::vector<std::uint16_t> topics;  // those with a count or a seed, and those that had one
    std::vector<std::uint16_t> listed;
    float beta;                 // of the word at hand, in a topic where it is no seed word
    double smoothing;           // sum of alpha[k] * beta * reciprocal[k]
    double alpha_q;             // sum of alpha[k] * q[k]
    std::vector<float> chunks;  // room for running sums

  private:
    // Makes the row that of a word that was never seen.
    void clear();
    float reciprocal_of(std::size_t k, std::int32_t n) const {
        return 1.0f / (static_cast<float>(n) + priors.beta_sums[k]);
    }
    template <bool with_alpha_q>
    void change(std::size_t k, float now, float less) {
        const float before = reciprocal[k], q_before = q[k];
        reciprocal[k] = now;
        reciprocal_less[k] = less;
        q[k] = (static_cast<float>(count[k]) + prior[k]) * now;
        if constexpr (with_alpha_q) {
            const auto a = static_cast<double>(priors.alpha[k]);
            smoothing += a * static_cast<double>(beta) *
                         (static_cast<double>(now) - static_cast<double>(before));
            alpha_q += a * (static_cast<double>(q[k]) - static_cast<double>(q_before));
        }
    }
    void list(std::size_t k) {
        if (listed[k]) return;
        listed[k] = 1;
        topics.push_back(static_cast<std::uint16_t>(k));
    }
};

inline WordRow::WordRow(const LdaPriors& p, std::size_t K, std::span<const std::int32_t> totals)
    : priors(p),
      n_topics(K),
      n_chunks((K + kLanes - 1) / kLanes),
      q(n_chunks * kLanes, 0.0f),
      prior(K, p.beta),
      reciprocal(K),
      reciprocal_less(K),
      count(K, 0),
      total(totals.begin(), totals.end()),
      listed(K, 0),
      beta(p.beta),
      smoothing(0.0),
      alpha_q(0.0),
      chunks(n_chunks * kLanes) {
    topics.reserve(K);
    for (std::size_t k = 0; k < K; ++k) {
        reciprocal[k] = reciprocal_of(k, total[k]);
        reciprocal_less[k] = reciprocal_of(k, total[k] - 1);
    }
    clear();
}

inline void WordRow::clear() {
    smoothing = 0.0;
    for (std::size_t k = 0; k < n_topics; ++k) {
        prior[k] = beta;
        q[k] = beta * reciprocal[k];
        smoothing += static_cast<double>(priors.alpha[k]) * static_cast<double>(beta) *
                     static_cast<double>(reciprocal[k]);
    }
}

inline void WordRow::begin(std::size_t word, const WordTopics& words) {
    if (!priors.betas.empty()) {
        beta = priors.betas[word];
        clear();
    }
    if (!priors.seed_begin.empty()) {
        for (auto i = priors.seed_begin[word]; i < priors.seed_begin[word + 1]; ++i) {
            const auto k =
                static_cast<std::size_t>(priors.seed_topics[static_cast<std::size_t>(i)]);
            prior[k] += priors.seed_weights[static_cast<std::size_t>(i)];
            list(k);
        }
    }
    for (const TopicCount& entry : words.of(word)) {
        const auto k = static_cast<std::size_t>(entry.topic);
        count[k] = entry.count;
        list(k);
    }
    alpha_q = smoothing;
    for (const std::uint16_t k : topics) {
        const float before = q[k];
        q[k] = (static_cast<float>(count[k]) + prior[k]) * reciprocal[k];
        alpha_q += static_cast<double>(priors.alpha[k]) *
                   (static_cast<double>(q[k]) - static_cast<double>(before));
    }
}

inline void WordRow::end(std::size_t word, WordTopics& words) {
    TopicCount* to = words.entries.data() + words.begin[word];
    std::int32_t size = 0;
    for (const std::uint16_t k : topics) {
        if (count[k] > 0) to[size++] = {k, count[k]};
        count[k] = 0;
        listed[k] = 0;
        prior[k] = beta;
        q[k] = beta * reciprocal[k];
    }
    words.size[word] = size;
    topics.clear();
}

}  // namespace quire
