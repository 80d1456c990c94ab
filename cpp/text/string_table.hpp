// A hash table from byte strings to numbers, made for words: short strings lie in the slot itself.
//
// Open addressing with linear probing and 32-byte slots; at most half full while it is small, and
// three quarters once memory matters more. A string of up to 15 bytes is its own key: the bytes,
// zero-padded, and its length in the last byte. A longer one keeps its 64-bit hash and a place in
// an arena. Looking up a short string therefore touches one cache line and compares two words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>

#include "base/bits.hpp"
#include "base/memory.hpp"

namespace quire {

struct StringKey {
    std::uint64_t low = 0;  // bytes 0..7, or the hash of a long string
    std::uint64_t high =
        0;  // bytes 8..14 and the length in the top byte; 0xFF there marks a long string
};

class StringTable {
  public:
    static constexpr std::size_t kLongestInline = 15;
    static constexpr std::uint64_t kLongMark = std::uint64_t{0xFF} << 56;

    // id 0 means that the string was just added: the caller gives it a number (from 1). The other
    // fields belong to the caller too; see TextCounter and TextLookup.
    struct Slot {
        StringKey key;
        std::uint32_t id, position, document_frequency, term_frequency;
    };

    StringTable() { rebuild(kSmallest); }

    // The key of `length` (1..15) bytes at `text`, of which 16 must be readable.
    static StringKey short_key(const std::uint8_t* text, std::size_t length) {
        StringKey key;
        std::memcpy(&key.low, text, 8);
        std::memcpy(&key.high, text + 8, 8);
        key.low &= kMask[length].low;
        key.high = (key.high & kMask[length].high) | (static_cast<std::uint64_t>(length) << 56);
        return key;
    }
    static std::uint64_t hash_of(const StringKey& key) {
        return mix(key.low ^ 0x9E3779B97F4A7C15u, key.high ^ 0xD1B54A32D192ED03u);
    }
    static std::uint64_t hash_of_long(const std::uint8_t* text, std::size_t length);
    // The hash of a string of any length, and its key if it is short. 16 bytes must be readable.
    static std::uint64_t prepare(const std::uint8_t* text, std::size_t length, StringKey& key) {
        if (length > kLongestInline) [[unlikely]]
            return hash_of_long(text, length);
        key = short_key(text, length);
        return hash_of(key);
    }

    // Room for n more strings, so that slots stay where they are until then.
    void reserve(std::size_t n) {
        if (n_used_ + n > most_used_) grow(n);
    }
    void prefetch_slot(std::uint64_t hash) const { prefetch(&slots_[hash >> shift_]); }

    // The slot of a string, which is added if it is new. Call reserve() before.
    Slot& intern(const StringKey& key, std::uint64_t hash) {
        for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[i];
            if (slot.key.low == key.low && slot.key.high == key.high) return slot;
            if (slot.key.high == 0) {
                slot.key = key;
                ++n_used_;
                return slot;
            }
        }
    }
    Slot& intern_long(const std::uint8_t* text, std::size_t length, std::uint64_t hash);
    // Either, with what prepare() gave.
    Slot& intern(const std::uint8_t* text, std::size_t length, const StringKey& key,
                 std::uint64_t hash) {
        if (length > kLongestInline) [[unlikely]]
            return intern_long(text, length, hash);
        return intern(key, hash);
    }
    // The same for a string of any length (>= 1) that need not be padded; reserves by itself.
    Slot& intern(std::string_view text);

    // Finds short strings; a copy of what it takes, so that a loop can keep it in registers. Valid
    // until the table grows.
    template <class S>
    class Finder {
      public:
        Finder(S* slots, std::size_t mask, int shift) : slots_(slots), mask_(mask), shift_(shift) {}
        S* operator()(const StringKey& key, std::uint64_t hash) const {
            for (std::size_t i = hash >> shift_;; i = (i + 1) & mask_) {
                S* slot = slots_ + i;
                if (slot->key.low == key.low && slot->key.high == key.high) return slot;
                if (slot->key.high == 0) return nullptr;
            }
        }

      private:
        S* slots_;
        std::size_t mask_;
        int shift_;
    };
    Finder<Slot> finder() { return {slots_.data(), slots_.size() - 1, shift_}; }
    Finder<const Slot> finder() const { return {slots_.data(), slots_.size() - 1, shift_}; }

    // The slot of a long string, or nullptr.
    const Slot* find_long(const std::uint8_t* text, std::size_t length, std::uint64_t hash) const;

    std::size_t size() const { return n_used_; }
    void clear();
    // Moves the used slots to the front of the table's own memory and returns them: nothing can be
    // looked up any more, but text_of() still answers for slots that are as they were.
    std::span<Slot> compact();

    // All slots; those with key.high == 0 are empty.
    std::span<Slot> slots() { return slots_; }
    std::span<const Slot> slots() const { return slots_; }
    // The bytes of a stored string: valid until the slot or the table changes.
    std::string_view text_of(const Slot& slot) const {
        if (slot.key.high >= kLongMark) return long_text(slot.key);
        return {reinterpret_cast<const char*>(&slot.key),
                static_cast<std::size_t>(slot.key.high >> 56)};
    }

  private:
    static constexpr std::size_t kSmallest = 256;
    static constexpr std::size_t kLarge = std::size_t{1} << 17;  // slots, 4 MB of them
    static constexpr std::size_t most_used(std::size_t n_slots) {
        return n_slots < kLarge ? n_slots / 2 : n_slots / 4 * 3;
    }
    static constexpr auto kMask = [] {
        struct Masks {
            StringKey of[16];
            constexpr const StringKey& operator[](std::size_t i) const { return of[i]; }
        } masks{};
        for (int n = 0; n < 16; ++n) {
            masks.of[n].low = n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1;
            masks.of[n].high = n <= 8 ? 0 : (std::uint64_t{1} << (8 * (n - 8))) - 1;
        }
        return masks;
    }();

    std::string_view long_text(const StringKey& key) const;
    void grow(std::size_t n_more);
    void rebuild(std::size_t n_slots);

    RawVector<Slot> slots_;
    RawVector<char> arena_;  // long strings: a 32-bit length, then the bytes
    std::size_t n_used_ = 0;
    std::size_t most_used_ = 0;  // before the table grows
    int shift_ = 0;
};

}  // namespace quire
