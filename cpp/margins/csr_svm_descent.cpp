#include "margins/csr_svm_descent.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "margins/svm_rows.hpp"
#include "sparse/csr_columns.hpp"

#if defined(__GNUC__) || defined(__clang__)
#define QUIRE_LAMBDA_INLINE __attribute__((always_inline))
#else
#define QUIRE_LAMBDA_INLINE
#endif

namespace quire {

namespace {

constexpr std::size_t kMostLanes = 16;
constexpr double kStillGradient = 1e-12;  // projected: not worth a step
constexpr double kGapShare = 0.01;        // of the tolerance, for the relative duality gap
constexpr std::size_t kFirstCheck = 8;    // pass after which the gap is looked at

// What all problems share. Value is the type that weights have, too.
template <class Value, class Index>
struct Rows {
    const CsrView<Value, Index>& X;
    std::span<const std::int32_t> codes;
    std::span<const double> costs;
    std::span<const double> squares;  // of the rows, with the bias
    const SvmDescent& options;
};

// A problem among those that are solved side by side.
struct Lane {
    std::size_t problem = 0;
    std::int32_t positive = -1;
    double positive_cost = 0, negative_cost = 1;
    double low = 0, high = 0;                                       // of this pass
    double low_before = -kSvmInfinity, high_before = kSvmInfinity;  // bounds of shrinking
    std::size_t n_left_out = 0;
};

// Up to kMostLanes problems: their weights lie side by side.
template <class Real>
struct Group {
    std::vector<Lane> lanes;
    std::size_t width = 0;              // lanes with room to fill up registers
    RawVector<Real> room;               // holds W
    Real* W = nullptr;                  // n_cols x width, from the start of a cache line
    std::array<Real, kMostLanes> b;     // weights of the bias
    RawVector<Real> alpha;              // n_rows x width
    std::vector<std::uint32_t> active;  // of each row a bit for every lane that looks at it
    std::vector<std::uint32_t> order;
};

// n zeros from the start of a cache line; if they are many, in large pages.
template <class Real>
Real* aligned_zeros(RawVector<Real>& room, std::size_t n) {
    constexpr std::size_t kLine = kWideLine / sizeof(Real), kMany = (1u << 19) / sizeof(Real);
    constexpr std::size_t kLargePages = (std::size_t{4} << 20) / sizeof(Real);
    room = RawVector<Real>(n > kMany ? std::max(n, kLargePages) : n + kLine);
    const auto past = reinterpret_cast<std::uintptr_t>(room.data()) % kWideLine;
    Real* const first = room.data() + (past == 0 ? 0 : (kWideLine - past) / sizeof(Real));
    std::fill(first, first + n, Real{0});
    return first;
}

// One problem alone is summed up in another order than several, hence not by how many are left.
std::size_t width_of(std::size_t n_lanes, bool alone) {
    return alone ? 1 : n_lanes > 8 ? 16 : n_lanes > 4 ? 8 : 4;
}

// Costs and positive classes of the lanes; there is no class -1.
template <std::size_t n, class Real>
struct LaneCosts {
    alignas(64) Real negative[n] = {}, positive[n] = {};
    std::int32_t code[n] = {};

    explicit LaneCosts(const Group<Real>& group) {
        for (std::size_t k = 0; k < n; ++k) {
            const Lane lane = k < group.lanes.size() ? group.lanes[k] : Lane{};
            negative[k] = static_cast<Real>(lane.negative_cost);
            positive[k] = static_cast<Real>(lane.positive_cost);
            code[k] = lane.positive;
        }
    }
};

// The signs, bounds and diagonals of a row in all lanes.
template <std::size_t n, class Real>
struct RowLanes {
    alignas(64) Real sign[n], upper[n], diagonal[n];

