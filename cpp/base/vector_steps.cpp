#include "base/vector_steps.hpp"

#include <array>

namespace quire {

namespace {

constexpr std::size_t kLanes = 8;

template <class X, class Y>
[[gnu::always_inline]] inline double dot_body(const X* x, const Y* y, std::size_t n) {
    std::array<double, kLanes> sums{};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            sums[k] += static_cast<double>(x[i + k]) * static_cast<double>(y[i + k]);
        }
    }
    for (std::size_t k = 0; i < n; ++i, ++k) {
        sums[k] += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <class X>
[[gnu::always_inline]] inline void subtract_body(double factor, const X* x, double* to,
                                                 std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] -= factor * static_cast<double>(x[i]);
}

#if QUIRE_X86
template <class X, class Y>
QUIRE_TARGET_AVX2 double dot_avx2(const X* x, const Y* y, std::size_t n) {
    return dot_body(x, y, n);
}
template <class X, class Y>
QUIRE_TARGET_AVX512 double dot_avx512(const X* x, const Y* y, std::size_t n) {
    return dot_body(x, y, n);
}
template <class X>
QUIRE_TARGET_AVX2 void subtract_avx2(double factor, const X* x, double* to, std::size_t n) {
    subtract_body(factor, x, to, n);
}
template <class X>
QUIRE_TARGET_AVX512 void subtract_avx512(double factor, const X* x, double* to, std::size_t n) {
    subtract_body(factor, x, to, n);
}
#endif

template <class X, class Y>
double dot_any(const X* x, const Y* y, std::size_t n) {
#if QUIRE_X86
    if (simd_level() == SimdLevel::avx512) return dot_avx512(x, y, n);
    if (simd_level() == SimdLevel::avx2) return dot_avx2(x, y, n);
#endif
    return dot_body(x, y, n);
}

template <class X>
void subtract_any(double factor, const X* x, double* to, std::size_t n) {
#if QUIRE_X86
    if (simd_level() == SimdLevel::avx512) return subtract_avx512(factor, x, to, n);
    if (simd_level() == SimdLevel::avx2) return subtract_avx2(factor, x, to, n);
#endif
    subtract_body(factor, x, to, n);
}

}  // namespace

void subtract_multiple(double factor, const double* x, double* to, std::size_t n) {
    subtract_any(factor, x, to, n);
}
void subtract_multiple(double factor, const float* x, double* to, std::size_t n) {
    subtract_any(factor, x, to, n);
}
double dot_in_lanes(const double* x, const double* y, std::size_t n) {
    return dot_any(x, y, n);
}
double dot_in_lanes(const float* x, const double* y, std::size_t n) {
    return dot_any(x, y, n);
}
double dot_in_lanes(const float* x, const float* y, std::size_t n) {
    return dot_any(x, y, n);
}

}  // namespace quire
