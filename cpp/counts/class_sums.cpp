#include "counts/class_sums.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/lanes.hpp"
#include "base/memory.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

ClassRows rows_by_class(std::span<const std::int32_t> labels, std::size_t n_classes,
                        std::size_t n_rows) {
    if (labels.size() != n_rows) {
        throw std::invalid_argument("labels has " + std::to_string(labels.size()) +
                                    " entries for " + std::to_string(n_rows) + " rows");
    }
    if (n_classes > 0x7FFFFFFFu) {
        throw std::invalid_argument("there are " + std::to_string(n_classes) +
                                    " classes; labels can name 2**31 - 1");
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

// Totals are sums of the sums of so many columns, and work is cut between them.
constexpr std::size_t kUnit = 64;

template <class Sum>
void check_sums(std::size_t n_rows, std::size_t n_cols, std::size_t n_classes,
                std::span<const double> weights, const ClassSums<Sum>& out) {
    if (!weights.empty() && weights.size() != n_rows) {
        throw std::invalid_argument("weights has " + std::to_string(weights.size()) +
                                    " entries for " + std::to_string(n_rows) + " rows");
    }
    if (out.sums.size() != n_entries(n_classes, n_cols) || out.totals.size() != n_classes) {
        throw std::invalid_argument(
            "sums must have n_classes * n_cols entries and totals n_classes");
    }
}

// The sum of each unit of a row, as soon as it is complete and still in the cache.
template <class Sum>
class UnitTotals {
  public:
    UnitTotals(const ClassSums<Sum>& out, std::size_t n_classes, std::size_t n_cols)
        : out_(out),
          n_cols_(n_cols),
          n_units_(n_parts_of(n_cols, kUnit)),
          units_(n_classes * n_units_) {}

    // `begin` must be where a unit begins.
    void add_up(std::size_t k, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += kUnit) {
            const std::span<const Sum> unit =
                out_.sums.subspan(k * n_cols_ + at, std::min(kUnit, end - at));
            units_[k * n_units_ + at / kUnit] = sum_in_lanes(unit);
        }
    }
    void finish() const {
        for (std::size_t k = 0; k < out_.totals.size(); ++k) {
            const std::span<const double> units(units_);
            out_.totals[k] = sum_in_lanes(units.subspan(k * n_units_, n_units_));
        }
    }

  private:
    const ClassSums<Sum>& out_;
    std::size_t n_cols_, n_units_;
    RawVector<double> units_;  // n_classes x n_units
};

struct Part {
    std::size_t k;  // the class
    ColumnRange columns;
};

// One part for a class, and several, by columns, for a class that holds much of the matrix. How
// many depends on the number of threads; the sums do not, since no entry is ever shared.
template <class Value, class Index>
std::vector<Part> class_parts(const CsrView<Value, Index>& X, const ClassRows& order,
                              std::size_t most) {
    const std::size_t n_classes = order.begin.size() - 1;
    std::vector<Part> parts;
    parts.reserve(n_classes);
    for (std::size_t k = 0; k < n_classes; ++k) {
        std::size_t n_blocks = 1;
        if (most > 1) {
            std::size_t n_stored = 0;
            for (const std::size_t row : order.of(k)) n_stored += X.end(row) - X.begin(row);
            n_blocks = std::min(most, 1 + n_stored * most / (X.data.size() + 1));
        }
        for (std::size_t block = 0; block < n_blocks; ++block) {
            parts.push_back({k, column_block(X.n_cols, block, n_blocks, kUnit)});
        }
    }
    return parts;
}

// Calls add(sum, row, i) for every stored entry i with the sum of its column and of the class of
// its row. make_adder() is called for each part of the work, and its done() at the end of the part.
template <class Value, class Index, class Sum, class MakeAdder>
void add_by_class(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                  std::size_t n_classes, std::span<const double> weights, const ClassSums<Sum>& out,
                  Execution execution, MakeAdder make_adder) {
    const auto n_cols = static_cast<std::size_t>(X.n_cols);
    constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
    if (X.data.size() + out.sums.size() < worth_a_thread) execution.n_threads = 1;
    csr_check_rows(X);
    check_sums(X.n_rows(), n_cols, n_classes, weights, out);
    const ClassRows order = rows_by_class(labels, n_classes, X.n_rows());
    const auto n_threads = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<Part> parts = class_parts(X, order, n_threads > 1 ? 2 * n_threads : 1);
    // Whole rows are checked as they are added up, parts of rows before.
    const bool whole_rows = parts.size() == n_classes;
    if (!whole_rows && !csr_check(X, execution)) parts = class_parts(X, order, 1);

    UnitTotals<Sum> totals(out, n_classes, n_cols);
    parallel_parts(parts.size(), execution, [&](std::size_t p, int, Checkpoint& checkpoint) {
        const auto& [k, columns] = parts[p];
        Sum* sums_k = out.sums.data() + k * n_cols;  // n_cols
        std::fill(sums_k + columns.begin, sums_k + columns.end, Sum{0});
        auto add = make_adder();
        std::size_t until_check = 0;
        for (const std::size_t row : order.of(k)) {
            if (whole_rows) {
                for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
                    const auto column = static_cast<std::size_t>(X.indices[i]);
                    if (column >= n_cols) [[unlikely]]
                        throw_column_outside(row, X.n_cols);
                    add(sums_k[column], row, i);
                }
            } else {
                visit_row(X, row, columns,
                          [&](std::size_t i) { add(sums_k[X.indices[i]], row, i); });
            }
            until_check += X.end(row) - X.begin(row) + 16;
            if (until_check > (std::size_t{1} << 18)) {
                checkpoint();
                until_check = 0;
            }
        }
        add.done();
        totals.add_up(k, static_cast<std::size_t>(columns.begin),
                      static_cast<std::size_t>(columns.end));
    });
    totals.finish();
}

