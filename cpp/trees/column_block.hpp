// The columns of some rows: what a node and all nodes below it need of sparse data.
//
// A node has few of all rows, and a column that is drawn for it mostly has no entry there. The
// entries of the node's rows, put by column once, serve its whole subtree from the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "trees/tree_data.hpp"

namespace quire {

class ColumnBlock {
  public:
    struct Entry {
        float value;
        std::uint32_t sample;
    };

    explicit ColumnBlock(std::size_t n_cols) : ends_(n_cols + 1) {}

    // Whether the samples at these places among all samples of the tree are in the block.
    bool covers(std::size_t begin, std::size_t end) const { return begin >= begin_ && end <= end_; }
    std::size_t size() const { return entries_.size(); }

    // Takes the rows of a node, whose samples begin at `begin` among those of the tree. Time grows
    // with the number of columns, too.
    void build(const TreeData& X, std::span<const std::uint32_t> samples, std::size_t begin) {
        begin_ = begin;
        end_ = begin + samples.size();
        std::fill(ends_.begin(), ends_.end(), 0u);
        for (const std::uint32_t sample : samples) {
            X.row_columns(sample, [&](const auto* columns) {
                for (std::size_t k = 0; k < X.row_size(sample); ++k) ++ends_[columns[k] + 1u];
            });
        }
        std::uint32_t n = 0;
        for (std::uint32_t& end : ends_) end = (n += end) - end;  // where they begin, for now
        entries_.resize(n);
        for (const std::uint32_t sample : samples) {
            const float* const values = X.row_values(sample);
            X.row_columns(sample, [&](const auto* columns) {
                for (std::size_t k = 0; k < X.row_size(sample); ++k) {
                    entries_[ends_[columns[k] + 1u]++] = {values[k], sample};
                }
            });
        }
    }

    // The entries of a column.
    std::span<const Entry> column(std::uint32_t j) const {
        return std::span(entries_).subspan(ends_[j], ends_[j + 1] - ends_[j]);
    }

  private:
    std::vector<std::uint32_t> ends_;  // of the column before each
    RawVector<Entry> entries_;
    std::size_t begin_ = 0, end_ = 0;
};

}  // namespace quire
