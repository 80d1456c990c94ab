#include "counts/gaussian.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/memory.hpp"
#include "base/simd.hpp"

namespace quire {

namespace {

constexpr std::size_t kRows = 32;      // of a tile; their sums stay in registers
constexpr std::size_t kCols = 64;      // of a tile, which is half a first-level cache
constexpr std::size_t kClasses = 256;  // at a time, so that their sums stay near the core

// What one tile adds to the sums of some classes. sums: n_classes x kRows.
struct Tile {
    const double* values;  // n_cols x kRows
    std::size_t n_cols;
    const double* mean;  // of the first class and column
    const double* scale;
    std::size_t n_total;  // from one class to the next
    std::size_t n_classes;
    double* sums;
};

[[gnu::always_inline]] inline void add_tile(const Tile& tile) {
    for (std::size_t k = 0; k < tile.n_classes; ++k) {
        const double* mean = tile.mean + k * tile.n_total;
        const double* scale = tile.scale + k * tile.n_total;
        double sums[kRows];
        for (std::size_t r = 0; r < kRows; ++r) sums[r] = tile.sums[k * kRows + r];
        for (std::size_t j = 0; j < tile.n_cols; ++j) {
            const double* x = tile.values + j * kRows;
            for (std::size_t r = 0; r < kRows; ++r) {
                const double z = (x[r] - mean[j]) * scale[j];
                sums[r] += z * z;
            }
        }
        for (std::size_t r = 0; r < kRows; ++r) tile.sums[k * kRows + r] = sums[r];
    }
}

void add_portable(const Tile& tile) {
    add_tile(tile);
}
#if QUIRE_X86
QUIRE_TARGET_AVX2 void add_avx2(const Tile& tile) {
    add_tile(tile);
}
QUIRE_TARGET_AVX512 void add_avx512(const Tile& tile) {
    add_tile(tile);
}
#endif

auto adder() {
#if QUIRE_X86
    switch (simd_level()) {
        case SimdLevel::avx512:
            return &add_avx512;
        case SimdLevel::avx2:
            return &add_avx2;
        default:
            break;
    }
#endif
    return &add_portable;
}

// Columns [left, left + width) of rows [begin, begin + n) as doubles, column by column; rows that
// are not there are zero.
template <class Value>
void turn(const DenseView<Value>& X, std::size_t begin, std::size_t n, std::size_t left,
          std::size_t width, double* tile) {
    if (n < kRows) std::fill_n(tile, width * kRows, 0.0);
    if (X.has_rows()) {
        for (std::size_t r = 0; r < n; ++r) {
            const Value* x = X.at(begin + r, left);
            for (std::size_t j = 0; j < width; ++j) tile[j * kRows + r] = x[j];
        }
    } else {
        for (std::size_t j = 0; j < width; ++j) {
            for (std::size_t r = 0; r < n; ++r) tile[j * kRows + r] = *X.at(begin + r, left + j);
        }
    }
}

}  // namespace

template <class Value>
void dense_gaussian_log_likelihood(const DenseView<Value>& X, std::span<const double> mean,
                                   std::span<const double> scale, std::span<const double> offset,
                                   std::span<double> result, const Execution& given) {
    const std::size_t n_classes = offset.size();
    if (mean.size() != n_entries(n_classes, X.n_cols) || scale.size() != mean.size()) {
        throw std::invalid_argument("mean and scale must have one entry for each class and column");
    }
    if (result.size() != n_entries(X.n_rows, n_classes)) {
        throw std::invalid_argument("result must have n_rows * n_classes entries");
    }
    Execution execution = given;
    constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
    const std::size_t per_row = (X.n_cols + 1) * (n_classes + 1);
    if (X.n_rows * per_row < worth_a_thread) execution.n_threads = 1;
    const auto add = adder();
    const std::size_t grain =
        std::max<std::size_t>((std::size_t{1} << 18) / per_row / kRows, 1) * kRows;

    parallel_parts(n_parts_of(X.n_rows, grain), execution,
                   [&](std::size_t part, int, Checkpoint& checkpoint) {
                       RawVector<double> values(std::min(X.n_cols, kCols) * kRows);
                       RawVector<double> sums(std::min(n_classes, kClasses) * kRows);
                       const std::size_t end = std::min(X.n_rows, (part + 1) * grain);
                       for (std::size_t begin = part * grain; begin < end; begin += kRows) {
                           const std::size_t n = std::min(kRows, end - begin);
                           for (std::size_t first = 0; first < n_classes; first += kClasses) {
                               const std::size_t count = std::min(kClasses, n_classes - first);
                               std::fill_n(sums.data(), count * kRows, 0.0);
                               for (std::size_t left = 0; left < X.n_cols; left += kCols) {
                                   const std::size_t width = std::min(kCols, X.n_cols - left);
                                   turn(X, begin, n, left, width, values.data());
                                   const std::size_t at = first * X.n_cols + left;
                                   add({values.data(), width, mean.data() + at, scale.data() + at,
                                        X.n_cols, count, sums.data()});
                                   checkpoint.step();
                               }
                               for (std::size_t r = 0; r < n; ++r) {
                                   double* out = result.data() + (begin + r) * n_classes + first;
                                   for (std::size_t k = 0; k < count; ++k) {
                                       out[k] = offset[first + k] - 0.5 * sums[k * kRows + r];
                                   }
                               }
                           }
                       }
                   });
}

template void dense_gaussian_log_likelihood(const DenseView<float>&, std::span<const double>,
                                            std::span<const double>, std::span<const double>,
                                            std::span<double>, const Execution&);
template void dense_gaussian_log_likelihood(const DenseView<double>&, std::span<const double>,
                                            std::span<const double>, std::span<const double>,
                                            std::span<double>, const Execution&);

}  // namespace quire
