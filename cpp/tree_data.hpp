// The rows that trees grow on, prepared once for all trees of a forest.
//
// Dense: every column as ranks among its distinct values, so that a node sorts small whole numbers.
// A missing value (NaN) has the rank after the last. Sparse: the columns with their stored values
// in rising order, so that a column scan needs no sorting, and the rows for nodes that are small.
// Stored zeros are dropped. Nothing here depends on a tree: several may read it at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "csr.hpp"
#include "memory.hpp"
#include "parallel.hpp"

namespace quire {

class TreeData {
  public:
    // X has n_rows x n_cols entries in row-major order. `categories` says which columns hold
    // categories, the whole numbers below 64; it may be empty.
    TreeData(std::span<const float> X, std::size_t n_rows, std::size_t n_cols,
             std::span<const std::uint8_t> categories, const Execution& execution);
    explicit TreeData(const CsrView<float, std::int32_t>& X, const Execution& execution);

    struct Entry {
        std::uint32_t at;  // the row in a column, the column in a row
        float value;
    };

    // Ends the growing of all trees on these rows, in any thread: they throw Interrupted.
    void stop() { stopped_.store(true, std::memory_order_relaxed); }
    bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }

    bool is_sparse() const { return sparse_; }
    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_cols() const { return n_cols_; }

    bool is_category(std::size_t column) const {
        return !categories_.empty() && categories_[column] != 0;
    }

    // Dense: ranks of a column by row, and what they stand for, in rising order.
    const std::uint32_t* ranks(std::size_t column) const { return &ranks_[column * n_rows_]; }
    // The ranks of a row, if there are so many rows that a small node had better copy its own.
    bool has_rank_rows() const { return !rank_rows_.empty(); }
    const std::uint32_t* rank_row(std::size_t row) const { return &rank_rows_[row * n_cols_]; }
    std::span<const float> distinct(std::size_t column) const {
        return {distinct_.data() + distinct_begin_[column],
                distinct_begin_[column + 1] - distinct_begin_[column]};
    }

    // Sparse: entries of a column in rising order of value, and of a row in rising order of column.
    std::span<const Entry> column(std::size_t j) const {
        return {columns_.data() + column_begin_[j], column_begin_[j + 1] - column_begin_[j]};
    }
    // Asks memory for them in advance.
    void prefetch_begin(std::size_t j) const { prefetch(&column_begin_[j]); }
    void prefetch_column(std::size_t j) const { prefetch(columns_.data() + column_begin_[j]); }
    std::size_t n_stored() const { return rows_.size(); }
    std::span<const Entry> row(std::size_t i) const {
        return {rows_.data() + row_begin_[i], row_begin_[i + 1] - row_begin_[i]};
    }

  private:
    static void prefetch(const void* place) {
#if defined(__GNUC__) || defined(__clang__)
        __builtin_prefetch(place, 0);
#else
        static_cast<void>(place);
#endif
    }

    std::atomic<bool> stopped_{false};
    bool sparse_;
    std::size_t n_rows_, n_cols_;
    std::vector<std::uint8_t> categories_;
    RawVector<std::uint32_t> ranks_, rank_rows_;
    std::vector<float> distinct_;
    std::vector<std::size_t> distinct_begin_;
    RawVector<Entry> columns_, rows_;
    std::vector<std::uint32_t> column_begin_, row_begin_;
};

}  // namespace quire
