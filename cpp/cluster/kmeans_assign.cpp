#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "cluster/kmeans.hpp"
#include "cluster/kmeans_rows.hpp"
#include "cluster/kmeans_scores.hpp"

namespace quire {

namespace {

constexpr std::size_t kTile = kKMeansTile;
constexpr std::size_t kRowsPerPart = 32 * kTile;
constexpr std::size_t kTilesAhead = 2;  // how early rows are asked for

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
        settle(row, best < centres.n_clusters ? best : 0, first,
               second);  // where nothing is finite
    }

    void settle_by(std::size_t row, const float* low, const KMeansBounds& bounds) const {
        if (!(bounds.second > bounds.upper)) return settle_exactly(row, low, bounds.upper);
        const double unscaled = 1 / (centres.scale * centres.scale);
        settle(row, static_cast<std::size_t>(bounds.nearest),
               unscaled * static_cast<double>(bounds.upper),
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
    RawVector<float> x, low;
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
void settle_rows(const Assignment<KMeansSparseRows<Value>>& task, const KMeansScores& scores,
                 std::size_t end_row, Scratch& scratch, SimdLevel level) {
    const auto& X = task.X.X;
    const auto row_bounds = kmeans_row_bounds(level);
    scratch.low.resize(scores.stride);
    const std::size_t known = X.end(end_row - 1);
    for (const std::size_t row : scratch.rows) {
        const std::size_t begin = X.begin(row), n = X.end(row) - begin;
        if (scratch.x.size() < n) scratch.x.resize(2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            scratch.x[i] =
                static_cast<float>(task.centres.scale * static_cast<double>(X.data[begin + i]));
        }
        KMeansBounds bounds;
        row_bounds(scores, {scratch.x.data(), X.indices.data() + begin, n, known - begin},
                   task.reach(row), scratch.low.data(), bounds);
        task.settle_by(row, scratch.low.data(), bounds);
    }
}

template <class Value>
void settle_rows(const Assignment<KMeansDenseRows<Value>>& task, const KMeansScores& scores,
                 std::size_t, Scratch& scratch, SimdLevel level) {
    const std::size_t n_cols = scores.n_cols, n_rows = scratch.rows.size();
    const auto kernels = kmeans_tile_kernels<Value>(level);
    scratch.x.resize(kTile * n_cols);
    scratch.low.resize(kTile * scores.stride);
    for (std::size_t first = 0; first < n_rows; first += kTile) {
        float reach[kTile] = {};
        KMeansBounds bounds[kTile];
        const std::size_t n = std::min(kTile, n_rows - first);
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t row = scratch.rows[first + r];
            kernels.convert(task.X.row(row), n_cols, task.centres.scale,
                            scratch.x.data() + r * n_cols);
            reach[r] = task.reach(row);
        }
        for (std::size_t r = 0; r < kTile; ++r) {  // while these are worked on
            const std::size_t later = first + kTilesAhead * kTile + r;
            if (later < n_rows) task.X.ask_for_row(scratch.rows[later]);
        }
        std::fill(scratch.x.begin() + static_cast<std::ptrdiff_t>(n * n_cols), scratch.x.end(),
                  0.0f);
        kernels.bounds(scores, scratch.x.data(), reach, scratch.low.data(), bounds);
        for (std::size_t r = 0; r < n; ++r) {
            task.settle_by(scratch.rows[first + r], scratch.low.data() + r * scores.stride,
                           bounds[r]);
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
        centres.sums.size() != n_entries(centres.n_clusters, centres.n_cols) ||
        centres.factor.size() != centres.n_clusters || centres.norms.size() != centres.n_clusters) {
        throw std::invalid_argument("centres must be n_clusters x n_cols");
    }
    if (!centres.operand.empty() && centres.operand.size() != n_entries(centres.n_cols, stride)) {
        throw std::invalid_argument("operand must be n_cols x stride");
    }
    if (lengths.size() != n_rows || slack.size() != n_rows || drift.size() != centres.n_clusters) {
        throw std::invalid_argument("lengths, slack and drift must be by rows and clusters");
    }
    if (n_rows * centres.n_clusters < worth_a_thread) execution.n_threads = 1;
    const bool with_operand = operand_is_safe(centres, lengths);
    const KMeansScores scores(centres);
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
                           return settle_rows(task, scores, end, scratch, level);
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
