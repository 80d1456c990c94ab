#include "trees/tree_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/radix_sort.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

void check_size(std::size_t n_rows, std::size_t n_cols) {
    constexpr std::size_t most = std::size_t{1} << 30;
    if (n_rows >= most || n_cols >= most) {
        throw std::invalid_argument("trees take fewer than 2^30 rows and columns");
    }
}

// From here on ranks lie in memory twice.
constexpr std::size_t kManyRows = std::size_t{1} << 16;

// A whole number that sorts as the value does; both zeros are the same.
std::uint32_t sortable(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value == 0.0f ? 0.0f : value);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// The value that `sortable` was made from.
float value_of(std::uint32_t key) {
    return std::bit_cast<float>((key & 0x80000000u) != 0 ? key & 0x7FFFFFFFu : ~key);
}

struct Ranked {
    std::uint32_t key, row;
};

}  // namespace

TreeData::TreeData(std::span<const float> X, std::size_t n_rows, std::size_t n_cols,
                   std::span<const std::uint8_t> categories, const Execution& execution)
    : sparse_(false),
      n_rows_(n_rows),
      n_cols_(n_cols),
      categories_(categories.begin(), categories.end()),
      ranks_(n_rows * n_cols) {
    check_size(n_rows, n_cols);
    if (!categories_.empty() && categories_.size() != n_cols) {
        throw std::invalid_argument("there must be one mark for each column");
    }
    std::vector<std::vector<float>> found(n_cols);
    parallel_parts(n_cols, execution, [&](std::size_t j, int, Checkpoint& checkpoint) {
        std::vector<Ranked> order(n_rows), scratch(n_rows);
        std::size_t n = 0;
        std::uint32_t* const ranks = &ranks_[j * n_rows];
        for (std::size_t i = 0; i < n_rows; ++i) {
            const float value = X[i * n_cols + j];
            if (!std::isnan(value)) order[n++] = {sortable(value), static_cast<std::uint32_t>(i)};
        }
        radix_sort<11>(
            order.data(), scratch.data(), n, 32, [](Ranked x) { return x.key; },
            [&] { checkpoint(); });
        for (std::size_t i = 0; i < n; ++i) {
            if (i == 0 || order[i].key != order[i - 1].key) {
                const float value = X[order[i].row * n_cols + j];
                found[j].push_back(value == 0.0f ? 0.0f : value);
            }
            ranks[order[i].row] = static_cast<std::uint32_t>(found[j].size() - 1);
        }
        if (n < n_rows) {
            const auto missing = static_cast<std::uint32_t>(found[j].size());
            for (std::size_t i = 0; i < n_rows; ++i) {
                if (std::isnan(X[i * n_cols + j])) ranks[i] = missing;
            }
        }
    });
    if (n_rows >= kManyRows) {
        rank_rows_.resize(n_rows * n_cols);
        constexpr std::size_t per_part = 4096;
        parallel_parts(n_parts_of(n_rows, per_part), execution, [&](std::size_t part, int) {
            const std::size_t end = std::min(n_rows, (part + 1) * per_part);
            for (std::size_t i = part * per_part; i < end; ++i) {
                for (std::size_t j = 0; j < n_cols; ++j) {
                    rank_rows_[i * n_cols + j] = ranks_[j * n_rows + i];
                }
            }
        });
    }
    for (std::size_t j = 0; j < n_cols; ++j) {
        if (!is_category(j)) continue;
        for (const float value : found[j]) {
            if (!(value >= 0 && value < 64 && value == std::floor(value))) {
                throw std::invalid_argument("categories must be whole numbers below 64");
            }
        }
    }
    distinct_begin_.push_back(0);
    for (const auto& values : found) {
        distinct_.insert(distinct_.end(), values.begin(), values.end());
        distinct_begin_.push_back(distinct_.size());
    }
}

