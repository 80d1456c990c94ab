// Nodes are looked at where they are read: whoever made them, no loop leaves its buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "trees/tree_grow.hpp"

namespace quire {

[[noreturn]] inline void throw_damaged(const char* what) {
    throw std::invalid_argument(std::string("the arrays of the trees are damaged: ") + what);
}

// Of a node that is no leaf, at place `at` of a tree of n nodes: its children lie behind it and
// within the tree, so that every way down ends, and its column within the data.
inline void check_question(const TreeNode& node, std::size_t at, std::size_t n,
                           std::size_t n_cols = std::numeric_limits<std::size_t>::max()) {
    // Negative numbers become huge.
    const auto left = static_cast<std::size_t>(node.left);
    const auto right = static_cast<std::size_t>(node.right);
    if (left <= at || left >= n || right <= at || right >= n) {
        throw_damaged("a child is not behind its parent");
    }
    if (static_cast<std::size_t>(node.feature) >= n_cols) {
        throw_damaged("a column is outside of the data");
    }
}

}  // namespace quire
