// The best division of a node by one column, from the entries of the column in the node.
//
// As scikit-learn does: values closer than 1e-7 count as equal, a threshold lies halfway between
// two values, missing values go to the side where they do less harm, and a random split draws one
// threshold between the smallest and the largest value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/random.hpp"

namespace quire {

inline constexpr float kTreeTie = 1e-7f;

struct TreeSplit {
    std::uint32_t feature = 0;
    double threshold = 0;
    bool missing_left = false;
    bool found = false;
    bool is_set = false;  // by categories: those in the set go left
    std::uint64_t set = 0;
    double quality = -std::numeric_limits<double>::infinity();
};

// What a side of a division must hold.
struct LeafRule {
    std::size_t min_samples;
    double min_weight;
};

inline double halfway(float low, float high) {
    return static_cast<double>(low) / 2.0 + static_cast<double>(high) / 2.0;
}

// Takes the division that the target stands at if it is better than the best one yet, or as good
// where `or_equal`. The target's moved samples are one side, n_moved of n.
template <class Target>
bool better_split(const Target& target, std::size_t n_moved, std::size_t n, const LeafRule& rule,
                  TreeSplit& best, bool or_equal = false) {
    if (!target.may_beat(best.quality)) return false;
    if (n_moved < rule.min_samples || n - n_moved < rule.min_samples) return false;
    if (target.moved_weight() < rule.min_weight || target.rest_weight() < rule.min_weight) {
        return false;
    }
    const double quality = target.quality();
    if (!(quality > best.quality || (or_equal && quality == best.quality))) return false;
    best.quality = quality;
    best.found = true;
    return true;
}

// A column of a dense node. keys: rank << 32 | payload in rising order; the last n_missing are of
// missing values. `values` are what ranks stand for. Only what is above `bound` is of interest.
template <class Target>
TreeSplit best_dense_split(Target& target, std::span<const std::uint64_t> keys,
                           std::size_t n_missing, std::span<const float> values,
                           const LeafRule& rule, double bound) {
    TreeSplit best;
    best.quality = bound;
    const std::size_t n = keys.size(), n_known = n - n_missing;
    const auto rank_of = [&](std::size_t i) { return static_cast<std::size_t>(keys[i] >> 32); };
    const auto move = [&](std::size_t i) { target.move(static_cast<std::uint32_t>(keys[i])); };
    for (int side = 0; side < (n_missing > 0 ? 2 : 1); ++side) {
        target.clear();
        const std::size_t moved_first = side == 1 ? n_missing : 0;
        for (std::size_t i = 0; i < moved_first; ++i) move(n_known + i);
        for (std::size_t i = 0; i < n_known; ++i) {
            move(i);
            const std::size_t n_left = moved_first + i + 1;
            if (i + 1 == n_known) {
                if (n_missing > 0 && side == 0 && better_split(target, n_left, n, rule, best)) {
                    best.threshold = std::numeric_limits<double>::infinity();
                    best.missing_left = false;
                }
                break;
            }
            if (keys[i] >> 32 == keys[i + 1] >> 32 || !target.may_beat(best.quality)) continue;
            const float low = values[rank_of(i)], high = values[rank_of(i + 1)];
            if (high <= low + kTreeTie) continue;
            if (better_split(target, n_left, n, rule, best)) {
                best.threshold = halfway(low, high);
                best.missing_left = n_missing > 0 ? side == 1 : n_left > n - n_left;
            }
        }
    }
    return best;
}

struct SparseEntry {
    float value;
    std::uint32_t payload;
};

// Most columns have a few entries in a node.
inline void sort_by_value(std::span<SparseEntry> entries) {
    constexpr std::size_t few = 16;
    const auto less = [](const SparseEntry& a, const SparseEntry& b) {
        return a.value < b.value || (a.value == b.value && a.payload < b.payload);
    };
    if (entries.size() > few) return std::sort(entries.begin(), entries.end(), less);
    for (std::size_t i = 1; i < entries.size(); ++i) {
        const SparseEntry entry = entries[i];
        std::size_t k = i;
        for (; k > 0 && less(entry, entries[k - 1]); --k) entries[k] = entries[k - 1];
        entries[k] = entry;
    }
}

// A column of a sparse node of n samples: entries in rising order of value, none of them zero; the
// other samples have zero. Each side of zero is moved from its outer end.
template <class Target>
TreeSplit best_sparse_split(Target& target, std::span<const SparseEntry> entries, std::size_t n,
                            const LeafRule& rule) {
    TreeSplit best;
    const std::size_t n_zero = n - entries.size();
    std::size_t n_negative = 0;
    while (n_negative < entries.size() && entries[n_negative].value < 0) ++n_negative;
    const bool few = entries.size() < target.n_sums();
    const auto reset = [&](std::size_t begin, std::size_t end) {
        if (!few) return target.clear();
        for (std::size_t i = begin; i < end; ++i) target.clear_class(entries[i].payload);
        target.clear_sums();
    };
    for (std::size_t i = 0; i < n_negative; ++i) {
        target.move(entries[i].payload);
        if (i + 1 == entries.size() && n_zero == 0) break;
        const float next = i + 1 < n_negative || n_zero == 0 ? entries[i + 1].value : 0.0f;
        if (next <= entries[i].value + kTreeTie) continue;
        if (better_split(target, i + 1, n, rule, best)) {
            best.threshold = halfway(entries[i].value, next);
            best.missing_left = i + 1 > n - i - 1;
        }
    }
    if (n_negative > 0) reset(0, n_negative);
    bool first = true;  // a better one than those on the other side of zero, then the lowest
    for (std::size_t i = entries.size(); i-- > n_negative;) {
        target.move(entries[i].payload);
        if (i == 0 && n_zero == 0) break;
        const float before = i > n_negative || n_zero == 0 ? entries[i - 1].value : 0.0f;
        if (entries[i].value <= before + kTreeTie) continue;
        const std::size_t n_right = entries.size() - i;
        if (better_split(target, n_right, n, rule, best, !first)) {
            best.threshold = halfway(before, entries[i].value);
            best.missing_left = n - n_right > n_right;
            first = false;
        }
    }
    reset(n_negative, entries.size());
    return best;
}

// One threshold at random between the smallest and the largest value.
inline double random_threshold(float low, float high, Philox& random) {
    const double threshold =
        low + random.uniform() * (static_cast<double>(high) - static_cast<double>(low));
    return threshold >= high ? low : threshold;
}

template <class Target>
TreeSplit random_dense_split(Target& target, std::span<const std::uint64_t> keys,
                             std::size_t missing_rank, std::span<const float> values, float low,
                             float high, bool has_missing, const LeafRule& rule, Philox& random) {
    TreeSplit best;
    best.threshold = random_threshold(low, high, random);
    const bool missing_left = has_missing && random.uniform() < 0.5;
    target.clear();
    std::size_t n_left = 0;
    for (const std::uint64_t key : keys) {
        const auto rank = static_cast<std::size_t>(key >> 32);
        if (rank == missing_rank ? missing_left : values[rank] <= best.threshold) {
            target.move(static_cast<std::uint32_t>(key));
            ++n_left;
        }
    }
    better_split(target, n_left, keys.size(), rule, best);
    best.missing_left = has_missing ? missing_left : n_left > keys.size() - n_left;
    return best;
}

template <class Target>
TreeSplit random_sparse_split(Target& target, std::span<const SparseEntry> entries, std::size_t n,
                              float low, float high, const LeafRule& rule, Philox& random) {
    TreeSplit best;
    best.threshold = random_threshold(low, high, random);
    const bool zeros_left = best.threshold >= 0;
    target.clear();
    std::size_t n_moved = 0;
    for (const SparseEntry& entry : entries) {
        if ((entry.value <= best.threshold) != zeros_left) {
            target.move(entry.payload);
            ++n_moved;
        }
    }
    better_split(target, n_moved, n, rule, best);
    const std::size_t n_left = zeros_left ? n - n_moved : n_moved;
    best.missing_left = n_left > n - n_left;
    target.clear();
    return best;
}

}  // namespace quire