template <class Index>
TreeData::TreeData(const CsrView<float, Index>& X, const Execution& execution)
    : sparse_(true), n_rows_(X.n_rows()), n_cols_(static_cast<std::size_t>(X.n_cols)) {
    check_size(n_rows_, n_cols_);
    if (!csr_check(X, execution)) {
        throw std::invalid_argument("the columns of every row of X must rise");
    }
    if (X.data.size() >= std::size_t{1} << 31) {
        throw std::invalid_argument("trees take fewer than 2^31 stored values");
    }
    row_begin_.assign(n_rows_ + 1, 0);
    column_begin_.assign(n_cols_ + 1, 0);
    for (std::size_t i = 0; i < n_rows_; ++i) {
        for (std::size_t k = X.begin(i); k < X.end(i); ++k) {
            const auto j = static_cast<std::size_t>(X.indices[k]);
            if (std::isnan(X.data[k])) throw std::invalid_argument("a stored value of X is NaN");
            if (X.data[k] == 0.0f) continue;
            ++row_begin_[i + 1];
            ++column_begin_[j + 1];
        }
        row_begin_[i + 1] += row_begin_[i];
    }
    for (std::size_t j = 0; j < n_cols_; ++j) column_begin_[j + 1] += column_begin_[j];
    const std::size_t n_stored = row_begin_.back();
    row_columns_.resize(n_stored, n_cols_);
    row_values_.resize(n_stored);
    column_rows_.resize(n_stored, n_rows_);
    column_values_.resize(n_stored);
    RawVector<std::uint64_t> columns(n_stored);  // sortable value << 32 | row
    std::vector<std::uint32_t> next(column_begin_.begin(), column_begin_.end() - 1);
    std::size_t at = 0;
    for (std::size_t i = 0; i < n_rows_; ++i) {
        for (std::size_t k = X.begin(i); k < X.end(i); ++k) {
            if (X.data[k] == 0.0f) continue;
            const auto j = static_cast<std::uint32_t>(X.indices[k]);
            row_columns_.set(at, j);
            row_values_[at++] = X.data[k];
            columns[next[j]++] = std::uint64_t{sortable(X.data[k])} << 32 | i;
        }
    }
    constexpr std::size_t per_part = 256;
    parallel_parts(n_parts_of(n_cols_, per_part), execution, [&](std::size_t part, int) {
        const std::size_t end = std::min(n_cols_, (part + 1) * per_part);
        for (std::size_t j = part * per_part; j < end; ++j) {
            const std::span column = std::span(columns).subspan(column_begin_[j], column_size(j));
            std::sort(column.begin(), column.end());
            for (std::size_t k = 0; k < column.size(); ++k) {
                column_rows_.set(column_begin_[j] + k, static_cast<std::uint32_t>(column[k]));
                column_values_[column_begin_[j] + k] =
                    value_of(static_cast<std::uint32_t>(column[k] >> 32));
            }
        }
    });
    index_frequent(execution);
}

template TreeData::TreeData(const CsrView<float, std::int32_t>&, const Execution&);
template TreeData::TreeData(const CsrView<float, std::int64_t>&, const Execution&);

void TreeData::index_frequent(const Execution& execution) {
    frequent_begin_.push_back(0);
    for (std::size_t j = 0; j < n_cols_; ++j) {
        if (!is_frequent(j)) continue;
        frequent_.push_back(static_cast<std::uint32_t>(j));
        frequent_begin_.push_back(frequent_begin_.back() +
                                  static_cast<std::uint32_t>(column_size(j)));
    }
    words_.resize(frequent_.size() * n_words());
    before_.resize(words_.size());
    frequent_values_.resize(frequent_begin_.back());
    parallel_parts(frequent_.size(), execution, [&](std::size_t f, int) {
        std::uint64_t* const words = &words_[f * n_words()];
        std::uint32_t* const before = &before_[f * n_words()];
        const std::size_t j = frequent_[f], size = column_size(j);
        column_rows(j, [&](const auto* rows) {
            for (std::size_t k = 0; k < size; ++k) {
                words[rows[k] / 64] |= std::uint64_t{1} << rows[k] % 64;
            }
            std::uint32_t n = frequent_begin_[f];
            for (std::size_t w = 0; w < n_words(); ++w) {
                before[w] = n;
                n += static_cast<std::uint32_t>(std::popcount(words[w]));
            }
            for (std::size_t k = 0; k < size; ++k) {
                const std::uint64_t below = (std::uint64_t{1} << rows[k] % 64) - 1;
                const int place = std::popcount(words[rows[k] / 64] & below);
                frequent_values_[before[rows[k] / 64] + static_cast<std::uint32_t>(place)] =
                    column_values(j)[k];
            }
        });
    });
}

TreeData::Frequent TreeData::frequent(std::size_t j) const {
    const auto at = std::lower_bound(frequent_.begin(), frequent_.end(), j);
    const auto f = static_cast<std::size_t>(at - frequent_.begin());
    return {std::span(words_).subspan(f * n_words()), std::span(before_).subspan(f * n_words()),
            frequent_values_.data()};
}

}  // namespace quire
