#include "linear/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/exp_rows.hpp"
#include "base/memory.hpp"

namespace quire {

namespace {

constexpr std::size_t kRowsPerPart = 512;

// log(1 + exp(z)) - y z, with all digits where it is small
double sigmoid_loss(double z, bool positive) {
    const double margin = positive ? z : -z;
    return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

// exp(z_k - largest) into `powers`; returns the loss -log softmax(z)_code and sets their sum.
double softmax_loss(const double* z, std::size_t width, std::size_t code, ExpRows exp_rows,
                    double* powers, double& sum) {
    double most[4] = {z[0], z[0], z[0], z[0]};
    std::size_t first = 0;
    for (; first + 4 <= width; first += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            most[lane] = z[first + lane] > most[lane] ? z[first + lane] : most[lane];
        }
    }
    for (; first < width; ++first) most[0] = std::max(most[0], z[first]);
    const double largest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
    std::size_t best = 0;  // stays so if a score is not a number
    while (best + 1 < width && z[best] != largest) ++best;
    for (std::size_t k = 0; k < width; ++k) powers[k] = z[k] - largest;
    exp_rows(powers, width);
    powers[best] = 0;  // the others alone: small sums keep their digits
    double sums[4] = {};
    std::size_t k = 0;
    for (; k + 4 <= width; k += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += powers[k + lane];
    }
    for (; k < width; ++k) sums[k % 4] += powers[k];
    powers[best] = 1;
    const double others = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    sum = 1.0 + others;
    return std::log1p(others) + (z[best] - z[code]);
}

void check(const LogisticRows& rows) {
    const std::size_t n = rows.codes.size();
    if (rows.width == 0) throw std::invalid_argument("scores must have a column");
    if (rows.scores.size() != n_entries(n, rows.width)) {
        throw std::invalid_argument("scores must have n_rows * width entries");
    }
    if (!rows.weights.empty() && rows.weights.size() != n) {
        throw std::invalid_argument("weights must have n_rows entries");
    }
    const auto n_classes = static_cast<std::int32_t>(std::max<std::size_t>(rows.width, 2));
    for (const std::int32_t code : rows.codes) {
        if (code < 0 || code >= n_classes) throw std::invalid_argument("a class is out of range");
    }
}

// Adds up body(row, scratch) over the rows.
template <class Body>
double sum_over_rows(const LogisticRows& rows, Execution execution, Body&& body) {
    const std::size_t n = rows.codes.size(), n_parts = n_parts_of(n, kRowsPerPart);
    if (n * rows.width < 4096) execution.n_threads = 1;
    std::vector<double> sums(n_parts, 0.0);
    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        std::vector<double> scratch(2 * rows.width);
        const std::size_t end = std::min((part + 1) * kRowsPerPart, n);
        double sum = 0;
        for (std::size_t row = part * kRowsPerPart; row < end; ++row) {
            sum += body(row, scratch.data());
        }
        sums[part] = sum;
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

}  // namespace

double logistic_loss(const LogisticRows& rows, std::span<const double> direction, double step,
                     const Execution& execution) {
    check(rows);
    if (!direction.empty() && direction.size() != rows.scores.size()) {
        throw std::invalid_argument("direction must be as large as scores");
    }
    const std::size_t width = rows.width;
    const ExpRows exp_rows = exp_rows_at(simd_level());
    return sum_over_rows(rows, execution, [&](std::size_t row, double* scratch) {
        const double weight = rows.weights.empty() ? 1.0 : rows.weights[row];
        if (weight == 0) return 0.0;
        const double* z = rows.scores.data() + row * width;
        if (!direction.empty()) {
            const double* d = direction.data() + row * width;
            for (std::size_t k = 0; k < width; ++k) scratch[k] = z[k] + step * d[k];
            z = scratch;
        }
        const auto code = static_cast<std::size_t>(rows.codes[row]);
        if (width == 1) return weight * sigmoid_loss(*z, code == 1);
        double sum = 0;
        return weight * softmax_loss(z, width, code, exp_rows, scratch + width, sum);
    });
}

template <class Real>
double logistic_state(const LogisticRows& rows, std::span<double> residuals,
                      std::span<Real> curvature, const Execution& execution) {
    check(rows);
    if (residuals.size() != rows.scores.size() || curvature.size() != rows.scores.size()) {
        throw std::invalid_argument("residuals and curvature must be as large as scores");
    }
    const std::size_t width = rows.width;
    const ExpRows exp_rows = exp_rows_at(simd_level());
    return sum_over_rows(rows, execution, [&](std::size_t row, double* powers) {
        const double weight = rows.weights.empty() ? 1.0 : rows.weights[row];
        const double* z = rows.scores.data() + row * width;
        const auto code = static_cast<std::size_t>(rows.codes[row]);
        double* const residual = residuals.data() + row * width;
        Real* const curve = curvature.data() + row * width;
        if (width == 1) {
            const double small = std::exp(-std::abs(*z)), scale = 1.0 / (1.0 + small);
            const bool agrees = (*z > 0) == (code == 1);
            const double wrong = (agrees ? small : 1.0) * scale;  // probability of the other class
            *residual = code == 1 ? -weight * wrong : weight * wrong;
            *curve = static_cast<Real>(weight * small * scale * scale);
            return weight == 0 ? 0.0 : weight * sigmoid_loss(*z, code == 1);
        }
        double sum = 0;
        const double loss = softmax_loss(z, width, code, exp_rows, powers, sum);
        const double scale = 1.0 / sum;
        double others = 0;
        for (std::size_t k = 0; k < width; ++k) {
            const double probability = powers[k] * scale;
            curve[k] = static_cast<Real>(probability);
            residual[k] = weight * probability;
            if (k != code) others += probability;
        }
        residual[code] = -weight * others;
        return weight == 0 ? 0.0 : weight * loss;
    });
}

template double logistic_state(const LogisticRows&, std::span<double>, std::span<float>,
                               const Execution&);
template double logistic_state(const LogisticRows&, std::span<double>, std::span<double>,
                               const Execution&);

}  // namespace quire
