// Finding the best column of a node: the three ways that tree_grow.hpp describes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "radix_sort.hpp"
#include "random.hpp"
#include "tree_data.hpp"
#include "tree_set_split.hpp"
#include "tree_split.hpp"

namespace quire {

// The entries of one column in a node, within an array of a tree.
struct ColumnRun {
    std::uint32_t column, count;
};

// Ranks of a dense node: those of column j at ranks + j * stride, by the numbers in `rows`.
struct RankView {
    const std::uint32_t* ranks = nullptr;
    std::size_t stride = 0;
    std::span<const std::uint32_t> rows;
};

// A node as the search sees it.
struct NodeView {
    std::span<const std::uint32_t> samples;
    RankView ranks;
    std::size_t begin;                      // where they lie among all samples
    std::span<const ColumnRun> runs;        // of kept entries, where there are any
    std::span<const TreeData::Entry> kept;  // the entries, run after run
};

template <class Target>
class ColumnSearch {
  public:
    ColumnSearch(const TreeData& X, Target& target, LeafRule rule, std::size_t max_features,
                 bool random_splits, Philox& random, Checkpoint& checkpoint)
        : X_(X),
          target_(target),
          rule_(rule),
          max_features_(std::min(max_features, X.n_cols())),
          random_splits_(random_splits),
          random_(random),
          checkpoint_(checkpoint),
          order_(X.n_cols()),
          place_(X.is_sparse() ? X.n_rows() : 0, kNowhere),
          drawn_(X.is_sparse() ? X.n_cols() : 0) {
        std::iota(order_.begin(), order_.end(), 0u);
    }

    // Whether the entries of nodes are worth keeping sorted: if all columns are looked at.
    bool wants_runs() const { return X_.is_sparse() && max_features_ == X_.n_cols(); }
    // Where each sample lies among all samples; sparse data only.
    std::vector<std::uint32_t>& place() { return place_; }
    std::uint32_t payload(std::size_t i) const { return payloads_[i]; }

    // Leaves the tree if the user wants it: now if n samples take long, else every now and then.
    void poll(std::size_t n) {
        if (n > kManySamples) {
            checkpoint_();
        } else {
            checkpoint_.step();
        }
        if (X_.is_stopped()) throw Interrupted();
    }

    // The best division; the target must have begun the node.
    TreeSplit search(const NodeView& node) {
        best_ = {};
        n_equal_ = 0;
        n_varying_ = 0;
        payloads_.resize(node.samples.size());
        for (std::size_t i = 0; i < payloads_.size(); ++i) payloads_[i] = target_.payload(i);
        if (!X_.is_sparse()) {
            search_dense(node);
        } else if (wants_runs()) {
            search_runs(node);
        } else {
            search_drawn(node);
        }
        return best_;
    }

  private:
    static constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;
    static constexpr std::size_t kManySamples = 20'000;

    // What is not above this is worse than the best column.
    double bound() const {
        constexpr double lowest = -std::numeric_limits<double>::infinity();
        return best_.found ? std::nextafter(best_.quality, lowest) : lowest;
    }

    // Of equally good columns each is as likely.
    void take(TreeSplit split, std::size_t column) {
        ++n_varying_;
        if (!split.found) return;
        split.feature = static_cast<std::uint32_t>(column);
        if (!best_.found || split.quality > best_.quality) {
            best_ = split;
            n_equal_ = 1;
        } else if (split.quality == best_.quality && random_.integer(++n_equal_) == 0) {
            best_ = split;
        }
    }

    void search_dense(const NodeView& node) {
        const std::size_t p = X_.n_cols();
        for (std::size_t visited = 0; visited < p; ++visited) {
            if (visited >= max_features_ && n_varying_ > 0) break;
            if (max_features_ < p) {
                std::swap(order_[visited], order_[visited + random_.integer(p - visited)]);
            }
            look_at_dense(node, order_[visited]);
        }
    }

