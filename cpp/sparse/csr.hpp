// A borrowed sparse matrix in compressed-row form: what scipy.sparse.csr_matrix holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire {

// Value is float or double (or an integer count), Index is int32_t or int64_t.
template <class Value, class Index>
struct CsrView {
    std::span<const Value> data;     // n_stored
    std::span<const Index> indices;  // n_stored
    std::span<const Index> indptr;   // n_rows + 1
    std::int64_t n_cols = 0;

    std::size_t n_rows() const { return indptr.size() - 1; }
    std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(indptr[row]); }
    std::size_t end(std::size_t row) const { return static_cast<std::size_t>(indptr[row + 1]); }
};

}  // namespace quire
