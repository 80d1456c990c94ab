#include "sparse/csr_matmul.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/bits.hpp"
#include "base/memory.hpp"
#include "base/simd.hpp"
#include "sparse/csr_columns.hpp"

#if QUIRE_X86
#include <immintrin.h>
#endif

namespace quire {

namespace {

// How many entries ahead the rows of W are asked for: they lie anywhere in memory.
constexpr std::size_t kAhead = 16;
constexpr std::size_t kLinesAhead = 32;  // where asking costs little
constexpr std::size_t kLine = 64;

// One row of X: its values and columns. After these come the columns of the next rows: `known` in
// all.
template <class Value, class Index>
struct Row {
    const Value* values;
    const Index* columns;
    std::size_t size;
    std::size_t known;
};

struct Dense {
    const double* W;
    std::size_t width;
    bool is_lines;  // whether its rows are whole cache lines
    const double* row(std::size_t i) const { return W + i * width; }
};

template <class Value, class Index>
inline void ask_for(const Row<Value, Index>& x, std::size_t i, const Dense& W, std::size_t first,
                    std::size_t n_bytes) {
    if (i + kAhead >= x.known) return;
    const auto* begin = reinterpret_cast<const char*>(
        W.row(static_cast<std::size_t>(x.columns[i + kAhead])) + first);
    const char* const end = begin + n_bytes;
    const auto past_line = reinterpret_cast<std::uintptr_t>(begin) % kLine;
    for (const char* line = begin - past_line; line < end; line += kLine) prefetch(line);
}

// out[first, first + n) += x W[:, first, first + n)
template <class Value, class Index>
void add_row_portable(const Row<Value, Index>& x, const Dense& W, double* out) {
    for (std::size_t i = 0; i < x.size; ++i) {
        ask_for(x, i, W, 0, W.width * sizeof(double));
        const double* w = W.row(static_cast<std::size_t>(x.columns[i]));
        const auto value = static_cast<double>(x.values[i]);
        for (std::size_t k = 0; k < W.width; ++k) out[k] += value * w[k];
    }
}

// The same for a single column, whose numbers lie close enough together not to be asked for.
template <class Value, class Index>
void add_row_single(const Row<Value, Index>& x, const Dense& W, double* out) {
    double sum = *out;
    for (std::size_t i = 0; i < x.size; ++i) {
        sum += static_cast<double>(x.values[i]) * W.W[static_cast<std::size_t>(x.columns[i])];
    }
    *out = sum;
}

#if QUIRE_X86

// `n` of the columns, from `first`, in n_vectors registers of four numbers.
template <int n_vectors, class Value, class Index>
QUIRE_TARGET_AVX2 void add_block_avx2(const Row<Value, Index>& x, const Dense& W, std::size_t first,
                                      std::size_t n, double* out) {
    __m256d sums[n_vectors];
    alignas(32) std::int64_t bits[4];
    for (std::size_t k = 0; k < 4; ++k) bits[k] = k + 4 * (n_vectors - 1) < n ? -1 : 0;
    const __m256i tail = _mm256_load_si256(reinterpret_cast<const __m256i*>(bits));
    for (int v = 0; v + 1 < n_vectors; ++v) sums[v] = _mm256_loadu_pd(out + first + 4 * v);
    sums[n_vectors - 1] = _mm256_maskload_pd(out + first + 4 * (n_vectors - 1), tail);
    for (std::size_t i = 0; i < x.size; ++i) {
        ask_for(x, i, W, first, n * sizeof(double));
        const double* w = W.row(static_cast<std::size_t>(x.columns[i])) + first;
        const __m256d value = _mm256_set1_pd(static_cast<double>(x.values[i]));
        for (int v = 0; v + 1 < n_vectors; ++v) {
            sums[v] = _mm256_add_pd(sums[v], _mm256_mul_pd(value, _mm256_loadu_pd(w + 4 * v)));
        }
        const __m256d last = _mm256_maskload_pd(w + 4 * (n_vectors - 1), tail);
        sums[n_vectors - 1] = _mm256_add_pd(sums[n_vectors - 1], _mm256_mul_pd(value, last));
    }
    for (int v = 0; v + 1 < n_vectors; ++v) _mm256_storeu_pd(out + first + 4 * v, sums[v]);
    _mm256_maskstore_pd(out + first + 4 * (n_vectors - 1), tail, sums[n_vectors - 1]);
}

// The same with registers of eight numbers.
template <int n_vectors, class Value, class Index>
QUIRE_TARGET_AVX512 void add_block_avx512(const Row<Value, Index>& x, const Dense& W,
                                          std::size_t first, std::size_t n, double* out) {
    __m512d sums[n_vectors];
    const auto tail = static_cast<__mmask8>((1u << (n - 8 * (n_vectors - 1))) - 1);
    for (int v = 0; v + 1 < n_vectors; ++v) sums[v] = _mm512_loadu_pd(out + first + 8 * v);
    sums[n_vectors - 1] = _mm512_maskz_loadu_pd(tail, out + first + 8 * (n_vectors - 1));
    for (std::size_t i = 0; i < x.size; ++i) {
        ask_for(x, i, W, first, n * sizeof(double));
        const double* w = W.row(static_cast<std::size_t>(x.columns[i])) + first;
        const __m512d value = _mm512_set1_pd(static_cast<double>(x.values[i]));
        for (int v = 0; v + 1 < n_vectors; ++v) {
            sums[v] = _mm512_add_pd(sums[v], _mm512_mul_pd(value, _mm512_loadu_pd(w + 8 * v)));
        }
        const __m512d last = _mm512_maskz_loadu_pd(tail, w + 8 * (n_vectors - 1));
        sums[n_vectors - 1] = _mm512_add_pd(sums[n_vectors - 1], _mm512_mul_pd(value, last));
    }
    for (int v = 0; v + 1 < n_vectors; ++v) _mm512_storeu_pd(out + first + 8 * v, sums[v]);
    _mm512_mask_storeu_pd(out + first + 8 * (n_vectors - 1), tail, sums[n_vectors - 1]);
}

// The same where rows of W are whole cache lines: a few instructions for each entry, and no more.
template <int n_vectors, class Value, class Index>
QUIRE_TARGET_AVX512 void add_lines_avx512(const Row<Value, Index>& x, const Dense& W,
                                          std::size_t first, std::size_t, double* out) {
    __m512d sums[n_vectors];
    for (int v = 0; v < n_vectors; ++v) sums[v] = _mm512_loadu_pd(out + first + 8 * v);
    const double* const base = W.W + first;
    const std::size_t foreseen =
        x.known > kLinesAhead ? std::min(x.size, x.known - kLinesAhead) : 0;
    for (std::size_t i = 0; i < x.size; ++i) {
        if (i < foreseen) {
            const auto ahead = static_cast<std::size_t>(x.columns[i + kLinesAhead]);
            for (int v = 0; v < n_vectors; ++v) prefetch(base + ahead * W.width + 8 * v);
        }
        const double* const w = base + static_cast<std::size_t>(x.columns[i]) * W.width;
        const __m512d value = _mm512_set1_pd(static_cast<double>(x.values[i]));
        for (int v = 0; v < n_vectors; ++v) {
            sums[v] = _mm512_add_pd(sums[v], _mm512_mul_pd(value, _mm512_loadu_pd(w + 8 * v)));
        }
    }
    for (int v = 0; v < n_vectors; ++v) _mm512_storeu_pd(out + first + 8 * v, sums[v]);
}

// All columns, in blocks of up to four registers of `lanes` numbers; block[v - 1] uses v registers.
template <std::size_t lanes, class Value, class Index, class Block>
void add_blocks(const Row<Value, Index>& x, const Dense& W, double* out, const Block (&block)[4]) {
    for (std::size_t first = 0; first < W.width; first += 4 * lanes) {
        const std::size_t n = std::min(4 * lanes, W.width - first);
        block[(n - 1) / lanes](x, W, first, n, out);
    }
}

#endif

template <class Value, class Index>
void add_row(SimdLevel level, const Row<Value, Index>& x, const Dense& W, double* out) {
    if (W.width == 1) return add_row_single(x, W, out);
#if QUIRE_X86
    using Block =
        void (*)(const Row<Value, Index>&, const Dense&, std::size_t, std::size_t, double*);
    if (level == SimdLevel::avx512) {
        static constexpr Block blocks[4] = {
            add_block_avx512<1, Value, Index>, add_block_avx512<2, Value, Index>,
            add_block_avx512<3, Value, Index>, add_block_avx512<4, Value, Index>};
        static constexpr Block lines[4] = {
            add_lines_avx512<1, Value, Index>, add_lines_avx512<2, Value, Index>,
            add_lines_avx512<3, Value, Index>, add_lines_avx512<4, Value, Index>};
        return add_blocks<8>(x, W, out, W.is_lines ? lines : blocks);
    }
    if (level == SimdLevel::avx2) {
        static constexpr Block blocks[4] = {
            add_block_avx2<1, Value, Index>, add_block_avx2<2, Value, Index>,
            add_block_avx2<3, Value, Index>, add_block_avx2<4, Value, Index>};
        return add_blocks<4>(x, W, out, blocks);
    }
#else
    (void)level;
#endif
    add_row_portable(x, W, out);
}

// What a worker needs beside the matrices.
struct Scratch {
    std::vector<double> present;  // 1 or 0 for the entries of a row
    std::vector<double> sums;     // of a row, where they are not kept
};

// Works out the rows of offset + X W: place(row, scratch) says where, done(row, sums) is called
// with each.
template <class Value, class Index, class Place, class Done>
void for_each_row(const CsrView<Value, Index>& X, std::span<const double> W, std::size_t width,
                  std::span<const double> offset, std::optional<double> threshold,
                  Execution execution, Place&& place, Done&& done) {
    constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
    if (X.data.size() * width < worth_a_thread) execution.n_threads = 1;
    csr_check_rows(X);
    if (W.size() != n_entries(static_cast<std::size_t>(X.n_cols), width)) {
        throw std::invalid_argument("W must have n_cols * width entries");
    }
    if (!offset.empty() && offset.size() != width) {
        throw std::invalid_argument("offset must have width entries");
    }
    constexpr std::size_t kRowsPerPart = 64;
    const SimdLevel level = simd_level();
    // A row of W that is as long as a cache line should not lie in two of them.
    RawVector<double> aligned;
    const bool is_astride = reinterpret_cast<std::uintptr_t>(W.data()) % kLine != 0;
    const bool is_used_often = X.data.size() >= 4 * static_cast<std::size_t>(X.n_cols);
    if (is_astride && is_used_often && width * sizeof(double) % kLine == 0) {
        aligned.assign(W.begin(), W.end());
    }
    const double* const weights = aligned.empty() ? W.data() : aligned.data();
    const bool is_lines = reinterpret_cast<std::uintptr_t>(weights) % kLine == 0 &&
                          width * sizeof(double) % kLine == 0;
    const Dense dense{weights, width, is_lines};
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<Scratch> scratches(n_workers);
    parallel_parts(
        n_parts_of(X.n_rows(), kRowsPerPart), execution,
        [&](std::size_t part, int worker, Checkpoint& checkpoint) {
            Scratch& scratch = scratches[static_cast<std::size_t>(worker)];
            const std::size_t end_row = std::min((part + 1) * kRowsPerPart, X.n_rows());
            csr_check_range(X, part * kRowsPerPart, end_row);  // in the cache from here on
            const std::size_t end = X.begin(end_row);
            for (std::size_t row = part * kRowsPerPart; row < end_row; ++row) {
                const std::size_t begin = X.begin(row), size = X.end(row) - begin;
                double* const sums = place(row, scratch);
                if (offset.empty()) {
                    std::fill(sums, sums + width, 0.0);
                } else {
                    std::copy(offset.begin(), offset.end(), sums);
                }
                const Index* columns = X.indices.data() + begin;
                if (threshold) {
                    std::vector<double>& present = scratch.present;
                    if (present.size() < size) present.resize(size + size / 2);
                    for (std::size_t i = 0; i < size; ++i) {
                        present[i] =
                            static_cast<double>(X.data[begin + i]) > *threshold ? 1.0 : 0.0;
                    }
                    const double* values = present.data();
                    add_row(level, Row<double, Index>{values, columns, size, end - begin}, dense,
                            sums);
                } else {
                    const Value* values = X.data.data() + begin;
                    add_row(level, Row<Value, Index>{values, columns, size, end - begin}, dense,
                            sums);
                }
                done(row, sums);
                checkpoint.step();
            }
        });
}

}  // namespace

template <class Value, class Index>
void csr_matmul(const CsrView<Value, Index>& X, std::span<const double> W, std::size_t width,
                std::span<const double> offset, std::optional<double> threshold,
                std::span<double> out, const Execution& execution) {
    if (out.size() != n_entries(X.n_rows(), width)) {
        throw std::invalid_argument("out must have n_rows * width entries");
    }
    for_each_row(
        X, W, width, offset, threshold, execution,
        [&](std::size_t row, Scratch&) { return out.data() + row * width; },
        [](std::size_t, const double*) {});
}

template <class Value, class Index>
bool csr_argmax(const CsrView<Value, Index>& X, std::span<const double> W, std::size_t width,
                std::span<const double> offset, std::optional<double> threshold,
                std::span<std::int64_t> best, const Execution& execution) {
    if (best.size() != X.n_rows()) {
        throw std::invalid_argument("best must have n_rows entries");
    }
    if (width == 0) throw std::invalid_argument("W must have a column");
    std::atomic<bool> finite{true};
    for_each_row(
        X, W, width, offset, threshold, execution,
        [&](std::size_t, Scratch& scratch) {
            scratch.sums.resize(width);
            return scratch.sums.data();
        },
        [&](std::size_t row, const double* sums) {
            const double* largest = std::max_element(sums, sums + width);
            best[row] = largest - sums;
            if (!std::isfinite(*largest)) finite.store(false, std::memory_order_relaxed);
        });
    return finite;
}

#define QUIRE_INSTANTIATE(Value, Index)                                                          \
    template bool csr_argmax(const CsrView<Value, Index>&, std::span<const double>, std::size_t, \
                             std::span<const double>, std::optional<double>,                     \
                             std::span<std::int64_t>, const Execution&);                         \
    template void csr_matmul(const CsrView<Value, Index>&, std::span<const double>, std::size_t, \
                             std::span<const double>, std::optional<double>, std::span<double>,  \
                             const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
QUIRE_INSTANTIATE(std::int64_t, std::int32_t)
QUIRE_INSTANTIATE(std::int64_t, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
