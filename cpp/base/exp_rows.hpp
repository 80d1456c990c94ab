// exp of many numbers that are 0 or less, several at once: what a softmax is made of.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/simd.hpp"

namespace quire {

// exp(x) for x <= 0, to two units in the last place; 0 below -708. No branch and no table, so that
// a loop over it becomes wide instructions, and the same operations in all of them.
inline double exp_non_positive(double x) {
    constexpr double kLog2e = 1.4426950408889634, kShift = 6755399441055744.0;  // 1.5 * 2^52
    constexpr double kLn2High = 0.693147180369123816490, kLn2Low = 1.90821492927058770002e-10;
    const double bounded = x < -708.0 ? -708.0 : x;
    const double shifted = bounded * kLog2e + kShift;  // its last bits are the power of two
    const double n = shifted - kShift;
    const double r = (bounded - n * kLn2High) - n * kLn2Low;
    const double r2 = r * r, r4 = r2 * r2;
    // 1 + r + r^2/2! + ... + r^13/13!, in pairs
    const double a = (1.0 + r) + (1.0 / 2 + r * (1.0 / 6)) * r2;
    const double b = (1.0 / 24 + r * (1.0 / 120)) + (1.0 / 720 + r * (1.0 / 5040)) * r2;
    const double c =
        (1.0 / 40320 + r * (1.0 / 362880)) + (1.0 / 3628800 + r * (1.0 / 39916800)) * r2;
    const double d = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
    const double power = a + (b + (c + d * r4) * r4) * r4;
    const auto bits = std::bit_cast<std::uint64_t>(shifted) << 52;
    const auto result = std::bit_cast<double>(std::bit_cast<std::uint64_t>(power) + bits);
    return x < -708.0 ? 0.0 : result;
}

namespace exp_rows_detail {

inline void portable(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = exp_non_positive(values[i]);
}
#if QUIRE_X86
QUIRE_TARGET_AVX2 inline void avx2(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = exp_non_positive(values[i]);
}
QUIRE_TARGET_AVX512 inline void avx512(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = exp_non_positive(values[i]);
}
#endif

}  // namespace exp_rows_detail

using ExpRows = void (*)(double* values, std::size_t n);

// values[i] = exp(values[i]), all 0 or less. The bits are the same at every level.
inline ExpRows exp_rows_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return exp_rows_detail::avx512;
    if (level == SimdLevel::avx2) return exp_rows_detail::avx2;
#endif
    (void)level;
    return exp_rows_detail::portable;
}

}  // namespace quire
