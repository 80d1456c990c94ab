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

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "base/radix_sort.hpp"
#include "base/random.hpp"
#include "trees/column_block.hpp"
#include "trees/drawn_columns.hpp"
#include "trees/tree_data.hpp"
#include "trees/tree_node.hpp"
#include "trees/tree_set_split.hpp"
#include "trees/tree_split.hpp"

namespace quire {

template <class Target>
class ColumnSearch {
  public:
    ColumnSearch(const TreeData& X, Target& target, LeafRule rule, std::size_t max_features,
                 bool random_splits, bool depth_first, Checkpoint& checkpoint)
        : X_(X),
          target_(target),
          rule_(rule),
          max_features_(std::min(max_features, X.n_cols())),
          random_splits_(random_splits),
          depth_first_(depth_first),
          checkpoint_(checkpoint),
          order_(X.n_cols()),
          place_(X.is_sparse() ? X.n_rows() : 0, kNowhere),
          members_(X.is_sparse() ? X.n_rows() / 64 + 1 : 0),
          is_drawn_(X.n_cols()),
          block_(X.is_sparse() ? X.n_cols() : 0) {
        std::iota(order_.begin(), order_.end(), 0u);
    }

    // Whether the entries of nodes are worth keeping sorted: if all columns are looked at.
    bool wants_runs() const { return X_.is_sparse() && max_features_ == X_.n_cols(); }
    // Where each sample lies among all samples; sparse data only.
    std::vector<std::uint32_t>& place() { return place_; }

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
        node_seed_ = node.seed;
        n_varying_ = 0;
        if (!X_.is_sparse()) {
            search_dense(node);
        } else if (wants_runs()) {
            search_runs(node);
        } else {
            search_drawn(node);
        }
        return best_;
    }

