#include "trees/tree_grow.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "trees/rank_block.hpp"
#include "trees/tree_columns.hpp"
#include "trees/tree_split.hpp"

namespace quire {

namespace {

// A node that waits for its turn.
struct Waiting {
    std::uint64_t seed = 0;  // by its way from the root: the same in whatever order nodes are grown
    std::size_t begin = 0, end = 0;  // its samples
    std::int32_t parent = -1;
    bool is_left = false;
    bool is_leaf = false;  // known already
    std::size_t depth = 0;
    std::vector<ColumnRun> runs = {};  // of its kept entries
    std::size_t kept_begin = 0, kept_end = 0;
};

// A node that has been divided, or not.
struct Divided {
    bool found = false;
    double improvement = 0;
    Waiting left, right;
};

// In the heap: the node with the largest improvement first.
struct Frontier {
    double improvement;
    std::int32_t node;
    Divided division;
};

template <class Target>
class Grower {
  public:
    Grower(const TreeData& X, Target& target, const TreeOptions& options, Checkpoint& checkpoint)
        : X_(X),
          target_(target),
          options_(options),
          search_(X, target, {options.min_samples_leaf, options.min_weight_leaf},
                  options.max_features, options.random_splits, options.max_leaves == 0,
                  checkpoint) {}

    GrownTree grow() {
        Waiting root = make_root();
        if (options_.max_leaves == 0) {
            grow_depth_first(std::move(root));
        } else {
            grow_best_first(std::move(root));
        }
        tree_.nodes.assign(nodes_.begin(), nodes_.end());
        return std::move(tree_);
    }
    // The samples of each node.
    std::span<const std::uint32_t> samples_of(std::size_t node) const {
        return std::span(samples_).subspan(ranges_[node].first,
                                           ranges_[node].second - ranges_[node].first);
    }

  private:
    Waiting make_root() {
        for (std::size_t i = 0; i < X_.n_rows(); ++i) {
            const double w = target_.weight_of(i);
            if (w != 0) samples_.push_back(static_cast<std::uint32_t>(i));
            whole_weight_ += w;
        }
        payloads_.resize(samples_.size());
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            payloads_[i] =
                Target::packed ? target_.payload(samples_[i]) : static_cast<std::uint32_t>(i);
        }
        side_.resize(samples_.size());
        later_.resize(samples_.size());
        Waiting root{Philox(options_.seed, 0).raw(), 0, samples_.size(), -1, false, false, 0, {}};
        if (X_.is_sparse()) {
            auto& place = search_.place();
            for (std::size_t i = 0; i < samples_.size(); ++i) {
                place[samples_[i]] = static_cast<std::uint32_t>(i);
            }
            if (search_.wants_runs()) keep_entries(root);
        }
        return root;
    }

    void keep_entries(Waiting& root) {
        const auto& place = search_.place();
        for (std::size_t j = 0; j < X_.n_cols(); ++j) {
            const std::size_t before = kept_.size();
            X_.column_rows(j, [&](const auto* rows) {
                for (std::size_t k = 0; k < X_.column_size(j); ++k) {
                    if (place[rows[k]] < samples_.size()) {
                        kept_.push_back({rows[k], X_.column_values(j)[k]});
                    }
                }
            });
            if (kept_.size() > before) {
                root.runs.push_back({static_cast<std::uint32_t>(j),
                                     static_cast<std::uint32_t>(kept_.size() - before)});
            }
        }
        kept_later_.resize(kept_.size());
        root.kept_end = kept_.size();
    }

    void grow_depth_first(Waiting root) {
        std::vector<Waiting> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            const Waiting node = std::move(stack.back());
            stack.pop_back();
            Divided division = divide(node, add_node(node));
            if (division.found) {
                stack.push_back(std::move(division.right));
                stack.push_back(std::move(division.left));
            } else {
                nodes_.back().feature = -2;
            }
        }
    }

    void grow_best_first(Waiting root) {
        const auto less = [](const Frontier& a, const Frontier& b) {
            return a.improvement < b.improvement;
        };
        std::vector<Frontier> heap;
        const auto add = [&](const Waiting& waiting) {
            const std::int32_t node = add_node(waiting);
            Divided division = divide(waiting, node);
            heap.push_back(
                {division.found ? division.improvement : 0.0, node, std::move(division)});
        };
        add(root);
        std::size_t n_divisions = options_.max_leaves - 1;
        while (!heap.empty()) {
            std::pop_heap(heap.begin(), heap.end(), less);
            const Frontier next = std::move(heap.back());
            heap.pop_back();
            auto& node = nodes_[static_cast<std::size_t>(next.node)];
            if (!next.division.found || n_divisions == 0) {
                node.feature = -2;
                node.threshold = -2;
                node.samples &= kSampleCount;
                continue;
            }
            --n_divisions;
            // Both are pushed after both were added, as scikit-learn does.
            add(next.division.left);
            Frontier left = std::move(heap.back());
            heap.pop_back();
            add(next.division.right);
            Frontier right = std::move(heap.back());
            heap.pop_back();
            heap.push_back(std::move(left));
            std::push_heap(heap.begin(), heap.end(), less);
            heap.push_back(std::move(right));
            std::push_heap(heap.begin(), heap.end(), less);
        }
    }

