#include "neighbors/tile_top_k.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"

namespace quire {

namespace {

constexpr std::size_t kStep = 16;  // entries compared at a time
constexpr std::size_t kRowsPerPart = 16;
constexpr std::size_t kColumnsPerPart = 1024;

// Puts a value that is above the last of `best` in its place, behind those equal to it; returns it.
QUIRE_INLINE std::size_t insert(float* best, std::size_t k, float value) {
    std::size_t place = k - 1;
    for (; place > 0 && best[place - 1] < value; --place) best[place] = best[place - 1];
    best[place] = value;
    return place;
}

struct RowSearch {
    const float* values;
    const float* penalty;  // null: none
    std::size_t n_cols;
    std::int64_t first_column;
    float* best;
    std::int64_t* ids;
    std::size_t k;
};

template <bool penalised>
QUIRE_INLINE void search_row(const RowSearch& row) {
    float last = row.best[row.k - 1];
    for (std::size_t start = 0; start < row.n_cols; start += kStep) {
        const std::size_t n = std::min(kStep, row.n_cols - start);
        float value[kStep];
        int above = 0;
        if (n == kStep) {
            for (std::size_t j = 0; j < kStep; ++j) {
                value[j] = penalised ? row.values[start + j] - row.penalty[start + j]
                                     : row.values[start + j];
                above |= value[j] > last;
            }
        } else {
            for (std::size_t j = 0; j < n; ++j) {
                value[j] = penalised ? row.values[start + j] - row.penalty[start + j]
                                     : row.values[start + j];
                above |= value[j] > last;
            }
        }
        if (above == 0) continue;
        for (std::size_t j = 0; j < n; ++j) {
            if (!(value[j] > last)) continue;
            const std::size_t place = insert(row.best, row.k, value[j]);
            std::copy_backward(row.ids + place, row.ids + row.k - 1, row.ids + row.k);
            row.ids[place] = row.first_column + static_cast<std::int64_t>(start + j);
            last = row.best[row.k - 1];
        }
    }
}

QUIRE_INLINE void search_either(const RowSearch& row) {
    row.penalty == nullptr ? search_row<false>(row) : search_row<true>(row);
}

struct ColumnSearch {
    const float* values;  // of the first row and first column
    std::size_t n_rows, stride, n;
    std::int64_t first_row;
    float* best;
    std::int64_t* ids;
    float* last;  // the k-th best of each column
    std::size_t k;
};

// Puts a row in its place among the best of a column, if it has one: before equal values of rows
// with larger numbers.
QUIRE_INLINE void insert_row(float* best, std::int64_t* ids, std::size_t k, float value,
                             std::int64_t row) {
    const auto goes_before = [&](std::size_t place) {
        return best[place] < value || (best[place] == value && ids[place] > row);
    };
    if (!goes_before(k - 1)) return;
    std::size_t place = k - 1;
    for (; place > 0 && goes_before(place - 1); --place) {
        best[place] = best[place - 1];
        ids[place] = ids[place - 1];
    }
    best[place] = value;
    ids[place] = row;
}

QUIRE_INLINE void search_columns(const ColumnSearch& part) {
    for (std::size_t row = 0; row < part.n_rows; ++row) {
        const float* const values = part.values + row * part.stride;
        const std::int64_t id = part.first_row + static_cast<std::int64_t>(row);
        for (std::size_t start = 0; start < part.n; start += kStep) {
            const std::size_t n = std::min(kStep, part.n - start);
            int above = 0;
            if (n == kStep) {
                for (std::size_t j = 0; j < kStep; ++j) {
                    above |= values[start + j] >= part.last[start + j];
                }
            } else {
                for (std::size_t j = 0; j < n; ++j) {
                    above |= values[start + j] >= part.last[start + j];
                }
            }
            if (above == 0) continue;
            for (std::size_t j = start; j < start + n; ++j) {
                if (!(values[j] >= part.last[j])) continue;
                float* const best = part.best + j * part.k;
                insert_row(best, part.ids + j * part.k, part.k, values[j], id);
                part.last[j] = best[part.k - 1];
            }
        }
    }
}

void row_portable(const RowSearch& row) {
    search_either(row);
}
void columns_portable(const ColumnSearch& part) {
    search_columns(part);
}
#if QUIRE_X86
QUIRE_TARGET_AVX2 void row_avx2(const RowSearch& row) {
    search_either(row);
}
QUIRE_TARGET_AVX512 void row_avx512(const RowSearch& row) {
    search_either(row);
}
QUIRE_TARGET_AVX2 void columns_avx2(const ColumnSearch& part) {
    search_columns(part);
}
QUIRE_TARGET_AVX512 void columns_avx512(const ColumnSearch& part) {
    search_columns(part);
}
#endif

auto row_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return row_avx512;
    if (level == SimdLevel::avx2) return row_avx2;
#else
    (void)level;
#endif
    return row_portable;
}

auto columns_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return columns_avx512;
    if (level == SimdLevel::avx2) return columns_avx2;
#else
    (void)level;
#endif
    return columns_portable;
}