    // Calls body(i, value) for the entries of a sparse column in a node, where i is the place of
    // the sample in the node.
    template <class Body>
    void each_entry(std::span<const std::uint32_t> samples, std::size_t begin, std::uint32_t column,
                    Body&& body) const {
        const std::size_t n = samples.size(), size = X_.column_size(column);
        const auto found = [&](std::uint32_t sample, float value) {
            const std::size_t i = place_[sample] - begin;
            if (i < n) body(i, value);
        };
        if (block_.covers(begin, begin + n)) {
            for (const auto& [value, sample] : block_.column(column)) found(sample, value);
        } else if (size < 16 * n) {
            const float* const values = X_.column_values(column);
            X_.column_rows(column, [&](const auto* rows) {
                for (std::size_t k = 0; k < size; ++k) found(rows[k], values[k]);
            });
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                const float* const value = X_.find(samples[i], column);
                if (value != nullptr) body(i, *value);
            }
        }
    }

  private:
    static constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;
    static constexpr std::size_t kManySamples = 20'000;
    // Entries that are worth a block of their own: for enough nodes, and within the cache.
    static constexpr std::size_t kLeastBlock = 12'000, kMostBlock = std::size_t{1} << 16;

    // What is not above this is worse than the best column.
    double bound() const {
        constexpr double lowest = -std::numeric_limits<double>::infinity();
        return best_.found ? std::nextafter(best_.quality, lowest) : lowest;
    }

    // Random, but the same whenever the node asks for it again.
    std::uint64_t mixed(std::size_t column) const {
        return SmallRandom::mixed(node_seed_ + column);
    }

    // Of equally good columns each is as likely, whatever the order in which they are looked at.
    void take(TreeSplit split, std::size_t column) {
        ++n_varying_;
        if (!split.found) return;
        split.feature = static_cast<std::uint32_t>(column);
        if (!best_.found || split.quality > best_.quality) {
            best_ = split;
        } else if (split.quality == best_.quality && mixed(column) > mixed(best_.feature)) {
            best_ = split;
        }
    }

    void search_dense(const NodeView& node) {
        const auto p = static_cast<std::uint32_t>(X_.n_cols());
        const auto look = [&](std::uint32_t column) { look_at_dense(node, column); };
        if (max_features_ == p) {
            for (std::uint32_t column = 0; column < p; ++column) look(column);
            return;
        }
        draw_columns();
        for (const std::uint32_t column : drawn_) look(column);
        if (n_varying_ == 0) {
            columns_.clear();
            for (std::uint32_t column = 0; column < p; ++column) {
                if (!is_drawn_.has(column)) columns_.push_back(column);
            }
            look_for_varying(look);
        }
        is_drawn_.clear(drawn_);
    }

    // Looks at columns_ in random order, up to the first one that is not constant. The order of two
    // columns does not depend on what others there are. Mostly the first one will do, and the
    // others need no order.
    template <class Look>
    void look_for_varying(Look&& look) {
        if (columns_.empty()) return;
        std::size_t first = 0;
        std::uint64_t least = mixed(columns_[0]);
        for (std::size_t i = 1; i < columns_.size(); ++i) {
            const std::uint64_t own = mixed(columns_[i]);
            first = own < least ? i : first;
            least = own < least ? own : least;
        }
        std::swap(columns_[first], columns_.back());
        look(columns_.back());
        columns_.pop_back();
        if (n_varying_ > 0) return;
        const auto is_later = [&](std::uint32_t a, std::uint32_t b) { return mixed(a) > mixed(b); };
        std::make_heap(columns_.begin(), columns_.end(), is_later);
        while (n_varying_ == 0 && !columns_.empty()) {
            std::pop_heap(columns_.begin(), columns_.end(), is_later);
            look(columns_.back());
            columns_.pop_back();
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
            keys_[i] = static_cast<std::uint64_t>(rank) << 32 | node.payloads[i];
            low = std::min(low, rank);
            if (rank == missing_rank) {
                ++n_missing;
            } else {
                high = std::max(high, rank);
            }
        }
        if (n_missing == n) return;
        Philox random(node_seed_, j);
        if (X_.is_category(j)) {
            const std::size_t n_ranks = values.size() + (n_missing > 0 ? 1 : 0);
            if (low == high && n_missing == 0) return;
            take(set_split_.search(target_, keys_, scratch_, n_ranks, values, rule_, bound(),
                                   random_splits_ ? &random : nullptr),
                 j);
            return;
        }
        if (n_missing == 0 && values[high] <= values[low] + kTreeTie) return;
        if (random_splits_) {
            take(
                random_dense_split(target_, std::span<const std::uint64_t>(keys_), missing_rank,
                                   values, values[low], values[high], n_missing > 0, rule_, random),
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
                entries_[i] = {value, node.payloads[place_[sample] - node.begin]};
            }
            at += count;
            look_at_sparse(entries_, node.samples.size(), column);
        }
    }

    // Draws max_features columns without replacement, and looks at them by the cheaper of their own
    // entries and the rows of the node.
    void search_drawn(const NodeView& node) {
        std::size_t in_rows = 0;
        for (const std::uint32_t sample : node.samples) in_rows += X_.row_size(sample);
        const std::size_t end = node.begin + node.samples.size();
        bool in_block = block_.covers(node.begin, end);
        if (!in_block && depth_first_ && in_rows <= kMostBlock &&
            in_rows >= std::max(kLeastBlock, X_.n_cols() / 4)) {
            block_.build(X_, node.samples, node.begin);
            in_block = true;
        }
        std::size_t in_columns = max_features_ * (in_block ? 2 : 16);  // they lie far apart
        if (in_block) in_columns += 2 * block_.size() * max_features_ / X_.n_cols();
        if (in_rows <= in_columns) {
            for (const std::uint32_t sample : node.samples) X_.prefetch_row(sample);
        }
        draw_columns();
        if (in_rows > in_columns && !in_block) {
            for (const std::uint32_t column : drawn_) in_columns += cost(node, column);
        }
        if (in_rows <= in_columns) {
            search_rows(node);
        } else if (in_block) {
            search_block(node);
        } else {
            search_columns(node);
        }
        if (n_varying_ == 0) search_any(node);
        is_drawn_.clear(drawn_);
    }

    // Fills drawn_, and marks them.
    void draw_columns() {
        const auto p = static_cast<std::uint32_t>(X_.n_cols());
        SmallRandom draw(~node_seed_);
        drawn_.resize(max_features_);
        if (2 * max_features_ > p) {
            std::iota(order_.begin(), order_.end(), 0u);  // whatever was drawn for other nodes
            for (std::uint32_t i = 0; i < max_features_; ++i) {
                std::swap(order_[i], order_[i + draw.below(p - i)]);
                drawn_[i] = order_[i];
                is_drawn_.mark(order_[i]);
            }
            return;
        }
        for (std::size_t i = 0; i < max_features_;) {  // what was drawn already is drawn again
            drawn_[i] = draw.below(p);
            i += is_drawn_.mark(drawn_[i]) ? 1 : 0;
        }
    }

    // What it takes to look at a column, in entries scanned.
    std::size_t cost(const NodeView& node, std::uint32_t column) const {
        const std::size_t size = X_.column_size(column);
        return X_.is_frequent(column) ? std::min(size, cost_of_bits(node, size)) : size;
    }
    // The same by a bit for each sample: those that have one are sorted.
    std::size_t cost_of_bits(const NodeView& node, std::size_t size) const {
        const std::size_t n = node.samples.size(), found = size * n / X_.n_rows();
        return n + 3 * found * static_cast<std::size_t>(std::bit_width(found));
    }

    // Two passes: while one column is scanned for entries of the node, memory brings the next ones
    // and the values of those that were found.
    void search_columns(const NodeView& node) {
        mark_members(node);
        X_.column_rows(0, [&](const auto* rows) { scan_columns(node, rows); });
        forget_members(node);
        std::size_t at = 0;
        for (const auto& [column, end] : scanned_) {
            if (end == kByBits) {
                gather_by_bits(node, column);
            } else {
                const float* const values = X_.column_values(column);
                entries_.clear();
                for (; at < end; ++at) {
                    const auto [entry, sample] = hits_[at];
                    entries_.push_back({values[entry], node.payloads[place_[sample] - node.begin]});
                }
            }
            look_at_sparse(entries_, node.samples.size(), column);
        }
    }

    void search_block(const NodeView& node) {
        mark_members(node);
        const std::uint64_t* const members = members_.data();
        constexpr std::size_t ahead = 8;
        for (std::size_t i = 0; i < drawn_.size(); ++i) {
            if (i + ahead < drawn_.size()) {
                prefetch(block_.column(drawn_[i + ahead]).data());
            }
            const std::uint32_t column = drawn_[i];
            const auto all = block_.column(column);
            if (entries_.size() < all.size()) entries_.resize(all.size());
            SparseEntry* const entries = entries_.data();
            std::size_t n = 0;
            for (const auto& [value, sample] : all) {
                entries[n] = {value, sample};
                n += members[sample / 64] >> sample % 64 & 1u;
            }
            if (n == 0) continue;
            const std::span found(entries, n);
            for (SparseEntry& entry : found) {
                entry.payload = node.payloads[place_[entry.payload] - node.begin];
            }
            sort_by_value(found);
            look_at_sparse(found, node.samples.size(), column);
        }
        forget_members(node);
    }

    void mark_members(const NodeView& node) {
        for (const std::uint32_t sample : node.samples) {
            members_[sample / 64] |= std::uint64_t{1} << sample % 64;
        }
    }
    void forget_members(const NodeView& node) {
        for (const std::uint32_t sample : node.samples) members_[sample / 64] = 0;
    }

    // Fills scanned_ with the columns that may have entries in the node, and hits_ with these.
    template <class Row>
    void scan_columns(const NodeView& node, const Row* rows) {
        constexpr std::size_t ahead = 16;
        const std::uint64_t* const members = members_.data();
        std::size_t n_hits = 0;
        scanned_.clear();
        for (std::size_t i = 0; i < drawn_.size(); ++i) {
            if (i + ahead < drawn_.size()) {
                prefetch(rows + X_.column_begin(drawn_[i + ahead]));
            }
            const std::uint32_t column = drawn_[i];
            const std::size_t size = X_.column_size(column), before = n_hits;
            if (X_.is_frequent(column) && cost_of_bits(node, size) < size) {
                scanned_.push_back({column, kByBits});
                continue;
            }
            const Row* const here = rows + X_.column_begin(column);
            if (hits_.size() < n_hits + size) hits_.resize(2 * (n_hits + size));
            Hit* const hits = hits_.data();
            for (std::uint32_t k = 0; k < size; ++k) {
                const std::uint32_t sample = here[k];
                hits[n_hits] = {k, sample};
                n_hits += members[sample / 64] >> sample % 64 & 1u;
            }
            if (n_hits == before) continue;
            scanned_.push_back({column, n_hits});
            const float* const values = X_.column_values(column);
            for (std::size_t h = before; h < n_hits; ++h) {
                prefetch(values + hits[h].entry);
            }
        }
    }

    // Fill entries_ with those of one column, in order.
    void gather_by_bits(const NodeView& node, std::uint32_t column) {
        const auto frequent = X_.frequent(column);
        entries_.clear();
        for (std::size_t i = 0; i < node.samples.size(); ++i) {
            const std::uint32_t sample = node.samples[i];
            if (frequent.has(sample))
                entries_.push_back({frequent.value(sample), node.payloads[i]});
        }
        sort_by_value(entries_);
    }
    void gather_by_search(const NodeView& node, std::uint32_t column) {
        entries_.clear();
        for (std::size_t i = 0; i < node.samples.size(); ++i) {
            const float* const value = X_.find(node.samples[i], column);
            if (value != nullptr) entries_.push_back({*value, node.payloads[i]});
        }
        sort_by_value(entries_);
    }

    void search_rows(const NodeView& node) {
        is_drawn_.prepare(drawn_);
        found_.clear();
        for (std::uint32_t i = 0; i < node.samples.size(); ++i) {
            const std::size_t sample = node.samples[i], size = X_.row_size(sample);
            if (places_.size() < size) places_.resize(size);
            const float* const values = X_.row_values(sample);
            X_.row_columns(sample, [&](const auto* columns) {
                const std::size_t n_found = is_drawn_.scan(columns, size, places_.data());
                for (std::size_t h = 0; h < n_found; ++h) {
                    const std::uint32_t k = places_[h];
                    found_.push_back({columns[k], values[k], node.payloads[i]});
                }
            });
        }
        std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
            if (a.column != b.column) return a.column < b.column;
            return a.value < b.value || (a.value == b.value && a.payload < b.payload);
        });
        entries_.resize(found_.size());
        for (std::size_t i = 0; i < found_.size(); ++i) {
            entries_[i] = {found_[i].value, found_[i].payload};
        }
        for (std::size_t begin = 0, end = 0; begin < found_.size(); begin = end) {
            while (end < found_.size() && found_[end].column == found_[begin].column) ++end;
            look_at_sparse(std::span(entries_).subspan(begin, end - begin), node.samples.size(),
                           found_[begin].column);
        }
    }

    // Other columns than those drawn, of which the node's rows have entries.
    void search_any(const NodeView& node) {
        columns_.clear();
        for (const std::uint32_t sample : node.samples) {
            X_.row_columns(sample, [&](const auto* columns) {
                for (std::size_t k = 0; k < X_.row_size(sample); ++k) {
                    if (is_drawn_.mark(columns[k])) columns_.push_back(columns[k]);
                }
            });
        }
        is_drawn_.clear(columns_);
        look_for_varying([&](std::uint32_t column) {
            gather_by_search(node, column);
            look_at_sparse(entries_, node.samples.size(), column);
        });
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
            Philox random(node_seed_, column);
            take(random_sparse_split(target_, entries, n, low, high, rule_, random), column);
        } else {
            take(best_sparse_split(target_, entries, n, rule_), column);
        }
    }

    struct Hit {
        std::uint32_t entry, sample;  // its place in the column
    };
    struct Found {
        std::uint32_t column;
        float value;
        std::uint32_t payload;
    };

    const TreeData& X_;
    Target& target_;
    LeafRule rule_;
    std::size_t max_features_;
    bool random_splits_, depth_first_;
    Checkpoint& checkpoint_;
    TreeSplit best_;
    std::uint64_t node_seed_ = 0;
    std::size_t n_varying_ = 0;  // columns looked at that are not constant
    std::vector<std::uint32_t> order_, place_, columns_, drawn_;
    std::vector<std::uint64_t> members_;  // a bit for each row
    DrawnColumns is_drawn_;
    ColumnBlock block_;
    std::vector<std::uint64_t> keys_, scratch_;
    SetSplit set_split_;
    RawVector<SparseEntry> entries_;
    struct Scanned {
        std::uint32_t column;
        std::size_t end;  // of its hits
    };
    static constexpr std::size_t kByBits = std::numeric_limits<std::size_t>::max();
    RawVector<Hit> hits_;
    std::vector<Scanned> scanned_;
    std::vector<std::uint32_t> places_;
    std::vector<Found> found_;
};

}  // namespace quire
