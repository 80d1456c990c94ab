#include "topics/lda_tile.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace quire {

namespace {

// The topics at play and their weights.
template <class Real>
struct Active {
    const std::int32_t* topics;
    const Real* weights;
    std::size_t size;
};

// A tile of n_vectors * 64 bytes of words for each topic, in vectors of `bytes`.
template <int bytes, int n_vectors, class Real>
struct Shape {
    using V = Vector<Real, bytes>;
    static constexpr std::size_t lanes = bytes / sizeof(Real);      // of a vector
    static constexpr std::size_t parts = 64 / bytes;                // vectors in 64 bytes
    static constexpr std::size_t n = n_vectors * parts;             // vectors of a topic
    static constexpr std::size_t stride = n * lanes;                // words of a topic
    static constexpr std::size_t strands = n_vectors <= 2 ? 2 : 1;  // additions need not wait
};

// ratio = count / (weights' tile + eps)
template <class S, class Real>
[[gnu::always_inline]] inline void ratios_body(const Real* tile, const Real* counts,
                                               const Active<Real>& active, typename S::V* ratios) {
    using V = typename S::V;
    V sums[S::strands][S::n] = {};
    std::size_t a = 0;
    for (; a + S::strands <= active.size; a += S::strands) {
        for (std::size_t s = 0; s < S::strands; ++s) {
            const Real* const row =
                tile + static_cast<std::size_t>(active.topics[a + s]) * S::stride;
            for (std::size_t v = 0; v < S::n; ++v) {
                V x;
                load_vector(row + v * S::lanes, x);
                sums[s][v] = sums[s][v] + x * active.weights[a + s];
            }
        }
    }
    for (; a < active.size; ++a) {
        const Real* const row = tile + static_cast<std::size_t>(active.topics[a]) * S::stride;
        for (std::size_t v = 0; v < S::n; ++v) {
            V x;
            load_vector(row + v * S::lanes, x);
            sums[0][v] = sums[0][v] + x * active.weights[a];
        }
    }
    for (std::size_t v = 0; v < S::n; ++v) {
        if constexpr (S::strands == 2) sums[0][v] = sums[0][v] + sums[1][v];
        V count;
        load_vector(counts + v * S::lanes, count);
        ratios[v] = count / (sums[0][v] + std::numeric_limits<Real>::epsilon());
    }
}

// sums += tile * ratio
template <class S, class Real>
[[gnu::always_inline]] inline void sums_body(const Real* tile, const Real* counts,
                                             const Active<Real>& active, Real* sums) {
    using V = typename S::V;
    V ratios[S::n];
    ratios_body<S>(tile, counts, active, ratios);
    for (std::size_t a = 0; a < active.size; ++a) {
        const Real* const row = tile + static_cast<std::size_t>(active.topics[a]) * S::stride;
        for (std::size_t part = 0; part < S::parts; ++part) {
            V sum, x;
            load_vector(row + part * S::lanes, x);
            V product = x * ratios[part];
            for (std::size_t v = part + S::parts; v < S::n; v += S::parts) {
                load_vector(row + v * S::lanes, x);
                product = product + x * ratios[v];
            }
            Real* const to = sums + a * kLanes<Real> + part * S::lanes;
            load_vector(to, sum);
            sum = sum + product;
            store_vector(sum, to);
        }
    }
}

// What a tile is for: the sums over its words, or the ratios of its words.
struct ToSums {
    template <class S, class Real>
    [[gnu::always_inline]] static void run(const Real* tile, const Real* counts,
                                           const Active<Real>& active, std::size_t, Real* sums) {
        sums_body<S>(tile, counts, active, sums);
    }
};
struct ToRatios {
    template <class S, class Real>
    [[gnu::always_inline]] static void run(const Real* tile, const Real* counts,
                                           const Active<Real>& active, std::size_t first_word,
                                           Real* ratios) {
        typename S::V found[S::n];
        ratios_body<S>(tile, counts, active, found);
        std::memcpy(ratios + first_word, found, sizeof(found));
    }
};

template <int bytes, class Job, class Real>
[[gnu::always_inline]] inline void tiles_body(const TileWords<Real>& words,
                                              const Active<Real>& active, Real* out) {
    constexpr std::size_t lanes = kLanes<Real>, whole = kTileVectors * lanes;
    for (std::size_t first = 0; first < words.n_words; first += whole) {
        const Real* const tile = words.tiles + first * words.n_topics;
        const Real* const counts = words.counts + first;
        switch ((std::min(words.n_words - first, whole) + lanes - 1) / lanes) {
            case 1:
                Job::template run<Shape<bytes, 1, Real>>(tile, counts, active, first, out);
                break;
            case 2:
                Job::template run<Shape<bytes, 2, Real>>(tile, counts, active, first, out);
                break;
            case 3:
                Job::template run<Shape<bytes, 3, Real>>(tile, counts, active, first, out);
                break;
            default:
                Job::template run<Shape<bytes, 4, Real>>(tile, counts, active, first, out);
        }
    }
}

#if QUIRE_X86
template <class Job, class Real>
QUIRE_TARGET_AVX2 void tiles_avx2(const TileWords<Real>& words, const Active<Real>& active,
                                  Real* out) {
    tiles_body<32, Job>(words, active, out);
}
template <class Job, class Real>
QUIRE_TARGET_AVX512 void tiles_avx512(const TileWords<Real>& words, const Active<Real>& active,
                                      Real* out) {
    tiles_body<64, Job>(words, active, out);
}
#endif

template <class Job, class Real>
void for_tiles(SimdLevel level, const TileWords<Real>& words, const Active<Real>& active,
               Real* out) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return tiles_avx512<Job>(words, active, out);
    if (level == SimdLevel::avx2) return tiles_avx2<Job>(words, active, out);
#else
    (void)level;
#endif
    tiles_body<kPortableBytes<Real>, Job>(words, active, out);
}

}  // namespace

