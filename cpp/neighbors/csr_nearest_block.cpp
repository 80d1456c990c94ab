// The inner loop of csr_nearest: rows of a dense table, added up for many points side by side.
#include "neighbors/csr_nearest_block.hpp"

#if QUIRE_X86
#include <immintrin.h>
#endif

namespace quire {

namespace {

using Term = NearestBlock::Term;
constexpr std::size_t kTile = kPointsPerTile;

void add_rows_portable(const float* rows, const std::vector<Term>& terms, float threshold,
                       float* sums, std::uint64_t* passed) {
    for (const Term term : terms) {
        const float* const row = rows + term.row * kTile;
        for (std::size_t i = 0; i < kTile; ++i) sums[i] += term.value * row[i];
    }
    for (std::size_t word = 0; word < kTile / 64; ++word) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < 64; ++i) {
            bits |= std::uint64_t{sums[word * 64 + i] >= threshold} << i;
        }
        passed[word] = bits;
    }
}

#if QUIRE_X86

QUIRE_TARGET_AVX2 void add_rows_avx2(const float* rows, const std::vector<Term>& terms,
                                     float threshold, float* sums, std::uint64_t* passed) {
    constexpr std::size_t n = 8;  // registers, for 64 points
    const __m256 least = _mm256_set1_ps(threshold);
    for (std::size_t word = 0; word < kTile / 64; ++word) {
        float* const place = sums + word * 64;
        __m256 sum[n];
        for (std::size_t v = 0; v < n; ++v) sum[v] = _mm256_loadu_ps(place + 8 * v);
        for (const Term term : terms) {
            const float* const row = rows + term.row * kTile + word * 64;
            const __m256 value = _mm256_set1_ps(term.value);
            for (std::size_t v = 0; v < n; ++v) {
                sum[v] = _mm256_add_ps(sum[v], _mm256_mul_ps(value, _mm256_loadu_ps(row + 8 * v)));
            }
        }
        std::uint64_t bits = 0;
        for (std::size_t v = 0; v < n; ++v) {
            _mm256_storeu_ps(place + 8 * v, sum[v]);
            const auto mask =
                static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(sum[v], least, _CMP_GE_OQ)));
            bits |= std::uint64_t{mask} << (8 * v);
        }
        passed[word] = bits;
    }
}

QUIRE_TARGET_AVX512 void add_rows_avx512(const float* rows, const std::vector<Term>& terms,
                                         float threshold, float* sums, std::uint64_t* passed) {
    constexpr std::size_t n = 8;  // registers, for 128 points
    const __m512 least = _mm512_set1_ps(threshold);
    for (std::size_t half = 0; half < kTile / 128; ++half) {
        float* const place = sums + half * 128;
        __m512 sum[n];
        for (std::size_t v = 0; v < n; ++v) sum[v] = _mm512_loadu_ps(place + 16 * v);
        for (const Term term : terms) {
            const float* const row = rows + term.row * kTile + half * 128;
            const __m512 value = _mm512_set1_ps(term.value);
            for (std::size_t v = 0; v < n; ++v) {
                sum[v] = _mm512_fmadd_ps(value, _mm512_loadu_ps(row + 16 * v), sum[v]);
            }
        }
        for (std::size_t w = 0; w < 2; ++w) {
            std::uint64_t bits = 0;
            for (std::size_t v = 0; v < 4; ++v) {
                _mm512_storeu_ps(place + 64 * w + 16 * v, sum[4 * w + v]);
                const auto mask = _mm512_cmp_ps_mask(sum[4 * w + v], least, _CMP_GE_OQ);
                bits |= static_cast<std::uint64_t>(mask) << (16 * v);
            }
            passed[half * 2 + w] = bits;
        }
    }
}

#endif

}  // namespace

void NearestBlock::add_rows(SimdLevel level, std::size_t tile, const std::vector<Term>& terms,
                            float threshold, float* sums, Passed& passed) const {
    const float* const rows = table_.data() + tile * n_rows_ * kTile;
#if QUIRE_X86
    if (level == SimdLevel::avx512) return add_rows_avx512(rows, terms, threshold, sums, passed);
    if (level == SimdLevel::avx2) return add_rows_avx2(rows, terms, threshold, sums, passed);
#endif
    static_cast<void>(level);
    add_rows_portable(rows, terms, threshold, sums, passed);
}

}  // namespace quire
