// What the descents of linear support vector machines share: a sparse row against the weights of
// several problems side by side, and the orders in which rows are visited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/wide_rows.hpp"
#include "sparse/csr.hpp"

namespace quire {

inline constexpr double kSvmInfinity = std::numeric_limits<double>::infinity();

// scores[k] = sum_i x_i W[column_i, k] for n problems.
template <std::size_t n, class Real, class Value, class Index>
QUIRE_INLINE void svm_scores(const SparseRow<Value, Index>& x, const Real* W, Real* scores) {
    if constexpr (n == 1) {
        Real sums[4] = {};
        std::size_t i = 0;
        for (; i + 4 <= x.size; i += 4) {
            for (std::size_t lane = 0; lane < 4; ++lane) {
                sums[lane] += static_cast<Real>(x.values[i + lane]) *
                              W[static_cast<std::size_t>(x.columns[i + lane])];
            }
        }
        for (; i < x.size; ++i) {
            sums[0] += static_cast<Real>(x.values[i]) * W[static_cast<std::size_t>(x.columns[i])];
        }
        scores[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    } else {
        add_block<n>(x, W, n, scores);
    }
}

// W[column_i, k] += x_i steps[k]
template <std::size_t n, class Real, class Value, class Index>
QUIRE_INLINE void svm_move(const SparseRow<Value, Index>& x, const Real* steps, Real* W) {
    if constexpr (n == 1) {
        const Real step = steps[0];
        for (std::size_t i = 0; i < x.size; ++i) {
            W[static_cast<std::size_t>(x.columns[i])] += static_cast<Real>(x.values[i]) * step;
        }
    } else {
        constexpr std::size_t kWide = n % 16 == 0 && sizeof(Real) == 4 ? 16 : n % 8 == 0 ? 8 : 4;
        using Vector = typename Lanes<Real, kWide>::Vector;
        Vector step[n / kWide];
        for (std::size_t v = 0; v < n / kWide; ++v) {
            step[v] = *reinterpret_cast<const Vector*>(steps + kWide * v);
        }
        for (std::size_t i = 0; i < x.size; ++i) {
            Real* const row = W + static_cast<std::size_t>(x.columns[i]) * n;
            const auto value = static_cast<Real>(x.values[i]);
            for (std::size_t v = 0; v < n / kWide; ++v) {
                *reinterpret_cast<Vector*>(row + kWide * v) += value * step[v];
            }
        }
    }
}

template <class Value, class Index>
SparseRow<Value, Index> svm_row(const CsrView<Value, Index>& X, std::size_t row) {
    const std::size_t begin = X.begin(row), size = X.end(row) - begin;
    return {X.data.data() + begin, X.indices.data() + begin, size, size};
}

// Asks for the first values and columns of a row that comes soon.
template <class Value, class Index>
QUIRE_INLINE void svm_expect(const CsrView<Value, Index>& X, std::size_t row) {
    const std::size_t begin = X.begin(row);
    for (std::size_t at = 0; at < 32; at += 8) {
        ask_for(X.data.data() + begin + at);
    }
    ask_for(X.indices.data() + begin);
    ask_for(X.indices.data() + begin + 16);
}

// ||x_i||^2 + bias^2
template <class Value, class Index>
std::vector<double> svm_squares(const CsrView<Value, Index>& X, double bias) {
    std::vector<double> squares(X.n_rows());
    for (std::size_t row = 0; row < squares.size(); ++row) {
        double sum = bias * bias;
        for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
            const auto value = static_cast<double>(X.data[i]);
            sum += value * value;
        }
        squares[row] = sum;
    }
    return squares;
}

// The order of one pass: a shuffle that depends on the seed and the number of the pass alone.
inline void svm_shuffle(std::uint64_t seed, std::uint64_t pass, std::vector<std::uint32_t>& order) {
    std::iota(order.begin(), order.end(), 0u);
    Philox random(seed, pass);
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.integer(i))]);
    }
}

}  // namespace quire
