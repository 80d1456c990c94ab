// A hash table from pairs of numbers to numbers: (n-gram without its last word, last word) ->
// n-gram.
//
// The same design as StringTable with 24-byte slots, filled a little more: there are many. Because
// an n-gram is a pair of numbers, no n-gram is ever a string while counting.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/bits.hpp"
#include "base/memory.hpp"

namespace quire {

class PairTable {
  public:
    // id 0 means empty, and is what a slot just added has: the caller gives it a number (from 1).
    struct Slot {
        std::uint32_t first, second;
        std::uint32_t id, position, document_frequency, term_frequency;
    };

    PairTable() { rebuild(kSmallest); }

    static std::uint64_t hash_of(std::uint32_t first, std::uint32_t second) {
        const std::uint64_t pair = (static_cast<std::uint64_t>(first) << 32) | second;
        return mix(pair ^ 0x9E3779B97F4A7C15u, 0xD1B54A32D192ED03u);
    }
    // Room for n more pairs, so that slots stay where they are until then.
    void reserve(std::size_t n) {
        const std::size_t needed = (n_used_ + n) * 4 / 3;  // at most three quarters full
        if (needed > slots_.size()) rebuild(std::max(2 * slots_.size(), std::bit_ceil(needed)));
    }
    void prefetch_slot(std::uint64_t hash) const { prefetch(&slots_[hash >> shift_]); }

    // The slot of a pair, which is added if it is new (the caller must then set its id).
    Slot& intern(std::uint32_t first, std::uint32_t second, std::uint64_t hash) {
        for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[i];
            if (slot.id == 0) {
                slot.first = first;
                slot.second = second;
                ++n_used_;
                return slot;
            }
            if (slot.first == first && slot.second == second) return slot;
        }
    }
    const Slot* find(std::uint32_t first, std::uint32_t second, std::uint64_t hash) const {
        for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[i];
            if (slot.id == 0) return nullptr;
            if (slot.first == first && slot.second == second) return &slot;
        }
    }
    std::size_t size() const { return n_used_; }
    std::span<Slot> slots() { return slots_; }

  private:
    static constexpr std::size_t kSmallest = 256;

    void rebuild(std::size_t n_slots) {
        RawVector<Slot> old = std::exchange(slots_, RawVector<Slot>(n_slots, Slot{}));
        shift_ = 64 - std::countr_zero(n_slots);
        for (const Slot& slot : old) {
            if (slot.id == 0) continue;
            std::size_t i = hash_of(slot.first, slot.second) >> shift_;
            while (slots_[i].id != 0) i = (i + 1) & (n_slots - 1);
            slots_[i] = slot;
        }
    }

    RawVector<Slot> slots_;
    std::size_t n_used_ = 0;
    int shift_ = 0;
};

}  // namespace quire
