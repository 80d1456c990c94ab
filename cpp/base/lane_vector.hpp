// Vectors of 16, 32 or 64 bytes for code that is written once and compiled for each instruction
// set, with the same bits from all: sums are kept in lanes of 64 bytes, in one or more vectors.
//
// Pass vectors by reference: where one lies when it is passed by value depends on the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace quire {

// Strands of a sum: eight doubles or sixteen floats, whatever the registers of the machine.
template <class Real>
inline constexpr std::size_t kLanes = 64 / sizeof(Real);

namespace detail {

#if defined(__GNUC__) || defined(__clang__)

template <class Real, int bytes>
struct Vector {
    typedef Real type __attribute__((vector_size(bytes)));
};
inline constexpr int kPortableBytes = 16;

#else  // numbers one by one

template <class Real, int bytes>
struct Vector {
    using type = Real;
};
inline constexpr int kPortableBytes = 8;

#endif

template <class Real, int bytes>
    requires(bytes == sizeof(Real))
struct Vector<Real, bytes> {
    using type = Real;
};

}  // namespace detail

// What the portable versions use; AVX2 has 32 and AVX-512 has 64.
template <class Real>
inline constexpr int kPortableBytes =
    detail::kPortableBytes == 8 ? static_cast<int>(sizeof(Real)) : detail::kPortableBytes;

template <class Real, int bytes>
using Vector = typename detail::Vector<Real, bytes>::type;

template <class T>
[[gnu::always_inline]] inline void load_vector(const void* from, T& to) {
    std::memcpy(&to, from, sizeof(to));
}
template <class T>
[[gnu::always_inline]] inline void store_vector(const T& from, void* to) {
    std::memcpy(to, &from, sizeof(from));
}

}  // namespace quire
