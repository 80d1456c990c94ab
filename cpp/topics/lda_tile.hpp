// The topics of a document's words, cut into tiles that stay in the first-level cache.
//
// A step of variational inference goes twice over the matrix (words x topics) of a document: to the
// expected probability of each word, and back to the weight of each topic. A tile holds up to four
// vectors of words, topic by topic, so that both ways read it while it is near, divisions are done
// for a vector of words at once, and a topic that is out of play costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/lane_vector.hpp"
#include "base/memory.hpp"
#include "base/simd.hpp"

namespace quire {

inline constexpr std::size_t kTileVectors = 4;  // of words in a whole tile

// A document in tiles; the last one may have fewer vectors. Missing words have no count.
template <class Real>
struct TileWords {
    const Real* tiles;   // tile by tile, in each topic by topic
    const Real* counts;  // of the words
    std::size_t n_words;
    std::size_t n_topics;
};

// Memory for the tiles of one document after another.
template <class Real>
struct TileBuffer {
    RawVector<Real> block;
    RawVector<Real> counts;
    RawVector<Real> nothing;  // the topics of a word that is not there
};

// Reads the topics of the words: row `words[i]` of `topics`, which is n_words x n_topics.
template <class Real, class Index>
TileWords<Real> fill_tiles(const Real* topics, std::size_t n_topics, const Real* counts,
                           const Index* words, std::size_t n_words, TileBuffer<Real>& buffer);

// For the topics at play, a = 0, ..., n_active - 1, in as many strands as there are lanes:
//     sums[a] = sum_i topics[i, active[a]] count_i / (sum_b weights[b] topics[i, active[b]] + eps)
template <class Real>
void tile_sums(SimdLevel level, const TileWords<Real>& words, const std::int32_t* active,
               const Real* weights, std::size_t n_active, Real* sums);

// ratios[i] = count_i / (sum_b weights[b] topics[i, active[b]] + eps)
template <class Real>
void tile_ratios(SimdLevel level, const TileWords<Real>& words, const std::int32_t* active,
                 const Real* weights, std::size_t n_active, Real* ratios);

// Adds up the strands.
template <class Real>
inline Real sum_of_strands(const Real* strands) {
    Real sums[kLanes<Real>];
    for (std::size_t i = 0; i < kLanes<Real>; ++i) sums[i] = strands[i];
    for (std::size_t half = kLanes<Real> / 2; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    }
    return sums[0];
}

}  // namespace quire
