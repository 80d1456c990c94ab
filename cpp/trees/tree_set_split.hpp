// The best division of a node by the categories of one column: a set of them goes left.
//
// There are 2^(k-1) - 1 ways to divide k categories. Ordered by the mean of the target, or by the
// share of one of two classes, the best set is a beginning of the order (W. D. Fisher, 1958;
// Breiman et al., 1984), so that k - 1 of them are enough. For more classes the categories are
// ordered by the share of each class in turn, of the heaviest ones only, and the best beginning of
// all these orders is taken: a good set, and not always the best. Missing values are a category of
// their own. Where a node has none of a category, or no missing value, they go to the side with
// more samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "trees/tree_split.hpp"

namespace quire {

class SetSplit {
  public:
    // keys: rank << 32 | payload in any order, ranks below n_ranks; rank values.size() is of
    // missing values, values[rank] is a category. Only what is above `bound` is of interest. With
    // `random` the order and where it is cut are drawn.
    template <class Target>
    TreeSplit search(Target& target, std::span<const std::uint64_t> keys,
                     std::vector<std::uint64_t>& sorted, std::size_t n_ranks,
                     std::span<const float> values, const LeafRule& rule, double bound,
                     Philox* random) {
        count(target, keys, n_ranks, values);
        TreeSplit best;
        best.quality = bound;
        best.is_set = true;
        if (random != nullptr) {
            for (std::size_t i = order_.size(); i > 1; --i) {
                std::swap(order_[i - 1], order_[random->integer(i)]);
            }
            const auto cut = static_cast<std::size_t>(random->integer(order_.size() - 1)) + 1;
            arrange(keys, sorted);
            scan(target, keys.size(), sorted, values, rule, cut, best);
            return best;
        }
        target.list_orders(orders_);
        for (const std::size_t by : orders_) {
            add_scores(target, keys, by);
            std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
                return score_[a] < score_[b] || (score_[a] == score_[b] && a < b);
            });
            arrange(keys, sorted);
            scan(target, keys.size(), sorted, values, rule, 0, best);
        }
        return best;
    }

  private:
    // The ranks that are there, and their weights.
    template <class Target>
    void count(const Target& target, std::span<const std::uint64_t> keys, std::size_t n_ranks,
               std::span<const float> values) {
        n_of_.assign(n_ranks, 0);
        weight_.assign(n_ranks, 0.0);
        for (const std::uint64_t key : keys) {
            ++n_of_[key >> 32];
            weight_[key >> 32] += target.weight_in_order(static_cast<std::uint32_t>(key));
        }
        order_.clear();
        absent_ = 0;
        for (std::uint32_t rank = 0; rank < n_ranks; ++rank) {
            if (n_of_[rank] > 0) {
                order_.push_back(rank);
            } else {
                absent_ |= bit_of(values[rank]);
            }
        }
    }
    static std::uint64_t bit_of(float category) {
        return std::uint64_t{1} << static_cast<unsigned>(category);
    }

    template <class Target>
    void add_scores(const Target& target, std::span<const std::uint64_t> keys, std::size_t by) {
        score_.assign(n_of_.size(), 0.0);
        for (const std::uint64_t key : keys) {
            score_[key >> 32] += target.value_in_order(static_cast<std::uint32_t>(key), by);
        }
        for (const std::uint32_t rank : order_) score_[rank] /= weight_[rank];
    }

    // Payloads, rank after rank as they are ordered.
    void arrange(std::span<const std::uint64_t> keys, std::vector<std::uint64_t>& sorted) {
        begin_.assign(n_of_.size(), 0);
        std::size_t at = 0;
        for (const std::uint32_t rank : order_) {
            begin_[rank] = at;
            at += n_of_[rank];
        }
        sorted.resize(keys.size());
        for (const std::uint64_t key : keys) sorted[begin_[key >> 32]++] = key;
    }

    // Looks at the beginnings of the order, or, if not 0, at that of length `only`.
    template <class Target>
    void scan(Target& target, std::size_t n, std::span<const std::uint64_t> sorted,
              std::span<const float> values, const LeafRule& rule, std::size_t only,
              TreeSplit& best) {
        target.clear();
        std::uint64_t set = 0;
        std::size_t n_left = 0;
        bool missing_left = false;
        const bool has_missing = n_of_.size() > values.size();
        for (std::size_t k = 0; k + 1 < order_.size(); ++k) {
            const std::uint32_t rank = order_[k];
            for (const std::size_t end = n_left + n_of_[rank]; n_left < end; ++n_left) {
                target.move(static_cast<std::uint32_t>(sorted[n_left]));
            }
            if (rank == values.size()) {
                missing_left = true;
            } else {
                set |= bit_of(values[rank]);
            }
            if (only != 0 && k + 1 != only) continue;
            if (better_split(target, n_left, n, rule, best)) {
                const bool larger = n_left > n - n_left;
                best.set = larger ? set | absent_ : set;
                best.missing_left = has_missing ? missing_left : larger;
            }
        }
    }

    std::vector<std::size_t> n_of_, begin_, orders_;
    std::vector<double> weight_, score_;
    std::vector<std::uint32_t> order_;  // ranks
    std::uint64_t absent_ = 0;          // categories that the node has none of
};

}  // namespace quire
