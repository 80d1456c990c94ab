#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"
#include "cluster/kmeans.hpp"
#include "cluster/kmeans_rows.hpp"

namespace quire {

namespace {

constexpr std::size_t kLanes = kKMeansLanes;
constexpr std::size_t kTile = 6;          // dense rows that meet the operand together
constexpr std::size_t kRowsPerPart = 96;  // a multiple of kTile
constexpr std::size_t kSparseBlock = 8 * kLanes, kDenseBlock = 4 * kLanes;
constexpr float kFar = std::numeric_limits<float>::infinity();

// From products with the operand to scores |c_j|^2 - 2 x c_j, times scale^2, and their errors:
//     score_j = base_j - slope_j * product_j,  error_j <= reach * per_reach_j + always_j
// where reach = (terms of the row + 8) |scale x|. Columns of padding are infinitely far.
struct ScoreTable {
    RawVector<float> base, slope, per_reach, always;

    ScoreTable(const KMeansCentres& centres, std::size_t stride)
        : base(stride), slope(stride), per_reach(stride), always(stride) {
        constexpr double kUnit = 0x1p-24 * 1.05;  // half a last place, and room for these sums
        constexpr double kSmallest = 0x1p-120;    // what a term may lose below the normal numbers
        for (std::size_t j = 0; j < stride; ++j) {
            const bool real = j < centres.n_clusters;
            const double factor = real ? centres.factor[j] : 0;
            const double length = real ? std::sqrt(centres.norms[j]) * centres.scale : 0;
            const auto terms = static_cast<double>(centres.n_cols);
            base[j] = real ? static_cast<float>(length * length) : kFar;
            slope[j] = static_cast<float>(2 * factor);
            per_reach[j] = static_cast<float>(2 * kUnit * length);
            always[j] = static_cast<float>(6 * kUnit * length * length +
                                           kSmallest * terms * (2 * factor + length + 1));
        }
    }
};

// What is known of the scores of a row: bounds from below for all, the smallest bound from above,
// and the two lowest from below.
struct Bounds {
    float upper = kFar, lowest = kFar, second = kFar;
};

// Turns the products of a row into bounds from below, in place.
#if defined(__GNUC__) || defined(__clang__)
QUIRE_INLINE void bound_scores(const ScoreTable& table, std::size_t stride, float reach,
                               float* products, Bounds& bounds) {
    using Vector = Lanes<float, kLanes>::Vector;
    Vector upper = Vector{} + kFar, lowest = upper, second = upper;
    for (std::size_t at = 0; at < stride; at += kLanes) {
        const Vector& base = *reinterpret_cast<const Vector*>(table.base.data() + at);
        const Vector& slope = *reinterpret_cast<const Vector*>(table.slope.data() + at);
        const Vector& per_reach = *reinterpret_cast<const Vector*>(table.per_reach.data() + at);
        const Vector& always = *reinterpret_cast<const Vector*>(table.always.data() + at);
        Vector& product = *reinterpret_cast<Vector*>(products + at);
        const Vector score = base - slope * product;
        const Vector error = reach * per_reach + always;
        const Vector low = score - error, high = score + error;
        const Vector not_lowest = low < lowest ? lowest : low;
        upper = high < upper ? high : upper;
        second = not_lowest < second ? not_lowest : second;
        lowest = low < lowest ? low : lowest;
        product = low;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        bounds.upper = std::min<float>(bounds.upper, upper[lane]);
        const float not_lowest = std::max<float>(lowest[lane], bounds.lowest);
        bounds.second = std::min<float>({bounds.second, not_lowest, second[lane]});
        bounds.lowest = std::min<float>(bounds.lowest, lowest[lane]);
    }
}
#else
QUIRE_INLINE void bound_scores(const ScoreTable& table, std::size_t stride, float reach,
                               float* products, Bounds& bounds) {
    for (std::size_t j = 0; j < stride; ++j) {
        const float score = table.base[j] - table.slope[j] * products[j];
        const float error = reach * table.per_reach[j] + table.always[j];
        products[j] = score - error;
        bounds.upper = std::min(bounds.upper, score + error);
        bounds.second = std::min(bounds.second, std::max(products[j], bounds.lowest));
        bounds.lowest = std::min(bounds.lowest, products[j]);
    }
}
#endif

template <std::size_t n>
QUIRE_INLINE void add_tile(const float* x, std::size_t n_cols, const float* operand,
                           std::size_t stride, float* out) {
    static_assert(kTile == 6);
    Sums<float, n> a, b, c, d, e, f;
    for (std::size_t col = 0; col < n_cols; ++col, ++x, operand += stride) {
        a.add(x[0], operand);
        b.add(x[n_cols], operand);
        c.add(x[2 * n_cols], operand);
        d.add(x[3 * n_cols], operand);
        e.add(x[4 * n_cols], operand);
        f.add(x[5 * n_cols], operand);
    }
    a.store(out);
    b.store(out + stride);
    c.store(out + 2 * stride);
    d.store(out + 3 * stride);
    e.store(out + 4 * stride);
    f.store(out + 5 * stride);
}

// Products of kTile dense rows with the operand, then bounds of their scores.
QUIRE_INLINE void tile_bounds(const float* x, std::size_t n_cols, const float* operand,
                              std::size_t stride, const ScoreTable& table, const float* reach,
                              float* scores, Bounds* bounds) {
    for (std::size_t first = 0; first < stride; first += kDenseBlock) {
        const float* W = operand + first;
        switch (std::min(kDenseBlock, stride - first) / kLanes) {
            case 1:
                add_tile<kLanes>(x, n_cols, W, stride, scores + first);
                break;
            case 2:
                add_tile<2 * kLanes>(x, n_cols, W, stride, scores + first);
                break;
            case 3:
                add_tile<3 * kLanes>(x, n_cols, W, stride, scores + first);
                break;
            default:
                add_tile<4 * kLanes>(x, n_cols, W, stride, scores + first);
        }
    }
    for (std::size_t r = 0; r < kTile; ++r) {
        bound_scores(table, stride, reach[r], scores + r * stride, bounds[r]);
    }
}

// The same for one sparse row.
QUIRE_INLINE void row_bounds(const SparseRow<float, std::int32_t>& x, const float* operand,
                             std::size_t stride, const ScoreTable& table, float reach,
                             float* scores, Bounds& bounds) {
    for (std::size_t first = 0; first < stride; first += kSparseBlock) {
        const float* W = operand + first;
        float* out = scores + first;
        switch (std::min(kSparseBlock, stride - first) / kLanes) {
            case 1:
                add_block<kLanes>(x, W, stride, out);
                break;
            case 2:
                add_block<2 * kLanes>(x, W, stride, out);
                break;
            case 3:
                add_block<3 * kLanes>(x, W, stride, out);
                break;
            case 4:
                add_block<4 * kLanes>(x, W, stride, out);
                break;
            case 5:
                add_block<5 * kLanes>(x, W, stride, out);
                break;
            case 6:
                add_block<6 * kLanes>(x, W, stride, out);
                break;
            case 7:
                add_block<7 * kLanes>(x, W, stride, out);
                break;
            default:
                add_block<8 * kLanes>(x, W, stride, out);
        }
    }
    bound_scores(table, stride, reach, scores, bounds);
}

#define QUIRE_TILE_ARGUMENTS                                                      \
    const float *x, std::size_t n_cols, const float *operand, std::size_t stride, \
        const ScoreTable &table, const float *reach, float *scores, Bounds *bounds
#define QUIRE_ROW_ARGUMENTS                                                           \
    const SparseRow<float, std::int32_t>&x, const float *operand, std::size_t stride, \
        const ScoreTable &table, float reach, float *scores, Bounds &bounds

using TileBounds = void (*)(QUIRE_TILE_ARGUMENTS);
using RowBounds = void (*)(QUIRE_ROW_ARGUMENTS);

void tile_bounds_portable(QUIRE_TILE_ARGUMENTS) {
    tile_bounds(x, n_cols, operand, stride, table, reach, scores, bounds);
}
void row_bounds_portable(QUIRE_ROW_ARGUMENTS) {
    row_bounds(x, operand, stride, table, reach, scores, bounds);
}
#if QUIRE_X86
QUIRE_TARGET_AVX2 void tile_bounds_avx2(QUIRE_TILE_ARGUMENTS) {
    tile_bounds(x, n_cols, operand, stride, table, reach, scores, bounds);
}
QUIRE_TARGET_AVX512 void tile_bounds_avx512(QUIRE_TILE_ARGUMENTS) {
    tile_bounds(x, n_cols, operand, stride, table, reach, scores, bounds);
}
QUIRE_TARGET_AVX2 void row_bounds_avx2(QUIRE_ROW_ARGUMENTS) {
    row_bounds(x, operand, stride, table, reach, scores, bounds);
}
QUIRE_TARGET_AVX512 void row_bounds_avx512(QUIRE_ROW_ARGUMENTS) {
    row_bounds(x, operand, stride, table, reach, scores, bounds);
}
#endif

TileBounds tile_bounds_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return tile_bounds_avx512;
    if (level == SimdLevel::avx2) return tile_bounds_avx2;
#else
    (void)level;
#endif
    return tile_bounds_portable;
}
RowBounds row_bounds_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return row_bounds_avx512;
    if (level == SimdLevel::avx2) return row_bounds_avx2;
#else
    (void)level;
#endif
    return row_bounds_portable;
}

