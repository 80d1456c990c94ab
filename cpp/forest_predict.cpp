#include "forest_predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quire {

void forest_check(const ForestView& forest, std::size_t n_cols) {
    const auto fail = [](const char* what) {
        throw std::invalid_argument(std::string("the arrays of the trees are damaged: ") + what);
    };
    if (forest.begin.empty() || forest.begin.front() != 0 ||
        forest.begin.back() != static_cast<std::int64_t>(forest.nodes.size())) {
        fail("they do not begin and end with the trees");
    }
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        const std::int64_t begin = forest.begin[t], n = forest.begin[t + 1] - begin;
        if (n <= 0 || forest.begin[t + 1] > static_cast<std::int64_t>(forest.nodes.size())) {
            fail("a tree has no node");
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const TreeNode& node = forest.nodes[static_cast<std::size_t>(begin + i)];
            if (node.left < 0) continue;
            if (node.left <= i || node.left >= n || node.right <= i || node.right >= n) {
                fail("a child is not behind its parent");
            }
            if (node.feature < 0 || static_cast<std::size_t>(node.feature) >= n_cols) {
                fail("a column is outside of the data");
            }
        }
    }
}

void forest_check_sums(const ForestView& forest, const LeafSums& sums, std::size_t n_classes) {
    bool good = sums.begin.size() == forest.nodes.size() + 1 && sums.begin.front() == 0 &&
                sums.begin.back() == static_cast<std::int64_t>(sums.classes.size()) &&
                sums.classes.size() == sums.weights.size();
    for (std::size_t i = 0; good && i + 1 < sums.begin.size(); ++i) {
        const TreeNode& node = forest.nodes[i];
        good = sums.begin[i] <= sums.begin[i + 1] &&
               (node.left >= 0 ||
                (sums.begin[i] < sums.begin[i + 1] &&
                 -2 - std::int64_t{node.right} < static_cast<std::int64_t>(n_classes)));
    }
    for (const std::int32_t k : sums.classes) {
        good = good && k >= 0 && static_cast<std::size_t>(k) < n_classes;
    }
    if (!good) throw std::invalid_argument("the arrays of the trees are damaged: sums of classes");
}

namespace {

constexpr std::size_t kSparseRows = 16, kDenseRows = 64;

// Walks a few rows down a tree side by side, so that their memory accesses overlap. The value of
// column j in row r is at values[r * row_step + j * column_step].
constexpr std::size_t kTogether = 8;
void find_leaves(const TreeNode* tree, const float* values, std::size_t row_step,
                 std::size_t column_step, std::size_t n, std::int32_t* at) {
    std::fill_n(at, n, 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t r = 0; r < n; ++r) {
            const TreeNode& node = tree[at[r]];
            if (node.left < 0) continue;
            const float value =
                values[r * row_step + static_cast<std::size_t>(node.feature) * column_step];
            // Without branches: which way a row goes cannot be foreseen.
            const auto low =
                static_cast<std::int32_t>(static_cast<double>(value) <= node.threshold);
            const auto missing = static_cast<std::int32_t>(value != value) &
                                 static_cast<std::int32_t>(node.samples >> 31);
            at[r] = node.right + (node.left - node.right) * (low | missing);
            moved = true;
        }
    }
}

