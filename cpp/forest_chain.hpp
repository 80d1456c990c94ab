// Trees in the form that sparse rows walk down fast.
//
// A text has few of all words, so most questions of a tree find a zero. From every node there is
// one way that a row of zeros takes, down to a leaf: a chain. Chains lie in memory node after node,
// and of each node first the column alone. A row has a bit for each column that it has an entry in.
// To walk a chain is then to look for the first column whose bit is set: no step waits for the one
// before, and hardly a branch is guessed wrongly. At such a column the value decides whether the
// row goes on along the chain or begins that of the other child.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "csr.hpp"
#include "forest_walk.hpp"
#include "memory.hpp"
#include "tree_grow.hpp"

namespace quire {

// The column numbers of a chain. Columns are counted from one by falling weight, up to powers of
// two, of the nodes that ask about them: what most rows are asked about lies close together. A leaf
// has the number zero, whose bit is set in every row.
inline constexpr std::uint32_t kLeafSlot = 0;
inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;  // no node asks about the column

inline std::vector<std::uint32_t> slots_by_use(std::span<const TreeNode> nodes,
                                               std::size_t n_cols) {
    std::vector<std::uint64_t> weight(n_cols);
    for (const TreeNode& node : nodes) {
        if (node.left >= 0) {
            weight[static_cast<std::size_t>(node.feature)] += node.samples & kSampleCount;
        }
    }
    std::array<std::uint32_t, 66> begin{};  // by 64 - the number of bits, then the unused ones
    const auto bucket_of = [](std::uint64_t w) {
        return static_cast<std::size_t>(64 - std::bit_width(w));
    };
    for (const std::uint64_t w : weight) ++begin[bucket_of(w) + 1];
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    std::vector<std::uint32_t> slots(n_cols, kNoSlot);
    for (std::size_t j = 0; j < n_cols; ++j) {
        if (weight[j] > 0) slots[j] = 1 + begin[bucket_of(weight[j])]++;
    }
    return slots;
}

// What decides at a node: the threshold, and where the chain of the other child begins, counted
// from the root. A leaf has its answer there.
struct ChainTurn {
    float threshold;
    std::int32_t other;
};

// Fills tree.size() places; answer_of(node) is what a leaf gives.
template <class AnswerOf>
void make_chains(std::span<const TreeNode> tree, std::span<const std::uint32_t> slots,
                 AnswerOf&& answer_of, std::uint32_t* columns, ChainTurn* turns) {
    struct Begin {
        std::int32_t node;
        std::size_t from;  // the place that leads here
    };
    std::vector<Begin> stack{{0, 0}};
    std::size_t next = 0;
    while (!stack.empty()) {
        const auto [first, from] = stack.back();
        stack.pop_back();
        if (next > 0) turns[from].other = static_cast<std::int32_t>(next);
        std::int32_t at = first;
        for (; tree[static_cast<std::size_t>(at)].left >= 0; ++next) {
            const TreeNode& node = tree[static_cast<std::size_t>(at)];
            const float threshold = rounded_down(node.threshold);
            const bool zero_left = !(0.0f > threshold);
            columns[next] = slots[static_cast<std::size_t>(node.feature)];
            turns[next].threshold = threshold;
            stack.push_back({zero_left ? node.right : node.left, next});
            at = zero_left ? node.left : node.right;
        }
        columns[next] = kLeafSlot;
        turns[next++] = {0.0f, answer_of(at)};
    }
}

// Up to 64 rows: of each column the set of the rows that have an entry in it, and of each row a
// table of its values.
class ChainRows {
  public:
    explicit ChainRows(std::size_t n_cols) : having_(n_cols + 1) { having_[kLeafSlot] = kAll; }

    void fill(const CsrView<float, std::int32_t>& X, std::span<const std::uint32_t> slots,
              std::size_t begin, std::size_t end) {
        std::size_t size = 0;
        n_rows_ = end - begin;
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t n = std::bit_ceil(2 * (X.end(row) - X.begin(row)) + 2);
            tables_[row - begin] = {size, 32 - std::countr_zero(n)};
            size += n;
        }
        if (values_.size() < size) values_.resize(size);
        std::fill_n(values_.begin(), size, Value{kLeafSlot, 0.0f});
        visit(X, slots, begin, [&](std::size_t row, std::uint32_t slot, float value) {
            having_[slot] |= std::uint64_t{1} << row;
            values_[find(row, slot, kLeafSlot)] = {slot, value};
        });
    }
    // Before the next rows; these are the ones before.
    void clear(const CsrView<float, std::int32_t>& X, std::span<const std::uint32_t> slots,
               std::size_t begin) {
        visit(X, slots, begin, [&](std::size_t, std::uint32_t slot, float) { having_[slot] = 0; });
    }

    // Calls reached(row, answer) for all rows.
    template <class Reached>
    void walk(const std::uint32_t* columns, const ChainTurn* turns, Reached&& reached) {
        waiting_.assign(1, {kAll >> (64 - n_rows_), 0});
        while (!waiting_.empty()) {
            auto [rows, at] = waiting_.back();
            waiting_.pop_back();
            for (; rows != 0; ++at) {
                std::uint64_t asked = having_[columns[at]] & rows;
                if (asked == 0) continue;
                const auto [threshold, other] = turns[at];
                if (columns[at] == kLeafSlot) {
                    for (; rows != 0; rows &= rows - 1) {
                        reached(static_cast<std::size_t>(std::countr_zero(rows)), other);
                    }
                    break;
                }
                std::uint64_t off = 0;
                for (; asked != 0; asked &= asked - 1) {
                    const auto row = static_cast<std::size_t>(std::countr_zero(asked));
                    const float value = values_[find(row, columns[at], columns[at])].value;
                    const bool turns_off = (value > threshold) != (0.0f > threshold);
                    off |= std::uint64_t{turns_off ? 1u : 0u} << row;
                }
                if (off != 0) waiting_.push_back({off, static_cast<std::size_t>(other)});
                rows &= ~off;
            }
        }
    }

  private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};
    struct Value {
        std::uint32_t slot;  // or kLeafSlot: empty
        float value;
    };
    struct Table {
        std::size_t begin;
        int shift;
    };
    struct Waiting {
        std::uint64_t rows;
        std::size_t at;
    };

    template <class Body>
    void visit(const CsrView<float, std::int32_t>& X, std::span<const std::uint32_t> slots,
               std::size_t begin, Body&& body) {
        for (std::size_t row = 0; row < n_rows_; ++row) {
            for (std::size_t k = X.begin(begin + row); k < X.end(begin + row); ++k) {
                const std::uint32_t slot = slots[static_cast<std::size_t>(X.indices[k])];
                if (slot != kNoSlot) body(row, slot, X.data[k]);
            }
        }
    }
    // The first place from that of `slot` on which has `what`.
    std::size_t find(std::size_t row, std::uint32_t slot, std::uint32_t what) const {
        const auto [begin, shift] = tables_[row];
        const std::uint32_t last = 0xFFFFFFFFu >> shift;
        std::uint32_t at = slot * 0x9E3779B1u >> shift;
        while (values_[begin + at].slot != what) at = (at + 1) & last;
        return begin + at;
    }

    std::size_t n_rows_ = 0;
    std::vector<std::uint64_t> having_;
    std::array<Table, 64> tables_{};
    std::vector<Value> values_;
    std::vector<Waiting> waiting_;
};

}  // namespace quire