    template <class Value, class Index>
    QUIRE_INLINE void fill(const Rows<Value, Index>& rows, const LaneCosts<n, Real>& costs,
                           std::size_t i) {
        const auto cost = static_cast<Real>(rows.costs[i]);
        const bool squared = rows.options.squared;
        const auto infinity = static_cast<Real>(kSvmInfinity);
        for (std::size_t k = 0; k < n; ++k) {
            const Real c = cost * costs.negative[k];
            sign[k] = Real{-1};
            upper[k] = squared ? infinity : c;
            diagonal[k] = squared ? Real{0.5} / c : Real{0};
        }
        const std::int32_t code = rows.codes[i];
        for (std::size_t k = 0; k < n; ++k) {
            if (costs.code[k] != code) continue;
            const Real c = cost * costs.positive[k];
            sign[k] = Real{1};
            upper[k] = squared ? infinity : c;
            diagonal[k] = squared ? Real{0.5} / c : Real{0};
        }
    }
};

// One pass over the rows, for all lanes that still look at them.
template <std::size_t n, class Real, class Index>
QUIRE_INLINE void pass_over(const Rows<Real, Index>& rows, Group<Real>& group,
                            Checkpoint& checkpoint) {
    const auto bias = static_cast<Real>(rows.options.bias);
    const std::size_t n_lanes = group.lanes.size();
    const auto infinity = static_cast<Real>(kSvmInfinity);
    constexpr Real kStill = static_cast<Real>(kStillGradient);
    alignas(64) Real scores[n], steps[n], low[n], high[n], low_before[n], high_before[n], b[n];
    alignas(64) Real left_out[n];
    const LaneCosts<n, Real> costs(group);
    for (std::size_t k = 0; k < n; ++k) {
        const Lane lane = k < n_lanes ? group.lanes[k] : Lane{};
        low[k] = infinity;
        high[k] = -infinity;
        low_before[k] = static_cast<Real>(lane.low_before);
        high_before[k] = static_cast<Real>(lane.high_before);
        b[k] = group.b[k];
        left_out[k] = Real{0};
    }
    RowLanes<n, Real> row;
    const std::size_t n_rows = group.order.size();
    for (std::size_t at = 0; at < n_rows; ++at) {
        const std::size_t i = group.order[at];
        if (at + 2 < n_rows) svm_expect(rows.X, group.order[at + 2]);
        const std::uint32_t active = group.active[i];
        if (active == 0) continue;
        const SparseRow<Real, Index> x = svm_row(rows.X, i);
        svm_scores<n>(x, group.W, scores);
        row.fill(rows, costs, i);
        const auto square = static_cast<Real>(rows.squares[i]);
        Real* const alpha = group.alpha.data() + i * n;
        std::uint32_t leave = 0, moved = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const Real a = alpha[k];
            const Real slope =
                row.sign[k] * (scores[k] + bias * b[k]) - Real{1} + row.diagonal[k] * a;
            const bool at_zero = a == Real{0}, at_top = a == row.upper[k];
            const bool at_rest = (at_zero & (slope > Real{0})) | (at_top & (slope < Real{0}));
            const Real projected = at_rest ? Real{0} : slope;
            const bool leaves =
                (at_zero & (slope > high_before[k])) | (at_top & (slope < low_before[k]));
            const bool on = ((active >> k) & 1u) != 0;
            const bool counts = on & !leaves;
            low[k] = counts & (projected < low[k]) ? projected : low[k];
            high[k] = counts & (projected > high[k]) ? projected : high[k];
            const Real wanted = a - slope / (square + row.diagonal[k]);
            const Real above = wanted < Real{0} ? Real{0} : wanted;
            const Real next = above > row.upper[k] ? row.upper[k] : above;
            const bool moves = counts & ((projected > kStill) | (projected < -kStill));
            const Real change = moves ? next - a : Real{0};
            alpha[k] = moves ? next : a;
            steps[k] = row.sign[k] * change;
            moved |= change != Real{0} ? 1u : 0u;
            const bool left = on & leaves;
            left_out[k] += left ? Real{1} : Real{0};
            leave |= (left ? 1u : 0u) << k;
        }
        if (leave != 0) group.active[i] = active & ~leave;
        if (moved != 0) {
            svm_move<n>(x, steps, group.W);
            for (std::size_t k = 0; k < n; ++k) b[k] += bias * steps[k];
        }
        checkpoint.step();
    }
    for (std::size_t k = 0; k < n_lanes; ++k) {
        Lane& lane = group.lanes[k];
        lane.low = static_cast<double>(low[k]);
        lane.high = static_cast<double>(high[k]);
        lane.n_left_out += static_cast<std::size_t>(left_out[k]);
        group.b[k] = b[k];
    }
}

// The relative duality gap of every lane: how far its objective is above the minimum at most.
template <std::size_t n, class Real, class Index>
QUIRE_INLINE void gap_over(const Rows<Real, Index>& rows, Group<Real>& group, double* gaps,
                           Checkpoint& checkpoint) {
    const auto bias = static_cast<Real>(rows.options.bias);
    const LaneCosts<n, Real> costs(group);
    alignas(64) Real scores[n];
    double losses[n] = {}, multipliers[n] = {}, norms[n] = {};
    RowLanes<n, Real> row;
    for (std::size_t i = 0; i < rows.X.n_rows(); ++i) {
        if (!(rows.costs[i] > 0.0)) continue;
        svm_scores<n>(svm_row(rows.X, i), group.W, scores);
        row.fill(rows, costs, i);
        const Real* const alpha = group.alpha.data() + i * n;
        for (std::size_t k = 0; k < n; ++k) {
            const Real inside = Real{1} - row.sign[k] * (scores[k] + bias * group.b[k]);
            const double h = inside > Real{0} ? static_cast<double>(inside) : 0.0;
            const auto a = static_cast<double>(alpha[k]), d = static_cast<double>(row.diagonal[k]);
            losses[k] +=
                rows.options.squared ? h * h * 0.5 / d : h * static_cast<double>(row.upper[k]);
            multipliers[k] += a - 0.5 * d * a * a;
        }
        checkpoint.step();
    }
    const std::size_t n_cols = static_cast<std::size_t>(rows.X.n_cols);
    for (std::size_t j = 0; j < n_cols; ++j) {
        for (std::size_t k = 0; k < n; ++k) {
            const auto w = static_cast<double>(group.W[j * n + k]);
            norms[k] += w * w;
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        const auto b = static_cast<double>(group.b[k]);
        const double primal = 0.5 * (norms[k] + b * b) + losses[k];
        const double gap = norms[k] + b * b + losses[k] - multipliers[k];
        gaps[k] = primal > 0.0 ? gap / primal : 0.0;
    }
}

// Both of these for the width that a group has: `gaps` says which.
template <class Real, class Index>
QUIRE_INLINE void step_by_width(const Rows<Real, Index>& rows, Group<Real>& group, double* gaps,
                                Checkpoint& checkpoint) {
    const auto step = [&]<std::size_t n>() QUIRE_LAMBDA_INLINE {
        if (gaps == nullptr) {
            pass_over<n>(rows, group, checkpoint);
        } else {
            gap_over<n>(rows, group, gaps, checkpoint);
        }
    };
    switch (group.width) {
        case 1:
            return step.template operator()<1>();
        case 4:
            return step.template operator()<4>();
        case 8:
            return step.template operator()<8>();
        default:
            return step.template operator()<16>();
    }
}

template <class Real, class Index>
using Step = void (*)(const Rows<Real, Index>&, Group<Real>&, double*, Checkpoint&);

template <class Real, class Index>
void step_portable(const Rows<Real, Index>& rows, Group<Real>& group, double* gaps,
                   Checkpoint& checkpoint) {
    step_by_width(rows, group, gaps, checkpoint);
}
#if QUIRE_X86
template <class Real, class Index>
QUIRE_TARGET_AVX2 void step_avx2(const Rows<Real, Index>& rows, Group<Real>& group, double* gaps,
                                 Checkpoint& checkpoint) {
    step_by_width(rows, group, gaps, checkpoint);
}
template <class Real, class Index>
QUIRE_TARGET_AVX512 void step_avx512(const Rows<Real, Index>& rows, Group<Real>& group,
                                     double* gaps, Checkpoint& checkpoint) {
    step_by_width(rows, group, gaps, checkpoint);
}
#endif

template <class Real, class Index>
Step<Real, Index> step_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return step_avx512<Real, Index>;
    if (level == SimdLevel::avx2) return step_avx2<Real, Index>;
#else
    (void)level;
#endif
    return step_portable<Real, Index>;
}

// Lets all lanes of `bits` look at every row that has a cost.
template <class Real, class Index>
void look_at_all(const Rows<Real, Index>& rows, Group<Real>& group, std::uint32_t bits) {
    for (std::size_t i = 0; i < group.active.size(); ++i) {
        if (rows.costs[i] > 0.0) group.active[i] |= bits;
    }
}

// Keeps only some of the lanes, in a narrower table.
template <class Real>
void keep(Group<Real>& group, std::size_t n_cols, const std::vector<std::size_t>& kept) {
    const std::size_t width = width_of(kept.size(), false), old = group.width;
    const auto narrow = [&](const Real* table, std::size_t n, Real* next) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < kept.size(); ++k) {
                next[i * width + k] = table[i * old + kept[k]];
            }
        }
    };
    RawVector<Real> room;
    Real* const W = aligned_zeros(room, n_cols * width);
    narrow(group.W, n_cols, W);
    group.room = std::move(room);
    group.W = W;
    RawVector<Real> alpha(group.active.size() * width, Real{0});
    narrow(group.alpha.data(), group.active.size(), alpha.data());
    group.alpha = std::move(alpha);
    for (std::uint32_t& active : group.active) {
        std::uint32_t next = 0;
        for (std::size_t k = 0; k < kept.size(); ++k) next |= ((active >> kept[k]) & 1u) << k;
        active = next;
    }
    std::vector<Lane> lanes;
    std::array<Real, kMostLanes> b{};
    for (std::size_t k = 0; k < kept.size(); ++k) {
        lanes.push_back(group.lanes[kept[k]]);
        b[k] = group.b[kept[k]];
    }
    group.lanes = std::move(lanes);
    group.b = b;
    group.width = width;
}

