#include "neighbors/dense_nearest_tile.hpp"

#include <algorithm>

#include "base/register_tile.hpp"

namespace quire {

namespace {

constexpr std::size_t kQ = kTileQueries, kP = kTilePoints;

bool tile_portable(const float* queries, const float* points, std::size_t depth,
                   const float* thresholds, float* upper, std::uint32_t* passed) {
    constexpr std::size_t kSome = 4;  // queries whose sums fit into registers
    bool any = false;
    for (std::size_t first = 0; first < kQ; first += kSome) {
        float sums[kSome][kP];
        tile_sums({queries + first, 1, kQ}, points, kP, depth, sums);
        for (std::size_t i = 0; i < kSome; ++i) {
            std::uint32_t bits = 0;
            for (std::size_t j = 0; j < kP; ++j) {
                bits |= std::uint32_t{sums[i][j] >= thresholds[first + i]} << j;
            }
            passed[first + i] = bits;
            any |= bits != 0;
            std::copy(sums[i], sums[i] + kP, upper + (first + i) * kP);
        }
    }
    return any;
}

#if QUIRE_X86

// Six queries and sixteen points: twelve of the sixteen registers hold sums.
QUIRE_TARGET_AVX2 void part_avx2(const float* queries, const float* points, std::size_t depth,
                                 const float* thresholds, float* upper, std::uint32_t* passed,
                                 std::size_t shift) {
    __m256 sums[6][2];
    tile_sums({queries, 1, kQ}, points, kP, depth, sums);
    for (std::size_t i = 0; i < 6; ++i) {
        const __m256 least = _mm256_set1_ps(thresholds[i]);
        for (std::size_t v = 0; v < 2; ++v) {
            _mm256_storeu_ps(upper + i * kP + 8 * v, sums[i][v]);
            const auto mask = static_cast<std::uint32_t>(
                _mm256_movemask_ps(_mm256_cmp_ps(sums[i][v], least, _CMP_GE_OQ)));
            passed[i] |= mask << (shift + 8 * v);
        }
    }
}

bool tile_avx2(const float* queries, const float* points, std::size_t depth,
               const float* thresholds, float* upper, std::uint32_t* passed) {
    std::fill(passed, passed + kQ, 0);
    for (std::size_t i = 0; i < kQ; i += 6) {
        for (std::size_t j = 0; j < kP; j += 16) {
            part_avx2(queries + i, points + j, depth, thresholds + i, upper + i * kP + j,
                      passed + i, j);
        }
    }
    return std::any_of(passed, passed + kQ, [](std::uint32_t bits) { return bits != 0; });
}

QUIRE_TARGET_AVX512 bool tile_avx512(const float* queries, const float* points, std::size_t depth,
                                     const float* thresholds, float* upper, std::uint32_t* passed) {
    __m512 sums[kQ][2];
    tile_sums({queries, 1, kQ}, points, kP, depth, sums);
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < kQ; ++i) {
        const __m512 least = _mm512_set1_ps(thresholds[i]);
        const std::uint32_t left = _mm512_cmp_ps_mask(sums[i][0], least, _CMP_GE_OQ);
        const std::uint32_t right = _mm512_cmp_ps_mask(sums[i][1], least, _CMP_GE_OQ);
        any |= passed[i] = left | right << 16;
    }
    if (any == 0) return false;
    for (std::size_t i = 0; i < kQ; ++i) {
        _mm512_storeu_ps(upper + i * kP, sums[i][0]);
        _mm512_storeu_ps(upper + i * kP + 16, sums[i][1]);
    }
    return true;
}

#endif

}  // namespace

bool dense_nearest_tile(SimdLevel level, const float* queries, const float* points,
                        std::size_t depth, const float* thresholds, float* upper,
                        std::uint32_t* passed) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) {
        return tile_avx512(queries, points, depth, thresholds, upper, passed);
    }
    if (level == SimdLevel::avx2) {
        return tile_avx2(queries, points, depth, thresholds, upper, passed);
    }
#endif
    static_cast<void>(level);
    return tile_portable(queries, points, depth, thresholds, upper, passed);
}

}  // namespace quire
