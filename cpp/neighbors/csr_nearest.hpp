// The nearest rows of a sparse matrix: exact search by brute force.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/parallel.hpp"
#include "neighbors/nearest.hpp"
#include "sparse/csr.hpp"

namespace quire {

// Writes the k rows of X that are nearest to each row of Q, nearest first; of rows at the same
// distance the first one. Columns are sorted and distinct within rows, values are finite, and
// 1 <= k <= n_rows. For cosine distances rows have length 1, or 0.
//
// The points go through in blocks. Those of a block are turned into an inverted index: columns that
// a sixteenth of them have are rows of a dense table, and for the others there are lists of points.
// A query adds up its few long rows, side by side for many points, and its many short lists. What
// comes out is compared with a threshold while it is in registers (see nearest.hpp).
//
// Equivalent to
//     D = cdist(Q, X, metric); I = argsort(D, axis=1, stable=True)[:, :k]
template <class Value, class Index>
void csr_nearest(const CsrView<Value, Index>& X, const CsrView<Value, Index>& Q, Distance distance,
                 const NearestOut& out, const Execution& execution);

}  // namespace quire
