// The columns of a sparse matrix: what scipy.sparse.csc_matrix holds.
#pragma once

#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// Writes the transpose of X in compressed-row form: data and indices have an entry for each one
// stored in X, indptr has n_cols + 1. The entries of a column come in the order of the rows, and
// repeated ones in the order in which they are stored, whatever the number of threads.
//
// Equivalent to
//     T = X.T.tocsr(); data[:], indices[:], indptr[:] = T.data, T.indices, T.indptr
template <class Value, class Index>
void csr_transpose(const CsrView<Value, Index>& X, std::span<Value> data, std::span<Index> indices,
                   std::span<Index> indptr, const Execution& execution);

}  // namespace quire
