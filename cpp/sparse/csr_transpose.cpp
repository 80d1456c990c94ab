#include "sparse/csr_transpose.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

// Row ranges with about the same number of stored entries.
template <class Value, class Index>
std::vector<std::size_t> even_row_cuts(const CsrView<Value, Index>& X, std::size_t n_parts) {
    std::vector<std::size_t> cuts(n_parts + 1, X.n_rows());
    const std::size_t n_stored = X.end(X.n_rows() - 1);
    for (std::size_t part = 0; part < n_parts; ++part) {
        const auto wanted = static_cast<Index>(n_stored / n_parts * part);
        cuts[part] = static_cast<std::size_t>(
            std::lower_bound(X.indptr.begin(), X.indptr.end(), wanted) - X.indptr.begin());
    }
    cuts[0] = 0;
    return cuts;
}

}  // namespace

template <class Value, class Index>
void csr_transpose(const CsrView<Value, Index>& X, std::span<Value> data, std::span<Index> indices,
                   std::span<Index> indptr, const Execution& execution) {
    const std::size_t n_rows = X.n_rows(), n_cols = static_cast<std::size_t>(X.n_cols);
    if (indptr.size() != n_cols + 1) throw std::invalid_argument("indptr needs n_cols + 1 entries");
    csr_check_columns(X, execution);
    const std::size_t n_stored = n_rows == 0 ? 0 : X.end(n_rows - 1);
    if (data.size() != n_stored || indices.size() != n_stored) {
        throw std::invalid_argument("data and indices need an entry for each one stored");
    }
    if (n_rows > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
        throw std::invalid_argument("too many rows for the type of the indices");
    }
    std::fill(indptr.begin(), indptr.end(), Index{0});
    if (n_stored == 0) return;

    // Each part counts the columns of its rows. Few entries do not earn another table of counts.
    const std::size_t worth = 1 + n_stored / (2 * n_cols + 1024);
    const std::size_t n_parts =
        std::min({static_cast<std::size_t>(std::max(1, execution.n_threads)), worth, n_rows});
    const std::vector<std::size_t> cuts = even_row_cuts(X, n_parts);
    std::vector<Index> places(n_parts * n_cols);
    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        Index* count = places.data() + part * n_cols;
        const std::size_t end = X.end(n_rows - 1);
        const std::size_t first = X.begin(cuts[part]);
        const std::size_t last = part + 1 == n_parts ? end : X.begin(cuts[part + 1]);
        for (std::size_t i = first; i < last; ++i) ++count[X.indices[i]];
    });

    // From counts to the place of the first entry of each part in each column.
    Index place = 0;
    for (std::size_t column = 0; column < n_cols; ++column) {
        for (std::size_t part = 0; part < n_parts; ++part) {
            Index& entry = places[part * n_cols + column];
            const Index count = entry;
            entry = place;
            place = static_cast<Index>(place + count);
        }
        indptr[column + 1] = place;
    }

    parallel_parts(n_parts, execution, [&](std::size_t part, int, Checkpoint& checkpoint) {
        Index* next = places.data() + part * n_cols;
        for (std::size_t row = cuts[part]; row < cuts[part + 1]; ++row) {
            for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
                const auto at = static_cast<std::size_t>(next[X.indices[i]]++);
                indices[at] = static_cast<Index>(row);
                data[at] = X.data[i];
            }
            checkpoint.step();
        }
    });
}

#define QUIRE_INSTANTIATE(Value, Index)                                                           \
    template void csr_transpose(const CsrView<Value, Index>&, std::span<Value>, std::span<Index>, \
                                std::span<Index>, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
QUIRE_INSTANTIATE(std::int64_t, std::int32_t)
QUIRE_INSTANTIATE(std::int64_t, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
