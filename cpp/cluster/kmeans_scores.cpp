#include "cluster/kmeans_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/register_tile.hpp"

namespace quire {

namespace {

constexpr std::size_t kLanes = kKMeansLanes, kTile = kKMeansTile;
constexpr std::size_t kSparseBlock = 8 * kLanes;
constexpr float kFar = std::numeric_limits<float>::infinity();

#if defined(__GNUC__) || defined(__clang__)

template <std::size_t n>
using Floats = typename Lanes<float, n>::Vector;
template <std::size_t n>
using Ints = typename Lanes<std::int32_t, n>::Vector;

// The best of n lanes each, halved until one is left.
template <std::size_t n>
QUIRE_INLINE void fold(const Floats<n>& upper, const Floats<n>& lowest, const Floats<n>& second,
                       const Ints<n>& nearest, KMeansBounds& bounds) {
    if constexpr (n == 1) {
        bounds = {upper[0], lowest[0], second[0], nearest[0]};
    } else {
        constexpr std::size_t h = n / 2, half = h * sizeof(float);
        const auto halves = [](const auto& whole, auto& left, auto& right) {
            std::memcpy(&left, &whole, half);
            std::memcpy(&right, reinterpret_cast<const char*>(&whole) + half, half);
        };
        Floats<h> upper_a, upper_b, lowest_a, lowest_b, second_a, second_b;
        Ints<h> nearest_a, nearest_b;
        halves(upper, upper_a, upper_b);
        halves(lowest, lowest_a, lowest_b);
        halves(second, second_a, second_b);
        halves(nearest, nearest_a, nearest_b);
        const Floats<h> least = second_a < second_b ? second_a : second_b;
        const Floats<h> not_lowest = lowest_a < lowest_b ? lowest_b : lowest_a;
        fold<h>(upper_a < upper_b ? upper_a : upper_b, lowest_a < lowest_b ? lowest_a : lowest_b,
                least < not_lowest ? least : not_lowest,
                lowest_a < lowest_b ? nearest_a : nearest_b, bounds);
    }
}

// Turns the products of a row into bounds from below, in place.
QUIRE_INLINE void bound_scores(const KMeansScores& scores, float reach, float* products,
                               KMeansBounds& bounds) {
    using Vector = Floats<kLanes>;
    Vector upper = Vector{} + kFar, lowest = upper, second = upper;
    Ints<kLanes> nearest = {}, here = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static_assert(kLanes == 16);
    for (std::size_t at = 0; at < scores.stride; at += kLanes) {
        const Vector& base = *reinterpret_cast<const Vector*>(scores.base.data() + at);
        const Vector& slope = *reinterpret_cast<const Vector*>(scores.slope.data() + at);
        const Vector& per_reach = *reinterpret_cast<const Vector*>(scores.per_reach.data() + at);
        const Vector& always = *reinterpret_cast<const Vector*>(scores.always.data() + at);
        Vector& product = *reinterpret_cast<Vector*>(products + at);
        const Vector score = base - slope * product;
        const Vector error = reach * per_reach + always;
        const Vector low = score - error, high = score + error;
        const Vector not_lowest = low < lowest ? lowest : low;
        upper = high < upper ? high : upper;
        second = not_lowest < second ? not_lowest : second;
        nearest = low < lowest ? here : nearest;
        lowest = low < lowest ? low : lowest;
        here += static_cast<std::int32_t>(kLanes);
        product = low;
    }
    fold<kLanes>(upper, lowest, second, nearest, bounds);
}

#else

QUIRE_INLINE void bound_scores(const KMeansScores& scores, float reach, float* products,
                               KMeansBounds& bounds) {
    bounds = {};
    for (std::size_t j = 0; j < scores.stride; ++j) {
        const float score = scores.base[j] - scores.slope[j] * products[j];
        const float error = reach * scores.per_reach[j] + scores.always[j];
        products[j] = score - error;
        bounds.upper = std::min(bounds.upper, score + error);
        bounds.second = std::min(bounds.second, std::max(products[j], bounds.lowest));
        if (!(products[j] < bounds.lowest)) continue;
        bounds.lowest = products[j];
        bounds.nearest = static_cast<std::int32_t>(j);
    }
}

#endif

QUIRE_INLINE void bound_tile(const KMeansScores& scores, const float* reach, float* products,
                             KMeansBounds* bounds) {
    for (std::size_t r = 0; r < kTile; ++r) {
        bound_scores(scores, reach[r], products + r * scores.stride, bounds[r]);
    }
}

#define QUIRE_CONVERT_ARGUMENTS const Value *from, std::size_t n, double scale, float *to
#define QUIRE_TILE_ARGUMENTS \
    const KMeansScores &scores, const float *x, const float *reach, float *low, KMeansBounds *bounds
#define QUIRE_ROW_ARGUMENTS                                                                      \
    const KMeansScores &scores, const SparseRow<float, std::int32_t>&x, float reach, float *low, \
        KMeansBounds &bounds

template <class Value>
QUIRE_INLINE void convert(QUIRE_CONVERT_ARGUMENTS) {
    for (std::size_t f = 0; f < n; ++f) {
        to[f] = static_cast<float>(scale * static_cast<double>(from[f]));
    }
}
template <class Value>
void convert_portable(QUIRE_CONVERT_ARGUMENTS) {
    convert(from, n, scale, to);
}

void tile_portable(QUIRE_TILE_ARGUMENTS) {
    constexpr std::size_t kSome = 2;  // rows whose sums fit into registers
    static_assert(kTile % kSome == 0);
    const std::size_t n_cols = scores.n_cols, stride = scores.stride;
    for (std::size_t at = 0; at < stride; at += kLanes) {
        for (std::size_t r = 0; r < kTile; r += kSome) {
            float sums[kSome][kLanes];
            tile_sums({x + r * n_cols, n_cols, 1}, scores.operand + at, stride, n_cols, sums);
            for (std::size_t i = 0; i < kSome; ++i) {
                std::copy(sums[i], sums[i] + kLanes, low + (r + i) * stride + at);
            }
        }
    }
    bound_tile(scores, reach, low, bounds);
}

// Products of a sparse row with the operand, then bounds of its scores.
QUIRE_INLINE void row_bounds(QUIRE_ROW_ARGUMENTS) {
    const std::size_t stride = scores.stride;
    for (std::size_t first = 0; first < stride; first += kSparseBlock) {
        const float* W = scores.operand + first;
        float* out = low + first;
        switch (std::min(kSparseBlock, stride - first) / kLanes) {
            case 1:
                add_block<kLanes>(x, W, stride, out);
                break;
            case 2:
                add_block<2 * kLanes>(x, W, stride, out);
                break;
            case 3:
                add_block<3 * kLanes>(x, W, stride, out);
                break;
            case 4:
                add_block<4 * kLanes>(x, W, stride, out);
                break;
            case 5:
                add_block<5 * kLanes>(x, W, stride, out);
                break;
            case 6:
                add_block<6 * kLanes>(x, W, stride, out);
                break;
            case 7:
                add_block<7 * kLanes>(x, W, stride, out);
                break;
            default:
                add_block<8 * kLanes>(x, W, stride, out);
        }
    }
    bound_scores(scores, reach, low, bounds);
}
void row_bounds_portable(QUIRE_ROW_ARGUMENTS) {
    row_bounds(scores, x, reach, low, bounds);
}

#if QUIRE_X86

template <class Value>
QUIRE_TARGET_AVX2 void convert_avx2(QUIRE_CONVERT_ARGUMENTS) {
    convert(from, n, scale, to);
}
template <class Value>
QUIRE_TARGET_AVX512 void convert_avx512(QUIRE_CONVERT_ARGUMENTS) {
    convert(from, n, scale, to);
}

QUIRE_TARGET_AVX2 void tile_avx2(QUIRE_TILE_ARGUMENTS) {
    const std::size_t n_cols = scores.n_cols, stride = scores.stride;
    for (std::size_t at = 0; at < stride; at += kLanes) {
        __m256 sums[kTile][2];
        tile_sums({x, n_cols, 1}, scores.operand + at, stride, n_cols, sums);
        for (std::size_t r = 0; r < kTile; ++r) {
            _mm256_storeu_ps(low + r * stride + at, sums[r][0]);
            _mm256_storeu_ps(low + r * stride + at + 8, sums[r][1]);
        }
    }
    bound_tile(scores, reach, low, bounds);
}

template <std::size_t vectors>
QUIRE_TARGET_AVX512 void products_avx512(const KMeansScores& scores, const float* x, std::size_t at,
                                         float* products) {
    __m512 sums[kTile][vectors];
    tile_sums({x, scores.n_cols, 1}, scores.operand + at, scores.stride, scores.n_cols, sums);
    for (std::size_t r = 0; r < kTile; ++r) {
        for (std::size_t v = 0; v < vectors; ++v) {
            _mm512_storeu_ps(products + r * scores.stride + at + v * kLanes, sums[r][v]);
        }
    }
}
QUIRE_TARGET_AVX512 void tile_avx512(QUIRE_TILE_ARGUMENTS) {
    constexpr std::size_t kBlock = 4 * kLanes;  // 24 of 32 registers hold sums
    for (std::size_t at = 0; at < scores.stride; at += kBlock) {
        switch (std::min(kBlock, scores.stride - at) / kLanes) {
            case 1:
                products_avx512<1>(scores, x, at, low);
                break;
            case 2:
                products_avx512<2>(scores, x, at, low);
                break;
            case 3:
                products_avx512<3>(scores, x, at, low);
                break;
            default:
                products_avx512<4>(scores, x, at, low);
        }
    }
    bound_tile(scores, reach, low, bounds);
}

QUIRE_TARGET_AVX2 void row_bounds_avx2(QUIRE_ROW_ARGUMENTS) {
    row_bounds(scores, x, reach, low, bounds);
}
QUIRE_TARGET_AVX512 void row_bounds_avx512(QUIRE_ROW_ARGUMENTS) {
    row_bounds(scores, x, reach, low, bounds);
}

#endif

}  // namespace

KMeansScores::KMeansScores(const KMeansCentres& centres)
    : operand(centres.operand.data()),
      n_cols(centres.n_cols),
      stride(kmeans_stride(centres.n_clusters)),
      base(stride),
      slope(stride),
      per_reach(stride),
      always(stride) {
    constexpr double kUnit = 0x1p-24 * 1.05;  // half a last place, and room for these sums
    constexpr double kSmallest = 0x1p-120;    // what a term may lose below the normal numbers
    for (std::size_t j = 0; j < stride; ++j) {
        const bool real = j < centres.n_clusters;
        const double factor = real ? centres.factor[j] : 0;
        const double length = real ? std::sqrt(centres.norms[j]) * centres.scale : 0;
        const auto terms = static_cast<double>(n_cols);
        base[j] = real ? static_cast<float>(length * length) : kFar;
        slope[j] = static_cast<float>(2 * factor);
        per_reach[j] = static_cast<float>(2 * kUnit * length);
        always[j] = static_cast<float>(6 * kUnit * length * length +
                                       kSmallest * terms * (2 * factor + length + 1));
    }
}

template <class Value>
KMeansTileKernels<Value> kmeans_tile_kernels(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return {convert_avx512<Value>, tile_avx512};
    if (level == SimdLevel::avx2) return {convert_avx2<Value>, tile_avx2};
#endif
    (void)level;
    return {convert_portable<Value>, tile_portable};
}
template KMeansTileKernels<float> kmeans_tile_kernels(SimdLevel);
template KMeansTileKernels<double> kmeans_tile_kernels(SimdLevel);

KMeansRowBounds kmeans_row_bounds(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return row_bounds_avx512;
    if (level == SimdLevel::avx2) return row_bounds_avx2;
#endif
    (void)level;
    return row_bounds_portable;
}

}  // namespace quire
