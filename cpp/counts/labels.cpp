#include "counts/labels.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/bits.hpp"

namespace quire {

namespace {

std::uint64_t hash_of(const std::uint8_t* item, std::size_t size) {
    std::uint64_t hash = 0x9E3779B97F4A7C15u ^ size, word = 0;
    for (; size >= 8; item += 8, size -= 8) {
        std::memcpy(&word, item, 8);
        hash = mix(hash ^ word, 0xD1B54A32D192ED03u);
    }
    if (size > 0) {
        word = 0;
        std::memcpy(&word, item, size);
        hash = mix(hash ^ word, 0xD1B54A32D192ED03u);
    }
    return hash;
}

}  // namespace

Factorized factorize(std::span<const std::uint8_t> bytes, std::size_t item_size,
                     const Execution& execution) {
    if (item_size == 0 || bytes.size() % item_size != 0) {
        throw std::invalid_argument("bytes must be whole items of at least one byte");
    }
    const std::size_t n = bytes.size() / item_size;
    if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("more than 2 billion labels");
    }
    const auto item = [&](std::size_t i) { return bytes.data() + i * item_size; };
    const auto same = [&](std::size_t i, std::size_t j) {
        return std::memcmp(item(i), item(j), item_size) == 0;
    };
    Factorized out{RawVector<std::int32_t>(n), {}};
    constexpr std::int32_t kEmpty = -1;
    std::vector<std::int32_t> slots(64, kEmpty);  // codes, at most half full
    const auto place = [&](std::size_t i) -> std::int32_t& {
        std::size_t at = hash_of(item(i), item_size) & (slots.size() - 1);
        while (slots[at] != kEmpty &&
               !same(i, static_cast<std::size_t>(out.first[static_cast<std::size_t>(slots[at])]))) {
            at = (at + 1) & (slots.size() - 1);
        }
        return slots[at];
    };
    interruptible(execution, [&](Checkpoint& checkpoint) {
        for (std::size_t i = 0; i < n; ++i) {
            if (i % 65536 == 65535) checkpoint();
            if (i > 0 && same(i, i - 1)) {  // corpora are often sorted by class
                out.codes[i] = out.codes[i - 1];
                continue;
            }
            std::int32_t& slot = place(i);
            if (slot != kEmpty) {
                out.codes[i] = slot;
                continue;
            }
            slot = out.codes[i] = static_cast<std::int32_t>(out.first.size());
            out.first.push_back(static_cast<std::int64_t>(i));
            if (2 * out.first.size() > slots.size()) {
                slots.assign(2 * slots.size(), kEmpty);
                for (std::size_t code = 0; code < out.first.size(); ++code) {
                    place(static_cast<std::size_t>(out.first[code])) =
                        static_cast<std::int32_t>(code);
                }
            }
        }
    });
    return out;
}

}  // namespace quire
