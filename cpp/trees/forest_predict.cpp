#include "trees/forest_predict.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "sparse/csr_columns.hpp"
#include "trees/forest_chain.hpp"
#include "trees/forest_walk.hpp"
#include "trees/tree_damage.hpp"

namespace quire {

namespace {

// Every tree has a node, and together they have all of them.
void check_outline(const ForestView& forest) {
    if (forest.begin.empty() || forest.begin.front() != 0 ||
        forest.begin.back() != static_cast<std::int64_t>(forest.nodes.size())) {
        throw_damaged("they do not begin and end with the trees");
    }
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        if (forest.begin[t + 1] <= forest.begin[t]) throw_damaged("a tree has no node");
    }
}

// What is asked of a forest that answers.
void check_outline(const ForestView& forest, const ForestRows& X, const Execution& execution) {
    check_outline(forest);
    if (forest.n_trees() == 0) throw_damaged("there is no tree");
    X.sparse([&](const auto& S) { csr_check_columns(S, execution); });
}

void check_outline(std::size_t n_nodes, const LeafSums& sums) {
    if (sums.begin.size() != n_nodes + 1 || sums.classes.size() != sums.weights.size()) {
        throw_damaged("sums of classes");
    }
}

// The sums of one node, which must have some.
std::pair<std::size_t, std::size_t> checked_range(const LeafSums& sums, std::size_t node,
                                                  std::size_t n_classes) {
    const std::int64_t begin = sums.begin[node], end = sums.begin[node + 1];
    if (begin < 0 || begin >= end || end > static_cast<std::int64_t>(sums.classes.size())) {
        throw_damaged("sums of classes");
    }
    for (std::int64_t k = begin; k < end; ++k) {
        if (static_cast<std::uint32_t>(sums.classes[static_cast<std::size_t>(k)]) >= n_classes) {
            throw_damaged("sums of classes");
        }
    }
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
}

}  // namespace

std::vector<std::int64_t> forest_check(const ForestView& forest, std::size_t n_cols) {
    check_outline(forest);
    std::vector<std::int64_t> depths(forest.n_trees());
    std::vector<std::int32_t> depth_of;  // -1: no parent yet
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        const auto tree = forest.tree(t);
        depth_of.assign(tree.size(), -1);
        depth_of[0] = 0;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            const TreeNode& node = tree[i];
            if (depth_of[i] < 0) throw_damaged("a node has no parent");
            depths[t] = std::max<std::int64_t>(depths[t], depth_of[i]);
            if (node.left < 0) {
                if (node.left != -1 || node.right >= 0) throw_damaged("a leaf has a child");
                continue;
            }
            check_question(node, i, tree.size(), n_cols);
            for (const std::int32_t child : {node.left, node.right}) {
                std::int32_t& depth = depth_of[static_cast<std::size_t>(child)];
                if (depth >= 0) throw_damaged("a node has two parents");
                depth = depth_of[i] + 1;
            }
        }
    }
    return depths;
}

void forest_check_sums(const ForestView& forest, const LeafSums& sums, std::size_t n_classes) {
    check_outline(forest.nodes.size(), sums);
    bool good = sums.begin.front() == 0 &&
                sums.begin.back() == static_cast<std::int64_t>(sums.classes.size());
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
    if (!good) throw_damaged("sums of classes");
}