// After a pass: which lanes are done? The others get their bounds for the next one.
template <class Real, class Index>
std::uint32_t done_after_pass(const Rows<Real, Index>& rows, Group<Real>& group) {
    std::uint32_t done = 0, again = 0;
    for (std::size_t k = 0; k < group.lanes.size(); ++k) {
        Lane& lane = group.lanes[k];
        const std::uint32_t bit = std::uint32_t{1} << k;
        if (!(lane.high - lane.low > rows.options.tol)) {
            if (lane.n_left_out == 0) {
                done |= bit;
            } else {  // look at all of them once more
                again |= bit;
                lane.n_left_out = 0;
                lane.high_before = kSvmInfinity;
                lane.low_before = -kSvmInfinity;
            }
            continue;
        }
        lane.high_before = lane.high > 0.0 ? lane.high : kSvmInfinity;
        lane.low_before = lane.low < 0.0 ? lane.low : -kSvmInfinity;
    }
    if (again != 0) look_at_all(rows, group, again);
    return done;
}

// The weights of a lane from its multipliers, in double precision: w = sum_i a_i y_i x_i.
template <class Real, class Index>
void write_out(const Rows<Real, Index>& rows, const Group<Real>& group, std::size_t k,
               std::size_t n_problems, std::span<double> W) {
    const Lane& lane = group.lanes[k];
    const auto n_cols = static_cast<std::size_t>(rows.X.n_cols);
    std::vector<double> w(n_cols + 1, 0.0);
    for (std::size_t i = 0; i < rows.X.n_rows(); ++i) {
        const auto a = static_cast<double>(group.alpha[i * group.width + k]);
        if (a == 0.0) continue;
        const double step = rows.codes[i] == lane.positive ? a : -a;
        svm_move<1>(svm_row(rows.X, i), &step, w.data());
        w[n_cols] += rows.options.bias * step;
    }
    for (std::size_t j = 0; j <= n_cols; ++j) W[j * n_problems + lane.problem] = w[j];
}

