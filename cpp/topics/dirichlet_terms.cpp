#include "topics/dirichlet_terms.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace quire {

namespace {

// psi and log Gamma at once, both by their asymptotic series at y = x + m >= 8, from where psi
// comes down by a sum of 1 / (x + j) and log Gamma by the logarithm of the product of x + j.
struct DigammaLogGamma {
    double digamma;
    double log_gamma;
};

DigammaLogGamma digamma_log_gamma(double x) {
    constexpr double half_log_two_pi = 0.91893853320467274178;
    if (!(x >= 0.0)) return {std::nan(""), std::nan("")};  // not a parameter, and a long way to 8
    double top = 0.0, bottom = 1.0, y = x;
    while (y < 8.0) {
        top = top * y + bottom;
        bottom *= y;
        y += 1.0;
    }
    const double r = 1.0 / y, r2 = r * r, log_y = std::log(y);
    const double psi_series =
        r2 * (1.0 / 12 - r2 * (1.0 / 120 - r2 * (1.0 / 252 - r2 * (1.0 / 240 - r2 * (1.0 / 132)))));
    const double gamma_series =
        r *
        (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 * (1.0 / 1680 - r2 * (1.0 / 1188)))));
    const double log_gamma = (y - 0.5) * log_y - y + half_log_two_pi + gamma_series;
    const double shift = x < 8.0 ? std::log(bottom) : 0.0;
    return {log_y - 0.5 * r - psi_series - top / bottom, log_gamma - shift};
}

}  // namespace

template <class Real>
double dirichlet_terms(std::span<const Real> q, double prior, const Execution& execution) {
    constexpr std::size_t grain = std::size_t{1} << 14;
    const std::size_t n_parts = n_parts_of(q.size(), grain);
    std::vector<double> sums(n_parts, 0.0);
    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        const std::size_t end = std::min((part + 1) * grain, q.size());
        double sum = 0;
        for (std::size_t i = part * grain; i < end; ++i) {
            const auto x = static_cast<double>(q[i]);
            const DigammaLogGamma found = digamma_log_gamma(x);
            sum += (prior - x) * found.digamma + found.log_gamma;
        }
        sums[part] = sum;
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

template double dirichlet_terms(std::span<const float>, double, const Execution&);
template double dirichlet_terms(std::span<const double>, double, const Execution&);

}  // namespace quire
