// The nearest rows of a dense matrix: exact search by brute force.
#pragma once

#include <cstddef>

#include "base/parallel.hpp"
#include "neighbors/nearest.hpp"

namespace quire {

// A matrix whose rows follow each other without gaps.
template <class Value>
struct RowsView {
    const Value* data = nullptr;
    std::size_t n_rows = 0;
    std::size_t n_cols = 0;
    const Value* row(std::size_t i) const { return data + i * n_cols; }
};

// Writes the k rows of X that are nearest to each row of Q, nearest first; of rows at the same
// distance the first one. Values are finite and 1 <= k <= n_rows. For cosine distances rows have
// length 1, or 0.
//
// A matrix product in single precision whose results are never stored: a tile of 12 queries and 32
// points is compared with the thresholds of the queries while it is in registers, and the few that
// pass are candidates (see nearest.hpp). Points are moved to the middle of the data before that, so
// that single precision sees differences between them and not where they lie.
//
// Equivalent to
//     D = cdist(Q, X, metric); I = argsort(D, axis=1, stable=True)[:, :k]
template <class Value>
void dense_nearest(const RowsView<Value>& X, const RowsView<Value>& Q, Distance distance,
                   const NearestOut& out, const Execution& execution);

}  // namespace quire
