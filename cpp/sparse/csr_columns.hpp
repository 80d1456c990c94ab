// Checking a CSR matrix once, and then reading it by ranges of columns.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"
#include "sparse/csr.hpp"

namespace quire {

struct ColumnRange {
    std::int64_t begin;
    std::int64_t end;
};

[[noreturn]] inline void throw_column_outside(std::size_t row, std::int64_t n_cols) {
    throw std::invalid_argument("row " + std::to_string(row) + " has a column outside [0, " +
                                std::to_string(n_cols) + ")");
}

// Throws std::invalid_argument unless every row is a range of the stored entries. Which columns
// they have is not looked at.
template <class Value, class Index>
void csr_check_rows(const CsrView<Value, Index>& X) {
    if (X.indptr.empty())
        throw std::invalid_argument("indptr is empty: it needs n_rows + 1 entries");
    if (X.data.size() != X.indices.size()) {
        throw std::invalid_argument(
            "data and indices differ in length: " + std::to_string(X.data.size()) + " and " +
            std::to_string(X.indices.size()));
    }
    if (X.indptr.front() != 0 ||
        static_cast<std::uint64_t>(X.indptr.back()) > static_cast<std::uint64_t>(X.data.size())) {
        throw std::invalid_argument(
            "indptr must start at 0 and end at most at the number of stored values");
    }
    // The highest bit is set in a negative number, and in the difference where the second of two is
    // smaller. As long as none falls, all are at most the last.
    using Unsigned = std::make_unsigned_t<Index>;
    constexpr auto kMost = static_cast<Unsigned>(std::numeric_limits<Index>::max());
    const Index* const indptr = X.indptr.data();
    const auto difference = [&](std::size_t row) {
        const auto begin = static_cast<Unsigned>(indptr[row]);
        const auto end = static_cast<Unsigned>(indptr[row + 1]);
        return end | static_cast<Unsigned>(end - begin);
    };
    Unsigned signs = 0;
    for (std::size_t row = 0; row < X.n_rows(); ++row) signs |= difference(row);
    if (signs <= kMost) [[likely]]
        return;
    for (std::size_t row = 0; row < X.n_rows(); ++row) {
        if (difference(row) > kMost) {
            throw std::invalid_argument("indptr falls at row " + std::to_string(row));
        }
    }
}

namespace detail {

// Whether one of n columns is above `last`, as a number without a sign: negative ones are, too. No
// comparisons where there is no instruction for the larger of two: the highest bit is set in a
// negative number, and in the difference where it is too large.
template <bool has_maxima, class Unsigned>
QUIRE_INLINE bool is_above(const Unsigned* columns, std::size_t n, Unsigned last) {
    constexpr Unsigned kMost = std::numeric_limits<Unsigned>::max() / 2;
    if constexpr (has_maxima) {
        Unsigned largest = 0;
        for (std::size_t i = 0; i < n; ++i) largest = columns[i] > largest ? columns[i] : largest;
        return largest > last;
    } else {
        Unsigned signs = 0;
        for (std::size_t i = 0; i < n; ++i) {
            signs |= columns[i] | static_cast<Unsigned>(last - columns[i]);
        }
        return signs > kMost;
    }
}

#if QUIRE_X86
template <class Unsigned>
QUIRE_TARGET_AVX2 inline bool is_above_avx2(const Unsigned* columns, std::size_t n, Unsigned last) {
    return is_above<sizeof(Unsigned) == 4>(columns, n, last);
}
template <class Unsigned>
QUIRE_TARGET_AVX512 inline bool is_above_avx512(const Unsigned* columns, std::size_t n,
                                                Unsigned last) {
    return is_above<true>(columns, n, last);
}
#endif

}  // namespace detail

// Whether one of the entries [begin, end) has a column outside [0, n_cols).
template <class Value, class Index>
bool csr_is_outside(const CsrView<Value, Index>& X, std::size_t begin, std::size_t end) {
    if (X.n_cols <= 0) return begin < end;
    using Unsigned = std::make_unsigned_t<Index>;
    constexpr Index kMost = std::numeric_limits<Index>::max();
    const auto last = static_cast<Unsigned>(
        std::min(X.n_cols - 1, static_cast<std::int64_t>(kMost)));  // of the columns there are
    const auto* const columns = reinterpret_cast<const Unsigned*>(X.indices.data()) + begin;
    const std::size_t n = end - begin;
#if QUIRE_X86
    const SimdLevel level = simd_level();
    if (level == SimdLevel::avx512) return detail::is_above_avx512(columns, n, last);
    if (level == SimdLevel::avx2) return detail::is_above_avx2(columns, n, last);
#endif
    return detail::is_above<false>(columns, n, last);
}

// Throws std::invalid_argument if a row in [first_row, end_row) has a column outside: for kernels
// that look at the rows of a part just before they use them, while they are on their way from
// memory anyway. csr_check_rows must have been called.
template <class Value, class Index>
void csr_check_range(const CsrView<Value, Index>& X, std::size_t first_row, std::size_t end_row) {
    if (!csr_is_outside(X, X.begin(first_row), X.begin(end_row))) [[likely]]
        return;
    for (std::size_t row = first_row; row < end_row; ++row) {
        if (csr_is_outside(X, X.begin(row), X.end(row))) throw_column_outside(row, X.n_cols);
    }
}

// Throws std::invalid_argument unless the three arrays make a matrix; kernels that call it first
// need no bounds checks.
//
// Equivalent to
//     X.check_format(full_check=True)
template <class Value, class Index>
void csr_check_columns(const CsrView<Value, Index>& X, const Execution& execution) {
    csr_check_rows(X);
    constexpr std::size_t grain = 4096;
    parallel_parts(n_parts_of(X.n_rows(), grain), execution, [&](std::size_t part, int) {
        csr_check_range(X, part * grain, std::min((part + 1) * grain, X.n_rows()));
    });
}

// The same, and returns whether the columns of every row are in rising order.
//
// Equivalent to
//     X.check_format(full_check=True); return X.has_canonical_format
template <class Value, class Index>
bool csr_check(const CsrView<Value, Index>& X, const Execution& execution) {
    csr_check_columns(X, execution);
    constexpr std::size_t grain = 4096;
    std::atomic<bool> rising{true};
    parallel_parts(n_parts_of(X.n_rows(), grain), execution, [&](std::size_t part, int) {
        const std::size_t end_row = std::min((part + 1) * grain, X.n_rows());
        bool falls = false;
        for (std::size_t row = part * grain; row < end_row; ++row) {
            const std::size_t begin = X.begin(row), end = X.end(row);
            for (std::size_t i = begin + 1; i < end; ++i) falls |= X.indices[i] <= X.indices[i - 1];
        }
        if (falls) rising.store(false, std::memory_order_relaxed);
    });
    return rising;
}

// Calls visit(i) for the stored entries i of a row whose columns lie in a range; the row's columns
// must rise unless the range holds them all.
template <class Value, class Index, class Visit>
void visit_row(const CsrView<Value, Index>& X, std::size_t row, const ColumnRange& range,
               Visit&& visit) {
    std::size_t i = X.begin(row), end = X.end(row);
    const Index* columns = X.indices.data();
    if (range.begin > 0) {
        i = static_cast<std::size_t>(
            std::lower_bound(columns + i, columns + end, static_cast<Index>(range.begin)) -
            columns);
    }
    if (range.end < X.n_cols) {
        for (; i < end && columns[i] < static_cast<Index>(range.end); ++i) visit(i);
    } else {
        for (; i < end; ++i) visit(i);
    }
}

// Range number `block` of n_blocks equal ranges of the columns, cut at multiples of `unit`.
inline ColumnRange column_block(std::int64_t n_cols, std::size_t block, std::size_t n_blocks,
                                std::size_t unit = 1) {
    const auto width = static_cast<std::int64_t>(unit);
    const std::int64_t n_units = (n_cols + width - 1) / width;
    const auto cut = [&](std::size_t b) {
        const std::int64_t whole = n_units / static_cast<std::int64_t>(n_blocks);
        const std::int64_t rest = n_units % static_cast<std::int64_t>(n_blocks);
        const std::int64_t at = whole * static_cast<std::int64_t>(b) +
                                std::min<std::int64_t>(rest, static_cast<std::int64_t>(b));
        return std::min(at * width, n_cols);
    };
    return {cut(block), cut(block + 1)};
}

}  // namespace quire
