// What trees say about rows: the leaf of every row in every tree, and averages over the trees.
//
// The trees of a forest lie one after another: tree t has the nodes [begin[t], begin[t + 1]), and
// children are numbered within it. Rows are taken in blocks, and a block goes through tree after
// tree, so that the top of a tree stays in the cache. Sums are formed in the order of the trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>
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

// Rows in one of three forms.
struct ForestRows {
    using Dense = std::span<const float>;  // n_rows x n_cols
    std::variant<Dense, CsrView<float, std::int32_t>, CsrView<float, std::int64_t>> values;
    std::size_t n_rows, n_cols;

    const Dense* dense() const { return std::get_if<Dense>(&values); }
    // Calls body(CsrView); for sparse rows only.
    template <class Body>
    void sparse(Body&& body) const {
        std::visit(
            [&](const auto& X) {
                if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(X)>, Dense>) body(X);
            },
            values);
    }
};

// The functions below trust no array: a node, or the sums of a leaf, are looked at where they are
// read, and std::invalid_argument is thrown if that would leave a buffer. Two more functions look
// at everything, for readers who follow the nodes in ways of their own.
//
// Throws unless the nodes are trees: every node but the first has one parent, which lies before it,
// and every column is within the data. Returns the depth of each tree.
std::vector<std::int64_t> forest_check(const ForestView& forest, std::size_t n_cols);
// Throws unless every leaf has its sums, of classes that are there.
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
