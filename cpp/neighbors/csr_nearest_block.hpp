// A block of sparse points as an inverted index: a part of csr_nearest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "neighbors/nearest.hpp"
#include "sparse/csr.hpp"

namespace quire {

inline constexpr std::size_t kPointsPerBlock = 16384;  // their sums stay in the second cache
inline constexpr std::size_t kPointsPerTile = 256;

class NearestBlock {
  public:
    // A row of the dense table, and by how much a query multiplies it.
    struct Term {
        std::uint32_t row;
        float value;
    };
    using Passed = std::uint64_t[kPointsPerTile / 64];

    explicit NearestBlock(std::size_t n_cols) : rows_(n_cols), starts_(n_cols + 1) {}

    std::size_t n_tiles() const { return n_parts_of(n_points_, kPointsPerTile); }

    // Takes the points [first, last) in, with all values multiplied by `scale`.
    template <class Value, class Index>
    void fill(const CsrView<Value, Index>& X, std::size_t first, std::size_t last, double scale,
              const float* lengths, const Execution& execution) {
        first_ = first;
        n_points_ = last - first;
        const std::size_t begin = X.begin(first), end = X.begin(last);
        if (end - begin > std::numeric_limits<std::uint32_t>::max()) {
            throw std::length_error("16,384 rows of X have more than 4 billion entries");
        }
        std::fill(starts_.begin(), starts_.end(), 0);
        for (std::size_t i = begin; i < end; ++i) {
            ++starts_[static_cast<std::size_t>(X.indices[i]) + 1];
        }
        choose_rows();
        entries_.resize(starts_.back());
        std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
        for (std::size_t point = first; point < last; ++point) {
            const auto number = static_cast<std::uint32_t>(point - first);
            for (std::size_t i = X.begin(point); i < X.end(point); ++i) {
                const auto column = static_cast<std::size_t>(X.indices[i]);
                if (rows_[column] != 0) continue;
                const double value = static_cast<double>(X.data[i]) * scale;
                entries_[next[column]++] = {number, static_cast<float>(value)};
            }
        }
        table_.resize(n_tiles() * n_rows_ * kPointsPerTile);
        parallel_parts(n_tiles(), execution, [&](std::size_t tile, int) {
            float* const rows = table_.data() + tile * n_rows_ * kPointsPerTile;
            std::fill(rows, rows + n_rows_ * kPointsPerTile, 0.0f);
            const std::size_t from = first + tile * kPointsPerTile;
            const std::size_t to = std::min(from + kPointsPerTile, last);
            for (std::size_t point = from; point < to; ++point) {
                float* const place = rows + (point - from);
                const float length = lengths[point];
                place[kCentreRow * kPointsPerTile] = -0.5f * length * length;
                place[kSlackRow * kPointsPerTile] = length;
                for (std::size_t i = X.begin(point); i < X.end(point); ++i) {
                    const std::uint32_t row = rows_[static_cast<std::size_t>(X.indices[i])];
                    if (row == 0) continue;
                    const double value = static_cast<double>(X.data[i]) * scale;
                    place[row * kPointsPerTile] = static_cast<float>(value);
                }
            }
        });
    }

    // Adds the short lists of a query to the sums of all points; the long ones become terms.
    template <class Value, class Index>
    void add_lists(const CsrView<Value, Index>& Q, std::size_t row, const QueryScale& scale,
                   float* sums, std::vector<Term>& terms) const {
        terms.clear();
        terms.push_back({kSlackRow, scale.slack});
        if (scale.centre != 0.0f) terms.push_back({kCentreRow, scale.centre});
        for (std::size_t i = Q.begin(row); i < Q.end(row); ++i) {
            const auto column = static_cast<std::size_t>(Q.indices[i]);
            const auto value =
                static_cast<float>(static_cast<double>(Q.data[i]) * scale.inverse_rho);
            if (rows_[column] != 0) {
                terms.push_back({rows_[column], value});
                continue;
            }
            const Entry* const end = entries_.data() + starts_[column + 1];
            for (const Entry* entry = entries_.data() + starts_[column]; entry != end; ++entry) {
                sums[entry->point] += value * entry->value;
            }
        }
    }

    // Adds the long rows to the sums of one tile and says which of them reach the threshold.
    void add_rows(SimdLevel level, std::size_t tile, const std::vector<Term>& terms,
                  float threshold, float* sums, Passed& passed) const;

    template <class Function>
    void for_each_passed(std::size_t tile, const Passed& passed, Function&& function) const {
        const std::size_t first = tile * kPointsPerTile;
        for (std::size_t word = 0; word < kPointsPerTile / 64; ++word) {
            for (std::uint64_t bits = passed[word]; bits != 0; bits &= bits - 1) {
                const std::size_t place =
                    word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                if (first + place >= n_points_) return;
                function(place, static_cast<std::uint32_t>(first_ + first + place));
            }
        }
    }

  private:
    struct Entry {
        std::uint32_t point;
        float value;
    };
    static constexpr std::uint32_t kSlackRow = 0, kCentreRow = 1, kFirstRow = 2;
    static constexpr std::size_t kMostRows = 1024;

    // From counts of columns to the rows of the frequent ones and the starts of the others' lists.
    void choose_rows() {
        std::uint32_t least =
            std::max<std::uint32_t>(1, static_cast<std::uint32_t>(n_points_ / 16));
        std::vector<std::uint32_t> frequent;
        for (std::size_t column = 0; column + 1 < starts_.size(); ++column) {
            if (starts_[column + 1] >= least) frequent.push_back(starts_[column + 1]);
        }
        if (frequent.size() > kMostRows) {
            const auto last = frequent.begin() + static_cast<std::ptrdiff_t>(kMostRows);
            std::nth_element(frequent.begin(), last, frequent.end(), std::greater<>());
            least = *last + 1;
        }
        std::uint32_t row = kFirstRow, start = 0;
        for (std::size_t column = 0; column < rows_.size(); ++column) {
            const std::uint32_t count = starts_[column + 1];
            const bool is_row = count >= least;
            rows_[column] = is_row ? row++ : 0;
            starts_[column + 1] = start += is_row ? 0 : count;
        }
        n_rows_ = row;
    }

    std::size_t first_ = 0, n_points_ = 0, n_rows_ = 0;
    std::vector<std::uint32_t> rows_;    // of each column; 0 if it has a list
    std::vector<std::uint32_t> starts_;  // of the lists in entries_
    std::vector<Entry> entries_;
    RawVector<float> table_;  // tiles x rows x kPointsPerTile
};

}  // namespace quire