// Calls reached(row, tree, leaf) for all rows of a block, tree after tree.
template <class Reached>
void visit_leaves(const ForestView& forest, const ForestRows& X, const Execution& execution,
                  Reached&& reached) {
    const bool sparse = X.sparse != nullptr;
    const std::size_t per_part = sparse ? kSparseRows : kDenseRows;
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<std::vector<float>> blocks(n_workers);  // sparse: n_cols x kSparseRows
    parallel_parts(n_parts_of(X.n_rows, per_part), execution, [&](std::size_t part, int worker) {
        const std::size_t begin = part * per_part, end = std::min(X.n_rows, begin + per_part);
        auto& block = blocks[static_cast<std::size_t>(worker)];
        if (sparse && block.empty()) block.resize(X.n_cols * kSparseRows);
        const auto fill = [&](bool clear) {
            for (std::size_t row = begin; row < end; ++row) {
                for (std::size_t k = X.sparse->begin(row); k < X.sparse->end(row); ++k) {
                    const auto column = static_cast<std::size_t>(X.sparse->indices[k]);
                    block[column * kSparseRows + row - begin] = clear ? 0.0f : X.sparse->data[k];
                }
            }
        };
        if (sparse) fill(false);
        for (std::size_t t = 0; t < forest.n_trees(); ++t) {
            const TreeNode* const tree = forest.nodes.data() + forest.begin[t];
            for (std::size_t row = begin; row < end; row += kTogether) {
                const std::size_t n = std::min(kTogether, end - row);
                std::array<std::int32_t, kTogether> leaves;
                if (sparse) {
                    find_leaves(tree, block.data() + row - begin, 1, kSparseRows, n, leaves.data());
                } else {
                    find_leaves(tree, X.dense.data() + row * X.n_cols, X.n_cols, 1, n,
                                leaves.data());
                }
                for (std::size_t r = 0; r < n; ++r) reached(row + r, t, leaves[r]);
            }
        }
        if (sparse) fill(true);
    });
}

}  // namespace

void forest_leaves(const ForestView& forest, const ForestRows& X, std::span<std::int32_t> out,
                   const Execution& execution) {
    const std::size_t n_trees = forest.n_trees();
    visit_leaves(forest, X, execution, [&](std::size_t row, std::size_t t, std::int32_t leaf) {
        out[row * n_trees + t] = leaf;
    });
}

void forest_shares(const ForestView& forest, const LeafSums& sums, bool hard, const ForestRows& X,
                   std::size_t n_classes, std::span<double> out, const Execution& execution) {
    std::fill(out.begin(), out.end(), 0.0);
    visit_leaves(forest, X, execution, [&](std::size_t row, std::size_t t, std::int32_t leaf) {
        const auto node = static_cast<std::size_t>(forest.begin[t] + leaf);
        double* const shares = out.data() + row * n_classes;
        if (forest.nodes[node].right <= -2) {
            shares[-2 - forest.nodes[node].right] += 1.0;
            return;
        }
        const auto begin = static_cast<std::size_t>(sums.begin[node]);
        const auto end = static_cast<std::size_t>(sums.begin[node + 1]);
        double total = 0;
        std::size_t most = begin;
        for (std::size_t k = begin; k < end; ++k) {
            total += sums.weights[k];
            if (sums.weights[k] > sums.weights[most]) most = k;
        }
        if (hard) {
            shares[sums.classes[most]] += 1.0;
        } else {
            for (std::size_t k = begin; k < end; ++k) {
                shares[sums.classes[k]] += sums.weights[k] / total;
            }
        }
    });
    const auto n_trees = static_cast<double>(forest.n_trees());
    for (double& share : out) share /= n_trees;
}

void forest_values(const ForestView& forest, std::span<const double> values, const ForestRows& X,
                   std::span<double> out, const Execution& execution) {
    std::fill(out.begin(), out.end(), 0.0);
    visit_leaves(forest, X, execution, [&](std::size_t row, std::size_t t, std::int32_t leaf) {
        out[row] += values[static_cast<std::size_t>(forest.begin[t] + leaf)];
    });
    const auto n_trees = static_cast<double>(forest.n_trees());
    for (double& value : out) value /= n_trees;
}

RawVector<double> tree_class_sums(std::span<const TreeNode> nodes, const LeafSums& sums,
                                  std::size_t n_classes) {
    RawVector<double> out(nodes.size() * n_classes, 0.0);
    for (std::size_t i = nodes.size(); i-- > 0;) {
        double* const here = out.data() + i * n_classes;
        if (nodes[i].left < 0) {
            for (auto k = static_cast<std::size_t>(sums.begin[i]);
                 k < static_cast<std::size_t>(sums.begin[i + 1]); ++k) {
                here[sums.classes[k]] += sums.weights[k];
            }
            continue;
        }
        const double* const left = out.data() + static_cast<std::size_t>(nodes[i].left) * n_classes;
        const double* const right =
            out.data() + static_cast<std::size_t>(nodes[i].right) * n_classes;
        for (std::size_t k = 0; k < n_classes; ++k) here[k] = left[k] + right[k];
    }
    return out;
}

}  // namespace quire