template <class Real, class Index>
void solve(const Rows<Real, Index>& rows, Group<Real>& group, std::size_t n_problems,
           std::span<double> W, std::span<std::int64_t> n_passes, Checkpoint& checkpoint) {
    const std::size_t n_rows = rows.X.n_rows();
    const auto n_cols = static_cast<std::size_t>(rows.X.n_cols);
    group.width = width_of(group.lanes.size(), n_problems == 1);
    group.W = aligned_zeros(group.room, n_cols * group.width);
    group.alpha.assign(n_rows * group.width, Real{0});
    group.b.fill(Real{0});
    group.active.assign(n_rows, 0);
    group.order.resize(n_rows);
    look_at_all(rows, group, (std::uint32_t{1} << group.lanes.size()) - 1);
    const Step<Real, Index> step = step_at<Real, Index>(simd_level());
    std::size_t number = 0, next_check = kFirstCheck;
    std::uint32_t finished = 0;  // lanes that are still in the table
    while (number < rows.options.max_passes) {
        svm_shuffle(rows.options.seed, number++, group.order);
        step(rows, group, nullptr, checkpoint);
        std::uint32_t done = done_after_pass(rows, group);
        if (number == next_check) {
            next_check += std::max<std::size_t>(3, number / 6);
            double gaps[kMostLanes];
            step(rows, group, gaps, checkpoint);
            for (std::size_t k = 0; k < group.lanes.size(); ++k) {
                if (gaps[k] <= kGapShare * rows.options.tol) done |= std::uint32_t{1} << k;
            }
        }
        done &= ~finished;
        if (done == 0) continue;
        finished |= done;
        std::vector<std::size_t> kept;
        for (std::size_t k = 0; k < group.lanes.size(); ++k) {
            if ((done >> k) & 1u) {
                write_out(rows, group, k, n_problems, W);
                n_passes[group.lanes[k].problem] = static_cast<std::int64_t>(number);
            }
            if (!((finished >> k) & 1u)) kept.push_back(k);
        }
        if (kept.empty()) return;
        if (width_of(kept.size(), false) < group.width) {
            keep(group, n_cols, kept);
            finished = 0;
        } else {
            for (std::uint32_t& active : group.active) active &= ~finished;
        }
    }
    for (std::size_t k = 0; k < group.lanes.size(); ++k) {
        if ((finished >> k) & 1u) continue;
        write_out(rows, group, k, n_problems, W);
        n_passes[group.lanes[k].problem] = static_cast<std::int64_t>(number);
    }
}

}  // namespace

