// The inner loop of dense_nearest: a tile of a matrix product that is compared and not stored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd.hpp"

namespace quire {

inline constexpr std::size_t kTileQueries = 12;
inline constexpr std::size_t kTilePoints = 32;

// upper[i][j] = sum over t of queries[t][i] points[t][j], for `depth` values of t. Bit j of
// passed[i] says whether that reaches thresholds[i]. Returns whether any does; only then are the
// numbers written.
bool dense_nearest_tile(SimdLevel level, const float* queries, const float* points,
                        std::size_t depth, const float* thresholds, float* upper,
                        std::uint32_t* passed);

}  // namespace quire
