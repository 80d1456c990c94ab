#include "topics/lda_corpus.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace quire {

namespace {

constexpr std::size_t kMostParts = 64;

// One part for a small corpus, where nothing is gained by threads; then twice as many for twice as
// many tokens.
std::size_t parts_for(std::size_t n_tokens) {
    constexpr std::size_t kTokensPerPart = std::size_t{1} << 18;
    std::size_t n_parts = 1;
    while (n_parts < kMostParts && n_tokens > 2 * n_parts * kTokensPerPart) n_parts *= 2;
    return n_parts == 2 ? 4 : n_parts;
}

// Deals items into parts of about the same total size: the largest first, each to the part that has
// least.
std::vector<std::uint8_t> balanced_parts(std::span<const std::int64_t> sizes, std::size_t n_parts) {
    std::vector<std::uint8_t> part(sizes.size(), 0);
    if (n_parts == 1) return part;
    std::vector<std::uint32_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
    using Load = std::pair<std::int64_t, std::size_t>;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (std::size_t p = 0; p < n_parts; ++p) loads.emplace(0, p);
    for (const std::uint32_t item : order) {
        auto [load, p] = loads.top();
        loads.pop();
        part[item] = static_cast<std::uint8_t>(p);
        loads.emplace(load + sizes[item] + 1, p);  // + 1: empty ones are dealt out, too
    }
    return part;
}

}  // namespace

void check_count_rows(const CountRows& X) {
    if (X.indptr.empty() || X.indptr.front() != 0 || X.indices.size() != X.counts.size() ||
        X.indptr.back() != static_cast<std::int64_t>(X.indices.size())) {
        throw std::invalid_argument("indptr, indices and counts do not belong together");
    }
    constexpr std::size_t kMost = std::size_t{1} << 31;
    if (X.n_docs() >= kMost) throw std::invalid_argument("too many documents");
    if (X.n_words > kMost) throw std::invalid_argument("at most 2**31 words");
    for (std::size_t row = 0; row < X.n_docs(); ++row) {
        if (X.indptr[row] > X.indptr[row + 1]) throw std::invalid_argument("indptr must not fall");
    }
    for (std::size_t i = 0; i < X.indices.size(); ++i) {
        if (static_cast<std::size_t>(X.indices[i]) >= X.n_words) {
            throw std::invalid_argument("column " + std::to_string(X.indices[i]) +
                                        " is outside [0, " + std::to_string(X.n_words) + ")");
        }
        if (X.counts[i] < 0) throw std::invalid_argument("counts must not be negative");
    }
}

LdaCorpus::LdaCorpus(const CountRows& X, std::size_t n_parts) {
    check_count_rows(X);
    if (n_parts > kMostParts) throw std::invalid_argument("at most 64 parts");
    const std::size_t n_docs = X.n_docs(), n_words = X.n_words;
    word_tokens_.assign(n_words, 0);
    doc_tokens_.assign(n_docs, 0);
    std::size_t n_tokens = 0;
    for (std::size_t row = 0; row < n_docs; ++row) {
        const auto end = static_cast<std::size_t>(X.indptr[row + 1]);
        for (auto i = static_cast<std::size_t>(X.indptr[row]); i < end; ++i) {
            doc_tokens_[row] += X.counts[i];
            word_tokens_[static_cast<std::size_t>(X.indices[i])] += X.counts[i];
        }
        n_tokens += static_cast<std::size_t>(doc_tokens_[row]);
        longest_ = std::max(longest_, static_cast<std::size_t>(doc_tokens_[row]));
    }
    if (n_tokens >> 31 != 0) throw std::invalid_argument("at most 2**31 - 1 tokens");
    n_parts_ = n_parts > 0 ? n_parts : parts_for(n_tokens);
    part_of_doc_ = balanced_parts(doc_tokens_, n_parts_);
    const std::vector<std::uint8_t> part_of_word = balanced_parts(word_tokens_, n_parts_);

    std::vector<std::int32_t> first(n_parts_ + 1, 0);
    for (const std::uint8_t part : part_of_doc_) ++first[part + std::size_t{1}];
    std::partial_sum(first.begin(), first.end(), first.begin());
    internal_.resize(n_docs);
    for (std::size_t row = 0; row < n_docs; ++row) internal_[row] = first[part_of_doc_[row]]++;

    // How many tokens each run has, then where it begins.
    run_begin_.assign(n_parts_ * n_words, 0);
    for (std::size_t row = 0; row < n_docs; ++row) {
        std::int64_t* const sizes = run_begin_.data() + part_of_doc_[row] * n_words;
        const auto end = static_cast<std::size_t>(X.indptr[row + 1]);
        for (auto i = static_cast<std::size_t>(X.indptr[row]); i < end; ++i) {
            sizes[X.indices[i]] += X.counts[i];
        }
    }
    columns_.reserve(n_words);
    std::vector<std::size_t> first_word;
    for (std::size_t j = 0; j < n_parts_; ++j) {
        first_word.push_back(columns_.size());
        for (std::size_t column = 0; column < n_words; ++column) {
            if (part_of_word[column] == j) columns_.push_back(static_cast<std::uint32_t>(column));
        }
    }
    first_word.push_back(n_words);
    std::int64_t place = 0;
    block_begin_.push_back(0);
    for (std::size_t i = 0; i < n_parts_; ++i) {
        for (std::size_t j = 0; j < n_parts_; ++j) {
            for (std::size_t word = first_word[j]; word < first_word[j + 1]; ++word) {
                std::int64_t& size_then_begin = run_begin_[i * n_words + columns_[word]];
                const std::int64_t size = size_then_begin;
                size_then_begin = place;
                if (size > 0) runs_.push_back({static_cast<std::int32_t>(word), place});
                place += size;
            }
            block_begin_.push_back(runs_.size());
        }
    }
    runs_.push_back({-1, place});

    docs_.resize(n_tokens);
    topics_.resize(n_tokens);
    std::fill(topics_.begin(), topics_.end(), kNoTopic);
    in_row_order(X, [&](std::size_t row, std::size_t token) { docs_[token] = internal_[row]; });
}

}  // namespace quire
