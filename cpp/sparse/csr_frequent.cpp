#include "sparse/csr_frequent.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

constexpr std::size_t kRows = 1024;  // of a part
constexpr std::size_t kMaxHead = 256;
constexpr std::size_t kRanks = 65;

template <class Value, class Index>
std::vector<std::uint64_t> column_counts(const CsrView<Value, Index>& X,
                                         const Execution& execution) {
    const std::size_t n_cols = static_cast<std::size_t>(X.n_cols), n_rows = X.n_rows();
    const auto n_parts = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<std::uint64_t> counts(n_parts * n_cols, 0);
    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        std::uint64_t* const own = counts.data() + part * n_cols;
        const std::size_t last = n_rows * (part + 1) / n_parts;
        const std::size_t end = last == 0 ? 0 : X.end(last - 1);
        const std::size_t first = n_rows * part / n_parts;
        for (std::size_t i = first == last ? end : X.begin(first); i < end; ++i) {
            ++own[static_cast<std::size_t>(X.indices[i])];
        }
    });
    for (std::size_t part = 1; part < n_parts; ++part) {
        for (std::size_t j = 0; j < n_cols; ++j) counts[j] += counts[part * n_cols + j];
    }
    counts.resize(n_cols);
    return counts;
}

}  // namespace

template <class Value, class Index>
FrequentFirst<Index> csr_frequent_first(const CsrView<Value, Index>& X,
                                        const Execution& execution) {
    csr_check_columns(X, execution);
    const std::size_t n_cols = static_cast<std::size_t>(X.n_cols), n_rows = X.n_rows();
    const std::vector<std::uint64_t> counts = column_counts(X, execution);
    const auto rank = [&](std::size_t column) -> std::size_t {
        const std::uint64_t count = counts[column];
        return count > n_rows / 4 ? 0
                                  : kRanks - 1 - static_cast<std::size_t>(std::bit_width(count));
    };

    // Columns in order of their ranks, and the place of each.
    std::array<std::size_t, kRanks + 1> next{};
    for (std::size_t column = 0; column < n_cols; ++column) ++next[rank(column) + 1];
    for (std::size_t r = 0; r < kRanks; ++r) next[r + 1] += next[r];
    FrequentFirst<Index> result;
    const std::size_t n_head = result.n_head = std::min(next[1], kMaxHead) / 8 * 8;
    result.order.resize(n_cols);
    RawVector<Index> place(n_cols);
    for (std::size_t column = 0; column < n_cols; ++column) {
        const std::size_t at = next[rank(column)]++;
        result.order[at] = static_cast<Index>(column);
        place[column] = static_cast<Index>(at);
    }

    const auto in_head = [&](Index at) {
        return static_cast<std::make_unsigned_t<Index>>(at) < n_head;
    };
    const std::size_t n_parts = n_parts_of(n_rows, kRows);
    result.indptr.resize(n_rows + 1);
    result.indptr[0] = 0;
    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        const std::size_t end = std::min((part + 1) * kRows, n_rows);
        for (std::size_t row = part * kRows; row < end; ++row) {
            Index size = 0;
            for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
                size += !in_head(place[static_cast<std::size_t>(X.indices[i])]);
            }
            result.indptr[row + 1] = size;
        }
    });
    for (std::size_t row = 0; row < n_rows; ++row) result.indptr[row + 1] += result.indptr[row];

    const auto n_tail = static_cast<std::size_t>(result.indptr[n_rows]);
    result.head.resize(n_rows * n_head);
    result.data.resize(n_tail);
    result.indices.resize(n_tail);
    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        const std::size_t end = std::min((part + 1) * kRows, n_rows);
        std::fill(result.head.begin() + static_cast<std::ptrdiff_t>(part * kRows * n_head),
                  result.head.begin() + static_cast<std::ptrdiff_t>(end * n_head), 0.0F);
        for (std::size_t row = part * kRows; row < end; ++row) {
            auto to = static_cast<std::size_t>(result.indptr[row]);
            for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
                const Index at = place[static_cast<std::size_t>(X.indices[i])];
                const auto value = static_cast<float>(X.data[i]);
                if (in_head(at)) {
                    result.head[row * n_head + static_cast<std::size_t>(at)] += value;
                } else {
                    result.data[to] = value;
                    result.indices[to++] = at;
                }
            }
        }
    });
    return result;
}

#define QUIRE_INSTANTIATE(Value, Index)                                            \
    template FrequentFirst<Index> csr_frequent_first(const CsrView<Value, Index>&, \
                                                     const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
