#include "linear/csc_quadratic_descent.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

double soft(double z, double threshold) {
    if (z > threshold) return z - threshold;
    if (z < -threshold) return z + threshold;
    return 0.0;
}

// sum_i x_i r_i of one column, in four sums so that additions need not wait for each other.
template <class Value, class Index>
double column_dot(const CsrView<Value, Index>& columns, std::size_t j, std::span<const double> r) {
    const std::size_t end = columns.end(j);
    std::size_t i = columns.begin(j);
    double sums[4] = {};
    const auto term = [&](std::size_t at) {
        return static_cast<double>(columns.data[at]) *
               r[static_cast<std::size_t>(columns.indices[at])];
    };
    for (; i + 4 <= end; i += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += term(i + lane);
    }
    for (; i < end; ++i) sums[0] += term(i);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Kernels past this line need no bounds checks.
template <class Value, class Index>
void check(const CsrView<Value, Index>& columns, std::span<const std::int64_t> working,
           std::span<const double> curvature, std::span<const double> h,
           std::span<const double> residual, std::span<const double> w) {
    csr_check_rows(columns);
    const auto n_samples = static_cast<std::size_t>(columns.n_cols);
    if (curvature.size() != working.size()) {
        throw std::invalid_argument("curvature must have an entry for each of working");
    }
    if (h.size() != n_samples || residual.size() != n_samples) {
        throw std::invalid_argument("h and residual must have n_samples entries");
    }
    if (w.size() != columns.n_rows()) {
        throw std::invalid_argument("w must have n_features entries");
    }
    for (const std::int64_t j : working) {
        if (j < 0 || static_cast<std::size_t>(j) >= w.size()) {
            throw std::invalid_argument("working has a coordinate that w does not have");
        }
        const auto column = static_cast<std::size_t>(j);
        for (std::size_t i = columns.begin(column); i < columns.end(column); ++i) {
            if (static_cast<std::uint64_t>(columns.indices[i]) >= n_samples) {
                throw_column_outside(column, columns.n_cols);
            }
        }
    }
}

}  // namespace

template <class Value, class Index>
double csc_quadratic_descent(const CsrView<Value, Index>& columns,
                             std::span<const std::int64_t> working,
                             std::span<const double> curvature, std::span<const double> h,
                             std::span<double> residual, std::span<double> w, double l1, double l2,
                             double tol, std::int64_t max_passes, const Execution& execution) {
    check(columns, working, curvature, h, residual, w);
    double largest = 0.0;
    interruptible(execution, [&](Checkpoint& checkpoint) {
        for (std::int64_t pass = 0; pass < max_passes; ++pass) {
            largest = 0.0;
            for (std::size_t k = 0; k < working.size(); ++k) {
                const double c = curvature[k];
                if (!(c + l2 > 0.0)) continue;  // an empty column that nothing pulls
                const auto j = static_cast<std::size_t>(working[k]);
                const double slope = column_dot(columns, j, residual);
                const double step = soft(c * w[j] - slope, l1) / (c + l2) - w[j];
                if (step != 0.0) {
                    for (std::size_t i = columns.begin(j); i < columns.end(j); ++i) {
                        const auto row = static_cast<std::size_t>(columns.indices[i]);
                        residual[row] += h[row] * static_cast<double>(columns.data[i]) * step;
                    }
                    w[j] += step;
                    largest = std::max(largest, std::abs(step) * (c + l2));
                }
                checkpoint.step();
            }
            if (largest <= tol) break;
        }
    });
    return largest;
}

#define QUIRE_INSTANTIATE(Value, Index)                                                        \
    template double csc_quadratic_descent(                                                     \
        const CsrView<Value, Index>&, std::span<const std::int64_t>, std::span<const double>,  \
        std::span<const double>, std::span<double>, std::span<double>, double, double, double, \
        std::int64_t, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