template <class Real, class Index>
TileWords<Real> fill_tiles(const Real* topics, std::size_t n_topics, const Real* counts,
                           const Index* words, std::size_t n_words, TileBuffer<Real>& buffer) {
    constexpr std::size_t lanes = kLanes<Real>, whole = kTileVectors * lanes;
    const std::size_t padded = (n_words + lanes - 1) / lanes * lanes;
    if (buffer.block.size() < padded * n_topics + lanes) {
        buffer.block = {};  // what is in it need not be copied
        buffer.block.resize(padded * n_topics + lanes);
    }
    buffer.counts.resize(std::max(buffer.counts.size(), padded));
    buffer.nothing.assign(n_topics, Real{0});
    // Vectors begin at multiples of their size.
    const auto past = reinterpret_cast<std::uintptr_t>(buffer.block.data()) % 64 / sizeof(Real);
    Real* const tiles = buffer.block.data() + (past == 0 ? 0 : lanes - past);
    std::copy(counts, counts + n_words, buffer.counts.begin());
    std::fill(buffer.counts.begin() + static_cast<std::ptrdiff_t>(n_words),
              buffer.counts.begin() + static_cast<std::ptrdiff_t>(padded), Real{0});
    for (std::size_t first = 0; first < padded; first += lanes) {
        const Real* rows[lanes];
        for (std::size_t i = 0; i < lanes; ++i) {
            rows[i] = first + i < n_words
                          ? topics + static_cast<std::size_t>(words[first + i]) * n_topics
                          : buffer.nothing.data();
        }
        const std::size_t tile = first / whole * whole;
        const std::size_t stride = std::min(whole, padded - tile);
        Real* to = tiles + tile * n_topics + (first - tile);
        for (std::size_t k = 0; k < n_topics; ++k, to += stride) {
            for (std::size_t i = 0; i < lanes; ++i) to[i] = rows[i][k];
        }
    }
    return {tiles, buffer.counts.data(), n_words, n_topics};
}

template <class Real>
void tile_sums(SimdLevel level, const TileWords<Real>& words, const std::int32_t* active,
               const Real* weights, std::size_t n_active, Real* sums) {
    std::fill(sums, sums + n_active * kLanes<Real>, Real{0});
    for_tiles<ToSums>(level, words, Active<Real>{active, weights, n_active}, sums);
}

template <class Real>
void tile_ratios(SimdLevel level, const TileWords<Real>& words, const std::int32_t* active,
                 const Real* weights, std::size_t n_active, Real* ratios) {
    for_tiles<ToRatios>(level, words, Active<Real>{active, weights, n_active}, ratios);
}

#define QUIRE_INSTANTIATE(Real)                                                                    \
    template TileWords<Real> fill_tiles(const Real*, std::size_t, const Real*,                     \
                                        const std::int32_t*, std::size_t, TileBuffer<Real>&);      \
    template TileWords<Real> fill_tiles(const Real*, std::size_t, const Real*,                     \
                                        const std::int64_t*, std::size_t, TileBuffer<Real>&);      \
    template void tile_sums(SimdLevel, const TileWords<Real>&, const std::int32_t*, const Real*,   \
                            std::size_t, Real*);                                                   \
    template void tile_ratios(SimdLevel, const TileWords<Real>&, const std::int32_t*, const Real*, \
                              std::size_t, Real*);
QUIRE_INSTANTIATE(float)
QUIRE_INSTANTIATE(double)
#undef QUIRE_INSTANTIATE

}  // namespace quire
