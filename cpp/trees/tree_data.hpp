// The rows that trees grow on, prepared once for all trees of a forest.
//
// Dense: every column as ranks among its distinct values, so that a node sorts small whole numbers.
// A missing value (NaN) has the rank after the last. Sparse: the columns with their stored values
// in rising order, so that a column scan needs no sorting, and the rows for nodes that are small.
// Columns with many entries also have a bit for each row, so that a small node need not scan them.
// Stored zeros are dropped. Nothing here depends on a tree: several may read it at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "sparse/csr.hpp"

namespace quire {

// Numbers below a bound, in two bytes each where that is enough.
class ShortNumbers {
  public:
    void resize(std::size_t n, std::size_t bound) {
        is_short_ = bound <= std::size_t{1} << 16;
        is_short_ ? short_.resize(n) : long_.resize(n);
    }
    void set(std::size_t i, std::uint32_t number) {
        if (is_short_) {
            short_[i] = static_cast<std::uint16_t>(number);
        } else {
            long_[i] = number;
        }
    }
    // Calls body with a pointer to those from `begin` on.
    template <class Body>
    decltype(auto) from(std::size_t begin, Body&& body) const {
        return is_short_ ? body(short_.data() + begin) : body(long_.data() + begin);
    }

  private:
    bool is_short_ = false;
    RawVector<std::uint16_t> short_;
    RawVector<std::uint32_t> long_;
};

class TreeData {
  public:
    // X has n_rows x n_cols entries in row-major order. `categories` says which columns hold
    // categories, the whole numbers below 64; it may be empty.
    TreeData(std::span<const float> X, std::size_t n_rows, std::size_t n_cols,
             std::span<const std::uint8_t> categories, const Execution& execution);
    template <class Index>
    explicit TreeData(const CsrView<float, Index>& X, const Execution& execution);

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
    // Where they are and their values lie apart, since most are only asked where they are.
    std::size_t column_begin(std::size_t j) const { return column_begin_[j]; }
    std::size_t column_size(std::size_t j) const { return column_begin_[j + 1] - column_begin_[j]; }
    std::size_t row_size(std::size_t i) const { return row_begin_[i + 1] - row_begin_[i]; }
    // Call body(pointer to the column_size rows) and body(pointer to the row_size columns).
    template <class Body>
    decltype(auto) column_rows(std::size_t j, Body&& body) const {
        return column_rows_.from(column_begin_[j], body);
    }
    template <class Body>
    decltype(auto) row_columns(std::size_t i, Body&& body) const {
        return row_columns_.from(row_begin_[i], body);
    }
    const float* column_values(std::size_t j) const {
        return column_values_.data() + column_begin_[j];
    }
    const float* row_values(std::size_t i) const { return row_values_.data() + row_begin_[i]; }
    // The value of an entry of a row, or nullptr.
    const float* find(std::size_t i, std::uint32_t column) const {
        return row_columns(i, [&](const auto* columns) -> const float* {
            const auto* const end = columns + row_size(i);
            const auto* const at = std::lower_bound(columns, end, column);
            return at != end && *at == column ? row_values(i) + (at - columns) : nullptr;
        });
    }
    // Of a column with many entries: whether a row has one, and its value.
    class Frequent {
      public:
        Frequent() = default;
        Frequent(std::span<const std::uint64_t> words, std::span<const std::uint32_t> before,
                 const float* values)
            : words_(words.data()), before_(before.data()), values_(values) {}
        explicit operator bool() const { return words_ != nullptr; }
        bool has(std::uint32_t row) const { return (words_[row / 64] >> row % 64 & 1u) != 0; }
        float value(std::uint32_t row) const {
            const std::uint64_t below = (std::uint64_t{1} << row % 64) - 1;
            const int n = std::popcount(words_[row / 64] & below);
            return values_[before_[row / 64] + static_cast<std::uint32_t>(n)];
        }

      private:
        const std::uint64_t* words_ = nullptr;
        const std::uint32_t* before_ = nullptr;  // entries before each word
        const float* values_ = nullptr;          // by row
    };
    bool is_frequent(std::size_t j) const { return column_size(j) * kRowsPerEntry >= n_rows_; }
    Frequent frequent(std::size_t j) const;
    // Asks memory for where the entries of a row are.
    void prefetch_row(std::size_t i) const {
        row_columns(i, [&](const auto* columns) { prefetch_lines(columns, row_size(i)); });
    }

  private:
    template <class Number>
    static void prefetch_lines(const Number* numbers, std::size_t n) {
        constexpr std::size_t per_line = 64 / sizeof(Number), most = 8;
        for (std::size_t k = 0; k < std::min(n, most * per_line); k += per_line) {
            prefetch(numbers + k);
        }
    }

    static constexpr std::size_t kRowsPerEntry = 32;  // in columns that are frequent
    std::size_t n_words() const { return n_rows_ / 64 + 1; }
    void index_frequent(const Execution& execution);

    std::atomic<bool> stopped_{false};
    bool sparse_;
    std::size_t n_rows_, n_cols_;
    std::vector<std::uint8_t> categories_;
    RawVector<std::uint32_t> ranks_, rank_rows_;
    std::vector<float> distinct_;
    std::vector<std::size_t> distinct_begin_;
    ShortNumbers column_rows_, row_columns_;
    RawVector<float> column_values_, row_values_;
    std::vector<std::uint32_t> column_begin_, row_begin_;
    // Frequent columns in their order: bits and counts by word, values one after another.
    std::vector<std::uint32_t> frequent_, frequent_begin_, before_;
    std::vector<std::uint64_t> words_;
    RawVector<float> frequent_values_;
};

}  // namespace quire
