#include "class_sums.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "csr_columns.hpp"

namespace quire {

ClassRows rows_by_class(std::span<const std::int32_t> labels, std::size_t n_classes,
                        std::size_t n_rows) {
    if (labels.size() != n_rows) {
        throw std::invalid_argument("labels has " + std::to_string(labels.size()) +
                                    " entries for " + std::to_string(n_rows) + " rows");
    }
    ClassRows order{std::vector<std::size_t>(n_rows), std::vector<std::size_t>(n_classes + 1)};
    for (const std::int32_t label : labels) {
        if (label < 0 || static_cast<std::size_t>(label) >= n_classes) {
            throw std::invalid_argument("label " + std::to_string(label) + " is outside [0, " +
                                        std::to_string(n_classes) + ")");
        }
        ++order.begin[static_cast<std::size_t>(label) + 1];
    }
    std::partial_sum(order.begin.begin(), order.begin.end(), order.begin.begin());
    std::vector<std::size_t> next(order.begin.begin(), order.begin.end() - 1);
    for (std::size_t row = 0; row < n_rows; ++row) {
        order.rows[next[static_cast<std::size_t>(labels[row])]++] = row;
    }
    return order;
}

namespace {

struct Part {
    std::size_t k;  // the class
    ColumnRange columns;
};

// One part for a class, and several, by columns, for a class that holds much of the matrix. How
// many depends on the number of threads; the sums do not, since no entry is ever shared.
template <class Value, class Index>
std::vector<Part> class_parts(const CsrView<Value, Index>& X, const ClassRows& order,
                              std::size_t n_threads, bool rising) {
    const std::size_t n_classes = order.begin.size() - 1;
    const std::size_t most = rising ? 2 * n_threads : 1;
    std::vector<Part> parts;
    parts.reserve(n_classes);
    for (std::size_t k = 0; k < n_classes; ++k) {
        std::size_t n_blocks = 1;
        if (n_threads > 1 && most > 1) {
            std::size_t n_stored = 0;
            for (const std::size_t row : order.of(k)) n_stored += X.end(row) - X.begin(row);
            n_blocks = std::min(most, 1 + n_stored * most / (X.data.size() + 1));
        }
        for (std::size_t block = 0; block < n_blocks; ++block) {
            parts.push_back({k, column_block(X.n_cols, block, n_blocks)});
        }
    }
    return parts;
}

// Adds weight * value(i) of every stored entry i to the sums of its row's class.
template <class Value, class Index, class ValueOf>
void class_sums(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                std::size_t n_classes, std::span<const double> weights, std::span<double> sums,
                Execution execution, ValueOf value) {
    const auto n_cols = static_cast<std::size_t>(X.n_cols);
    constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
    if (X.data.size() + sums.size() < worth_a_thread) execution.n_threads = 1;
    const bool rising = csr_check(X, execution);
    if (!weights.empty() && weights.size() != X.n_rows()) {
        throw std::invalid_argument("weights has " + std::to_string(weights.size()) +
                                    " entries for " + std::to_string(X.n_rows()) + " rows");
    }
    if (sums.size() != n_classes * n_cols) {
        throw std::invalid_argument("sums must have n_classes * n_cols entries");
    }
    const ClassRows order = rows_by_class(labels, n_classes, X.n_rows());
    const auto n_threads = static_cast<std::size_t>(std::max(1, execution.n_threads));
    const std::vector<Part> parts = class_parts(X, order, n_threads, rising);

    parallel_parts(parts.size(), execution, [&](std::size_t p, int, Checkpoint& checkpoint) {
        const auto& [k, columns] = parts[p];
        double* sums_k = sums.data() + k * n_cols;  // n_cols
        std::fill(sums_k + columns.begin, sums_k + columns.end, 0.0);
        std::size_t until_check = 0;
        for (const std::size_t row : order.of(k)) {
            const double weight = weights.empty() ? 1.0 : weights[row];
            visit_row(X, row, columns,
                      [&](std::size_t i) { sums_k[X.indices[i]] += weight * value(i); });
            until_check += X.end(row) - X.begin(row) + 16;
            if (until_check > (std::size_t{1} << 18)) {
                checkpoint();
                until_check = 0;
            }
        }
    });
}

}  // namespace

template <class Value, class Index>
void csr_class_sums(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                    std::size_t n_classes, std::span<const double> weights, std::span<double> sums,
                    const Execution& execution) {
    class_sums(X, labels, n_classes, weights, sums, execution,
               [&](std::size_t i) { return static_cast<double>(X.data[i]); });
}

template <class Value, class Index>
void csr_class_presence(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                        std::size_t n_classes, std::span<const double> weights,
                        std::span<double> sums, const Execution& execution) {
    class_sums(X, labels, n_classes, weights, sums, execution,
               [&](std::size_t i) { return X.data[i] != Value{0} ? 1.0 : 0.0; });
}

#define QUIRE_INSTANTIATE(Value, Index)                                                           \
    template void csr_class_sums(const CsrView<Value, Index>&, std::span<const std::int32_t>,     \
                                 std::size_t, std::span<const double>, std::span<double>,         \
                                 const Execution&);                                               \
    template void csr_class_presence(const CsrView<Value, Index>&, std::span<const std::int32_t>, \
                                     std::size_t, std::span<const double>, std::span<double>,     \
                                     const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
QUIRE_INSTANTIATE(std::int64_t, std::int32_t)
QUIRE_INSTANTIATE(std::int64_t, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
