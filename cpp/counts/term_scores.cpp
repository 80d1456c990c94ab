#include "counts/term_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "counts/class_sums.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

// Scores the columns of X.
//   value(i)                       what stored entry i adds to its column: x_ij, or its presence
//   present(cell, total, n_k)      what a class adds in which the column sums to `cell`, not zero
//   absent(total, n_rest)          what all the other classes, of n_rest rows together, add
template <class Value, class Index, class ValueOf, class Present, class Absent>
void score_columns(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                   std::size_t n_classes, std::span<double> scores, Execution execution,
                   ValueOf value, Present present, Absent absent) {
    constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
    if (X.data.size() + scores.size() < worth_a_thread) execution.n_threads = 1;
    const bool rising = csr_check(X, execution);
    if (scores.size() != static_cast<std::size_t>(X.n_cols)) {
        throw std::invalid_argument("scores must have n_cols entries");
    }
    const ClassRows order = rows_by_class(labels, n_classes, X.n_rows());

    const auto n_threads = static_cast<std::size_t>(std::max(1, execution.n_threads));
    const std::size_t n_blocks =
        n_threads > 1 && rising ? std::min(2 * n_threads, std::max<std::size_t>(scores.size(), 1))
                                : 1;
    parallel_parts(n_blocks, execution, [&](std::size_t block, int, Checkpoint& checkpoint) {
        const ColumnRange columns = column_block(X.n_cols, block, n_blocks);
        const auto first = static_cast<std::size_t>(columns.begin);
        const std::size_t width = static_cast<std::size_t>(columns.end) - first;
        double* const score = scores.data() + first;  // width
        std::fill(score, score + width, 0.0);

        std::size_t until_check = 0;
        const auto visit = [&](std::size_t row, auto&& add) {
            visit_row(X, row, columns, [&](std::size_t i) {
                add(static_cast<std::size_t>(X.indices[i]) - first, value(i));
            });
            until_check += X.end(row) - X.begin(row) + 16;
            if (until_check > (std::size_t{1} << 18)) {
                checkpoint();
                until_check = 0;
            }
        };

        std::vector<double> totals(width);
        for (std::size_t row = 0; row < X.n_rows(); ++row) {
            visit(row, [&](std::size_t j, double x) { totals[j] += x; });
        }

        std::vector<double> cells(width);               // of the class at hand
        std::vector<char> occurs(width);                // in the class at hand
        std::vector<std::size_t> occurring(width + 1);  // those columns; one place to spare
        std::vector<std::size_t> n_rest(width, X.n_rows());
        for (std::size_t k = 0; k < n_classes; ++k) {
            const auto rows = order.of(k);
            std::size_t n_occurring = 0;
            for (const std::size_t row : rows) {
                visit(row, [&](std::size_t j, double x) {
                    occurring[n_occurring] = j;  // kept only if it is new
                    n_occurring += static_cast<std::size_t>(!occurs[j] && x != 0);
                    occurs[j] |= x != 0;
                    cells[j] += x;
                });
            }
            for (std::size_t t = 0; t < n_occurring; ++t) {
                const std::size_t j = occurring[t];
                score[j] += present(cells[j], totals[j], rows.size());
                n_rest[j] -= rows.size();
                cells[j] = 0;
                occurs[j] = 0;
            }
        }
        for (std::size_t j = 0; j < width; ++j) score[j] += absent(totals[j], n_rest[j]);
    });
}

}  // namespace

template <class Value, class Index>
void csr_chi2(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
              std::size_t n_classes, std::span<double> scores, const Execution& execution) {
    const auto n = static_cast<double>(X.n_rows());
    score_columns(
        X, labels, n_classes, scores, execution,
        [&](std::size_t i) { return static_cast<double>(X.data[i]); },
        [n](double observed, double total, std::size_t n_k) {
            const double expected = static_cast<double>(n_k) / n * total;
            return (observed - expected) * (observed - expected) / expected;
        },
        [n](double total, std::size_t n_rest) {  // (0 - E)^2 / E = E; 0 / 0 if the column is empty
            return total != 0 ? static_cast<double>(n_rest) / n * total : std::nan("");
        });
}

template <class Value, class Index>
void csr_mutual_info(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                     std::size_t n_classes, std::span<double> scores, const Execution& execution) {
    const auto n = static_cast<double>(X.n_rows());
    score_columns(
        X, labels, n_classes, scores, execution,
        [&](std::size_t i) { return X.data[i] != Value{0} ? 1.0 : 0.0; },
        [n](double with, double total, std::size_t n_k) {
            const auto size = static_cast<double>(n_k);
            const double without = size - with;
            double sum = with * std::log(n * with / (size * total));
            if (without > 0) sum += without * std::log(n * without / (size * (n - total)));
            return sum / n;
        },
        [n](double total, std::size_t n_rest) {
            return n_rest > 0 ? static_cast<double>(n_rest) / n * std::log(n / (n - total)) : 0.0;
        });
    // Independent columns may come out a rounding error below zero.
    for (double& score : scores) score = std::max(score, 0.0);
}

#define QUIRE_INSTANTIATE(Value, Index)                                                        \
    template void csr_chi2(const CsrView<Value, Index>&, std::span<const std::int32_t>,        \
                           std::size_t, std::span<double>, const Execution&);                  \
    template void csr_mutual_info(const CsrView<Value, Index>&, std::span<const std::int32_t>, \
                                  std::size_t, std::span<double>, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
QUIRE_INSTANTIATE(std::int64_t, std::int32_t)
QUIRE_INSTANTIATE(std::int64_t, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
