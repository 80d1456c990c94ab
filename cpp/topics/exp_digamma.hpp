// exp(psi(x)), the exponential of the digamma function, without a logarithm and without a branch.
//
// Variational inference needs exp(psi(x_k) - psi(sum of x)) of every topic in every step. psi is
// taken at y = x + m >= 6 by the first terms of its asymptotic series and carried down to x by the
// recurrence (J. Bernardo, "Algorithm AS 103: psi (digamma) function", 1976):
//     psi(x) = log y + u,   u = -1/(2y) - 1/(12y^2) + 1/(120y^4) - 1/(252y^6) - sum_{j<m} 1/(x+j)
// so that exp(psi(x)) = y exp(u). The sum is kept as one fraction, which leaves two divisions. The
// error of psi is below 3e-9, and the same as that of scikit-learn's, so that results agree beyond
// it.
//
// The functions take a double or a vector of them (cpp/base/lane_vector.hpp), with the same bits
// for every instruction set.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/lane_vector.hpp"

namespace quire {

// exp(psi(x)) = scale * exp(power). x must not be negative; psi(0) is -inf.
template <class T>
[[gnu::always_inline]] inline void exp_digamma(const T& x, T& scale, T& power) {
    T top = T{}, bottom = top + 1.0, y = x;  // top / bottom = sum of 1 / (x + j)
    for (int j = 0; j < 6; ++j) {
        const auto below = y < 6.0;
        top = below ? top * y + bottom : top;
        bottom = below ? bottom * y : bottom;
        y = below ? y + 1.0 : y;
    }
    const T r = 1.0 / y, r2 = r * r;
    const T series = r2 * ((1.0 / 12.0) - r2 * ((1.0 / 120.0) - r2 * (1.0 / 252.0)));
    scale = y;
    power = r * -0.5 - series - top / bottom;
}

inline double digamma(double x) {
    double scale, power;
    exp_digamma(x, scale, power);
    return std::log(scale) + power;
}

// exp(x) to about two units in the last place, for x up to 700; 0 below -708.
template <class T>
[[gnu::always_inline]] inline void fast_exp(const T& x, T& out) {
    using Bits = Vector<std::uint64_t, sizeof(T)>;
    constexpr double log2_e = 1.4426950408889634074;
    constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    const T zero = T{};
    const auto vanishes = x < -708.0;
    const T clamped = vanishes ? zero : x;
    const T shifted = clamped * log2_e + shifter;
    const T n = shifted - shifter;
    const T r = (clamped - n * ln2_high) - n * ln2_low;  // |r| <= log(2) / 2
    const T r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    const T c01 = 1.0 + r, c23 = 1.0 / 2 + r * (1.0 / 6);
    const T c45 = 1.0 / 24 + r * (1.0 / 120), c67 = 1.0 / 720 + r * (1.0 / 5040);
    const T c89 = 1.0 / 40320 + r * (1.0 / 362880);
    const T c1011 = 1.0 / 3628800 + r * (1.0 / 39916800);
    const T c1213 = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
    const T low = (c01 + r2 * c23) + r4 * (c45 + r2 * c67);
    const T high = (c89 + r2 * c1011) + r4 * c1213;
    const T power = low + r8 * high;
    Bits exponent, bits;
    std::memcpy(&exponent, &shifted, sizeof(T));
    std::memcpy(&bits, &power, sizeof(T));
    bits = bits + (exponent << 52);
    T found;
    std::memcpy(&found, &bits, sizeof(T));
    out = vanishes ? zero : found;
}

// The ratio exp(psi(x) - psi(total)), where the parts of the total are known.
template <class T>
[[gnu::always_inline]] inline void exp_digamma_ratio(const T& x, const T& inverse_scale,
                                                     const T& total_power, T& out) {
    T scale, power, factor;
    exp_digamma(x, scale, power);
    const T difference = power - total_power;
    fast_exp(difference, factor);
    out = scale * inverse_scale * factor;
}

}  // namespace quire