// Adds value(i) times the weight of the row.
template <class ValueOf>
struct AddWeighted {
    ValueOf value;
    std::span<const double> weights;
    void operator()(double& sum, std::size_t row, std::size_t i) const {
        sum += weights[row] * value(i);
    }
    void done() const {}
};

template <class ValueOf>
struct AddPlain {
    ValueOf value;
    void operator()(double& sum, std::size_t, std::size_t i) const { sum += value(i); }
    void done() const {}
};

// Adds value(i), a whole number, and notices if that is too much.
template <class ValueOf>
struct AddCounts {
    ValueOf value;
    std::atomic<bool>& fits;
    std::uint64_t total = 0, bits = 0;
    void operator()(std::uint32_t& sum, std::size_t, std::size_t i) {
        const auto x = static_cast<std::uint64_t>(value(i));
        sum += static_cast<std::uint32_t>(x);
        total += x;
        bits |= x;
    }
    // No sum of a class can be larger than all of them together.
    void done() const {
        if ((total | bits) >> 32 != 0) fits.store(false, std::memory_order_relaxed);
    }
};

// Calls body(value) with the function that says what stored entry i counts as.
template <class Value, class Index, class Body>
void with_values(const CsrView<Value, Index>& X, std::optional<double> threshold, Body&& body) {
    if (threshold) {
        body([data = X.data.data(), above = *threshold](std::size_t i) {
            return static_cast<double>(data[i]) > above ? 1 : 0;
        });
    } else {
        body([data = X.data.data()](std::size_t i) { return data[i]; });
    }
}

}  // namespace

template <class Value, class Index>
void csr_class_sums(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                    std::size_t n_classes, std::span<const double> weights,
                    std::optional<double> threshold, const ClassSums<double>& out,
                    const Execution& execution) {
    with_values(X, threshold, [&](auto value) {
        auto real = [value](std::size_t i) { return static_cast<double>(value(i)); };
        if (weights.empty()) {
            add_by_class(X, labels, n_classes, weights, out, execution,
                         [&] { return AddPlain<decltype(real)>{real}; });
        } else {
            add_by_class(X, labels, n_classes, weights, out, execution,
                         [&] { return AddWeighted<decltype(real)>{real, weights}; });
        }
    });
}

template <class Value, class Index>
bool csr_class_counts(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                      std::size_t n_classes, std::optional<double> threshold,
                      const ClassSums<std::uint32_t>& out, const Execution& execution) {
    if (!std::is_integral_v<Value> && !threshold) {
        throw std::invalid_argument("counts are of whole numbers, or of values above a threshold");
    }
    std::atomic<bool> fits{true};
    with_values(X, threshold, [&](auto value) {
        add_by_class(X, labels, n_classes, {}, out, execution,
                     [&] { return AddCounts<decltype(value)>{value, fits}; });
    });
    return fits;
}

