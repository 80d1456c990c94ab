// Trees in the form that many dense rows walk down fast.
//
// A node takes 16 bytes instead of 24. The right child lies behind the left one, so that a step is
// an addition and no branch; a leaf leads to itself, so that rows which have arrived need no test.
// Of two children, the pair below the one with more training samples comes next in memory: that is
// where most rows go. Thresholds are rounded down to single precision, which changes nothing, since
// the values they are compared with are of single precision.
//
// kForestLanes rows walk side by side. None of them can start a step before its last one is done,
// but the others need not wait for it. Their values lie side by side, too.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "trees/tree_damage.hpp"
#include "trees/tree_grow.hpp"

namespace quire {

inline constexpr std::size_t kForestLanes = 16;
// Values and children are counted within 31 bits, in steps of 16 and 2.
inline constexpr std::size_t kMostColumns = std::size_t{1} << 26;
inline constexpr std::size_t kMostNodes = std::size_t{1} << 29;

// The largest single-precision number that is not above the threshold.
inline float rounded_down(double threshold) {
    const auto near = static_cast<float>(threshold);
    if (static_cast<double>(near) <= threshold) return near;
    return std::nextafter(near, -std::numeric_limits<float>::infinity());
}

// One node. `left` counts units of 8 bytes from the root. An inner node may have its highest bit
// set, which sends missing values right, and that of `feature`, for a node that asks about
// categories. The first 8 bytes are then the set of those that go left. A leaf has its answer
// there.
struct WalkNode {
    std::uint64_t what;
    std::uint32_t feature;
    std::uint32_t left;

    float threshold() const { return std::bit_cast<float>(static_cast<std::uint32_t>(what)); }
    std::int32_t answer() const { return static_cast<std::int32_t>(what >> 32); }
};
static_assert(sizeof(WalkNode) == 16);
inline constexpr std::uint32_t kWalkBit = 0x80000000u;

// Whether a category goes left. Values that are no category of the tree are treated as missing.
inline bool is_in_set(std::uint64_t set, float value) {
    return (set >> (static_cast<std::uint32_t>(value) & 63u) & 1u) != 0;
}
inline bool is_category(float value) {
    return value >= 0.0f && value < 64.0f;
}

// Fills the tree.size() + 1 places of `out`; answer_of(node) is what a leaf gives.
// Bits for missing values and categories are set if `general`.
template <class AnswerOf>
void make_walk(std::span<const TreeNode> tree, std::size_t n_cols, bool general,
               AnswerOf&& answer_of, WalkNode* out) {
    constexpr auto column_step = static_cast<std::uint32_t>(kForestLanes);
    struct Place {
        std::uint32_t node, place;
    };
    std::vector<Place> stack{{0, 0}};
    std::uint32_t next = 2;  // one place stays empty: pairs begin at even places
    out[1] = {};
    const std::uint32_t always_left =
        std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
    while (!stack.empty()) {
        const auto [at, place] = stack.back();
        stack.pop_back();
        const TreeNode& node = tree[at];
        if (node.left < 0) {
            const auto answer = static_cast<std::uint32_t>(answer_of(at));
            out[place] = {std::uint64_t{answer} << 32 | always_left, 0, 2 * place};
            continue;
        }
        check_question(node, at, tree.size(), n_cols);
        if (next >= tree.size()) throw_damaged("a node has two parents");
        const bool in_set = (node.samples & kIsCategory) != 0;
        const bool missing_right = (node.samples & kMissingLeft) == 0;
        WalkNode& here = out[place];
        here.what = in_set ? std::bit_cast<std::uint64_t>(node.threshold)
                           : std::bit_cast<std::uint32_t>(rounded_down(node.threshold));
        here.feature = static_cast<std::uint32_t>(node.feature) * column_step |
                       (general && in_set ? kWalkBit : 0u);
        here.left = 2 * next | (general && missing_right ? kWalkBit : 0u);
        const auto left = static_cast<std::uint32_t>(node.left);
        const auto right = static_cast<std::uint32_t>(node.right);
        const bool left_is_larger =
            (tree[left].samples & kSampleCount) >= (tree[right].samples & kSampleCount);
        if (left_is_larger) {
            stack.push_back({right, next + 1});
            stack.push_back({left, next});
        } else {
            stack.push_back({left, next});
            stack.push_back({right, next + 1});
        }
        next += 2;
    }
}

// Walks kForestLanes rows to their leaves; the value of column j in one of them is at
// values[j * kForestLanes + lane].
// Without `kGeneral` there are no missing values and no categories.
template <bool kGeneral>
void walk_lanes(const WalkNode* tree, const float* values,
                std::array<std::int32_t, kForestLanes>& answers) {
    const auto* const words = reinterpret_cast<const std::byte*>(tree);
    const auto node_at = [words](std::uint32_t at) -> const WalkNode& {
        return *reinterpret_cast<const WalkNode*>(words + std::size_t{8} * at);
    };
    std::array<std::uint32_t, kForestLanes> here{};
    const auto step = [&](std::size_t lane) {
        const WalkNode& node = node_at(here[lane]);
        if constexpr (!kGeneral) {
            const bool right = values[node.feature + lane] > node.threshold();
            return node.left + 2 * static_cast<std::uint32_t>(right);
        } else {
            const float value = values[(node.feature & ~kWalkBit) + lane];
            const bool in_set = (node.feature & kWalkBit) != 0;
            bool right = in_set ? !is_in_set(node.what, value) : value > node.threshold();
            const bool missing = in_set ? !is_category(value) : value != value;
            if (missing) right = (node.left & kWalkBit) != 0;
            return (node.left & ~kWalkBit) + 2 * static_cast<std::uint32_t>(right);
        }
    };
    for (std::uint32_t moved = 1; moved != 0;) {
        for (std::size_t lane = 0; lane < kForestLanes; ++lane) here[lane] = step(lane);
        moved = 0;
        for (std::size_t lane = 0; lane < kForestLanes; ++lane) {
            const std::uint32_t next = step(lane);
            moved |= next ^ here[lane];
            here[lane] = next;
        }
    }
    for (std::size_t lane = 0; lane < kForestLanes; ++lane) {
        answers[lane] = node_at(here[lane]).answer();
    }
}

}  // namespace quire
