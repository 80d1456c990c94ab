#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/prefetch.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"
#include "cluster/kmeans.hpp"

namespace quire {

namespace {

constexpr std::size_t kWidth = 8;  // candidates side by side
constexpr std::size_t kTile = 4;   // rows that meet them together
constexpr std::size_t kRowsPerPart = 256 * kTile;
constexpr std::size_t kTilesAhead = 8;  // how early rows are asked for

// out[r][k] = sum_f x_r[f] turned[f, k]. Lanes do not meet, so every instruction set gives the same
// bits.
template <class Value>
QUIRE_INLINE void products(const Value* const* x, std::size_t n_cols, const double* turned,
                           std::size_t stride, double* out) {
    static_assert(kTile == 4);
    const Value *p = x[0], *q = x[1], *r = x[2], *s = x[3];
    Sums<double, kWidth> a, b, c, d;
    for (std::size_t f = 0; f < n_cols; ++f, turned += stride) {
        a.add(static_cast<double>(p[f]), turned);
        b.add(static_cast<double>(q[f]), turned);
        c.add(static_cast<double>(r[f]), turned);
        d.add(static_cast<double>(s[f]), turned);
    }
    a.store(out);
    b.store(out + kWidth);
    c.store(out + 2 * kWidth);
    d.store(out + 3 * kWidth);
}

#define QUIRE_PRODUCTS_ARGUMENTS \
    const Value *const *x, std::size_t n_cols, const double *turned, std::size_t stride, double *out

template <class Value>
using Products = void (*)(QUIRE_PRODUCTS_ARGUMENTS);

template <class Value>
void products_portable(QUIRE_PRODUCTS_ARGUMENTS) {
    products(x, n_cols, turned, stride, out);
}
#if QUIRE_X86
template <class Value>
QUIRE_TARGET_AVX2 void products_avx2(QUIRE_PRODUCTS_ARGUMENTS) {
    products(x, n_cols, turned, stride, out);
}
template <class Value>
QUIRE_TARGET_AVX512 void products_avx512(QUIRE_PRODUCTS_ARGUMENTS) {
    products(x, n_cols, turned, stride, out);
}
#endif

template <class Value>
Products<Value> products_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return products_avx512<Value>;
    if (level == SimdLevel::avx2) return products_avx2<Value>;
#endif
    (void)level;
    return products_portable<Value>;
}

void check(const KMeansCandidates& candidates, std::size_t n_rows) {
    const std::size_t n = candidates.chosen.size();
    if (candidates.squares.size() != n_rows || candidates.weights.size() != n_rows ||
        candidates.closest.size() != n_rows) {
        throw std::invalid_argument("squares, weights and closest must have n_rows entries");
    }
    if (candidates.left.size() != n_entries(n, n_rows) || candidates.potentials.size() != n) {
        throw std::invalid_argument("left must be n_candidates x n_rows");
    }
    for (const std::int64_t row : candidates.chosen) {
        if (row < 0 || static_cast<std::size_t>(row) >= n_rows) {
            throw std::invalid_argument("candidates must be numbers of rows");
        }
    }
}

}  // namespace

template <class Value>
void dense_kmeans_candidates(const DenseView<Value>& X, const KMeansCandidates& candidates,
                             const Execution& execution) {
    if (!X.has_rows()) throw std::invalid_argument("X must be stored by rows");
    check(candidates, X.n_rows);
    const auto& [squares, weights, closest, chosen, left, potentials] = candidates;
    const std::size_t n_rows = X.n_rows, n_cols = X.n_cols, n = chosen.size();
    const std::size_t stride = n_parts_of(n, kWidth) * kWidth;
    std::vector<double> turned(n_cols * stride, 0.0);
    for (std::size_t c = 0; c < n; ++c) {
        const Value* from = X.at(static_cast<std::size_t>(chosen[c]), 0);
        for (std::size_t f = 0; f < n_cols; ++f) {
            turned[f * stride + c] = static_cast<double>(from[f]);
        }
    }
    const auto products = products_at<Value>(simd_level());
    const std::size_t n_parts = n_parts_of(n_rows, kRowsPerPart);
    std::vector<double> sums(n_parts * n, 0.0);

    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        const std::size_t end = std::min((part + 1) * kRowsPerPart, n_rows);
        for (std::size_t row = part * kRowsPerPart; row < end; row += kTile) {
            const std::size_t n_here = std::min(kTile, end - row);
            const Value* x[kTile];
            for (std::size_t r = 0; r < kTile; ++r) {
                x[r] = X.at(row + std::min(r, n_here - 1), 0);
                const std::size_t later = row + kTilesAhead * kTile + r;
                if (later < n_rows) prefetch_row(X.at(later, 0), n_cols);
            }
            for (std::size_t first = 0; first < n; first += kWidth) {
                double product[kTile * kWidth];
                products(x, n_cols, turned.data() + first, stride, product);
                const std::size_t some = std::min(kWidth, n - first);
                for (std::size_t k = 0; k < some; ++k) {
                    const std::size_t c = first + k;
                    const double own = squares[static_cast<std::size_t>(chosen[c])];
                    double sum = 0;
                    for (std::size_t r = 0; r < n_here; ++r) {
                        const std::size_t i = row + r;
                        const double square = squares[i] - 2 * product[r * kWidth + k] + own;
                        const double least = std::min(std::max(square, 0.0), closest[i]);
                        left[c * n_rows + i] = least;
                        sum += weights[i] * least;
                    }
                    sums[part * n + c] += sum;
                }
            }
        }
    });
    std::fill(potentials.begin(), potentials.end(), 0.0);
    for (std::size_t part = 0; part < n_parts; ++part) {
        for (std::size_t c = 0; c < n; ++c) potentials[c] += sums[part * n + c];
    }
}

template void dense_kmeans_candidates(const DenseView<float>&, const KMeansCandidates&,
                                      const Execution&);
template void dense_kmeans_candidates(const DenseView<double>&, const KMeansCandidates&,
                                      const Execution&);

}  // namespace quire