// One call: the rows, the centres and the results.
template <class Rows>
struct Assignment {
    const Rows& X;
    const KMeansCentres& centres;
    std::span<const double> lengths;
    std::span<std::int32_t> labels;
    std::span<double> slack;

    // The centre of a row is `best`, whose score is at most `first`; all others' are at least
    // `second`. Both are |x - c|^2 - |x|^2.
    void settle(std::size_t row, std::size_t best, double first, double second) const {
        constexpr double kRoom = 1e-14;
        labels[row] = static_cast<std::int32_t>(best);
        const double square = lengths[row] * lengths[row];
        slack[row] = std::sqrt(std::max(0.0, square * (1 - kRoom) + second)) -
                     std::sqrt(std::max(0.0, square * (1 + kRoom) + first));
    }

    // Decides between the centres with low[j] <= upper, in double precision.
    void settle_exactly(std::size_t row, const float* low, float upper) const {
        const double unscaled = 1 / (centres.scale * centres.scale);
        std::size_t best = centres.n_clusters;
        double first = std::numeric_limits<double>::infinity(), second = first;
        for (std::size_t j = 0; j < centres.n_clusters; ++j) {
            if (low != nullptr && low[j] > upper) {
                second = std::min(second, unscaled * static_cast<double>(low[j]));
                continue;
            }
            const double product = X.dot(row, centres.sums.data() + j * centres.n_cols);
            const double score = centres.norms[j] - 2 * centres.factor[j] * product;
            if (best == centres.n_clusters || score < first) {
                second = std::min(second, first);
                first = score;
                best = j;
            } else {
                second = std::min(second, score);
            }
        }
        settle(row, best, first, second);
    }

