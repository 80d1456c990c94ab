// A node as the search for its division sees it: its samples, and where their values are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trees/rank_block.hpp"

namespace quire {

// The entries of one column in a node, within an array of a tree.
struct ColumnRun {
    std::uint32_t column, count;
};

struct KeptEntry {
    std::uint32_t sample;
    float value;
};

// A node as the search sees it.
struct NodeView {
    std::uint64_t seed;
    std::span<const std::uint32_t> samples, payloads;
    RankView ranks;
    std::size_t begin;                // where they lie among all samples
    std::span<const ColumnRun> runs;  // of kept entries, where there are any
    std::span<const KeptEntry> kept;  // the entries, run after run
};

}  // namespace quire