template <class Value, class Index>
bool csr_has_duplicates(const CsrView<Value, Index>& X, const Execution& execution) {
    if (csr_check(X, execution)) return false;
    constexpr std::size_t kRowsPerPart = 256;
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<std::vector<std::uint32_t>> last(
        n_workers);  // by column: the row last seen in, + 1
    std::atomic<bool> found{false};
    parallel_parts(n_parts_of(X.n_rows(), kRowsPerPart), execution,
                   [&](std::size_t part, int worker) {
                       auto& seen = last[static_cast<std::size_t>(worker)];
                       seen.resize(static_cast<std::size_t>(X.n_cols), 0);
                       const std::size_t end_row = std::min((part + 1) * kRowsPerPart, X.n_rows());
                       bool twice = false;
                       for (std::size_t row = part * kRowsPerPart; row < end_row; ++row) {
                           const auto mark = static_cast<std::uint32_t>(row + 1);
                           for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
                               auto& place = seen[static_cast<std::size_t>(X.indices[i])];
                               twice |= place == mark;
                               place = mark;
                           }
                       }
                       if (twice) found.store(true, std::memory_order_relaxed);
                   });
    return found;
}

template <class Value>
void dense_class_sums(std::span<const Value> X, std::size_t n_cols,
                      std::span<const std::int32_t> labels, std::size_t n_classes,
                      std::span<const double> weights, std::optional<double> threshold,
                      const ClassSums<double>& out, const Execution& given) {
    Execution execution = given;
    constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
    if (X.size() < worth_a_thread) execution.n_threads = 1;
    const std::size_t n_rows = labels.size();
    if (X.size() != n_entries(n_rows, n_cols)) {
        throw std::invalid_argument("X must have n_rows * n_cols entries");
    }
    check_sums(n_rows, n_cols, n_classes, weights, out);
    UnitTotals<double> totals(out, n_classes, n_cols);
    const ClassRows order = rows_by_class(labels, n_classes, n_rows);

    // Rows in their order for each block of columns, whatever the number of threads.
    constexpr std::size_t kColumnsPerPart = 2 * kUnit;
    const std::size_t n_blocks = n_parts_of(n_cols, kColumnsPerPart);
    parallel_parts(
        n_classes * n_blocks, execution, [&](std::size_t part, int, Checkpoint& checkpoint) {
            const std::size_t k = part / n_blocks;
            const std::size_t begin = part % n_blocks * kColumnsPerPart;
            const std::size_t width = std::min(kColumnsPerPart, n_cols - begin);
            double* const sums_k = out.sums.data() + k * n_cols + begin;
            std::fill(sums_k, sums_k + width, 0.0);
            for (const std::size_t row : order.of(k)) {
                const Value* x = X.data() + row * n_cols + begin;
                const double weight = weights.empty() ? 1.0 : weights[row];
                for (std::size_t j = 0; j < width; ++j) {
                    const auto value = static_cast<double>(x[j]);
                    sums_k[j] += weight * (!threshold ? value : value > *threshold ? 1.0 : 0.0);
                }
                checkpoint.step();
            }
            totals.add_up(k, begin, begin + width);
        });
    totals.finish();
}

#define QUIRE_INSTANTIATE(Value, Index)                                                         \
    template void csr_class_sums(const CsrView<Value, Index>&, std::span<const std::int32_t>,   \
                                 std::size_t, std::span<const double>, std::optional<double>,   \
                                 const ClassSums<double>&, const Execution&);                   \
    template bool csr_class_counts(const CsrView<Value, Index>&, std::span<const std::int32_t>, \
                                   std::size_t, std::optional<double>,                          \
                                   const ClassSums<std::uint32_t>&, const Execution&);          \
    template bool csr_has_duplicates(const CsrView<Value, Index>&, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
QUIRE_INSTANTIATE(std::int64_t, std::int32_t)
QUIRE_INSTANTIATE(std::int64_t, std::int64_t)
#undef QUIRE_INSTANTIATE

#define QUIRE_INSTANTIATE(Value)                                                   \
    template void dense_class_sums(std::span<const Value>, std::size_t,            \
                                   std::span<const std::int32_t>, std::size_t,     \
                                   std::span<const double>, std::optional<double>, \
                                   const ClassSums<double>&, const Execution&);
QUIRE_INSTANTIATE(float)
QUIRE_INSTANTIATE(double)
QUIRE_INSTANTIATE(std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
