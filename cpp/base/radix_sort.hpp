// Least-significant-digit radix sort, for rows of a matrix and for n-grams.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace quire {

// Sorts items[0, n) by key_of(item), whose values are below 2^n_bits, keeping equal items in order;
// `scratch` has room for n items. Digits of kDigit bits: small ones for short arrays.
// between() is called between passes.
template <int kDigit, class Item, class KeyOf, class Between>
void radix_sort(Item* items, Item* scratch, std::size_t n, int n_bits, KeyOf key_of,
                Between&& between) {
    constexpr std::size_t kRadix = std::size_t{1} << kDigit;
    if (n > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 4 billion items to sort");
    }
    Item* from = items;
    Item* to = scratch;
    for (int shift = 0; shift < n_bits; shift += kDigit) {
        between();
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

// Sorts items[0, n), whose values are below 2^n_bits; `scratch` has room for n items. Made for the
// rows of a matrix: most have tens or hundreds of entries, so one pass puts them into about twice
// as many buckets by their top bits, and insertion does the rest. The order of items that differ
// only in the lowest kPayload bits is left open.
template <int kPayload, class Item>
void sort_row(Item* items, Item* scratch, std::size_t n, int n_bits) {
    constexpr std::size_t kFew = 24, kMany = 512;
    if (n > kMany) {
        const auto key_of = [](Item item) { return item >> kPayload; };
        radix_sort<8>(items, scratch, n, n_bits - kPayload, key_of, [] {});
        return;
    }
    if (n > kFew) {
        const int bucket_bits = std::min(static_cast<int>(std::bit_width(n)) + 1, n_bits);
        const int shift = n_bits - bucket_bits;
        const std::size_t n_buckets = std::size_t{1} << bucket_bits;
        std::array<std::uint16_t, 4 * kMany> start;
        std::fill_n(start.begin(), n_buckets, std::uint16_t{0});
        for (std::size_t i = 0; i < n; ++i) ++start[items[i] >> shift];
        std::uint16_t sum = 0;
        for (std::size_t k = 0; k < n_buckets; ++k) {
            sum = static_cast<std::uint16_t>(sum + std::exchange(start[k], sum));
        }
        for (std::size_t i = 0; i < n; ++i) scratch[start[items[i] >> shift]++] = items[i];
        std::copy_n(scratch, n, items);
    }
    for (std::size_t i = 1; i < n; ++i) {
        const Item item = items[i];
        std::size_t k = i;
        for (; k > 0 && items[k - 1] > item; --k) items[k] = items[k - 1];
        items[k] = item;
    }
}

}  // namespace quire
