// Trees in the form that sparse rows walk down fast.
//
// A text has few of all words, so most questions of a tree find a zero. From every node there is
// one way that a row of zeros takes, down to a leaf: a chain. Chains lie in memory node after node.
// Each column has the set of the rows that have an entry in it. To walk a chain is then to look for
// the first column whose set meets that of the rows that walk: no step waits for the one before,
// and all rows take it together. At such a column the values decide which rows go on along the
// chain, and which begin that of the other child.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/prefetch.hpp"
#include "sparse/csr.hpp"
#include "trees/forest_walk.hpp"
#include "trees/tree_damage.hpp"
#include "trees/tree_grow.hpp"

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
        if (node.left < 0) continue;
        const auto column = static_cast<std::size_t>(node.feature);
        if (column >= n_cols) throw_damaged("a column is outside of the data");
        weight[column] += std::max(node.samples & kSampleCount, 1u);
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

// How many numbers there are, that of leaves included.
inline std::size_t n_slots_of(std::span<const std::uint32_t> slots) {
    const auto used = [](std::uint32_t slot) { return slot != kNoSlot; };
    return 1 + static_cast<std::size_t>(std::count_if(slots.begin(), slots.end(), used));
}

// A node: its column, the threshold, and where the chain of the other child begins, counted from
// the root. A leaf has its answer there.
struct ChainNode {
    std::uint32_t column;
    float threshold;
    std::int32_t other;
};

// Fills tree.size() places; answer_of(node) is what a leaf gives.
template <class AnswerOf>
void make_chains(std::span<const TreeNode> tree, std::span<const std::uint32_t> slots,
                 AnswerOf&& answer_of, ChainNode* out) {
    struct Begin {
        std::int32_t node;
        std::size_t from;  // the place that leads here
    };
    std::vector<Begin> stack{{0, 0}};
    std::size_t next = 0;
    while (!stack.empty()) {
        const auto [first, from] = stack.back();
        stack.pop_back();
        if (next > 0) out[from].other = static_cast<std::int32_t>(next);
        std::int32_t at = first;
        for (; tree[static_cast<std::size_t>(at)].left >= 0; ++next) {
            const TreeNode& node = tree[static_cast<std::size_t>(at)];
            check_question(node, static_cast<std::size_t>(at), tree.size(), slots.size());
            if (next >= tree.size()) throw_damaged("a node has two parents");
            const float threshold = rounded_down(node.threshold);
            const bool zero_left = !(0.0f > threshold);
            out[next].column = slots[static_cast<std::size_t>(node.feature)];
            out[next].threshold = threshold;
            stack.push_back({zero_left ? node.right : node.left, next});
            at = zero_left ? node.left : node.right;
        }
        if (next >= tree.size()) throw_damaged("a node has two parents");
        out[next++] = {kLeafSlot, 0.0f, answer_of(at)};
    }
}

// Up to 64 rows: of each column the set of the rows that have an entry in it, and the least and the
// largest of their values, which often decide for all of them; of each row a table of its values.
class ChainRows {
  public:
    static constexpr std::size_t kMost = 64;

    explicit ChainRows(std::size_t n_slots) : having_(n_slots), ranges_(n_slots) {
        having_[kLeafSlot] = kAll;
    }

    template <class Index>
    void fill(const CsrView<float, Index>& X, std::span<const std::uint32_t> slots,
              std::size_t begin, std::size_t end) {
        std::size_t size = 0;
        n_rows_ = end - begin;
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t n = std::bit_ceil((X.end(row) - X.begin(row)) * 5 / 4 + 2);
            tables_[row - begin] = {size, 32 - std::countr_zero(n)};
            size += n;
        }
        if (values_.size() < size) values_.resize(size);
        std::fill_n(values_.begin(), size, Value{kLeafSlot, 0.0f});
        visit(X, slots, begin, [&](std::size_t row, std::uint32_t slot, float value) {
            Range& range = ranges_[slot];
            range.low = having_[slot] == 0 ? value : std::min(range.low, value);
            range.high = having_[slot] == 0 ? value : std::max(range.high, value);
            having_[slot] |= std::uint64_t{1} << row;
            values_[find(row, slot, kLeafSlot)] = {slot, value};
        });
    }
    // Before the next rows; these are the ones before.
    template <class Index>
    void clear(const CsrView<float, Index>& X, std::span<const std::uint32_t> slots,
               std::size_t begin) {
        visit(X, slots, begin, [&](std::size_t, std::uint32_t slot, float) { having_[slot] = 0; });
    }

    // Calls reached(row, answer) for all rows, and asks memory for the tree that is next.
    template <class Reached>
    void walk(const ChainNode* tree, const ChainNode* next_tree, Reached&& reached) {
        for (std::size_t k = 0; k < kLong; k += 5) prefetch(next_tree + k);  // five in a line
        const std::uint64_t* const having = having_.data();
        waiting_.assign(1, {kAll >> (kMost - n_rows_), 0});
        while (!waiting_.empty()) {
            std::uint64_t rows = waiting_.back().rows;
            const ChainNode* node = tree + waiting_.back().at;
            waiting_.pop_back();
            for (; rows != 0; ++node) {
                while ((having[node->column] & rows) == 0) ++node;
                const auto [column, threshold, other] = *node;
                const std::uint64_t asked = having[column] & rows;
                if (column == kLeafSlot) {
                    for (; rows != 0; rows &= rows - 1) {
                        reached(static_cast<std::size_t>(std::countr_zero(rows)), other);
                    }
                    break;
                }
                const std::uint64_t off = turning_off(asked, column, threshold);
                if (off != 0) {
                    waiting_.push_back({off, static_cast<std::size_t>(other)});
                    prefetch(tree + other);
                }
                rows &= ~off;
            }
        }
    }

  private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};
    static constexpr std::size_t kLong = 40;  // nodes of the first chain of a tree, or so
    struct Value {
        std::uint32_t slot;  // or kLeafSlot: empty
        float value;
    };
    struct Table {
        std::size_t begin;
        int shift;
    };
    struct Range {
        float low, high;
    };
    struct Waiting {
        std::uint64_t rows;
        std::size_t at;
    };

    // Which of these rows, all with an entry in the column, go where a row of zeros does not.
    std::uint64_t turning_off(std::uint64_t rows, std::uint32_t slot, float threshold) const {
        const bool zero_right = 0.0f > threshold;
        const auto [low, high] = ranges_[slot];
        if (low > threshold) return zero_right ? 0 : rows;
        if (!(high > threshold)) return zero_right ? rows : 0;
        std::uint64_t off = 0;
        for (; rows != 0; rows &= rows - 1) {
            const auto row = static_cast<std::size_t>(std::countr_zero(rows));
            const bool right = values_[find(row, slot, slot)].value > threshold;
            off |= std::uint64_t{right != zero_right ? 1u : 0u} << row;
        }
        return off;
    }

    template <class Index, class Body>
    void visit(const CsrView<float, Index>& X, std::span<const std::uint32_t> slots,
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
    std::vector<Range> ranges_;
    std::array<Table, kMost> tables_{};
    std::vector<Value> values_;
    std::vector<Waiting> waiting_;
};

}  // namespace quire
