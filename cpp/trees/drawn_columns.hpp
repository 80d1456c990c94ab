// Which columns were drawn for a node, and which entries of a row lie in them.
//
// There is a bit for each column. A row has many entries and few of them lie in drawn columns, so
// that where the machine allows it 32 entries at a time are first looked up by the last twelve bits
// of their columns, in a table that fits into registers; what that lets through is then looked up
// among the bits.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/simd.hpp"

#if QUIRE_X86
#include <immintrin.h>
#endif

namespace quire {

class DrawnColumns {
  public:
    explicit DrawnColumns(std::size_t n_cols)
        : bits_(n_cols / 64 + 1), wide_(simd_level() == SimdLevel::avx512) {}

    // Marks a column; false if it was marked before.
    bool mark(std::uint32_t column) {
        std::uint64_t& word = bits_[column / 64];
        const std::uint64_t bit = std::uint64_t{1} << column % 64;
        const bool is_new = (word & bit) == 0;
        word |= bit;
        return is_new;
    }
    bool has(std::uint32_t column) const { return (bits_[column / 64] >> column % 64 & 1u) != 0; }
    void clear(std::span<const std::uint32_t> columns) {
        for (const std::uint32_t column : columns) bits_[column / 64] = 0;
    }
    std::span<const std::uint64_t> bits() const { return bits_; }

    // Before `scan`: makes the small table of the columns that are marked.
    void prepare(std::span<const std::uint32_t> columns) {
        if (!wide_) return;
        table_.fill(0);
        for (const std::uint32_t column : columns) {
            auto& word = table_[column / 16 % table_.size()];
            word = static_cast<std::uint16_t>(word | 1u << column % 16);
        }
    }
    // Fills `found`, which has room for n, with the places of the columns that are marked, and
    // returns their number.
    template <class Column>
    std::size_t scan(const Column* columns, std::size_t n, std::uint32_t* found) const {
#if QUIRE_X86
        if (wide_) return scan_wide(columns, n, found);
#endif
        return scan_some(columns, 0, n, found, 0);
    }

  private:
    template <class Column>
    std::size_t scan_some(const Column* columns, std::size_t begin, std::size_t end,
                          std::uint32_t* found, std::size_t n_found) const {
        const std::uint64_t* const bits = bits_.data();
        for (std::size_t k = begin; k < end; ++k) {
            const std::uint32_t column = columns[k];
            if ((bits[column / 64] >> column % 64 & 1u) != 0) {
                found[n_found++] = static_cast<std::uint32_t>(k);
            }
        }
        return n_found;
    }

#if QUIRE_X86
    QUIRE_TARGET_AVX512 static __m512i load(const std::uint16_t* columns) {
        return _mm512_loadu_si512(columns);
    }
    QUIRE_TARGET_AVX512 static __m512i load(const std::uint32_t* columns) {
        // Masks that take everything: GCC takes the plain forms for uses of unset values.
        constexpr auto all = static_cast<__mmask16>(0xFFFF);
        const __m256i low = _mm512_maskz_cvtepi32_epi16(all, _mm512_loadu_si512(columns));
        const __m256i high = _mm512_maskz_cvtepi32_epi16(all, _mm512_loadu_si512(columns + 16));
        return _mm512_maskz_inserti64x4(0xFF, _mm512_castsi256_si512(low), high, 1);
    }

    template <class Column>
    QUIRE_TARGET_AVX512 std::size_t scan_wide(const Column* columns, std::size_t n,
                                              std::uint32_t* found) const {
        constexpr std::size_t step = 32;
        std::size_t n_found = 0, begin = 0;
        const std::uint64_t* const bits = bits_.data();
        const auto table = [this](std::size_t part) QUIRE_TARGET_AVX512 {
            return _mm512_load_si512(table_.data() + part * step);
        };
        const __m512i one = _mm512_set1_epi16(1), last_four = _mm512_set1_epi16(15);
        for (; begin + step <= n; begin += step) {
            const __m512i number = load(columns + begin);
            const __m512i word = _mm512_srli_epi16(number, 4);
            const __mmask32 by_64 = _mm512_movepi16_mask(_mm512_slli_epi16(number, 5));
            const __mmask32 by_128 = _mm512_movepi16_mask(_mm512_slli_epi16(number, 4));
            const __m512i first =
                _mm512_mask_mov_epi16(_mm512_permutex2var_epi16(table(0), word, table(1)), by_64,
                                      _mm512_permutex2var_epi16(table(2), word, table(3)));
            const __m512i second =
                _mm512_mask_mov_epi16(_mm512_permutex2var_epi16(table(4), word, table(5)), by_64,
                                      _mm512_permutex2var_epi16(table(6), word, table(7)));
            const __m512i bit = _mm512_sllv_epi16(one, _mm512_and_si512(number, last_four));
            std::uint32_t maybe =
                _mm512_test_epi16_mask(_mm512_mask_mov_epi16(first, by_128, second), bit);
            for (; maybe != 0; maybe &= maybe - 1) {
                const std::size_t k = begin + static_cast<std::size_t>(std::countr_zero(maybe));
                const std::uint32_t column = columns[k];
                found[n_found] = static_cast<std::uint32_t>(k);
                n_found += bits[column / 64] >> column % 64 & 1u;
            }
        }
        return scan_some(columns, begin, n, found, n_found);
    }
#endif

    std::vector<std::uint64_t> bits_;
    bool wide_;
    alignas(64) std::array<std::uint16_t, 256> table_{};
};

}  // namespace quire
