#include "topics/lda_gibbs.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "base/memory.hpp"
#include "base/random.hpp"

namespace quire {

namespace {

constexpr std::size_t kMostTopicsInRows = 128;  // at 100 rows were measured to be faster

std::size_t chunks_of(std::size_t n) {
    return (n + kLanes - 1) / kLanes;
}

template <class Docs>
constexpr bool is_rows =
    std::is_same_v<Docs, DocRows<std::uint16_t>> || std::is_same_v<Docs, DocRows<std::uint32_t>>;

template <class Count>
void make_empty(DocRows<Count>& docs, const LdaCorpus& corpus, std::size_t n_topics) {
    docs.width = chunks_of(n_topics) * kLanes;
    docs.counts.resize(corpus.n_docs() * docs.width);
    std::fill(docs.counts.begin(), docs.counts.end(), Count{0});
}

template <class Entry>
void make_empty(DocLists<Entry>& docs, const LdaCorpus& corpus, std::size_t n_topics) {
    std::vector<std::uint32_t> chunks(corpus.n_docs());
    for (std::size_t row = 0; row < corpus.n_docs(); ++row) {
        const auto n = static_cast<std::size_t>(corpus.doc_tokens(row));
        chunks[static_cast<std::size_t>(corpus.internal(row))] =
            static_cast<std::uint32_t>(chunks_of(std::min(n, n_topics)));
    }
    docs.heads.resize(corpus.n_docs());
    std::size_t begin = 0;
    for (std::size_t doc = 0; doc < chunks.size(); ++doc) {
        docs.heads[doc] = {static_cast<std::uint32_t>(begin), 0};
        begin += chunks[doc];
    }
    if (begin >> 32 != 0) throw std::invalid_argument("too many tokens");
    docs.entries.resize(begin * kLanes);
    std::fill(docs.entries.begin(), docs.entries.end(), Entry{0});
}

template <class Count>
void add_token(DocRows<Count>& docs, std::size_t doc, std::uint16_t topic) {
    ++docs.counts[doc * docs.width + topic];
}

template <class Entry>
void add_token(DocLists<Entry>& docs, std::size_t doc, std::uint16_t topic) {
    auto& head = docs.heads[doc];
    Entry* const list = docs.entries.data() + std::size_t{head.chunk} * kLanes;
    std::size_t at = 0;
    while (at < head.size && entry_topic(list[at]) != topic) ++at;
    if (at == head.size) list[head.size++] = topic;
    list[at] += kOne<Entry>;
}

// Draws go by running sums, which must not fall.
void check_weights(std::span<const double> weights, const char* name) {
    for (const double weight : weights) {
        if (!(weight >= 0.0 && weight <= 1e30)) {
            throw std::invalid_argument(std::string(name) + " must be numbers from 0 to 1e30");
        }
    }
}

}  // namespace

LdaGibbs::LdaGibbs(const CountRows& X, std::size_t n_topics, std::size_t n_parts, Storage storage)
    : X_(X), corpus_(X, n_parts), n_topics_(n_topics), totals_(n_topics, 0) {
    if (n_topics == 0 || n_topics > 65000) {
        throw std::invalid_argument("n_topics must be between 1 and 65000");
    }
    const bool short_docs = corpus_.longest() <= 0xFFFF;
    const bool rows =
        storage == Storage::automatic ? n_topics <= kMostTopicsInRows : storage == Storage::rows;
    if (rows && short_docs) docs_.emplace<0>();
    if (rows && !short_docs) docs_.emplace<1>();
    if (!rows && short_docs) docs_.emplace<2>();
    if (!rows && !short_docs) docs_.emplace<3>();
    std::visit([&](auto& docs) { make_empty(docs, corpus_, n_topics_); }, docs_);

    const std::size_t n_words = corpus_.n_words();
    words_.begin.assign(n_words + 1, 0);
    words_.size.assign(n_words, 0);
    for (std::size_t word = 0; word < n_words; ++word) {
        const auto room = std::min<std::int64_t>(corpus_.word_tokens(corpus_.column(word)),
                                                 static_cast<std::int64_t>(n_topics));
        words_.begin[word + 1] = words_.begin[word] + room;
    }
    words_.entries.resize(static_cast<std::size_t>(words_.begin[n_words]));
}

void LdaGibbs::set_priors(std::span<const double> alpha, std::span<const double> beta,
                          std::span<const std::int32_t> seed_begin,
                          std::span<const std::int32_t> seed_topics,
                          std::span<const double> seed_weights) {
    const std::size_t n_words = corpus_.n_words();
    if (alpha.size() != n_topics_) throw std::invalid_argument("alpha must have n_topics entries");
    if (beta.size() != 1 && beta.size() != n_words) {
        throw std::invalid_argument("beta must have one entry, or one for each word");
    }
    const bool seeded = !seed_begin.empty();
    if (seed_topics.size() != seed_weights.size() || (!seeded && !seed_topics.empty()) ||
        (seeded && (seed_begin.size() != n_words + 1 || seed_begin.front() != 0 ||
                    !std::is_sorted(seed_begin.begin(), seed_begin.end()) ||
                    static_cast<std::size_t>(seed_begin.back()) != seed_topics.size()))) {
        throw std::invalid_argument("the arrays of seed words do not belong together");
    }
    check_weights(alpha, "alpha");
    check_weights(beta, "beta");
    check_weights(seed_weights, "seed_weights");
    LdaPriors priors;
    priors.alpha.assign(chunks_of(n_topics_) * kLanes, 0.0f);
    std::transform(alpha.begin(), alpha.end(), priors.alpha.begin(),
                   [](double a) { return static_cast<float>(a); });
    priors.beta = static_cast<float>(beta[0]);
    double sum = beta[0] * static_cast<double>(n_words);
    if (beta.size() > 1) {
        sum = std::accumulate(beta.begin(), beta.end(), 0.0);
        for (std::size_t word = 0; word < n_words; ++word) {
            priors.betas.push_back(static_cast<float>(beta[corpus_.column(word)]));
        }
    }
    std::vector<double> sums(n_topics_, sum);
    for (std::size_t i = 0; i < seed_topics.size(); ++i) {
        const auto k = static_cast<std::size_t>(seed_topics[i]);
        if (k >= n_topics_) throw std::invalid_argument("a seed word of a topic that is not there");
        sums[k] += seed_weights[i];
    }
    priors.beta_sums.assign(sums.begin(), sums.end());
    if (seeded) priors.seed_begin.push_back(0);
    for (std::size_t word = 0; seeded && word < n_words; ++word) {
        const std::size_t column = corpus_.column(word);
        for (auto i = static_cast<std::size_t>(seed_begin[column]);
             i < static_cast<std::size_t>(seed_begin[column + 1]); ++i) {
            priors.seed_topics.push_back(seed_topics[i]);
            priors.seed_weights.push_back(static_cast<float>(seed_weights[i]));
        }
        priors.seed_begin.push_back(static_cast<std::int32_t>(priors.seed_topics.size()));
    }
    priors_ = std::move(priors);
}

void LdaGibbs::run_epoch(std::uint64_t seed, const Execution& execution) {
    const std::size_t P = corpus_.n_parts();
    const SimdLevel level = simd_level();
    std::vector<std::vector<std::int32_t>> after(P);
    // Blocks are not left halfway: what a sampler was told to stop at is the end of an epoch.
    parallel_parts(P, {execution.n_threads, nullptr, execution.team}, [&](std::size_t i, int) {
        const std::size_t j = (i + epoch_) % P;
        Xoshiro random(philox_block(seed, sweep_, {epoch_, i, 1, 0}));
        WordRow row(priors_, n_topics_, totals_);
        const auto runs = corpus_.block(i, j);
        const LdaBlock block{runs, corpus_.docs(), corpus_.topics(),
                             static_cast<std::size_t>(runs.back().begin)};
        std::visit([&](auto& docs) { lda_sample_block(block, docs, row, words_, random, level); },
                   docs_);
        after[i] = std::move(row.total);
    });
    const std::vector<std::int32_t> before = totals_;
    for (const auto& totals : after) {
        for (std::size_t k = 0; k < n_topics_; ++k) totals_[k] += totals[k] - before[k];
    }
    if (++epoch_ == P) {
        epoch_ = 0;
        ++sweep_;
    }
}

void LdaGibbs::run(std::uint64_t seed, std::size_t sweep, const Execution& given) {
    if (priors_.alpha.empty()) throw std::invalid_argument("set the priors first");
    if (!is_sound_) throw std::logic_error("memory ran out while topics were set; set them again");
    const auto n_threads = static_cast<std::size_t>(std::max(1, given.n_threads));
    Execution execution = given;
    std::optional<ThreadTeam> team;
    if (std::min(n_threads, corpus_.n_parts()) > 1) {
        execution.team = &team.emplace(std::min(n_threads, corpus_.n_parts()));
    }
    detail::InterruptPoll poll(given.interrupted);
    while (sweep_ < sweep) {
        if (poll()) throw Interrupted();
        run_epoch(seed, execution);
    }
}

void LdaGibbs::assignments(std::span<std::uint16_t> topics) const {
    if (topics.size() != n_tokens())
        throw std::invalid_argument("topics must have n_tokens entries");
    std::size_t at = 0;
    corpus_.in_row_order(
        X_, [&](std::size_t, std::size_t token) { topics[at++] = corpus_.topics()[token]; });
}

void LdaGibbs::set_assignments(std::span<const std::uint16_t> topics, std::size_t sweep,
                               std::size_t epoch) {
    if (topics.size() != n_tokens())
        throw std::invalid_argument("topics must have n_tokens entries");
    for (const std::uint16_t topic : topics) {
        if (topic != kNoTopic && topic >= n_topics_) {
            throw std::invalid_argument("a token has a topic that is not there");
        }
    }
    // Before anything is changed: every token must be met once, in its own document.
    std::vector<bool> met(n_tokens());
    corpus_.in_row_order(X_, [&](std::size_t row, std::size_t token) {
        if (corpus_.docs()[token] != corpus_.internal(row) || met[token]) throw_counts_changed();
        met[token] = true;
    });
    if (epoch >= n_parts()) throw std::invalid_argument("epoch must be below n_parts");
    is_sound_ = false;  // until all of it is there
    std::fill(totals_.begin(), totals_.end(), 0);
    std::visit(
        [&](auto& docs) {
            make_empty(docs, corpus_, n_topics_);
            std::size_t at = 0;
            corpus_.in_row_order(X_, [&](std::size_t row, std::size_t token) {
                const std::uint16_t topic = topics[at++];
                corpus_.topics()[token] = topic;
                if (topic == kNoTopic) return;
                ++totals_[topic];
                add_token(docs, static_cast<std::size_t>(corpus_.internal(row)), topic);
            });
        },
        docs_);
    std::fill(words_.size.begin(), words_.size.end(), 0);
    std::vector<std::int32_t> counts(n_topics_, 0);
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> places(corpus_.n_words());
    for (std::size_t i = 0; i < n_parts(); ++i) {
        for (std::size_t j = 0; j < n_parts(); ++j) {
            const auto runs = corpus_.block(i, j);
            for (std::size_t r = 0; r + 1 < runs.size(); ++r) {
                places[static_cast<std::size_t>(runs[r].word)].emplace_back(runs[r].begin,
                                                                            runs[r + 1].begin);
            }
        }
    }
    for (std::size_t word = 0; word < corpus_.n_words(); ++word) {
        for (const auto& [begin, end] : places[word]) {
            for (std::size_t token = begin; token < end; ++token) {
                const std::uint16_t topic = corpus_.topics()[token];
                if (topic != kNoTopic) ++counts[topic];
            }
        }
        TopicCount* const to = words_.entries.data() + words_.begin[word];
        for (const auto& [begin, end] : places[word]) {
            for (std::size_t token = begin; token < end; ++token) {
                const std::uint16_t topic = corpus_.topics()[token];
                if (topic == kNoTopic || counts[topic] == 0) continue;
                to[words_.size[word]++] = {topic, std::exchange(counts[topic], 0)};
            }
        }
    }
    sweep_ = sweep;
    epoch_ = epoch;
    is_sound_ = true;
}

template <class Visit>
void LdaGibbs::visit_doc(std::size_t doc, Visit&& visit) const {
    std::visit(
        [&](const auto& docs) {
            if constexpr (is_rows<std::remove_cvref_t<decltype(docs)>>) {
                const auto* const counts = docs.counts.data() + doc * docs.width;
                for (std::size_t k = 0; k < n_topics_; ++k) {
                    if (counts[k] != 0) visit(k, static_cast<std::int32_t>(counts[k]));
                }
            } else {
                const auto& head = docs.heads[doc];
                const auto* const list = docs.entries.data() + std::size_t{head.chunk} * kLanes;
                for (std::size_t i = 0; i < head.size; ++i) {
                    visit(std::size_t{entry_topic(list[i])},
                          static_cast<std::int32_t>(entry_count(list[i])));
                }
            }
        },
        docs_);
}

TopicTails LdaGibbs::topic_tails(const Execution& execution) const {
    constexpr std::size_t kDocsPerPart = 4096;
    const std::size_t n_docs = corpus_.n_docs();
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    using Histograms = std::vector<std::vector<std::int64_t>>;  // topic, count - 1
    std::vector<Histograms> found(n_workers);
    parallel_parts(n_parts_of(n_docs, kDocsPerPart), execution, [&](std::size_t part, int worker) {
        Histograms& mine = found[static_cast<std::size_t>(worker)];
        mine.resize(n_topics_);
        const std::size_t end = std::min(n_docs, (part + 1) * kDocsPerPart);
        for (std::size_t doc = part * kDocsPerPart; doc < end; ++doc) {
            visit_doc(doc, [&](std::size_t k, std::int32_t n) {
                const auto at = static_cast<std::size_t>(n - 1);
                if (mine[k].size() <= at) mine[k].resize(at + 1 + at / 2, 0);
                ++mine[k][at];
            });
        }
    });
    TopicTails out;
    out.begin.push_back(0);
    std::vector<std::int64_t> sum;
    for (std::size_t k = 0; k < n_topics_; ++k) {
        sum.clear();
        for (const Histograms& mine : found) {
            if (mine.empty()) continue;
            if (sum.size() < mine[k].size()) sum.resize(mine[k].size(), 0);
            for (std::size_t n = 0; n < mine[k].size(); ++n) sum[n] += mine[k][n];
        }
        while (!sum.empty() && sum.back() == 0) sum.pop_back();
        for (std::size_t n = sum.size(); n-- > 1;) sum[n - 1] += sum[n];
        out.tails.insert(out.tails.end(), sum.begin(), sum.end());
        out.begin.push_back(static_cast<std::int64_t>(out.tails.size()));
    }
    return out;
}

std::vector<std::int64_t> LdaGibbs::word_histogram() const {
    std::vector<std::int64_t> histogram(1, 0);
    for (std::size_t word = 0; word < corpus_.n_words(); ++word) {
        const bool seeded =
            !priors_.seed_begin.empty() && priors_.seed_begin[word] != priors_.seed_begin[word + 1];
        if (seeded) continue;
        for (const TopicCount& entry : words_.of(word)) {
            const auto n = static_cast<std::size_t>(entry.count);
            if (histogram.size() <= n) histogram.resize(n + n / 2 + 1, 0);
            ++histogram[n];
        }
    }
    while (histogram.size() > 1 && histogram.back() == 0) histogram.pop_back();
    return histogram;
}

void LdaGibbs::add_word_topics(std::span<double> out) const {
    if (out.size() != n_entries(n_words(), n_topics_)) {
        throw std::invalid_argument("out must have n_words * n_topics entries");
    }
    for (std::size_t word = 0; word < n_words(); ++word) {
        for (const TopicCount& entry : words_.of(word)) {
            out[corpus_.column(word) * n_topics_ + static_cast<std::size_t>(entry.topic)] +=
                entry.count;
        }
    }
}

void LdaGibbs::word_topics(std::span<const std::int32_t> columns,
                           std::span<std::int32_t> out) const {
    if (out.size() != n_entries(columns.size(), n_topics_)) {
        throw std::invalid_argument("out must have n_topics entries for each word");
    }
    std::vector<std::size_t> words(n_words());
    for (std::size_t word = 0; word < words.size(); ++word) words[corpus_.column(word)] = word;
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto column = static_cast<std::size_t>(columns[i]);
        if (column >= words.size()) throw std::invalid_argument("there is no such column");
        for (const TopicCount& entry : words_.of(words[column])) {
            out[i * n_topics_ + static_cast<std::size_t>(entry.topic)] = entry.count;
        }
    }
}

DocTopics LdaGibbs::doc_topics() const {
    DocTopics out;
    out.indptr.push_back(0);
    std::vector<std::pair<std::int32_t, std::int32_t>> sorted;
    for (std::size_t row = 0; row < corpus_.n_docs(); ++row) {
        sorted.clear();
        visit_doc(static_cast<std::size_t>(corpus_.internal(row)),
                  [&](std::size_t k, std::int32_t n) {
                      sorted.emplace_back(static_cast<std::int32_t>(k), n);
                  });
        std::sort(sorted.begin(), sorted.end());
        for (const auto& [k, n] : sorted) {
            out.topics.push_back(k);
            out.counts.push_back(n);
        }
        out.indptr.push_back(static_cast<std::int64_t>(out.topics.size()));
    }
    return out;
}

}  // namespace quire