    void settle_by(std::size_t row, const float* low, const Bounds& bounds) const {
        if (!(bounds.second > bounds.upper)) return settle_exactly(row, low, bounds.upper);
        const double unscaled = 1 / (centres.scale * centres.scale);
        const float* end = low + centres.n_clusters;
        const auto best = static_cast<std::size_t>(std::find(low, end, bounds.lowest) - low);
        settle(row, best, unscaled * static_cast<double>(bounds.upper),
               unscaled * static_cast<double>(bounds.second));
    }

    float reach(std::size_t row) const {
        return static_cast<float>(static_cast<double>(X.n_terms(row) + 8) * lengths[row] *
                                  centres.scale);
    }
};

// What a worker needs.
struct Scratch {
    std::vector<std::size_t> rows;  // of a part: those to look at
    RawVector<float> x, scores;
};

// Whether products with the operand stay within the range of single precision.
bool operand_is_safe(const KMeansCentres& centres, std::span<const double> lengths) {
    if (centres.operand.empty()) return false;
    double longest = 0, largest = 1;
    for (const double length : lengths) longest = std::max(longest, length);
    for (std::size_t j = 0; j < centres.n_clusters; ++j) {
        const double factor = centres.factor[j], length = std::sqrt(centres.norms[j]);
        largest = std::max(largest, length * centres.scale);
        if (factor > 0) largest = std::max({largest, length / factor * centres.scale, 2 * factor});
    }
    return longest * centres.scale * largest < 1e30 && largest < 1e15;
}

template <class Value>
void settle_rows(const Assignment<KMeansSparseRows<Value>>& task, const ScoreTable& table,
                 std::size_t stride, std::size_t end_row, Scratch& scratch, SimdLevel level) {
    const auto& X = task.X.X;
    const auto row_bounds = row_bounds_at(level);
    scratch.scores.resize(stride);
    const std::size_t known = X.end(end_row - 1);
    for (const std::size_t row : scratch.rows) {
        const std::size_t begin = X.begin(row), n = X.end(row) - begin;
        if (scratch.x.size() < n) scratch.x.resize(2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            scratch.x[i] =
                static_cast<float>(task.centres.scale * static_cast<double>(X.data[begin + i]));
        }
        Bounds bounds;
        row_bounds({scratch.x.data(), X.indices.data() + begin, n, known - begin},
                   task.centres.operand.data(), stride, table, task.reach(row),
                   scratch.scores.data(), bounds);
        task.settle_by(row, scratch.scores.data(), bounds);
    }
}