    std::int32_t add_node(const Waiting& waiting) {
        const auto node = static_cast<std::int32_t>(nodes_.size());
        if (nodes_.size() >= 0x7FFFFFFFu) throw std::length_error("a tree has too many nodes");
        const auto n = static_cast<std::uint32_t>(waiting.end - waiting.begin);
        nodes_.push_back({-2, -1, -1, n, -2.0});
        ranges_.emplace_back(waiting.begin, waiting.end);
        if (waiting.parent >= 0) {
            auto& parent = nodes_[static_cast<std::size_t>(waiting.parent)];
            (waiting.is_left ? parent.left : parent.right) = node;
        }
        tree_.depth = std::max(tree_.depth, waiting.depth);
        return node;
    }

    bool must_be_leaf(std::size_t n, std::size_t depth, double weight, double impurity) const {
        return depth >= options_.max_depth || n < options_.min_samples_split ||
               n < 2 * options_.min_samples_leaf || weight < 2 * options_.min_weight_leaf ||
               impurity <= kTreeEpsilon;
    }

    Divided divide(const Waiting& waiting, std::int32_t id) {
        const std::size_t n = waiting.end - waiting.begin;
        search_.poll(n);
        const std::span<const std::uint32_t> samples =
            std::span(samples_).subspan(waiting.begin, n);
        Divided result;
        constexpr bool has_values = requires(Target& t) { t.value(); };
        if (!has_values && waiting.is_leaf) return result;
        const std::span<const std::uint32_t> payloads =
            std::span(payloads_).subspan(Target::packed ? waiting.begin : 0, n);
        target_.begin_node(samples, payloads);
        const double impurity = target_.impurity(), weight = target_.weight();
        if constexpr (has_values) {
            tree_.value.push_back(target_.value());
            tree_.impurity.push_back(impurity);
            tree_.weight.push_back(weight);
        }
        if (waiting.is_leaf || must_be_leaf(n, waiting.depth, weight, impurity)) return result;

        const std::span kept(kept_);
        const RankView ranks = X_.is_sparse() ? RankView{}
                                              : block_.view(X_, samples_, waiting.begin,
                                                            waiting.end, options_.max_leaves == 0);
        const TreeSplit split = search_.search(
            {waiting.seed, samples, payloads, ranks, waiting.begin, waiting.runs,
             kept.subspan(waiting.kept_begin, waiting.kept_end - waiting.kept_begin)});
        if (!split.found) return result;
        const std::size_t n_left = X_.is_sparse()
                                       ? choose_sparse_sides(samples, waiting.begin, split)
                                       : choose_dense_sides(ranks, split);
        // Values beyond what thresholds can part, as infinity: the node would never end.
        if (n_left == 0 || n_left == n) return result;

        // Whole numbers: of the smaller side, which says all of the other.
        const bool from_right = Target::packed && 2 * n_left > n;
        target_.track(true);
        target_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            if ((side_[i] != 0) != from_right) target_.move(payloads[i]);
        }
        target_.track(false);
        double left_weight = target_.moved_weight(), right_weight = target_.rest_weight();
        double left_impurity = target_.moved_impurity(), right_impurity = target_.rest_impurity();
        if (from_right) {
            std::swap(left_weight, right_weight);
            std::swap(left_impurity, right_impurity);
        }
        result.improvement = weight / whole_weight_ *
                             (impurity - right_weight / weight * right_impurity -
                              left_weight / weight * left_impurity);
        if (result.improvement + kTreeEpsilon < options_.min_impurity_decrease) return result;

