// What single precision says of how near the centres are to a row: the scores |c_j|^2 - 2 x c_j,
// times scale^2, with bounds on their errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"
#include "cluster/kmeans.hpp"

namespace quire {

inline constexpr std::size_t kKMeansTile = 6;  // dense rows that meet the operand together

// From products with the operand to scores and their errors:
//     score_j = base_j - slope_j * product_j,  error_j <= reach * per_reach_j + always_j
// where reach = (terms of the row + 8) |scale x|. Columns of padding are infinitely far.
struct KMeansScores {
    explicit KMeansScores(const KMeansCentres& centres);

    const float* operand;
    std::size_t n_cols, stride;
    RawVector<float> base, slope, per_reach, always;
};

// What is known of the scores of a row beside bounds from below for all: the smallest bound from
// above, the two lowest from below, and whose the lowest is.
struct KMeansBounds {
    float upper = std::numeric_limits<float>::infinity(), lowest = upper, second = upper;
    std::int32_t nearest = 0;
};

// Kernels for one instruction set. `low` takes the bounds from below, `stride` for each row.
template <class Value>
struct KMeansTileKernels {
    // to[f] = scale * from[f]
    void (*convert)(const Value* from, std::size_t n, double scale, float* to);
    // x: kKMeansTile dense rows, one after the other.
    void (*bounds)(const KMeansScores& scores, const float* x, const float* reach, float* low,
                   KMeansBounds* bounds);
};
template <class Value>
KMeansTileKernels<Value> kmeans_tile_kernels(SimdLevel level);

using KMeansRowBounds = void (*)(const KMeansScores& scores,
                                 const SparseRow<float, std::int32_t>& x, float reach, float* low,
                                 KMeansBounds& bounds);
KMeansRowBounds kmeans_row_bounds(SimdLevel level);

}  // namespace quire
