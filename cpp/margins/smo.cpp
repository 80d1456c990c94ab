#include "margins/smo.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/lane_vector.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"

namespace quire {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastCurvature = 1e-12;
// Numbers side by side: n of them in a register. Maxima and their first places do not depend on n.
template <std::size_t n>
struct Wide {
#if defined(__GNUC__) || defined(__clang__)
    static constexpr std::size_t kWidth = n;
    typedef double Doubles __attribute__((vector_size(n * 8)));
    typedef float Floats __attribute__((vector_size(n * 4)));
#else
    static constexpr std::size_t kWidth = 1;
    typedef double Doubles;
    typedef float Floats;
#endif
};
#if defined(__GNUC__) || defined(__clang__)
#define QUIRE_TO_DOUBLES(floats) __builtin_convertvector(floats, Doubles)
#else
#define QUIRE_TO_DOUBLES(floats) static_cast<double>(floats)
#endif

// Of the strands of a search, and of the numbers after the last whole group: the largest value, and
// the first place where it is; -1 if nothing was above the least.
struct Largest {
    double value, place;

    QUIRE_INLINE void look(double candidate, double where) {
        if (candidate > value || (candidate == value && where < place && place >= 0.0)) {
            value = candidate;
            place = where;
        }
    }
    template <std::size_t kWidth, class Doubles>
    QUIRE_INLINE void join(const Doubles& values, const Doubles& places) {
        double v[kWidth], p[kWidth];
        std::memcpy(v, &values, sizeof(v));
        std::memcpy(p, &places, sizeof(p));
        for (std::size_t k = 0; k < kWidth; ++k) {
            if (p[k] >= 0.0) look(v[k], p[k]);
        }
    }
};

// The state of the solver; a "gate" is 0 where a variable may move, and infinite where not.
struct State {
    std::span<const float> K;
    std::size_t stride;
    std::span<const SmoSegment> segments;
    double* slack;
    const double* diagonal;
    const double* up;    // 0 or -infinity: beta may rise
    const double* down;  // 0 or infinity: beta may fall

