// Factors of metrics, cut into panels of columns that a tile of rows meets in registers.
//
// A squared distance is |x' P|^2, a sum over the columns of P that can only grow. Panels are taken
// from the last column to the first: in a triangular factor of a precision matrix the last columns
// are what is new in a feature when nearly all others are known, and tell components apart best.
// The first panel to be read has eight columns, so that a row that is far away is known as such
// after a small part of the work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"

namespace quire {

inline constexpr std::size_t kPanelTile = 6;  // rows that meet a panel together
inline constexpr std::size_t kPanelLanes = 8;
inline constexpr std::size_t kPanelMost = 4 * kPanelLanes;

// The shape of a panel: `width` columns, a multiple of kPanelLanes, of which the first is column
// `first` of the factor. It is negative where columns of zeros stand before the first one.
struct PanelShape {
    std::ptrdiff_t first;
    std::size_t width, n_rows, offset;  // its numbers lie at `offset`, row by row
};

// A panel of one factor. Row c0 + i of an upper triangular one is zero in the lanes before i, so
// that rows from `full` on need fewer lanes, eight by eight; `full` is n_rows for other factors.
struct Panel {
    const double* numbers;
    std::size_t width, n_rows, full;
};

// sums[r] += squares of the products of kPanelTile rows, which lie one after another in x, with
// the columns of the panel. Every product is summed up over the rows of the panel in order, squares
// in eight strands from the last column to the first: the same bits at every level.
using AddPanel = void (*)(const double* x, std::size_t n_cols, const Panel& panel, double* sums);

AddPanel add_panel_at(SimdLevel level);

// All panels of several square factors, the ones to be read first in front.
class FactorPanels {
  public:
    FactorPanels(std::span<const double> factors, std::size_t n_cols, bool upper)
        : n_cols_(n_cols), upper_(upper) {
        std::size_t end = n_cols, most = kPanelLanes;
        while (end > 0) {
            const std::size_t n = std::min(most, end);
            const std::size_t width = (n + kPanelLanes - 1) / kPanelLanes * kPanelLanes;
            const std::size_t n_rows = upper ? end : n_cols;
            const auto first =
                static_cast<std::ptrdiff_t>(end) - static_cast<std::ptrdiff_t>(width);
            shapes_.push_back({first, width, n_rows, size_});
            size_ += n_rows * width;
            end -= n;
            most = kPanelMost;
        }
        const std::size_t n_factors = n_cols == 0 ? 0 : factors.size() / (n_cols * n_cols);
        numbers_.resize(n_factors * size_);
        for (std::size_t k = 0; k < n_factors; ++k) {
            for (const PanelShape& shape : shapes_) fill(factors, k, shape);
        }
    }

    std::size_t n_panels() const { return shapes_.size(); }

    Panel panel(std::size_t factor, std::size_t number) const {
        const PanelShape& shape = shapes_[number];
        const auto full = shape.first + static_cast<std::ptrdiff_t>(kPanelLanes);
        return {numbers_.data() + factor * size_ + shape.offset, shape.width, shape.n_rows,
                upper_ ? static_cast<std::size_t>(full) : shape.n_rows};
    }

  private:
    void fill(std::span<const double> factors, std::size_t k, const PanelShape& shape) {
        double* to = numbers_.data() + k * size_ + shape.offset;
        const std::size_t padding = shape.first < 0 ? static_cast<std::size_t>(-shape.first) : 0;
        const std::size_t first = shape.first < 0 ? 0 : static_cast<std::size_t>(shape.first);
        for (std::size_t row = 0; row < shape.n_rows; ++row, to += shape.width) {
            const double* from = factors.data() + (k * n_cols_ + row) * n_cols_ + first;
            std::fill_n(to, padding, 0.0);
            std::copy_n(from, shape.width - padding, to + padding);
            // What lies below the diagonal is not part of the factor.
            for (std::size_t c = first; upper_ && c < std::min(row, first + shape.width - padding);
                 ++c) {
                to[padding + c - first] = 0.0;
            }
        }
    }

    std::size_t n_cols_, size_ = 0;
    bool upper_;
    std::vector<PanelShape> shapes_;
    RawVector<double> numbers_;
};

}  // namespace quire
