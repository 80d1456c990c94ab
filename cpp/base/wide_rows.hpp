// Sparse rows times a dense matrix of float or double, in the precision of the matrix: the inner
// loop of products that are wanted fast and roughly. (csr_matmul is the one for results.)
#pragma once

#include <cstddef>

#include "base/simd.hpp"

#if defined(__GNUC__) || defined(__clang__)
#define QUIRE_INLINE inline __attribute__((always_inline))
#else
#define QUIRE_INLINE inline
#endif

namespace quire {

inline constexpr std::size_t kWideBlock = 32;  // columns worked on at once
inline constexpr std::size_t kWideAhead =
    12;  // entries ahead for which rows of the operand are asked
inline constexpr std::size_t kWideLine = 64;

// One sparse row. `known` columns can be read from its first one on: those of later rows, too.
template <class Value, class Index>
struct SparseRow {
    const Value* values;
    const Index* columns;
    std::size_t size, known;
};

// n numbers side by side: one register, where there are such.
#if defined(__GNUC__) || defined(__clang__)
template <class Real, std::size_t n>
struct Lanes {
    typedef Real Vector
        __attribute__((vector_size(n * sizeof(Real)), aligned(sizeof(Real)), may_alias));
};
QUIRE_INLINE void ask_for(const void* address) {
    __builtin_prefetch(address);
}
#else
template <class Real, std::size_t n>
struct Lanes {
    struct Vector {
        Real lane[n];
        void operator+=(const Vector& other) {
            for (std::size_t k = 0; k < n; ++k) lane[k] += other.lane[k];
        }
        friend Vector operator*(Real scale, Vector vector) {
            for (Real& lane : vector.lane) lane = scale * lane;
            return vector;
        }
    };
};
QUIRE_INLINE void ask_for(const void*) {}
#endif

// Sums of n columns, in the widest registers that n fills: 64 bytes, then half, then four numbers.
template <class Real, std::size_t n>
struct Sums {
    static constexpr std::size_t kWidest = 64 / sizeof(Real);
    static constexpr std::size_t kHere = n >= kWidest       ? kWidest
                                         : n >= kWidest / 2 ? kWidest / 2
                                                            : 4;
    using Vector = typename Lanes<Real, kHere>::Vector;
    Vector here = {};
    Sums<Real, n - kHere> rest;

    QUIRE_INLINE void add(Real value, const Real* row) {
        here += value * *reinterpret_cast<const Vector*>(row);
        rest.add(value, row + kHere);
    }
    QUIRE_INLINE void store(Real* out) const {
        *reinterpret_cast<Vector*>(out) = here;
        rest.store(out + kHere);
    }
};
template <class Real>
struct Sums<Real, 0> {
    QUIRE_INLINE void add(Real, const Real*) {}
    QUIRE_INLINE void store(Real*) const {}
};

// out[k] = sum_i x_i dense[column_i, k] for n neighbouring columns. Lanes do not meet, so every
// instruction set gives the same bits.
template <std::size_t n, class Real, class Value, class Index>
QUIRE_INLINE void add_block(const SparseRow<Value, Index>& x, const Real* dense, std::size_t stride,
                            Real* out) {
    Sums<Real, n> sums;
    for (std::size_t i = 0; i < x.size; ++i) {
        if (i + kWideAhead < x.known) {
            const auto* ahead = reinterpret_cast<const char*>(
                dense + static_cast<std::size_t>(x.columns[i + kWideAhead]) * stride);
            for (std::size_t at = 0; at < n * sizeof(Real); at += kWideLine) ask_for(ahead + at);
        }
        sums.add(static_cast<Real>(x.values[i]),
                 dense + static_cast<std::size_t>(x.columns[i]) * stride);
    }
    sums.store(out);
}

// Of any multiple of four columns up to kWideBlock.
template <class Real, class Value, class Index>
QUIRE_INLINE void add_columns(const SparseRow<Value, Index>& x, const Real* dense,
                              std::size_t stride, std::size_t n, Real* out) {
    switch (n / 4) {
        case 1:
            return add_block<4>(x, dense, stride, out);
        case 2:
            return add_block<8>(x, dense, stride, out);
        case 3:
            return add_block<12>(x, dense, stride, out);
        case 4:
            return add_block<16>(x, dense, stride, out);
        case 5:
            return add_block<20>(x, dense, stride, out);
        case 6:
            return add_block<24>(x, dense, stride, out);
        case 7:
            return add_block<28>(x, dense, stride, out);
        default:
            return add_block<32>(x, dense, stride, out);
    }
}

template <class Real, class Value, class Index>
using AddColumns = void (*)(const SparseRow<Value, Index>&, const Real*, std::size_t, std::size_t,
                            Real*);

template <class Real, class Value, class Index>
void add_columns_portable(const SparseRow<Value, Index>& x, const Real* dense, std::size_t stride,
                          std::size_t n, Real* out) {
    add_columns(x, dense, stride, n, out);
}

#if QUIRE_X86
template <class Real, class Value, class Index>
QUIRE_TARGET_AVX2 void add_columns_avx2(const SparseRow<Value, Index>& x, const Real* dense,
                                        std::size_t stride, std::size_t n, Real* out) {
    add_columns(x, dense, stride, n, out);
}
template <class Real, class Value, class Index>
QUIRE_TARGET_AVX512 void add_columns_avx512(const SparseRow<Value, Index>& x, const Real* dense,
                                            std::size_t stride, std::size_t n, Real* out) {
    add_columns(x, dense, stride, n, out);
}
#endif

template <class Real, class Value, class Index>
AddColumns<Real, Value, Index> add_columns_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return add_columns_avx512<Real, Value, Index>;
    if (level == SimdLevel::avx2) return add_columns_avx2<Real, Value, Index>;
#else
    (void)level;
#endif
    return add_columns_portable<Real, Value, Index>;
}

}  // namespace quire
