#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace quire {

static_assert(multiply_wide_portable(0xFFFFFFFFFFFFFFFFu, 0xFFFFFFFFFFFFFFFFu).high ==
              0xFFFFFFFFFFFFFFFEu);
static_assert(multiply_wide_portable(0xFFFFFFFFFFFFFFFFu, 0xFFFFFFFFFFFFFFFFu).low == 1);
static_assert(multiply_wide_portable(0xD2E7470EE14C6C93u, 0xCA5A826395121157u).high ==
              0xA6B50ECC35570A9Bu);
static_assert(multiply_wide_portable(0x100000000u, 0x100000000u).high == 1);

namespace {

// A polynomial by Horner's rule, constant term first.
template <std::size_t n>
double polynomial(const double (&coefficients)[n], double x) {
    double value = coefficients[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) value = value * x + coefficients[i];
    return value;
}

// Applies draw(generator) to every place of out, a fixed number of places at a time.
template <class T, class Draw>
void fill(std::uint64_t seed, std::uint64_t stream, std::uint64_t position, std::span<T> out,
          const Execution& execution, Draw draw) {
    constexpr std::size_t grain = std::size_t{1} << 15;
    parallel_parts(n_parts_of(out.size(), grain), execution, [&](std::size_t part, int) {
        const std::size_t begin = part * grain;
        const std::size_t end = std::min(begin + grain, out.size());
        Philox generator(seed, stream, position + begin);
        for (std::size_t i = begin; i < end; ++i) out[i] = draw(generator);
    });
}

}  // namespace

// Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics
// 37(3), 1988, routine PPND16: rational functions of degree 7 in three ranges, right to about
// 1e-16.
double normal_quantile(double probability) {
    static constexpr double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                   1.9715909503065514427e3, 1.3731693765509461125e4,
                                   4.5921953931549871457e4, 6.7265770927008700853e4,
                                   3.3430575583588128105e4, 2.5090809287301226727e3};
    static constexpr double b[] = {1.0,
                                   4.2313330701600911252e1,
                                   6.8718700749205790830e2,
                                   5.3941960214247511077e3,
                                   2.1213794301586595867e4,
                                   3.9307895800092710610e4,
                                   2.8729085735721942674e4,
                                   5.2264952788528545610e3};
    static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                   5.76949722146069140550e0,  3.64784832476320460504e0,
                                   1.27045825245236838258e0,  2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static constexpr double d[] = {1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
    static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                   1.78482653991729133580e0,  2.96560571828504891230e-1,
                                   2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static constexpr double f[] = {1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};

    const double from_middle = probability - 0.5;
    if (std::abs(from_middle) <= 0.425) {
        const double r = 0.180625 - from_middle * from_middle;
        return from_middle * polynomial(a, r) / polynomial(b, r);
    }
    const double tail = from_middle < 0 ? probability : 1.0 - probability;
    const double r = std::sqrt(-std::log(tail));
    const double size = r <= 5.0 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                                 : polynomial(e, r - 5.0) / polynomial(f, r - 5.0);
    return from_middle < 0 ? -size : size;
}

void philox_raw(std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
                std::span<std::uint64_t> out, const Execution& execution) {
    fill(seed, stream, position, out, execution, [](Philox& g) { return g.raw(); });
}

void philox_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
                    std::span<double> out, const Execution& execution) {
    fill(seed, stream, position, out, execution, [](Philox& g) { return g.uniform(); });
}

void philox_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
                   std::span<double> out, const Execution& execution) {
    fill(seed, stream, position, out, execution, [](Philox& g) { return g.normal(); });
}

void philox_integers(std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
                     std::uint64_t bound, std::span<std::uint64_t> out,
                     const Execution& execution) {
    if (bound == 0) throw std::invalid_argument("bound must be at least 1");
    fill(seed, stream, position, out, execution, [=](Philox& g) { return g.integer(bound); });
}

}  // namespace quire
