// What trees say about rows: the leaf of every row in every tree, and averages over the trees.
//
// The trees of a forest lie one after another: tree t has the nodes [begin[t], begin[t + 1]), and
// children are numbered within it. Rows are taken in blocks, and a block goes through tree after
// tree, so that the top of a tree stays in the cache. Sums are formed in the order of the trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "sparse/csr.hpp"
#include "trees/tree_grow.hpp"

namespace quire {

struct ForestView {
    std::span<const TreeNode> nodes;
    std::span<const std::int64_t> begin;  // n_trees + 1

    std::size_t n_trees() const { return begin.size() - 1; }
    std::span<const TreeNode> tree(std::size_t t) const {
        return nodes.subspan(static_cast<std::size_t>(begin[t]),
                             static_cast<std::size_t>(begin[t + 1] - begin[t]));
    }
};

// The sums of the classes at the leaves: of node i in [begin[i], begin[i + 1]).
struct LeafSums {
    std::span<const std::int64_t> begin;
    std::span<const std::int32_t> classes;
    std::span<const double> weights;
};

// Rows in one of two forms.
struct ForestRows {
    std::span<const float> dense;  // n_rows x n_cols, if not empty
    const CsrView<float, std::int32_t>* sparse = nullptr;
    std::size_t n_rows, n_cols;
};

// Throws std::invalid_argument unless every child lies behind its parent and within its tree and
// every column within the data: what the loops below rely on.
void forest_check(const ForestView& forest, std::size_t n_cols);
void forest_check_sums(const ForestView& forest, const LeafSums& sums, std::size_t n_classes);

// out: n_rows x n_trees, numbers of nodes within their trees.
void forest_leaves(const ForestView& forest, const ForestRows& X, std::span<std::int32_t> out,
                   const Execution& execution);
// out: n_rows x n_classes, the mean over the trees of the shares of the classes at the leaf, or, if
// `hard`, of the trees whose leaf has most of the class (the first of several).
void forest_shares(const ForestView& forest, const LeafSums& sums, bool hard, const ForestRows& X,
                   std::size_t n_classes, std::span<double> out, const Execution& execution);
// out: n_rows, the mean over the trees of the value of the leaf.
void forest_values(const ForestView& forest, std::span<const double> values, const ForestRows& X,
                   std::span<double> out, const Execution& execution);

// The sums of the classes at every node of one tree: n_nodes x n_classes.
RawVector<double> tree_class_sums(std::span<const TreeNode> nodes, const LeafSums& sums,
                                  std::size_t n_classes);

}  // namespace quire