    // Where a variable lies in K.
    std::size_t place(std::size_t variable) const {
        for (const SmoSegment& one : segments) {
            if (variable - one.start < one.size) return one.first + variable - one.start;
        }
        return 0;
    }
};

struct First {
    std::ptrdiff_t variable;
    double highest, lowest;  // slack of those that may rise, of those that may fall
};

// first, first + by, ...; by reference, since where a vector is returned depends on the target.
template <std::size_t kWidth, class Doubles>
QUIRE_INLINE void count_from(double first, double by, Doubles& out) {
    double places[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) places[k] = first + by * static_cast<double>(k);
    std::memcpy(&out, places, sizeof(out));
}

// Moves beta_i up and beta_j down by `step` in all slacks, and finds the next variable to rise.
template <std::size_t n>
QUIRE_INLINE void move_and_find(const State& state, const float* row_i, const float* row_j,
                                double step, First& found) {
    using Doubles = typename Wide<n>::Doubles;
    using Floats = typename Wide<n>::Floats;
    constexpr std::size_t kWidth = Wide<n>::kWidth;
    Largest rising{-kInfinity, -1.0};
    double lowest = kInfinity;
    for (const SmoSegment& part : state.segments) {
        double* const slack = state.slack + part.start;
        const double* const up = state.up + part.start;
        const double* const down = state.down + part.start;
        const float* const a = row_i + part.first;
        const float* const b = row_j + part.first;
        Doubles best, least, place, here;
        count_from<kWidth>(-kInfinity, 0.0, best);
        count_from<kWidth>(kInfinity, 0.0, least);
        count_from<kWidth>(-1.0, 0.0, place);
        count_from<kWidth>(static_cast<double>(part.start), 1.0, here);
        std::size_t t = 0;
        for (; t + kWidth <= part.size; t += kWidth) {
            Floats of_i, of_j;
            Doubles value, up_gate, down_gate;
            load_vector(a + t, of_i);
            load_vector(b + t, of_j);
            load_vector(slack + t, value);
            load_vector(up + t, up_gate);
            load_vector(down + t, down_gate);
            value -= step * (QUIRE_TO_DOUBLES(of_i) - QUIRE_TO_DOUBLES(of_j));
            store_vector(value, slack + t);
            const Doubles candidate = value + up_gate;
            const Doubles falling = value + down_gate;
            place = candidate > best ? here : place;
            best = candidate > best ? candidate : best;
            least = falling < least ? falling : least;
            here += static_cast<double>(kWidth);
        }
        rising.template join<kWidth>(best, place);
        double lows[kWidth];
        std::memcpy(lows, &least, sizeof(lows));
        for (const double low : lows) lowest = low < lowest ? low : lowest;
        for (; t < part.size; ++t) {
            slack[t] -= step * (static_cast<double>(a[t]) - static_cast<double>(b[t]));
            rising.look(slack[t] + up[t], static_cast<double>(part.start + t));
            lowest = std::min(lowest, slack[t] + down[t]);
        }
    }
    found.variable = static_cast<std::ptrdiff_t>(rising.place);
    found.highest = rising.value;
    found.lowest = lowest;
}

// The partner of i that lets the objective fall most, to second order.
template <std::size_t n>
QUIRE_INLINE std::ptrdiff_t find_partner(const State& state, const float* row_i, double diagonal_i,
                                         double slack_i) {
    using Doubles = typename Wide<n>::Doubles;
    using Floats = typename Wide<n>::Floats;
    constexpr std::size_t kWidth = Wide<n>::kWidth;
    Largest found{0.0, -1.0};
    for (const SmoSegment& part : state.segments) {
        const double* const slack = state.slack + part.start;
        const double* const down = state.down + part.start;
        const double* const diagonal = state.diagonal + part.start;
        const float* const row = row_i + part.first;
        Doubles zero, place, here;
        count_from<kWidth>(0.0, 0.0, zero);
        count_from<kWidth>(-1.0, 0.0, place);
        count_from<kWidth>(static_cast<double>(part.start), 1.0, here);
        Doubles best = zero;
        std::size_t t = 0;
        for (; t + kWidth <= part.size; t += kWidth) {
            Floats of_i;
            Doubles value, gate, own;
            load_vector(row + t, of_i);
            load_vector(slack + t, value);
            load_vector(down + t, gate);
            load_vector(diagonal + t, own);
            const Doubles difference = slack_i - (value + gate);
            const Doubles curvature = diagonal_i + own - 2.0 * QUIRE_TO_DOUBLES(of_i);
            const Doubles safe = curvature > kLeastCurvature ? curvature : zero + kLeastCurvature;
            const Doubles gain = difference > zero ? difference * difference / safe : zero;
            place = gain > best ? here : place;
            best = gain > best ? gain : best;
            here += static_cast<double>(kWidth);
        }
        found.template join<kWidth>(best, place);
        for (; t < part.size; ++t) {
            const double difference = slack_i - (slack[t] + down[t]);
            const double curvature = diagonal_i + diagonal[t] - 2.0 * static_cast<double>(row[t]);
            const double safe = std::max(curvature, kLeastCurvature);
            if (difference > 0.0) {
                found.look(difference * difference / safe, static_cast<double>(part.start + t));
            }
        }
    }
    return static_cast<std::ptrdiff_t>(found.place);
}

struct Steps {
    void (*move_and_find)(const State&, const float*, const float*, double, First&);
    std::ptrdiff_t (*find_partner)(const State&, const float*, double, double);
};

void move_portable(const State& state, const float* a, const float* b, double step, First& found) {
    move_and_find<2>(state, a, b, step, found);
}
std::ptrdiff_t partner_portable(const State& state, const float* row, double d, double s) {
    return find_partner<2>(state, row, d, s);
}
#if QUIRE_X86
QUIRE_TARGET_AVX2 void move_avx2(const State& state, const float* a, const float* b, double step,
                                 First& found) {
    move_and_find<4>(state, a, b, step, found);
}
QUIRE_TARGET_AVX2 std::ptrdiff_t partner_avx2(const State& state, const float* row, double d,
                                              double s) {
    return find_partner<4>(state, row, d, s);
}
QUIRE_TARGET_AVX512 void move_avx512(const State& state, const float* a, const float* b,
                                     double step, First& found) {
    move_and_find<8>(state, a, b, step, found);
}
QUIRE_TARGET_AVX512 std::ptrdiff_t partner_avx512(const State& state, const float* row, double d,
                                                  double s) {
    return find_partner<8>(state, row, d, s);
}
#endif

Steps steps_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return {move_avx512, partner_avx512};
    if (level == SimdLevel::avx2) return {move_avx2, partner_avx2};
#else
    (void)level;
#endif
    return {move_portable, partner_portable};
}

