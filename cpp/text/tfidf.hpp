// Weighting the counts of a sparse matrix in place: the core of TfidfTransformer.
#pragma once

#include <cstdint>
#include <span>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace quire {

enum class Norm : std::uint8_t { none, l1, l2 };

// In how many rows each column has a stored entry. Throws std::invalid_argument if a column is out
// of range.
//
// Equivalent to: np.bincount(X.indices, minlength=X.shape[1])
template <class Index>
RawVector<std::int64_t> csr_document_frequency(std::span<const Index> indices, std::int64_t n_cols,
                                               const Execution& execution);

// data[k] *= idf[indices[k]] (no change if idf is empty), then each row divided by its norm; a row
// of zeros stays. The sum of a norm is taken in order, in double.
//
// Equivalent to: normalize(X @ diags(idf), norm)
// Throws std::invalid_argument if the arrays make no matrix with n_cols columns.
template <class Value, class Index>
void csr_tfidf(std::span<Value> data, std::span<const Index> indices, std::span<const Index> indptr,
               std::int64_t n_cols, std::span<const Value> idf, Norm norm,
               const Execution& execution);

}  // namespace quire
