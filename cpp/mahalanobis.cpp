#include "mahalanobis.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "memory.hpp"
#include "simd.hpp"
#include "wide_rows.hpp"

namespace quire {

namespace {

constexpr std::size_t kTile = 6;  // rows that meet a factor together
constexpr std::size_t kRowsPerPart = 32 * kTile;
constexpr std::size_t kLanes = 8;

// A factor with rows of a multiple of kLanes numbers, the last ones zero.
struct Factor {
    const double* numbers;
    std::size_t n_cols, stride;
    bool upper;
};

// strands[r][.] += squares of n columns, from `first`, of the products of kTile rows.
template <std::size_t n>
QUIRE_INLINE void add_squares(const double* x, const Factor& P, std::size_t first,
                              double (&strands)[kTile][kLanes]) {
    static_assert(kTile == 6);
    Sums<double, n> a, b, c, d, e, f;
    const std::size_t end = P.upper ? std::min(P.n_cols, first + n) : P.n_cols;
    const double* row = P.numbers + first;
    for (std::size_t col = 0; col < end; ++col, ++x, row += P.stride) {
        a.add(x[0], row);
        b.add(x[P.n_cols], row);
        c.add(x[2 * P.n_cols], row);
        d.add(x[3 * P.n_cols], row);
        e.add(x[4 * P.n_cols], row);
        f.add(x[5 * P.n_cols], row);
    }
    double products[kTile][n];
    a.store(products[0]);
    b.store(products[1]);
    c.store(products[2]);
    d.store(products[3]);
    e.store(products[4]);
    f.store(products[5]);
    for (std::size_t r = 0; r < kTile; ++r) {
        for (std::size_t at = 0; at < n; at += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const double y = products[r][at + lane];
                strands[r][lane] += y * y;
            }
        }
    }
}

// The squared lengths of the products of kTile rows, which lie one after another in x. `most` is
// how many columns of the product fit into the registers.
template <std::size_t most>
QUIRE_INLINE void tile_squares(const double* x, const Factor& P, double* squares) {
    double strands[kTile][kLanes] = {};
    std::size_t first = 0;
    for (; first + most <= P.stride; first += most) add_squares<most>(x, P, first, strands);
    for (; first < P.stride; first += kLanes) add_squares<kLanes>(x, P, first, strands);
    for (std::size_t r = 0; r < kTile; ++r) {
        const double* s = strands[r];
        squares[r] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
}

using TileSquares = void (*)(const double*, const Factor&, double*);

void tile_squares_portable(const double* x, const Factor& P, double* squares) {
    tile_squares<kLanes>(x, P, squares);
}
#if QUIRE_X86
QUIRE_TARGET_AVX2 void tile_squares_avx2(const double* x, const Factor& P, double* squares) {
    tile_squares<kLanes>(x, P, squares);
}
QUIRE_TARGET_AVX512 void tile_squares_avx512(const double* x, const Factor& P, double* squares) {
    tile_squares<4 * kLanes>(x, P, squares);
}
#endif

TileSquares tile_squares_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return tile_squares_avx512;
    if (level == SimdLevel::avx2) return tile_squares_avx2;
#else
    (void)level;
#endif
    return tile_squares_portable;
}

}  // namespace

template <class Value>
void dense_mahalanobis(const DenseView<Value>& X, std::span<const double> means,
                       std::span<const double> factors, bool upper, std::span<double> out,
                       const Execution& execution) {
    const std::size_t n_cols = X.n_cols, n_rows = X.n_rows;
    const std::size_t n_components = n_cols == 0 ? 0 : means.size() / n_cols;
    if (!X.has_rows()) throw std::invalid_argument("X must be stored by rows");
    if (means.size() != n_components * n_cols || factors.size() != means.size() * n_cols ||
        out.size() != n_rows * n_components) {
        throw std::invalid_argument("means, factors and out must fit each other");
    }
    const std::size_t stride = (n_cols + kLanes - 1) / kLanes * kLanes;
    RawVector<double> padded(n_components * n_cols * stride);
    for (std::size_t row = 0; row < n_components * n_cols; ++row) {
        double* to = padded.data() + row * stride;
        std::copy_n(factors.data() + row * n_cols, n_cols, to);
        std::fill(to + n_cols, to + stride, 0.0);
    }
    const auto tile_squares = tile_squares_at(simd_level());
    std::vector<std::vector<double>> tiles(
        static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(
        n_parts_of(n_rows, kRowsPerPart), execution,
        [&](std::size_t part, int worker, Checkpoint& checkpoint) {
            auto& x = tiles[static_cast<std::size_t>(worker)];
            x.assign(kTile * n_cols, 0.0);
            const std::size_t end = std::min((part + 1) * kRowsPerPart, n_rows);
            for (std::size_t k = 0; k < n_components; ++k) {
                const double* mean = means.data() + k * n_cols;
                const Factor P{padded.data() + k * n_cols * stride, n_cols, stride, upper};
                for (std::size_t first = part * kRowsPerPart; first < end; first += kTile) {
                    const std::size_t n = std::min(kTile, end - first);
                    for (std::size_t r = 0; r < n; ++r) {
                        const Value* row = X.at(first + r, 0);
                        double* to = x.data() + r * n_cols;
                        for (std::size_t f = 0; f < n_cols; ++f) {
                            to[f] = static_cast<double>(row[f]) - mean[f];
                        }
                    }
                    double squares[kTile];
                    tile_squares(x.data(), P, squares);
                    for (std::size_t r = 0; r < n; ++r) {
                        out[(first + r) * n_components + k] = squares[r];
                    }
                }
                checkpoint();
            }
        });
}

template void dense_mahalanobis(const DenseView<float>&, std::span<const double>,
                                std::span<const double>, bool, std::span<double>, const Execution&);
template void dense_mahalanobis(const DenseView<double>&, std::span<const double>,
                                std::span<const double>, bool, std::span<double>, const Execution&);

}  // namespace quire
