// A dense matrix as it lies in memory: by rows, by columns, or a view with gaps.
#pragma once

#include <cstddef>

namespace quire {

template <class Value>
struct DenseView {
    const Value* data = nullptr;
    std::size_t n_rows = 0;
    std::size_t n_cols = 0;
    std::ptrdiff_t row_stride = 0;  // in values, of either sign
    std::ptrdiff_t col_stride = 0;

    const Value* at(std::size_t row, std::size_t col) const {
        return data + static_cast<std::ptrdiff_t>(row) * row_stride +
               static_cast<std::ptrdiff_t>(col) * col_stride;
    }
    bool has_rows() const { return col_stride == 1 || n_cols == 1; }  // each in one piece
};

}  // namespace quire
