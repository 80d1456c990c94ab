// The counts of each document before they become a matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "memory.hpp"

namespace quire {

// One feature of one document. `feature` is a worker's own number while a vocabulary grows, and a
// column of the matrix otherwise; `count` may be negative for signed hashing.
struct Entry {
    std::uint32_t feature;
    std::int32_t count;
};

// The entries of one document and the worker that counted it.
struct CountRow {
    const Entry* entries = nullptr;
    std::uint32_t n_entries = 0;
    std::uint32_t worker = 0;

    std::span<const Entry> span() const { return {entries, n_entries}; }
};

// Memory for rows that live until the matrix is made: large blocks, freed all at once.
class EntryArena {
  public:
    EntryArena() = default;
    EntryArena(EntryArena&&) = default;  // blocks keep their addresses
    EntryArena& operator=(EntryArena&&) = default;
    EntryArena(const EntryArena&) = delete;
    EntryArena& operator=(const EntryArena&) = delete;

    const Entry* store(std::span<const Entry> entries) {
        if (entries.empty()) return nullptr;
        if (blocks_.empty() || used_ + entries.size() > blocks_.back().size()) {
            // The first block is small: a single document should not cost megabytes.
            const std::size_t wanted = blocks_.empty() ? kFirstBlock : kBlock;
            blocks_.emplace_back(std::max(wanted, entries.size()));
            used_ = 0;
        }
        Entry* place = blocks_.back().data() + used_;
        std::memcpy(place, entries.data(), entries.size_bytes());
        used_ += entries.size();
        return place;
    }

  private:
    static constexpr std::size_t kFirstBlock = std::size_t{1} << 10;
    static constexpr std::size_t kBlock = std::size_t{1} << 20;  // 8 MB

    std::deque<RawVector<Entry>> blocks_;
    std::size_t used_ = 0;
};

}  // namespace quire