    void look_at_dense(const NodeView& node, std::size_t j) {
        poll(node.samples.size());
        const std::uint32_t* const ranks = node.ranks.ranks + j * node.ranks.stride;
        const auto values = X_.distinct(j);
        const auto missing_rank = static_cast<std::uint32_t>(values.size());
        const std::size_t n = node.samples.size();
        keys_.resize(n);
        std::uint32_t low = missing_rank, high = 0;
        std::size_t n_missing = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t rank = ranks[node.ranks.rows[i]];
            keys_[i] = static_cast<std::uint64_t>(rank) << 32 | payloads_[i];
            low = std::min(low, rank);
            if (rank == missing_rank) {
                ++n_missing;
            } else {
                high = std::max(high, rank);
            }
        }
        if (n_missing == n) return;
        if (X_.is_category(j)) {
            const std::size_t n_ranks = values.size() + (n_missing > 0 ? 1 : 0);
            if (low == high && n_missing == 0) return;
            take(set_split_.search(target_, keys_, scratch_, n_ranks, values, rule_, bound(),
                                   random_splits_ ? &random_ : nullptr),
                 j);
            return;
        }
        if (n_missing == 0 && values[high] <= values[low] + kTreeTie) return;
        if (random_splits_) {
            take(random_dense_split(target_, std::span<const std::uint64_t>(keys_), missing_rank,
                                    values, values[low], values[high], n_missing > 0, rule_,
                                    random_),
                 j);
            return;
        }
        sort_keys(low, n_missing > 0 ? missing_rank : high);
        take(best_dense_split(target_, std::span<const std::uint64_t>(keys_), n_missing, values,
                              rule_, bound()),
             j);
    }

    // Ranks are between low and high, which narrow down with the depth.
    void sort_keys(std::uint32_t low, std::uint32_t high) {
        const std::size_t n = keys_.size();
        const std::uint64_t offset = static_cast<std::uint64_t>(low) << 32;
        const int n_bits = std::bit_width(high - low);
        scratch_.resize(n);
        if (n > 2048) {
            radix_sort<11>(
                keys_.data(), scratch_.data(), n, n_bits,
                [offset](std::uint64_t key) { return (key - offset) >> 32; }, [] {});
            return;
        }
        for (std::uint64_t& key : keys_) key -= offset;
        sort_row<32>(keys_.data(), scratch_.data(), n, n_bits + 32);
        for (std::uint64_t& key : keys_) key += offset;
    }

    void search_runs(const NodeView& node) {
        std::size_t at = 0;
        for (const auto [column, count] : node.runs) {
            entries_.resize(count);
            for (std::size_t i = 0; i < count; ++i) {
                const auto& [sample, value] = node.kept[at + i];
                entries_[i] = {value, payloads_[place_[sample] - node.begin]};
            }
            at += count;
            look_at_sparse(entries_, node.samples.size(), column);
        }
    }

    // The cheaper of looking at the columns that are drawn and at the rows of the node.
    void search_drawn(const NodeView& node) {
        std::size_t in_rows = 0;
        for (const std::uint32_t sample : node.samples) in_rows += X_.row(sample).size();
        if (2 * in_rows * X_.n_cols() < max_features_ * X_.n_stored()) {
            search_rows(node, true);
        } else {
            search_columns(node);
        }
        if (n_varying_ == 0) search_rows(node, false);
    }

    void search_columns(const NodeView& node) {
        const std::size_t p = X_.n_cols(), n = node.samples.size();
        for (std::size_t i = 0; i < max_features_; ++i) {
            std::swap(order_[i], order_[i + random_.integer(p - i)]);
            X_.prefetch_begin(order_[i]);
        }
        constexpr std::size_t ahead = 16;
        for (std::size_t i = 0; i < max_features_; ++i) {
            if (i + ahead < max_features_) X_.prefetch_column(order_[i + ahead]);
            entries_.clear();
            for (const auto& [sample, value] : X_.column(order_[i])) {
                const std::size_t place = place_[sample] - node.begin;
                if (place < n) entries_.push_back({value, payloads_[place]});
            }
            look_at_sparse(entries_, n, order_[i]);
        }
    }

