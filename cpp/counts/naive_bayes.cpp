#include "counts/naive_bayes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/lanes.hpp"
#include "base/memory.hpp"

namespace quire {

namespace {

constexpr std::size_t kColumnsPerPart = 2048;
constexpr std::size_t kTile = 64;  // columns whose output stays in the first-level cache

struct Columns {
    std::size_t begin, end;
};

template <class Count>
void check(const SmoothedCounts<Count>& c, std::size_t n_out) {
    if (c.counts.size() != n_entries(c.n_classes, c.n_cols)) {
        throw std::invalid_argument("counts must have n_classes * n_cols entries");
    }
    if (c.alpha.empty() || (c.alpha.size() != 1 && c.alpha.size() != c.n_cols)) {
        throw std::invalid_argument("alpha must have one entry or n_cols, and one at least");
    }
    if (n_out != c.counts.size()) {
        throw std::invalid_argument("the result must have n_cols * n_classes entries");
    }
}

template <class Count>
void check_totals(const SmoothedCounts<Count>& c) {
    if (c.totals.size() != c.n_classes) {
        throw std::invalid_argument("totals must have n_classes entries");
    }
}

template <class Count>
std::size_t n_column_parts(const SmoothedCounts<Count>& c) {
    return n_parts_of(c.n_cols, kColumnsPerPart);
}

// Calls body(part, columns) for parts of the columns.
template <class Count, class Body>
void for_column_parts(const SmoothedCounts<Count>& c, Execution execution, Body&& body) {
    constexpr std::size_t worth_a_thread = std::size_t{1} << 15;
    if (c.counts.size() < worth_a_thread) execution.n_threads = 1;
    parallel_parts(n_column_parts(c), execution, [&](std::size_t part, int) {
        const std::size_t begin = part * kColumnsPerPart;
        body(part, Columns{begin, std::min(begin + kColumnsPerPart, c.n_cols)});
    });
}

// Adds up per-part numbers (n_parts x n_classes) in the order of the parts.
std::vector<double> sum_of_parts(const std::vector<double>& parts, std::size_t n_classes) {
    std::vector<double> sums(n_classes, 0.0);
    for (std::size_t i = 0; i < parts.size(); ++i) sums[i % n_classes] += parts[i];
    return sums;
}

template <class Count>
double alpha_total(const SmoothedCounts<Count>& c) {
    return c.alpha.size() == 1 ? c.alpha[0] * static_cast<double>(c.n_cols)
                               : sum_in_lanes<double>(c.alpha);
}

// out_jk = cell(k, j, c_kj) for a part of the columns, tile by tile.
template <class Count, class Cell>
void fill_columns(const SmoothedCounts<Count>& c, Columns columns, std::span<double> out,
                  Cell&& cell) {
    for (std::size_t begin = columns.begin; begin < columns.end; begin += kTile) {
        const std::size_t end = std::min(begin + kTile, columns.end);
        for (std::size_t k = 0; k < c.n_classes; ++k) {
            const Count* counts = c.counts.data() + k * c.n_cols;
            double* place = out.data() + begin * c.n_classes + k;
            for (std::size_t j = begin; j < end; ++j, place += c.n_classes) {
                *place = cell(k, j, static_cast<double>(counts[j]));
            }
        }
    }
}

// The same for all columns where few counts are not zero: at_zero(begin, end) sets the cells of
// some columns to what they are for zero, and then the others are set.
template <class Count, class AtZero, class Cell>
void fill_sparse(const SmoothedCounts<Count>& c, std::span<double> out, const Execution& execution,
                 AtZero&& at_zero, Cell&& cell) {
    for_column_parts(c, execution, [&](std::size_t, Columns columns) {
        std::array<std::uint32_t, kTile> found;
        for (std::size_t begin = columns.begin; begin < columns.end; begin += kTile) {
            const std::size_t end = std::min(begin + kTile, columns.end);
            at_zero(Columns{begin, end});
            for (std::size_t k = 0; k < c.n_classes; ++k) {
                const Count* counts = c.counts.data() + k * c.n_cols + begin;
                // Which ones cannot be foreseen, so they are listed without a branch.
                std::size_t n_found = 0;
                for (std::uint32_t j = 0; j < end - begin; ++j) {
                    found[n_found] = j;
                    n_found += counts[j] != 0;
                }
                for (std::size_t i = 0; i < n_found; ++i) {
                    const std::size_t j = begin + found[i];
                    out[j * c.n_classes + k] = cell(k, j, static_cast<double>(counts[found[i]]));
                }
            }
        }
    });
}

// Cells of columns without counts. Where alpha is one number they are the same in all columns.
template <class Count, class Cell>
class ZeroCells {
  public:
    ZeroCells(const SmoothedCounts<Count>& c, std::span<double> out, const Cell& cell)
        : out_(out), cell_(cell), same_(c.alpha.size() == 1 && c.n_cols > 0), row_(c.n_classes) {
        for (std::size_t k = 0; same_ && k < row_.size(); ++k) row_[k] = cell(k, 0, 0.0);
    }
    void operator()(Columns columns) const {
        double* row = out_.data() + columns.begin * row_.size();
        for (std::size_t j = columns.begin; j < columns.end; ++j, row += row_.size()) {
            if (same_) {
                std::copy(row_.begin(), row_.end(), row);
            } else {
                for (std::size_t k = 0; k < row_.size(); ++k) row[k] = cell_(k, j, 0.0);
            }
        }
    }

