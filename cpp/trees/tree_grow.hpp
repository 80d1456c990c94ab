// Growing one classification or regression tree with exact splits.
//
// Nodes are grown from a stack, or, if the number of leaves is limited, from a heap in the order of
// what they gain. Samples of a node lie side by side and in rising order. Columns are looked at in
//
//     dense data    gathered ranks, sorted by radix
//     sparse data   all columns: entries of the node, kept sorted through all divisions; some
//                   columns: the cheapest of scanning these columns, scanning the node's rows, and
//                   a block of columns made for a subtree
//
// A subset of columns is drawn as scikit-learn draws it: max_features without replacement, constant
// ones among them, and more until one is not constant. Columns that are equally good are as likely.
// What is random in a node depends on the seed and the way from the root alone: not on the order in
// which nodes are grown, nor on how its columns are looked at. The same rows therefore give the
// same tree, dense or sparse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "trees/tree_data.hpp"
#include "trees/tree_target.hpp"

namespace quire {

// 24 bytes. A leaf has left = -1 and feature = -2; its right is -1, or -2 - k if it has no other
// class than k, so that most rows need not look any further. The highest bit of `samples` says that
// missing values go left, the next that the node asks about categories; the others are the number
// of samples. The threshold of such a node is a set: the bits of the categories that go left.
struct TreeNode {
    std::int32_t feature, left, right;
    std::uint32_t samples;
    double threshold;
};
inline constexpr std::uint32_t kMissingLeft = 0x80000000u;
inline constexpr std::uint32_t kIsCategory = 0x40000000u;
inline constexpr std::uint32_t kSampleCount = kIsCategory - 1;

struct TreeOptions {
    TreeCriterion criterion;
    bool random_splits;
    std::uint64_t seed;
    std::size_t max_features;
    std::size_t max_depth;
    std::size_t min_samples_split;
    std::size_t min_samples_leaf;
    double min_weight_leaf;
    double min_impurity_decrease;
    std::size_t max_leaves;  // 0: no limit
};

struct GrownTree {
    RawVector<TreeNode> nodes;
    std::size_t depth = 0;
    // Classes: the sums of the leaves, of node i in [begin[i], begin[i + 1]).
    RawVector<std::int32_t> sum_begin, sum_class;
    RawVector<double> sum_weight;
    // Numbers: of every node.
    RawVector<double> value, impurity, weight;
};

// Empty weights are ones; samples of weight zero take no part.
GrownTree grow_class_tree(const TreeData& X, std::span<const std::int32_t> codes,
                          std::size_t n_classes, std::span<const double> weights,
                          const TreeOptions& options, const Execution& execution);
GrownTree grow_value_tree(const TreeData& X, std::span<const double> y,
                          std::span<const double> weights, const TreeOptions& options,
                          const Execution& execution);

}  // namespace quire
