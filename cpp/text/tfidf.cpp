#include "text/tfidf.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparse/csr_columns.hpp"

namespace quire {

namespace {
constexpr std::size_t kRowsPerPart = 512;
constexpr char kOutside[] = "the matrix has a column number outside its shape";
constexpr std::size_t kCountGrain = std::size_t{1} << 20;

// A row that cannot be divided by its norm: with scikit-learn's words first.
template <class Value>
void check_finite(std::span<const Value> row, std::size_t number) {
    for (const Value value : row) {
        if (std::isfinite(value)) continue;
        const std::string what =
            std::isnan(value) ? "NaN" : "infinity or a value too large for dtype('float64')";
        throw std::invalid_argument("Input X contains " + what + ". It is in row " +
                                    std::to_string(number) +
                                    " once the columns are weighted: are all numbers of idf_ "
                                    "finite? Fit with smooth_idf=True");
    }
}

template <class Value>
void normalize_row(std::span<Value> row, Norm norm, std::size_t number) {
    if (norm == Norm::none) return;
    double sum = 0;
    for (const Value value : row) {
        sum += norm == Norm::l2 ? static_cast<double>(value * value)
                                : std::fabs(static_cast<double>(value));
    }
    if (sum == 0) return;
    if (!std::isfinite(sum)) check_finite(std::span<const Value>(row), number);
    if (norm == Norm::l2) sum = std::sqrt(sum);
    for (Value& value : row) value = static_cast<Value>(static_cast<double>(value) / sum);
}

}  // namespace

template <class Index>
RawVector<std::int64_t> csr_document_frequency(std::span<const Index> indices, std::int64_t n_cols,
                                               const Execution& execution) {
    // Whole numbers: each worker counts for itself, and the sum is the same in any order.
    if (n_cols < 0) throw std::invalid_argument("n_cols is negative");
    const auto size = static_cast<std::size_t>(n_cols);
    const std::size_t n_parts = n_parts_of(indices.size(), kCountGrain);
    std::vector<RawVector<std::int64_t>> counts(static_cast<std::size_t>(
        std::max(1, std::min(execution.n_threads, static_cast<int>(n_parts)))));
    for (auto& count : counts) count.assign(size, 0);
    parallel_parts(n_parts, {static_cast<int>(counts.size()), execution.interrupted},
                   [&](std::size_t p, int worker) {
                       auto& mine = counts[static_cast<std::size_t>(worker)];
                       const std::size_t stop = std::min(indices.size(), (p + 1) * kCountGrain);
                       for (std::size_t k = p * kCountGrain; k < stop; ++k) {
                           const auto column = static_cast<std::size_t>(indices[k]);
                           if (column >= size) throw std::invalid_argument(kOutside);
                           ++mine[column];
                       }
                   });
    for (std::size_t w = 1; w < counts.size(); ++w) {
        for (std::size_t j = 0; j < size; ++j) counts[0][j] += counts[w][j];
    }
    return std::move(counts[0]);
}

template <class Value, class Index>
void csr_tfidf(std::span<Value> data, std::span<const Index> indices, std::span<const Index> indptr,
               std::int64_t n_cols, std::span<const Value> idf, Norm norm,
               const Execution& execution) {
    csr_check(CsrView<Value, Index>{data, indices, indptr, n_cols}, execution);
    if (!idf.empty() && idf.size() != static_cast<std::size_t>(n_cols)) {
        throw std::invalid_argument("idf must have one weight for each column");
    }
    const std::size_t n_rows = indptr.size() - 1;
    parallel_parts(n_parts_of(n_rows, kRowsPerPart), execution, [&](std::size_t p, int) {
        for (std::size_t i = p * kRowsPerPart; i < std::min(n_rows, (p + 1) * kRowsPerPart); ++i) {
            const auto start = static_cast<std::size_t>(indptr[i]);
            const auto stop = static_cast<std::size_t>(indptr[i + 1]);
            if (!idf.empty()) {
                for (std::size_t k = start; k < stop; ++k) {
                    data[k] *= idf[static_cast<std::size_t>(indices[k])];
                }
            }
            normalize_row(data.subspan(start, stop - start), norm, i);
        }
    });
}

#define QUIRE_INSTANTIATE(Value, Index)                                                       \
    template void csr_tfidf(std::span<Value>, std::span<const Index>, std::span<const Index>, \
                            std::int64_t, std::span<const Value>, Norm, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE
template RawVector<std::int64_t> csr_document_frequency(std::span<const std::int32_t>, std::int64_t,
                                                        const Execution&);
template RawVector<std::int64_t> csr_document_frequency(std::span<const std::int64_t>, std::int64_t,
                                                        const Execution&);

}  // namespace quire
