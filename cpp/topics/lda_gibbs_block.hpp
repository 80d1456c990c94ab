// Sampling the topics of one block of tokens, with documents stored in one of two ways.
//
// Few topics: a document is a row of counts, and the weights of all topics are worked out side by
// side. Many topics: a document is a list of (topic, count), and the weights
//     (n_dk + alpha_k) q_k = n_dk q_k + alpha_k q_k
// are added up over the list alone; the sum of the second part is kept from token to token.
//
// In both, a token that stays where it is changes nothing. Its own topic is therefore drawn first:
// with the weight that it has without the token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/simd.hpp"
#include "topics/lda_corpus.hpp"
#include "topics/lda_gibbs_rows.hpp"

namespace quire {

// Rows of counts, padded to whole chunks.
template <class Count>
struct DocRows {
    RawVector<Count> counts;  // n_docs x width
    std::size_t width;
};

// A topic in the low half, its count in the high half; zero is no entry.
inline std::uint32_t entry_topic(std::uint32_t entry) {
    return entry & 0xFFFFu;
}
inline std::uint32_t entry_count(std::uint32_t entry) {
    return entry >> 16;
}
inline std::uint32_t entry_topic(std::uint64_t entry) {
    return static_cast<std::uint32_t>(entry & 0xFFFFFFFFu);
}
inline std::uint32_t entry_count(std::uint64_t entry) {
    return static_cast<std::uint32_t>(entry >> 32);
}
template <class Entry>
constexpr Entry kOne = Entry{1} << (4 * sizeof(Entry));  // one more token

// Lists with room for min(K, tokens) entries in whole chunks; unused places are zero.
template <class Entry>
struct DocLists {
    struct Head {
        std::uint32_t chunk;  // where it begins
        std::uint32_t size;
    };
    std::vector<Head> heads;  // by document
    RawVector<Entry> entries;
};

struct LdaBlock {
    std::span<const LdaCorpus::Run> runs;  // and one more
    const std::int32_t* docs;              // by token
    std::uint16_t* topics;                 // by token
    std::size_t n_tokens;                  // of all blocks
};

// Draws the topic of every token anew (the first one, where it has none), word by word.
template <class Docs>
void lda_sample_block(const LdaBlock& block, Docs& docs, WordRow& row, WordTopics& words,
                      Xoshiro& random, SimdLevel level);

}  // namespace quire