        result.found = true;
        auto& node = nodes_[static_cast<std::size_t>(id)];
        node.feature = static_cast<std::int32_t>(split.feature);
        node.threshold = split.is_set ? std::bit_cast<double>(split.set) : split.threshold;
        if (split.is_set) node.samples |= kIsCategory;
        if (split.missing_left) node.samples |= kMissingLeft;
        const std::size_t depth = waiting.depth + 1, middle = waiting.begin + n_left;
        result.left = {SmallRandom::mixed(waiting.seed + 1),
                       waiting.begin,
                       middle,
                       id,
                       true,
                       must_be_leaf(n_left, depth, left_weight, left_impurity),
                       depth,
                       {}};
        result.right = {SmallRandom::mixed(waiting.seed + 2),
                        middle,
                        waiting.end,
                        id,
                        false,
                        must_be_leaf(n - n_left, depth, right_weight, right_impurity),
                        depth,
                        {}};
        if (search_.wants_runs()) divide_entries(waiting, result);
        divide_samples(waiting, n_left);
        return result;
    }

    // Fill side_ with 1 for the samples that go left, and count them.
    std::size_t choose_dense_sides(const RankView& view, const TreeSplit& split) {
        const std::uint32_t* const ranks = view.ranks + split.feature * view.stride;
        const auto values = X_.distinct(split.feature);
        if (split.is_set) return choose_set_sides(view, values, split);
        const auto first_right = static_cast<std::uint32_t>(
            std::upper_bound(values.begin(), values.end(), split.threshold) - values.begin());
        const auto missing = static_cast<std::uint32_t>(values.size());
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < view.rows.size(); ++i) {
            const std::uint32_t rank = ranks[view.rows[i]];
            const bool left = rank == missing ? split.missing_left : rank < first_right;
            side_[i] = left ? 1 : 0;
            n_left += left ? 1 : 0;
        }
        return n_left;
    }

    std::size_t choose_set_sides(const RankView& view, std::span<const float> values,
                                 const TreeSplit& split) {
        const std::uint32_t* const ranks = view.ranks + split.feature * view.stride;
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < view.rows.size(); ++i) {
            const std::uint32_t rank = ranks[view.rows[i]];
            const bool left = rank == values.size()
                                  ? split.missing_left
                                  : (split.set >> static_cast<unsigned>(values[rank]) & 1u) != 0;
            side_[i] = left ? 1 : 0;
            n_left += left ? 1 : 0;
        }
        return n_left;
    }

    std::size_t choose_sparse_sides(std::span<const std::uint32_t> samples, std::size_t begin,
                                    const TreeSplit& split) {
        const std::size_t n = samples.size();
        const bool zero_left = 0.0 <= split.threshold;
        std::fill_n(side_.begin(), n, static_cast<std::uint8_t>(zero_left ? 1 : 0));
        std::size_t n_other = 0;
        const auto set = [&](std::size_t i, float value) {
            if ((value <= split.threshold) != zero_left) {
                side_[i] = zero_left ? 0 : 1;
                ++n_other;
            }
        };
        search_.each_entry(samples, begin, split.feature, set);
        return zero_left ? n - n_other : n_other;
    }

    // Both sides keep their order.
    void divide_samples(const Waiting& waiting, std::size_t n_left) {
        const std::size_t n = waiting.end - waiting.begin;
        std::uint32_t* const samples = samples_.data() + waiting.begin;
        divide_numbers(samples, n, n_left);
        if (Target::packed) divide_numbers(payloads_.data() + waiting.begin, n, n_left);
        if (block_.covers(waiting.begin, waiting.end)) {
            divide_numbers(block_.rows() + waiting.begin, n, n_left);
        }
        if (!X_.is_sparse()) return;
        auto& place = search_.place();
        for (std::size_t i = 0; i < n; ++i) {
            place[samples[i]] = static_cast<std::uint32_t>(waiting.begin + i);
        }
    }

    void divide_numbers(std::uint32_t* numbers, std::size_t n, std::size_t n_left) {
        std::size_t left = 0, right = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t number = numbers[i];
            const bool goes_left = side_[i] != 0;
            later_[right] = number;
            numbers[left] = number;
            left += goes_left ? 1 : 0;
            right += goes_left ? 0 : 1;
        }
        std::copy_n(later_.begin(), right, numbers + n_left);
    }

    // The same for kept entries; those of leaves are dropped.
    void divide_entries(const Waiting& waiting, Divided& result) {
        const bool keep_left = !result.left.is_leaf, keep_right = !result.right.is_leaf;
        if (!keep_left && !keep_right) return;
        const auto& place = search_.place();
        std::size_t at = waiting.kept_begin, left = waiting.kept_begin, right = 0;
        for (const auto [column, count] : waiting.runs) {
            const std::size_t left_before = left, right_before = right;
            for (const std::size_t end = at + count; at < end; ++at) {
                const KeptEntry entry = kept_[at];
                const bool goes_left = side_[place[entry.sample] - waiting.begin] != 0;
                kept_later_[right] = entry;
                if (goes_left) kept_[left] = entry;
                left += goes_left && keep_left ? 1 : 0;
                right += !goes_left && keep_right ? 1 : 0;
            }
            if (left > left_before) {
                result.left.runs.push_back(
                    {column, static_cast<std::uint32_t>(left - left_before)});
            }
            if (right > right_before) {
                result.right.runs.push_back(
                    {column, static_cast<std::uint32_t>(right - right_before)});
            }
        }
        std::copy_n(kept_later_.begin(), right, kept_.begin() + static_cast<std::ptrdiff_t>(left));
        result.left.kept_begin = waiting.kept_begin;
        result.left.kept_end = result.right.kept_begin = left;
        result.right.kept_end = left + right;
    }

    const TreeData& X_;
    Target& target_;
    const TreeOptions& options_;
    ColumnSearch<Target> search_;
    GrownTree tree_;
    std::vector<TreeNode> nodes_;
    std::vector<std::pair<std::size_t, std::size_t>> ranges_;
    std::vector<std::uint32_t> samples_, payloads_, later_;
    std::vector<std::uint8_t> side_;
    RankBlock block_;
    std::vector<KeptEntry> kept_, kept_later_;
    double whole_weight_ = 0;
};