namespace {

constexpr std::size_t kRowBytes = std::size_t{1} << 17;  // of the rows of a block
constexpr std::size_t kMostRows = 512;

// The leaf of a row; the value of column j is at values[j].
std::int32_t find_leaf(std::span<const TreeNode> tree, std::span<const float> values) {
    std::int32_t at = 0;
    while (tree[static_cast<std::size_t>(at)].left >= 0) {
        const TreeNode& node = tree[static_cast<std::size_t>(at)];
        check_question(node, static_cast<std::size_t>(at), tree.size(), values.size());
        const float value = values[static_cast<std::size_t>(node.feature)];
        bool left = static_cast<double>(value) <= node.threshold, missing = value != value;
        if ((node.samples & kIsCategory) != 0) {
            missing = !is_category(value);
            left = !missing && is_in_set(std::bit_cast<std::uint64_t>(node.threshold), value);
        }
        if (missing) left = (node.samples & kMissingLeft) != 0;
        at = left ? node.left : node.right;
    }
    return at;
}

bool any_missing(std::span<const float> values, const Execution& execution) {
    constexpr std::size_t per_part = std::size_t{1} << 18;
    std::vector<std::uint8_t> found(n_parts_of(values.size(), per_part));
    parallel_parts(found.size(), execution, [&](std::size_t part, int) {
        const std::size_t end = std::min(values.size(), (part + 1) * per_part);
        unsigned missing = 0;
        for (std::size_t i = part * per_part; i < end; ++i) missing |= values[i] != values[i];
        found[part] = missing != 0;
    });
    return std::find(found.begin(), found.end(), 1) != found.end();
}

bool any_category(const ForestView& forest, const Execution& execution) {
    std::vector<std::uint8_t> found(forest.n_trees());
    parallel_parts(found.size(), execution, [&](std::size_t t, int) {
        std::uint32_t bits = 0;
        for (const TreeNode& node : forest.tree(t)) bits |= node.samples;
        found[t] = (bits & kIsCategory) != 0;
    });
    return std::find(found.begin(), found.end(), 1) != found.end();
}

// Rows of a block by groups of kForestLanes: the value of column j in row r of group g is at
// (g * n_cols + j) * kForestLanes + r.
class RowBlock {
  public:
    void fill(const ForestRows& X, std::size_t begin, std::size_t end) {
        const std::size_t n_groups = n_parts_of(end - begin, kForestLanes);
        values_.resize(std::max(values_.size(), n_groups * X.n_cols * kForestLanes));
        for (std::size_t row = begin; row < end; ++row) {
            const float* const from = X.dense()->data() + row * X.n_cols;
            float* const to = values_.data() + place(X, row - begin);
            for (std::size_t j = 0; j < X.n_cols; ++j) to[j * kForestLanes] = from[j];
        }
    }
    const float* row(const ForestRows& X, std::size_t row) const {
        return values_.data() + place(X, row);
    }

  private:
    // Where the first value of a row is.
    static std::size_t place(const ForestRows& X, std::size_t row) {
        return row / kForestLanes * X.n_cols * kForestLanes + row % kForestLanes;
    }

