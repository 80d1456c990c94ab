// The largest entries of the rows and of the columns of a matrix that comes in tiles: nearest
// neighbours by matrix products without ever holding all similarities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"

namespace quire {

// For every row i of a tile (n_rows x n_cols, row-major) with columns numbered from first_column:
// keeps in best[i], which falls, the k largest of what was there and of tile[i, j] - penalty[j],
// and in ids[i] their columns. An empty penalty means zero; a new search starts with best = -inf
// and ids = -1. Of equal numbers the one that came first stays first.
//
// Nearly all entries fail one comparison with the k-th best so far, sixteen at a time.
//
// Equivalent to
//     values = numpy.hstack([best, tile - penalty]); order = (-values).argsort(1, kind="stable")
//     best, ids = (numpy.take_along_axis(a, order[:, :k], 1) for a in (values, all_ids))
void tile_top_k(std::span<const float> tile, std::size_t n_rows, std::size_t n_cols,
                std::int64_t first_column, std::span<const float> penalty, std::span<float> best,
                std::span<std::int64_t> ids, std::size_t k, const Execution& execution);

// The same for the columns, with rows numbered from first_row: best and ids are n_cols x k. Of
// equal numbers that of the smaller row stays first, so that tiles may come in any order.
//
// Equivalent to
//     values = numpy.hstack([best, tile.T]); order = numpy.lexsort((all_ids, -values), axis=1)
//     best, ids = (numpy.take_along_axis(a, order[:, :k], 1) for a in (values, all_ids))
void tile_top_k_columns(std::span<const float> tile, std::size_t n_rows, std::size_t n_cols,
                        std::int64_t first_row, std::span<float> best, std::span<std::int64_t> ids,
                        std::size_t k, const Execution& execution);

}  // namespace quire