void check_arguments(const TreeData& X, std::size_t n_targets, std::span<const double> weights) {
    const std::size_t n_weights = weights.size();
    if (n_targets != X.n_rows() || (n_weights != 0 && n_weights != X.n_rows())) {
        throw std::invalid_argument(
            "the rows, targets and weights must be equally many; there are " +
            std::to_string(X.n_rows()) + ", " + std::to_string(n_targets) + " and " +
            std::to_string(n_weights));
    }
    for (const double w : weights) {
        if (!std::isfinite(w)) throw std::invalid_argument("weights must be finite");
    }
}

template <class Weight>
GrownTree grow_classes(const TreeData& X, std::span<const std::int32_t> codes,
                       std::size_t n_classes, std::span<const double> weights,
                       const TreeOptions& options, Checkpoint& checkpoint) {
    ClassTarget<Weight> target(codes, n_classes, weights, options.criterion);
    Grower<ClassTarget<Weight>> grower(X, target, options, checkpoint);
    GrownTree tree = grower.grow();
    std::vector<double> sums(n_classes);
    tree.sum_begin.push_back(0);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        if (tree.nodes[i].left < 0) {
            const auto samples = grower.samples_of(i);
            for (const std::uint32_t s : samples) {
                sums[static_cast<std::size_t>(codes[s])] += target.weight_of(s);
            }
            // A few samples have few classes; they come in the order of the classes.
            const auto put = [&](std::size_t k) {
                if (sums[k] == 0) return;
                tree.sum_class.push_back(static_cast<std::int32_t>(k));
                tree.sum_weight.push_back(std::exchange(sums[k], 0.0));
            };
            if (samples.size() == 1) {
                put(static_cast<std::size_t>(codes[samples[0]]));
            } else {
                for (std::size_t k = 0; k < n_classes; ++k) put(k);
            }
            // Weights above and below zero may cancel out; a leaf has sums nevertheless.
            if (tree.sum_class.size() == static_cast<std::size_t>(tree.sum_begin.back())) {
                tree.sum_class.push_back(samples.empty() ? 0 : codes[samples[0]]);
                tree.sum_weight.push_back(0.0);
            }
        }
        const auto n_before = static_cast<std::size_t>(tree.sum_begin.back());
        if (tree.sum_class.size() == n_before + 1) {
            tree.nodes[i].right = -2 - tree.sum_class.back();
        }
        tree.sum_begin.push_back(static_cast<std::int32_t>(tree.sum_class.size()));
    }
    return tree;
}

}  // namespace

GrownTree grow_class_tree(const TreeData& X, std::span<const std::int32_t> codes,
                          std::size_t n_classes, std::span<const double> weights,
                          const TreeOptions& options, const Execution& execution) {
    check_arguments(X, codes.size(), weights);
    for (const std::int32_t code : codes) {
        if (code < 0 || static_cast<std::size_t>(code) >= n_classes) {
            throw std::invalid_argument("a class is outside of the number of classes");
        }
    }
    // Squares of sums must fit into 63 bits.
    double sum = weights.empty() ? static_cast<double>(codes.size()) : 0;
    bool whole = n_classes <= 0xFFFF;
    for (const double w : weights) {
        sum += w;
        whole = whole && w >= 0 && w <= 0xFFFF && w == std::floor(w);
    }
    whole = whole && sum < 2e9;
    GrownTree tree;
    interruptible(execution, [&](Checkpoint& checkpoint) {
        tree = whole ? grow_classes<std::int64_t>(X, codes, n_classes, weights, options, checkpoint)
                     : grow_classes<double>(X, codes, n_classes, weights, options, checkpoint);
    });
    return tree;
}

GrownTree grow_value_tree(const TreeData& X, std::span<const double> y,
                          std::span<const double> weights, const TreeOptions& options,
                          const Execution& execution) {
    check_arguments(X, y.size(), weights);
    GrownTree tree;
    interruptible(execution, [&](Checkpoint& checkpoint) {
        ValueTarget target(y, weights, options.criterion);
        tree = Grower<ValueTarget>(X, target, options, checkpoint).grow();
    });
    return tree;
}

}  // namespace quire
