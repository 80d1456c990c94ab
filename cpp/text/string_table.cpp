#include "text/string_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace quire {

std::uint64_t StringTable::hash_of_long(const std::uint8_t* text, std::size_t length) {
    std::uint64_t hash = length * 0xA0761D6478BD642Fu;
    std::size_t i = 0;
    for (; i + 16 <= length; i += 16) {
        std::uint64_t a, b;
        std::memcpy(&a, text + i, 8);
        std::memcpy(&b, text + i + 8, 8);
        hash = mix(hash ^ a ^ 0x9E3779B97F4A7C15u, b ^ 0xE7037ED1A0B428DBu);
    }
    std::uint64_t rest[2] = {0, 0};
    std::memcpy(rest, text + i, length - i);
    return mix(hash ^ rest[0] ^ 0x8EBC6AF09C88C6E3u, rest[1] ^ 0x589965CC75374CC3u);
}

std::string_view StringTable::long_text(const StringKey& key) const {
    const char* place = arena_.data() + (key.high & ~kLongMark);
    std::uint32_t length;
    std::memcpy(&length, place, sizeof length);
    return {place + sizeof length, length};
}

const StringTable::Slot* StringTable::find_long(const std::uint8_t* text, std::size_t length,
                                                std::uint64_t hash) const {
    const std::string_view wanted(reinterpret_cast<const char*>(text), length);
    for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
        const Slot& slot = slots_[i];
        if (slot.key.high == 0) return nullptr;
        if (slot.key.low == hash && slot.key.high >= kLongMark && long_text(slot.key) == wanted) {
            return &slot;
        }
    }
}

StringTable::Slot& StringTable::intern_long(const std::uint8_t* text, std::size_t length,
                                            std::uint64_t hash) {
    if (const Slot* found = find_long(text, length, hash)) return const_cast<Slot&>(*found);
    if (length > 0xFFFFFFFFu) throw std::length_error("a single token is longer than 4 GB");
    std::size_t i = hash >> shift_;
    while (slots_[i].key.high != 0) i = (i + 1) & (slots_.size() - 1);
    const std::size_t place = arena_.size();
    const auto length32 = static_cast<std::uint32_t>(length);
    arena_.resize(place + sizeof length32 + length);
    std::memcpy(arena_.data() + place, &length32, sizeof length32);
    std::memcpy(arena_.data() + place + sizeof length32, text, length);
    slots_[i].key = {hash, kLongMark | place};
    ++n_used_;
    return slots_[i];
}

StringTable::Slot& StringTable::intern(std::string_view text) {
    reserve(1);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    if (text.size() > kLongestInline) {
        return intern_long(bytes, text.size(), hash_of_long(bytes, text.size()));
    }
    std::uint8_t padded[16] = {};
    std::memcpy(padded, bytes, text.size());
    const StringKey key = short_key(padded, text.size());
    return intern(key, hash_of(key));
}

void StringTable::clear() {
    n_used_ = 0;
    arena_.clear();
    std::fill(slots_.begin(), slots_.end(), Slot{});
}

std::span<StringTable::Slot> StringTable::compact() {
    std::size_t n = 0;
    for (const Slot& slot : slots_) {
        if (slot.key.high != 0) slots_[n++] = slot;
    }
    return {slots_.data(), n};
}

void StringTable::grow(std::size_t n_more) {
    // A small table grows in long steps, since a sparse one is quick; a large one by the least.
    std::size_t n_slots = std::max(2 * slots_.size(), std::min(4 * slots_.size(), kLarge));
    while (most_used(n_slots) < n_used_ + n_more) n_slots *= 2;
    rebuild(n_slots);
}

void StringTable::rebuild(std::size_t n_slots) {
    RawVector<Slot> old = std::exchange(slots_, RawVector<Slot>(n_slots, Slot{}));
    shift_ = 64 - std::countr_zero(n_slots);
    most_used_ = most_used(n_slots);
    for (const Slot& slot : old) {
        if (slot.key.high == 0) continue;
        const std::uint64_t hash = slot.key.high >= kLongMark ? slot.key.low : hash_of(slot.key);
        std::size_t i = hash >> shift_;
        while (slots_[i].key.high != 0) i = (i + 1) & (n_slots - 1);
        slots_[i] = slot;
    }
}

}  // namespace quire