    RawVector<float> values_;
};

// How many rows go through tree after tree together: a function of the data alone.
std::size_t rows_per_part(const ForestRows& X) {
    const std::size_t fits = kRowBytes / (sizeof(float) * std::max<std::size_t>(X.n_cols, 1));
    const std::size_t rows = std::min({fits, kMostRows, X.n_rows / 8});
    return std::max<std::size_t>(1, rows / kForestLanes) * kForestLanes;
}

// For few rows, and sparse ones that miss values: row after row, and the nodes as they are.
template <class AnswerOf, class Reached>
void visit_few(const ForestView& forest, const ForestRows& X, const Execution& execution,
               AnswerOf&& answer_of, Reached&& reached) {
    constexpr std::size_t per_part = 16;
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<std::vector<float>> buffers(n_workers);
    parallel_parts(n_parts_of(X.n_rows, per_part), execution, [&](std::size_t part, int worker) {
        auto& buffer = buffers[static_cast<std::size_t>(worker)];
        const auto* const dense = X.dense();
        if (dense == nullptr) buffer.resize(X.n_cols);
        const std::size_t end = std::min(X.n_rows, (part + 1) * per_part);
        for (std::size_t row = part * per_part; row < end; ++row) {
            const auto scatter = [&](bool clear) {
                X.sparse([&](const auto& S) {
                    for (std::size_t k = S.begin(row); k < S.end(row); ++k) {
                        buffer[static_cast<std::size_t>(S.indices[k])] = clear ? 0.0f : S.data[k];
                    }
                });
            };
            scatter(false);
            const std::span<const float> values = dense == nullptr
                                                      ? std::span<const float>(buffer)
                                                      : dense->subspan(row * X.n_cols, X.n_cols);
            for (std::size_t t = 0; t < forest.n_trees(); ++t) {
                reached(row, t, answer_of(t, find_leaf(forest.tree(t), values)));
            }
            scatter(true);
        }
    });
}

// For many dense rows: nodes made for walking.
template <bool kGeneral, class AnswerOf, class Reached>
void visit_dense(const ForestView& forest, const ForestRows& X, const Execution& execution,
                 AnswerOf&& answer_of, Reached&& reached) {
    const std::size_t n_trees = forest.n_trees();
    std::vector<std::size_t> roots{0};  // each at an even place
    for (std::size_t t = 0; t < n_trees; ++t) {
        roots.push_back(roots.back() + (forest.tree(t).size() + 2) / 2 * 2);
    }
    RawVector<WalkNode> nodes(roots.back());
    parallel_parts(n_trees, execution, [&](std::size_t t, int) {
        make_walk(
            forest.tree(t), X.n_cols, kGeneral,
            [&](std::uint32_t node) { return answer_of(t, static_cast<std::int32_t>(node)); },
            nodes.data() + roots[t]);
    });
    const std::size_t per_part = rows_per_part(X);
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<RowBlock> blocks(n_workers);
    parallel_parts(n_parts_of(X.n_rows, per_part), execution, [&](std::size_t part, int worker) {
        const std::size_t begin = part * per_part, end = std::min(X.n_rows, begin + per_part);
        RowBlock& block = blocks[static_cast<std::size_t>(worker)];
        block.fill(X, begin, end);
        std::array<std::int32_t, kForestLanes> answers;
        for (std::size_t t = 0; t < n_trees; ++t) {
            for (std::size_t row = begin; row < end; row += kForestLanes) {
                // Lanes without a row walk on what is left of another one.
                walk_lanes<kGeneral>(nodes.data() + roots[t], block.row(X, row - begin), answers);
                const std::size_t n = std::min(kForestLanes, end - row);
                for (std::size_t r = 0; r < n; ++r) reached(row + r, t, answers[r]);
            }
        }
    });
}

// For many sparse rows: chains of nodes.
template <class AnswerOf, class Reached>
void visit_sparse(const ForestView& forest, const ForestRows& X, const Execution& execution,
                  AnswerOf&& answer_of, Reached&& reached) {
    constexpr std::size_t per_part = ChainRows::kMost;
    const std::size_t n_trees = forest.n_trees();
    const std::vector<std::uint32_t> slots = slots_by_use(forest.nodes, X.n_cols);
    RawVector<ChainNode> nodes(forest.nodes.size());
    parallel_parts(n_trees, execution, [&](std::size_t t, int) {
        make_chains(
            forest.tree(t), slots, [&](std::int32_t leaf) { return answer_of(t, leaf); },
            nodes.data() + forest.begin[t]);
    });
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<ChainRows> blocks(n_workers, ChainRows(n_slots_of(slots)));
    parallel_parts(n_parts_of(X.n_rows, per_part), execution, [&](std::size_t part, int worker) {
        const std::size_t begin = part * per_part, end = std::min(X.n_rows, begin + per_part);
        ChainRows& block = blocks[static_cast<std::size_t>(worker)];
        X.sparse([&](const auto& S) { block.fill(S, slots, begin, end); });
        for (std::size_t t = 0; t < n_trees; ++t) {
            const ChainNode* const tree = nodes.data() + forest.begin[t];
            const ChainNode* const next = nodes.data() + forest.begin[(t + 1) % n_trees];
            block.walk(tree, next, [&](std::size_t row, std::int32_t answer) {
                reached(begin + row, t, answer);
            });
        }
        X.sparse([&](const auto& S) { block.clear(S, slots, begin); });
    });
}

// Calls reached(row, tree, answer) for all rows of a block, tree after tree, where answer_of(tree,
// leaf) is what a leaf gives.
template <class AnswerOf, class Reached>
void visit_leaves(const ForestView& forest, const ForestRows& X, const Execution& execution,
                  AnswerOf&& answer_of, Reached&& reached) {
    check_outline(forest, X, execution);
    const std::size_t n_nodes = forest.nodes.size(), n_trees = forest.n_trees();
    if (n_nodes > 4 * X.n_rows * n_trees || n_nodes + 2 * n_trees > kMostNodes ||
        X.n_cols > kMostColumns) {
        return visit_few(forest, X, execution, answer_of, reached);
    }
    const bool is_sparse = X.dense() == nullptr;
    std::span<const float> values = is_sparse ? std::span<const float>() : *X.dense();
    X.sparse([&](const auto& S) { values = S.data; });
    const bool general = any_missing(values, execution) || any_category(forest, execution);
    if (is_sparse) {
        return general ? visit_few(forest, X, execution, answer_of, reached)
                       : visit_sparse(forest, X, execution, answer_of, reached);
    }
    general ? visit_dense<true>(forest, X, execution, answer_of, reached)
            : visit_dense<false>(forest, X, execution, answer_of, reached);
}

}  // namespace

