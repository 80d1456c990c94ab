// Least-significant-digit radix sort, for rows of a matrix and for n-grams.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace quire {

// Sorts items[0, n) by key_of(item), whose values are below 2^n_bits, keeping equal items in order;
// `scratch` has room for n items. Digits of kDigit bits: small ones for short arrays.
template <int kDigit, class Item, class KeyOf>
void radix_sort(Item* items, Item* scratch, std::size_t n, int n_bits, KeyOf key_of) {
    constexpr std::size_t kRadix = std::size_t{1} << kDigit;
    Item* from = items;
    Item* to = scratch;
    for (int shift = 0; shift < n_bits; shift += kDigit) {
        std::array<std::uint32_t, kRadix> start{};
        for (std::size_t i = 0; i < n; ++i) ++start[(key_of(from[i]) >> shift) & (kRadix - 1)];
        std::uint32_t sum = 0;
        for (std::uint32_t& count : start) sum += std::exchange(count, sum);
        for (std::size_t i = 0; i < n; ++i) {
            to[start[(key_of(from[i]) >> shift) & (kRadix - 1)]++] = from[i];
        }
        std::swap(from, to);
    }
    if (from != items) std::copy(from, from + n, items);
}

}  // namespace quire