template <class Value, class Index>
void csr_svm_descent(const CsrView<Value, Index>& X, std::span<const std::int32_t> codes,
                     std::span<const double> costs, std::span<const std::int32_t> positives,
                     std::span<const double> positive_costs, std::span<const double> negative_costs,
                     const SvmDescent& options, std::span<double> W,
                     std::span<std::int64_t> n_passes, const Execution& execution) {
    csr_check_columns(X, execution);
    const std::size_t n_problems = positives.size();
    const auto n_cols = static_cast<std::size_t>(X.n_cols);
    if (codes.size() != X.n_rows() || costs.size() != X.n_rows()) {
        throw std::invalid_argument("codes and costs must have n_rows entries");
    }
    if (positive_costs.size() != n_problems || negative_costs.size() != n_problems ||
        n_passes.size() != n_problems) {
        throw std::invalid_argument("costs and passes must have an entry for each problem");
    }
    if (W.size() != n_entries(n_cols + 1, n_problems)) {
        throw std::invalid_argument("W must have (n_cols + 1) * n_problems entries");
    }
    const std::vector<double> squares = svm_squares(X, options.bias);
    const Rows<Value, Index> rows{X, codes, costs, squares, options};
    // As many groups as keep all threads busy; which problem is in which changes nothing.
    const auto n_threads = static_cast<std::size_t>(std::max(1, execution.n_threads));
    const std::size_t least = n_parts_of(n_problems, kMostLanes);
    const std::size_t n_groups =
        std::min(std::max<std::size_t>(n_problems, 1), n_parts_of(least, n_threads) * n_threads);
    parallel_parts(n_groups, execution, [&](std::size_t part, int, Checkpoint& checkpoint) {
        Group<Value> group;
        for (std::size_t k = part; k < n_problems; k += n_groups) {
            Lane lane;
            lane.problem = k;
            lane.positive = positives[k];
            lane.positive_cost = positive_costs[k];
            lane.negative_cost = negative_costs[k];
            group.lanes.push_back(lane);
        }
        if (!group.lanes.empty()) solve(rows, group, n_problems, W, n_passes, checkpoint);
    });
}

#define QUIRE_INSTANTIATE(Value, Index)                                                       \
    template void csr_svm_descent(                                                            \
        const CsrView<Value, Index>&, std::span<const std::int32_t>, std::span<const double>, \
        std::span<const std::int32_t>, std::span<const double>, std::span<const double>,      \
        const SvmDescent&, std::span<double>, std::span<std::int64_t>, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
