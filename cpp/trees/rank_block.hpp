// The ranks of some rows: what a node and all nodes below it need of dense data.
//
// Ranks of a column lie side by side for all rows, and those of a small node far apart. Below some
// size all ranks of a node are copied, which its whole subtree then finds in the cache; nodes of a
// subtree follow each other when trees are grown depth first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/tree_data.hpp"

namespace quire {

// Ranks of a dense node: those of column j at ranks + j * stride, by the numbers in `rows`.
struct RankView {
    const std::uint32_t* ranks = nullptr;
    std::size_t stride = 0;
    std::span<const std::uint32_t> rows;
};

class RankBlock {
  public:
    // The ranks of a node, whose samples lie at [begin, end) of all samples of the tree. A block is
    // made of them if it `may` be.
    RankView view(const TreeData& X, std::span<const std::uint32_t> samples, std::size_t begin,
                  std::size_t end, bool may) {
        const std::size_t n = end - begin, p = X.n_cols();
        const bool is_inside = covers(begin, end);
        if (!is_inside && may && X.has_rank_rows() && n * p <= kMost) {
            ranks_.resize(n * p);
            rows_.resize(samples.size());
            begin_ = begin;
            end_ = end;
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t* const row = X.rank_row(samples[begin + i]);
                for (std::size_t j = 0; j < p; ++j) ranks_[j * n + i] = row[j];
                rows_[begin + i] = static_cast<std::uint32_t>(i);
            }
        } else if (!is_inside) {
            begin_ = end_ = 0;
            return {X.ranks(0), X.n_rows(), samples.subspan(begin, n)};
        }
        return {ranks_.data(), end_ - begin_,
                std::span<const std::uint32_t>(rows_).subspan(begin, n)};
    }
    bool covers(std::size_t begin, std::size_t end) const { return begin >= begin_ && end <= end_; }
    // The rows of the block by the place of their sample: they are divided as the samples are.
    std::uint32_t* rows() { return rows_.data(); }

  private:
    static constexpr std::size_t kMost = std::size_t{1} << 17;  // half a megabyte

    std::vector<std::uint32_t> ranks_, rows_;
    std::size_t begin_ = 0, end_ = 0;
};

}  // namespace quire