  private:
    std::span<double> out_;
    const Cell& cell_;
    bool same_;
    std::vector<double> row_;
};

template <class Count>
void set_class(const SmoothedCounts<Count>& c, std::span<double> out, std::size_t k, double value) {
    for (std::size_t j = 0; j < c.n_cols; ++j) out[j * c.n_classes + k] = value;
}

// log(count + alpha), from a table where alpha is one number and the count is small and whole.
template <class Count>
class SmoothedLog {
  public:
    explicit SmoothedLog(const SmoothedCounts<Count>& c) : c_(c), one_alpha_(c.alpha.size() == 1) {
        if (!one_alpha_) return;
        for (std::size_t i = 0; i < kTable; ++i) {
            table_[i] = std::log(static_cast<double>(i) + c.alpha[0]);
        }
    }
    double operator()(std::size_t column, double count) const {
        if (one_alpha_ && count >= 0 && count < static_cast<double>(kTable)) [[likely]] {
            const auto whole = static_cast<std::size_t>(count);
            if (static_cast<double>(whole) == count) return table_[whole];
        }
        return std::log(count + c_.alpha_of(column));
    }

  private:
    static constexpr std::size_t kTable = 256;
    const SmoothedCounts<Count>& c_;
    bool one_alpha_;
    std::array<double, kTable> table_{};
};

}  // namespace

template <class Count>
void multinomial_log_prob(const SmoothedCounts<Count>& c, std::span<double> out,
                          const Execution& execution) {
    check(c, out.size());
    check_totals(c);
    const double added = alpha_total(c);
    std::vector<double> log_total(c.n_classes);
    for (std::size_t k = 0; k < c.n_classes; ++k) log_total[k] = std::log(c.totals[k] + added);
    const SmoothedLog log_of(c);
    const auto cell = [&](std::size_t k, std::size_t j, double count) {
        return log_of(j, count) - log_total[k];
    };
    fill_sparse(c, out, execution, ZeroCells(c, out, cell), cell);
    for (std::size_t k = 0; k < c.n_classes; ++k) {
        if (c.totals[k] + added <= 0)
            set_class(c, out, k, -std::log(static_cast<double>(c.n_cols)));
    }
}

template <class Count>
void bernoulli_log_prob(const SmoothedCounts<Count>& c, std::span<const double> n,
                        std::span<double> out, const Execution& execution) {
    check(c, out.size());
    if (n.size() != c.n_classes) throw std::invalid_argument("n must have n_classes entries");
    const SmoothedLog log_of(c);
    const bool one_alpha = c.alpha.size() == 1;
    std::vector<double> totals(c.n_classes);  // if alpha is one number
    for (std::size_t k = 0; k < c.n_classes; ++k) totals[k] = std::log(n[k] + 2 * c.alpha[0]);
    const auto cell = [&](std::size_t k, std::size_t j, double count) {
        if (one_alpha) return log_of(j, count) - totals[k];
        const double total = n[k] + 2 * c.alpha[j];
        return total > 0 ? log_of(j, count) - std::log(total) : -std::log(2.0);
    };
    fill_sparse(c, out, execution, ZeroCells(c, out, cell), cell);
    for (std::size_t k = 0; one_alpha && k < c.n_classes; ++k) {
        if (n[k] + 2 * c.alpha[0] <= 0) set_class(c, out, k, -std::log(2.0));
    }
}

template <class Count>
void bernoulli_weights(const SmoothedCounts<Count>& c, std::span<const double> n,
                       std::span<double> weights, std::span<double> base,
                       const Execution& execution) {
    check(c, weights.size());
    if (n.size() != c.n_classes || base.size() != c.n_classes) {
        throw std::invalid_argument("n and base must have n_classes entries");
    }
    const SmoothedLog log_of(c);
    const bool one_alpha = c.alpha.size() == 1;
    std::vector<double> log_all(c.n_classes), log_total(c.n_classes);  // if alpha is one number
    for (std::size_t k = 0; k < c.n_classes; ++k) {
        log_all[k] = std::log(n[k] + c.alpha[0]);
        log_total[k] = std::log(n[k] + 2 * c.alpha[0]);
    }
    std::vector<double> parts(n_column_parts(c) * c.n_classes, 0.0);
    for_column_parts(c, execution, [&](std::size_t part, Columns columns) {
        double* const sums = parts.data() + part * c.n_classes;
        fill_columns(c, columns, weights, [&](std::size_t k, std::size_t j, double count) {
            const double alpha = c.alpha_of(j);
            const double present = count + alpha, absent = n[k] - count + alpha;
            if (present <= 0 || absent <= 0) {
                if (n[k] + 2 * alpha <= 0) sums[k] -= std::log(2.0);  // p is 1/2
                return 0.0;                                           // and otherwise 0 or 1
            }
            const double log_absent =
                one_alpha && count == 0 ? log_all[k] : std::log(n[k] - count + alpha);
            sums[k] += log_absent - (one_alpha ? log_total[k] : std::log(n[k] + 2 * alpha));
            return log_of(j, count) - log_absent;
        });
    });
    const std::vector<double> total = sum_of_parts(parts, c.n_classes);
    std::copy(total.begin(), total.end(), base.begin());
}

template <class Count>
void complement_weights(const SmoothedCounts<Count>& c, std::span<double> all,
                        std::span<double> out, const Execution& execution) {
    check(c, out.size());
    if (all.size() != c.n_cols) throw std::invalid_argument("all must have n_cols entries");
    check_totals(c);
    const SmoothedLog log_of(c);
    const double everything = sum_in_lanes<double>(c.totals) + alpha_total(c);
    std::vector<double> log_rest(c.n_classes);
    for (std::size_t k = 0; k < c.n_classes; ++k) log_rest[k] = std::log(everything - c.totals[k]);
    const auto at_zero = [&](Columns columns) {
        for (std::size_t j = columns.begin; j < columns.end; ++j) all[j] = 0;
        for (std::size_t k = 0; k < c.n_classes; ++k) {
            const Count* counts = c.counts.data() + k * c.n_cols;
            for (std::size_t j = columns.begin; j < columns.end; ++j) all[j] += counts[j];
        }
        for (std::size_t j = columns.begin; j < columns.end; ++j) {
            const double log_all = log_of(j, all[j]);
            double* const row = out.data() + j * c.n_classes;
            for (std::size_t k = 0; k < c.n_classes; ++k) row[k] = log_rest[k] - log_all;
        }
    };
    fill_sparse(c, out, execution, at_zero, [&](std::size_t k, std::size_t j, double count) {
        return log_rest[k] - log_of(j, all[j] - count);
    });
    for (std::size_t k = 0; k < c.n_classes; ++k) {
        if (everything - c.totals[k] <= 0) {
            set_class(c, out, k, std::log(static_cast<double>(c.n_cols)));
        }
    }
}

#define QUIRE_INSTANTIATE(Count)                                                             \
    template void multinomial_log_prob(const SmoothedCounts<Count>&, std::span<double>,      \
                                       const Execution&);                                    \
    template void bernoulli_log_prob(const SmoothedCounts<Count>&, std::span<const double>,  \
                                     std::span<double>, const Execution&);                   \
    template void bernoulli_weights(const SmoothedCounts<Count>&, std::span<const double>,   \
                                    std::span<double>, std::span<double>, const Execution&); \
    template void complement_weights(const SmoothedCounts<Count>&, std::span<double>,        \
                                     std::span<double>, const Execution&);
QUIRE_INSTANTIATE(double)
QUIRE_INSTANTIATE(std::uint32_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