template <class Value>
void settle_rows(const Assignment<KMeansDenseRows<Value>>& task, const ScoreTable& table,
                 std::size_t stride, std::size_t, Scratch& scratch, SimdLevel level) {
    const std::size_t n_cols = task.X.n_cols(), n_rows = scratch.rows.size();
    const auto tile_bounds = tile_bounds_at(level);
    const double scale = task.centres.scale;
    scratch.x.resize(kTile * n_cols);
    scratch.scores.resize(kTile * stride);
    for (std::size_t first = 0; first < n_rows; first += kTile) {
        float reach[kTile] = {};
        Bounds bounds[kTile];
        const std::size_t n = std::min(kTile, n_rows - first);
        for (std::size_t r = 0; r < kTile; ++r) {
            float* to = scratch.x.data() + r * n_cols;
            if (r >= n) {
                std::fill(to, to + n_cols, 0.0f);
                continue;
            }
            const Value* from = task.X.row(scratch.rows[first + r]);
            for (std::size_t f = 0; f < n_cols; ++f) {
                to[f] = static_cast<float>(scale * static_cast<double>(from[f]));
            }
            reach[r] = task.reach(scratch.rows[first + r]);
        }
        tile_bounds(scratch.x.data(), n_cols, task.centres.operand.data(), stride, table, reach,
                    scratch.scores.data(), bounds);
        for (std::size_t r = 0; r < n; ++r) {
            task.settle_by(scratch.rows[first + r], scratch.scores.data() + r * stride, bounds[r]);
        }
    }
}

template <class Rows>
void assign(const Rows& X, std::span<const double> lengths, const KMeansCentres& centres,
            std::span<const double> drift, std::span<std::int32_t> labels, std::span<double> slack,
            Execution execution) {
    constexpr std::size_t worth_a_thread = 2048;
    X.check(execution);
    const std::size_t n_rows = X.n_rows(), stride = kmeans_stride(centres.n_clusters);
    check_labels(labels, n_rows, centres.n_clusters);
    if (centres.n_clusters == 0 || centres.n_cols != X.n_cols() ||
        centres.sums.size() != centres.n_clusters * centres.n_cols ||
        centres.factor.size() != centres.n_clusters || centres.norms.size() != centres.n_clusters) {
        throw std::invalid_argument("centres must be n_clusters x n_cols");
    }
    if (!centres.operand.empty() && centres.operand.size() != centres.n_cols * stride) {
        throw std::invalid_argument("operand must be n_cols x stride");
    }
    if (lengths.size() != n_rows || slack.size() != n_rows || drift.size() != centres.n_clusters) {
        throw std::invalid_argument("lengths, slack and drift must be by rows and clusters");
    }
    if (n_rows * centres.n_clusters < worth_a_thread) execution.n_threads = 1;
    const bool with_operand = operand_is_safe(centres, lengths);
    const ScoreTable table(centres, stride);
    const SimdLevel level = simd_level();
    const Assignment<Rows> task{X, centres, lengths, labels, slack};
    std::vector<Scratch> scratches(static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(n_parts_of(n_rows, kRowsPerPart), execution,
                   [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                       Scratch& scratch = scratches[static_cast<std::size_t>(worker)];
                       const std::size_t end = std::min((part + 1) * kRowsPerPart, n_rows);
                       scratch.rows.clear();
                       for (std::size_t row = part * kRowsPerPart; row < end; ++row) {
                           slack[row] -= drift[static_cast<std::size_t>(labels[row])];
                           if (!(slack[row] > 0)) scratch.rows.push_back(row);
                       }
                       if (with_operand) {
                           return settle_rows(task, table, stride, end, scratch, level);
                       }
                       for (const std::size_t row : scratch.rows) {
                           task.settle_exactly(row, nullptr, 0);
                           checkpoint.step();
                       }
                   });
}

}  // namespace

template <class Value>
void csr_kmeans_assign(const CsrView<Value, std::int32_t>& X, std::span<const double> lengths,
                       const KMeansCentres& centres, std::span<const double> drift,
                       std::span<std::int32_t> labels, std::span<double> slack,
                       const Execution& execution) {
    assign(KMeansSparseRows<Value>{X}, lengths, centres, drift, labels, slack, execution);
}

template <class Value>
void dense_kmeans_assign(const DenseView<Value>& X, std::span<const double> lengths,
                         const KMeansCentres& centres, std::span<const double> drift,
                         std::span<std::int32_t> labels, std::span<double> slack,
                         const Execution& execution) {
    assign(KMeansDenseRows<Value>{X}, lengths, centres, drift, labels, slack, execution);
}

#define QUIRE_INSTANTIATE(Value)                                                                   \
    template void csr_kmeans_assign(const CsrView<Value, std::int32_t>&, std::span<const double>,  \
                                    const KMeansCentres&, std::span<const double>,                 \
                                    std::span<std::int32_t>, std::span<double>, const Execution&); \
    template void dense_kmeans_assign(                                                             \
        const DenseView<Value>&, std::span<const double>, const KMeansCentres&,                    \
        std::span<const double>, std::span<std::int32_t>, std::span<double>, const Execution&);
QUIRE_INSTANTIATE(float)
QUIRE_INSTANTIATE(double)
#undef QUIRE_INSTANTIATE

}  // namespace quire