void forest_leaves(const ForestView& forest, const ForestRows& X, std::span<std::int32_t> out,
                   const Execution& execution) {
    const std::size_t n_trees = forest.n_trees();
    visit_leaves(
        forest, X, execution, [](std::size_t, std::int32_t leaf) { return leaf; },
        [&](std::size_t row, std::size_t t, std::int32_t leaf) { out[row * n_trees + t] = leaf; });
}

void forest_shares(const ForestView& forest, const LeafSums& sums, bool hard, const ForestRows& X,
                   std::size_t n_classes, std::span<double> out, const Execution& execution) {
    check_outline(forest.nodes.size(), sums);
    std::fill(out.begin(), out.end(), 0.0);
    const auto range_of = [&](std::size_t t, std::int32_t leaf) {
        const auto node = static_cast<std::size_t>(forest.begin[t] + leaf);
        return std::pair(static_cast<std::size_t>(sums.begin[node]),
                         static_cast<std::size_t>(sums.begin[node + 1]));
    };
    // A class, or -1 - leaf where there are several. Looks at what is read for the leaf later on.
    const auto answer_of = [&](std::size_t t, std::int32_t leaf) {
        const auto node = static_cast<std::size_t>(forest.begin[t] + leaf);
        if (forest.nodes[node].right <= -2) {
            const std::int32_t only = -2 - forest.nodes[node].right;
            if (static_cast<std::size_t>(only) >= n_classes) throw_damaged("sums of classes");
            return only;
        }
        const auto [begin, end] = checked_range(sums, node, n_classes);
        if (!hard) return -1 - leaf;
        std::size_t most = begin;
        for (std::size_t k = begin; k < end; ++k) {
            if (sums.weights[k] > sums.weights[most]) most = k;
        }
        return sums.classes[most];
    };
    visit_leaves(forest, X, execution, answer_of,
                 [&](std::size_t row, std::size_t t, std::int32_t answer) {
                     double* const shares = out.data() + row * n_classes;
                     if (answer >= 0) {
                         shares[answer] += 1.0;
                         return;
                     }
                     const auto [begin, end] = range_of(t, -1 - answer);
                     double total = 0;
                     for (std::size_t k = begin; k < end; ++k) total += sums.weights[k];
                     for (std::size_t k = begin; k < end; ++k) {
                         shares[sums.classes[k]] += sums.weights[k] / total;
                     }
                 });
    const auto n_trees = static_cast<double>(forest.n_trees());
    for (double& share : out) share /= n_trees;
}

void forest_values(const ForestView& forest, std::span<const double> values, const ForestRows& X,
                   std::span<double> out, const Execution& execution) {
    if (values.size() != forest.nodes.size()) throw_damaged("values");
    std::fill(out.begin(), out.end(), 0.0);
    visit_leaves(
        forest, X, execution, [](std::size_t, std::int32_t leaf) { return leaf; },
        [&](std::size_t row, std::size_t t, std::int32_t leaf) {
            out[row] += values[static_cast<std::size_t>(forest.begin[t] + leaf)];
        });
    const auto n_trees = static_cast<double>(forest.n_trees());
    for (double& value : out) value /= n_trees;
}

RawVector<double> tree_class_sums(std::span<const TreeNode> nodes, const LeafSums& sums,
                                  std::size_t n_classes) {
    check_outline(nodes.size(), sums);
    RawVector<double> out(nodes.size() * n_classes, 0.0);
    for (std::size_t i = nodes.size(); i-- > 0;) {
        double* const here = out.data() + i * n_classes;
        if (nodes[i].left < 0) {
            const auto [begin, end] = checked_range(sums, i, n_classes);
            for (std::size_t k = begin; k < end; ++k) here[sums.classes[k]] += sums.weights[k];
            continue;
        }
        check_question(nodes[i], i, nodes.size());
        const double* const left = out.data() + static_cast<std::size_t>(nodes[i].left) * n_classes;
        const double* const right =
            out.data() + static_cast<std::size_t>(nodes[i].right) * n_classes;
        for (std::size_t k = 0; k < n_classes; ++k) here[k] = left[k] + right[k];
    }
    return out;
}

}  // namespace quire
