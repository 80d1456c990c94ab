// A tile of a matrix product in single precision whose sums stay in registers:
//
//     sums[i][j] = sum over t < depth of x[i * x.row + t * x.step] * w[t * stride + j]
//
// What is done with the sums is the caller's. AVX-512 has fused multiply-add and the others do not,
// so that the last bits of sums differ: they are for proposing, with a bound on their error.
#pragma once

#include <cstddef>

#include "base/simd.hpp"

#if QUIRE_X86
#include <immintrin.h>
#endif

namespace quire {

// The left operand: where it begins, and how far apart rows and the values of a row are.
struct TileRows {
    const float* data;
    std::size_t row, step;
};

template <std::size_t rows, std::size_t cols>
inline void tile_sums(const TileRows& x, const float* w, std::size_t stride, std::size_t depth,
                      float (&sums)[rows][cols]) {
    for (auto& row : sums) {
        for (float& sum : row) sum = 0.0f;
    }
    for (std::size_t t = 0; t < depth; ++t) {
        for (std::size_t i = 0; i < rows; ++i) {
            const float value = x.data[i * x.row + t * x.step];
            for (std::size_t j = 0; j < cols; ++j) sums[i][j] += value * w[t * stride + j];
        }
    }
}

#if QUIRE_X86

// 8 columns a vector. Of sixteen registers, rows * vectors hold sums and vectors + 1 operands.
template <std::size_t rows, std::size_t vectors>
QUIRE_TARGET_AVX2 [[gnu::always_inline]] inline void tile_sums(const TileRows& x, const float* w,
                                                               std::size_t stride,
                                                               std::size_t depth,
                                                               __m256 (&sums)[rows][vectors]) {
    for (auto& row : sums) {
        for (__m256& sum : row) sum = _mm256_setzero_ps();
    }
    for (std::size_t t = 0; t < depth; ++t) {
        __m256 right[vectors];
        for (std::size_t v = 0; v < vectors; ++v)
            right[v] = _mm256_loadu_ps(w + t * stride + 8 * v);
        for (std::size_t i = 0; i < rows; ++i) {
            const __m256 left = _mm256_broadcast_ss(x.data + i * x.row + t * x.step);
            for (std::size_t v = 0; v < vectors; ++v) {
                sums[i][v] = _mm256_add_ps(sums[i][v], _mm256_mul_ps(left, right[v]));
            }
        }
    }
}

// 16 columns a vector, and thirty-two registers.
template <std::size_t rows, std::size_t vectors>
QUIRE_TARGET_AVX512 [[gnu::always_inline]] inline void tile_sums(const TileRows& x, const float* w,
                                                                 std::size_t stride,
                                                                 std::size_t depth,
                                                                 __m512 (&sums)[rows][vectors]) {
    for (auto& row : sums) {
        for (__m512& sum : row) sum = _mm512_setzero_ps();
    }
    for (std::size_t t = 0; t < depth; ++t) {
        __m512 right[vectors];
        for (std::size_t v = 0; v < vectors; ++v) {
            right[v] = _mm512_loadu_ps(w + t * stride + 16 * v);
        }
        for (std::size_t i = 0; i < rows; ++i) {
            const __m512 left = _mm512_set1_ps(x.data[i * x.row + t * x.step]);
            for (std::size_t v = 0; v < vectors; ++v) {
                sums[i][v] = _mm512_fmadd_ps(left, right[v], sums[i][v]);
            }
        }
    }
}

#endif

}  // namespace quire