    // Columns that the node's rows have entries in. `draw`: those among max_features of all, each
    // set of that size equally likely. Columns are met one after another, and each is taken with
    // the share that is left to draw of those that are left. Else, in random order, as many as it
    // takes to find one that is not constant.
    void search_rows(const NodeView& node, bool draw) {
        found_.clear();
        columns_.clear();
        ++stamp_;
        std::uint64_t to_draw = max_features_, to_meet = X_.n_cols();
        for (std::size_t i = 0; i < node.samples.size(); ++i) {
            for (const auto& [column, value] : X_.row(node.samples[i])) {
                Drawn& drawn = drawn_[column];
                if (drawn.stamp != stamp_) {
                    const bool taken =
                        !draw || multiply_wide(random_.raw(), to_meet).high < to_draw;
                    drawn = {stamp_, kNowhere};
                    --to_meet;
                    if (taken) {
                        --to_draw;
                        drawn.slot = static_cast<std::uint32_t>(columns_.size());
                        columns_.push_back(column);
                    }
                }
                if (drawn.slot != kNowhere) found_.push_back({drawn.slot, value, payloads_[i]});
            }
        }
        group(columns_.size());
        for (std::size_t v = 0; v < columns_.size(); ++v) {
            std::size_t slot = v;
            if (!draw) {
                if (n_varying_ > 0) break;
                std::swap(slots_[v], slots_[v + random_.integer(slots_.size() - v)]);
                slot = slots_[v];
            }
            const std::span<SparseEntry> run(entries_.data() + begin_[slot],
                                             begin_[slot + 1] - begin_[slot]);
            std::sort(run.begin(), run.end(), [](const SparseEntry& a, const SparseEntry& b) {
                return a.value < b.value || (a.value == b.value && a.payload < b.payload);
            });
            look_at_sparse(run, node.samples.size(), columns_[slot]);
        }
    }

    // Puts what was found into entries_, slot after slot.
    void group(std::size_t n_slots) {
        begin_.assign(n_slots + 1, 0);
        for (const Found& one : found_) ++begin_[one.slot + 1];
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        slots_.resize(n_slots);
        std::copy(begin_.begin(), begin_.end() - 1, slots_.begin());
        entries_.resize(found_.size());
        for (const Found& one : found_) {
            entries_[slots_[one.slot]++] = {one.value, one.payload};
        }
        std::iota(slots_.begin(), slots_.end(), 0u);
    }

    void look_at_sparse(std::span<const SparseEntry> entries, std::size_t n, std::size_t column) {
        if (entries.empty()) return;
        poll(entries.size());
        float low = entries.front().value, high = entries.back().value;
        if (entries.size() < n) {
            low = std::min(low, 0.0f);
            high = std::max(high, 0.0f);
        }
        if (high <= low + kTreeTie) return;
        if (random_splits_) {
            take(random_sparse_split(target_, entries, n, low, high, rule_, random_), column);
        } else {
            take(best_sparse_split(target_, entries, n, rule_), column);
        }
    }

    struct Drawn {
        std::uint32_t stamp = 0, slot = 0;
    };
    struct Found {
        std::uint32_t slot;
        float value;
        std::uint32_t payload;
    };

    const TreeData& X_;
    Target& target_;
    LeafRule rule_;
    std::size_t max_features_;
    bool random_splits_;
    Philox& random_;
    Checkpoint& checkpoint_;
    TreeSplit best_;
    std::uint64_t n_equal_ = 0;
    std::size_t n_varying_ = 0;  // columns looked at that are not constant
    std::vector<std::uint32_t> order_, place_, payloads_, slots_, columns_;
    std::vector<std::uint64_t> keys_, scratch_;
    SetSplit set_split_;
    std::vector<SparseEntry> entries_;
    std::vector<Drawn> drawn_;
    std::vector<Found> found_;
    std::vector<std::size_t> begin_;
    std::uint32_t stamp_ = 0;
};

}  // namespace quire