void check(std::span<const float> K, std::size_t stride, std::span<const SmoSegment> segments,
           std::size_t n) {
    const std::size_t n_rows = stride == 0 ? 0 : K.size() / stride;
    std::size_t next = 0;
    for (const SmoSegment& one : segments) {
        if (one.start != next) throw std::invalid_argument("segments must follow each other");
        if (one.first > n_rows || one.size > n_rows - one.first || one.first + one.size > stride) {
            throw std::invalid_argument("a segment lies outside K");
        }
        next += one.size;
    }
    if (next != n) throw std::invalid_argument("segments must have all variables");
}

}  // namespace

SmoResult smo(std::span<const float> K, std::size_t stride, std::span<const SmoSegment> segments,
              std::span<const double> low, std::span<const double> high, double tol,
              std::int64_t max_iter, std::span<double> beta, std::span<double> slack,
              const Execution& execution) {
    const std::size_t n = beta.size();
    check(K, stride, segments, n);
    if (low.size() != n || high.size() != n || slack.size() != n) {
        throw std::invalid_argument("low, high and slack must have an entry for each variable");
    }
    std::vector<double> diagonal(n), up(n), down(n);
    const State state{K, stride, segments, slack.data(), diagonal.data(), up.data(), down.data()};
    const auto open_gates = [&](std::size_t t) {
        up[t] = beta[t] < high[t] ? 0.0 : -kInfinity;
        down[t] = beta[t] > low[t] ? 0.0 : kInfinity;
    };
    for (const SmoSegment& part : segments) {
        for (std::size_t t = 0; t < part.size; ++t) {
            diagonal[part.start + t] =
                static_cast<double>(K[(part.first + t) * stride + part.first + t]);
            open_gates(part.start + t);
        }
    }
    const Steps steps = steps_at(simd_level());
    SmoResult result;
    if (n == 0) return result;
    interruptible(execution, [&](Checkpoint& checkpoint) {
        First first{};
        steps.move_and_find(state, K.data(), K.data(), 0.0, first);
        for (;; ++result.n_iter) {
            result.gap = first.highest - first.lowest;
            if (first.variable < 0 || !(result.gap > tol) || result.n_iter == max_iter) break;
            const auto i = static_cast<std::size_t>(first.variable);
            const float* const row_i = K.data() + state.place(i) * stride;
            const std::ptrdiff_t partner = steps.find_partner(state, row_i, diagonal[i], slack[i]);
            if (partner < 0) break;
            const auto j = static_cast<std::size_t>(partner);
            const std::size_t place_j = state.place(j);
            const float* const row_j = K.data() + place_j * stride;
            const auto cross = static_cast<double>(row_i[place_j]);
            const double curvature =
                std::max(diagonal[i] + diagonal[j] - 2.0 * cross, kLeastCurvature);
            const double room_i = high[i] - beta[i], room_j = beta[j] - low[j];
            const double step = std::min({(slack[i] - slack[j]) / curvature, room_i, room_j});
            beta[i] = step == room_i ? high[i] : beta[i] + step;
            beta[j] = step == room_j ? low[j] : beta[j] - step;
            open_gates(i);
            open_gates(j);
            steps.move_and_find(state, row_i, row_j, step, first);
            checkpoint.step();
        }
    });
    return result;
}

void smo_slack(std::span<const float> table, std::span<const std::int64_t> which,
               std::span<const double> change, std::span<double> slack,
               const Execution& execution) {
    const std::size_t n = slack.size();
    if (which.size() != change.size()) {
        throw std::invalid_argument("which and change must have the same size");
    }
    const std::size_t n_rows = n == 0 ? 0 : table.size() / n;
    for (const std::int64_t row : which) {
        if (row < 0 || static_cast<std::size_t>(row) >= n_rows) {
            throw std::invalid_argument("which has a row that the table does not have");
        }
    }
    constexpr std::size_t kColumns = 1024;
    parallel_parts(n_parts_of(n, kColumns), execution, [&](std::size_t part, int) {
        const std::size_t begin = part * kColumns, size = std::min(kColumns, n - begin);
        double* const out = slack.data() + begin;
        for (std::size_t i = 0; i < change.size(); ++i) {
            const double by = change[i];
            if (by == 0.0) continue;
            const float* const row = table.data() + static_cast<std::size_t>(which[i]) * n + begin;
            for (std::size_t t = 0; t < size; ++t) out[t] -= by * static_cast<double>(row[t]);
        }
    });
}

}  // namespace quire