void check_first(std::int64_t number) {
    if (number < 0 || number > (std::int64_t{1} << 62)) {
        throw std::invalid_argument("the first number of a tile must be between 0 and 2**62");
    }
}

}  // namespace

void tile_top_k(std::span<const float> tile, std::size_t n_rows, std::size_t n_cols,
                std::int64_t first_column, std::span<const float> penalty, std::span<float> best,
                std::span<std::int64_t> ids, std::size_t k, const Execution& execution) {
    if (k == 0 || best.size() != n_entries(n_rows, k) || ids.size() != best.size()) {
        throw std::invalid_argument("best and ids must have n_rows * k entries, k at least 1");
    }
    check_first(first_column);
    if (tile.size() != n_entries(n_rows, n_cols) ||
        (!penalty.empty() && penalty.size() != n_cols)) {
        throw std::invalid_argument("tile must have n_rows * n_cols entries and penalty n_cols");
    }
    const auto search = row_at(simd_level());
    parallel_parts(
        (n_rows + kRowsPerPart - 1) / kRowsPerPart, execution, [&](std::size_t part, int) {
            const std::size_t end = std::min((part + 1) * kRowsPerPart, n_rows);
            for (std::size_t row = part * kRowsPerPart; row < end; ++row) {
                search({tile.data() + row * n_cols, penalty.empty() ? nullptr : penalty.data(),
                        n_cols, first_column, best.data() + row * k, ids.data() + row * k, k});
            }
        });
}

void tile_top_k_columns(std::span<const float> tile, std::size_t n_rows, std::size_t n_cols,
                        std::int64_t first_row, std::span<float> best, std::span<std::int64_t> ids,
                        std::size_t k, const Execution& execution) {
    if (k == 0 || best.size() != n_entries(n_cols, k) || ids.size() != best.size()) {
        throw std::invalid_argument("best and ids must have n_cols * k entries, k at least 1");
    }
    check_first(first_row);
    if (tile.size() != n_entries(n_rows, n_cols)) {
        throw std::invalid_argument("tile must have n_rows * n_cols entries");
    }
    const auto search = columns_at(simd_level());
    parallel_parts((n_cols + kColumnsPerPart - 1) / kColumnsPerPart, execution,
                   [&](std::size_t part, int) {
                       const std::size_t first = part * kColumnsPerPart;
                       const std::size_t n = std::min(kColumnsPerPart, n_cols - first);
                       std::vector<float> last(n);
                       for (std::size_t j = 0; j < n; ++j) last[j] = best[(first + j) * k + k - 1];
                       search({tile.data() + first, n_rows, n_cols, n, first_row,
                               best.data() + first * k, ids.data() + first * k, last.data(), k});
                   });
}

}  // namespace quire
