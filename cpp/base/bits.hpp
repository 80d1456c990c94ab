// Small arithmetic that C++20 does not spell portably.
#pragma once

#include <bit>
#include <cstdint>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace quire {

static_assert(std::endian::native == std::endian::little, "quire needs a little-endian machine");

// The 128-bit product of two words: low half returned, high half in *high.
inline std::uint64_t multiply_128(std::uint64_t a, std::uint64_t b, std::uint64_t* high) {
#if defined(_MSC_VER) && defined(_M_X64)
    return _umul128(a, b, high);
#elif defined(_MSC_VER)
    *high = __umulh(a, b);
    return a * b;
#else
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    *high = static_cast<std::uint64_t>(product >> 64);
    return static_cast<std::uint64_t>(product);
#endif
}

// A fast hash of two words: both halves of their product folded together.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t high;
    const std::uint64_t low = multiply_128(a, b, &high);
    return low ^ high;
}

inline std::uint64_t byte_swap(std::uint64_t x) {
#if defined(_MSC_VER)
    return _byteswap_uint64(x);
#else
    return __builtin_bswap64(x);
#endif
}

inline void prefetch(const void* address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address, 1);
#else
    (void)address;
#endif
}

}  // namespace quire
