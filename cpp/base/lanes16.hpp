// Sixteen single-precision numbers side by side, in the same order on every machine.
//
// With GCC and Clang these are vectors of the compiler, which become whatever instructions the
// surrounding function is compiled for. Elsewhere they are arrays with the same operations. All is
// element by element, so that the bits are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace quire {

constexpr std::size_t kLanes = 16;

#if defined(__GNUC__) || defined(__clang__)

#define QUIRE_INLINE inline __attribute__((always_inline))
#define QUIRE_VECTORS 1
using Floats16 = float __attribute__((vector_size(64)));
using Ints16 = std::int32_t __attribute__((vector_size(64)));
using Shorts16 = std::uint16_t __attribute__((vector_size(32)));

#else

#define QUIRE_INLINE inline
#define QUIRE_VECTORS 0
template <class T>
struct Array16 {
    T lanes[kLanes];
    T& operator[](std::size_t i) { return lanes[i]; }
    T operator[](std::size_t i) const { return lanes[i]; }
};
using Floats16 = Array16<float>;
using Ints16 = Array16<std::int32_t>;
template <class T>
Array16<T> operator+(const Array16<T>& a, const Array16<T>& b) {
    Array16<T> c;
    for (std::size_t i = 0; i < kLanes; ++i) c[i] = a[i] + b[i];
    return c;
}
template <class T>
Array16<T> operator*(const Array16<T>& a, const Array16<T>& b) {
    Array16<T> c;
    for (std::size_t i = 0; i < kLanes; ++i) c[i] = a[i] * b[i];
    return c;
}

#endif

}  // namespace quire
