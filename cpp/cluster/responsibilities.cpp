#include "cluster/responsibilities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/exp_rows.hpp"
#include "base/memory.hpp"
#include "base/simd.hpp"
#include "cluster/factor_panels.hpp"

namespace quire {

namespace {

constexpr std::size_t kTile = kPanelTile;
constexpr std::size_t kRowsPerPart = 32 * kTile;
constexpr double kNever = -std::numeric_limits<double>::infinity();

// Turns logarithms of weighted densities of some rows into those of shares, and gives their norms.
// `shares` is room for as many numbers.
void normalise(double* logs, std::size_t n_rows, std::size_t n_components, double least,
               ExpRows exp_rows, double* shares, double* norms) {
    for (std::size_t r = 0; r < n_rows; ++r) {
        const double* row = logs + r * n_components;
        norms[r] = *std::max_element(row, row + n_components);
        for (std::size_t k = 0; k < n_components; ++k) {
            shares[r * n_components + k] = row[k] - norms[r];
        }
    }
    exp_rows(shares, n_rows * n_components);
    for (std::size_t r = 0; r < n_rows; ++r) {
        double *row = logs + r * n_components, sum = 0;
        for (std::size_t k = 0; k < n_components; ++k) sum += shares[r * n_components + k];
        if (norms[r] > kNever) norms[r] += std::log(sum);  // else no component has a density
        for (std::size_t k = 0; k < n_components; ++k) {
            row[k] -= norms[r];
            if (row[k] < least) row[k] = kNever;
        }
    }
}

// The rows of one part, and what is known of them so far.
template <class Value>
class PartOfRows {
  public:
    PartOfRows(const DenseView<Value>& X, const MixtureComponents& components,
               const FactorPanels& panels, AddPanel add_panel, double least)
        : X_(X),
          components_(components),
          panels_(panels),
          add_panel_(add_panel),
          least_(least),
          gaps_((kRowsPerPart + kTile) * X.n_cols, 0.0),
          squares_(kRowsPerPart + kTile),
          kept_(kRowsPerPart),
          best_(kRowsPerPart) {}

    void begin(std::size_t first) {
        first_ = first;
        std::fill(best_.begin(), best_.end(), kNever);
    }

    // logs_rk for component k and the rows r (counted from the first of the part), or -infinity
    // where it is too small to matter.
    void weigh(std::size_t k, std::span<const std::size_t> rows, double* logs) {
        const std::size_t n_kept = look_at_last_columns(k, rows, logs), n_cols = X_.n_cols;
        for (std::size_t p = 1; p < panels_.n_panels(); ++p) {
            const Panel panel = panels_.panel(k, p);
            for (std::size_t at = 0; at < n_kept; at += kTile) {
                if (all_gone(k, at, std::min(at + kTile, n_kept))) continue;
                add_panel_(gaps_.data() + at * n_cols, n_cols, panel, squares_.data() + at);
            }
        }
        for (std::size_t at = 0; at < n_kept; ++at) {
            const std::size_t r = kept_[at];
            const double log = log_density(k, squares_[at]);
            logs[r * n_components() + k] = gone(log, r) ? kNever : log;
        }
        for (std::size_t at = 0; at < n_kept; ++at) {
            double& best = best_[kept_[at]];
            best = std::max(best, logs[kept_[at] * n_components() + k]);
        }
    }

  private:
    std::size_t n_components() const { return components_.offsets.size(); }
    double log_density(std::size_t k, double square) const {
        return components_.offsets[k] - 0.5 * square;
    }
    bool gone(double log, std::size_t r) const { return log < best_[r] + least_; }
    bool all_gone(std::size_t k, std::size_t at, std::size_t end) const {
        for (; at < end; ++at) {
            if (!gone(log_density(k, squares_[at]), kept_[at])) return false;
        }
        return true;
    }

    // Adds the first panel and keeps the rows that may still matter, in front of gaps_.
    std::size_t look_at_last_columns(std::size_t k, std::span<const std::size_t> rows,
                                     double* logs) {
        const std::size_t n_cols = X_.n_cols;
        const double* mean = components_.means.data() + k * n_cols;
        const Panel panel = panels_.panel(k, 0);
        std::size_t n_kept = 0;
        for (std::size_t at = 0; at < rows.size(); at += kTile) {
            const std::size_t n = std::min(kTile, rows.size() - at);
            double* const gaps = gaps_.data() + n_kept * n_cols;
            for (std::size_t i = 0; i < n; ++i) {
                const Value* x = X_.at(first_ + rows[at + i], 0);
                double* const to = gaps + i * n_cols;
                for (std::size_t f = 0; f < n_cols; ++f) {
                    to[f] = static_cast<double>(x[f]) - mean[f];
                }
            }
            double squares[kTile] = {};
            add_panel_(gaps, n_cols, panel, squares);
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t r = rows[at + i];
                if (gone(log_density(k, squares[i]), r)) {
                    logs[r * n_components() + k] = kNever;
                    continue;
                }
                double* const to = gaps_.data() + n_kept * n_cols;
                if (to != gaps + i * n_cols) std::copy_n(gaps + i * n_cols, n_cols, to);
                squares_[n_kept] = squares[i];
                kept_[n_kept++] = r;
            }
        }
        return n_kept;
    }

    const DenseView<Value>& X_;
    const MixtureComponents& components_;
    const FactorPanels& panels_;
    AddPanel add_panel_;
    double least_;
    std::size_t first_ = 0;
    std::vector<double> gaps_, squares_;  // of the rows kept_
    std::vector<std::size_t> kept_;
    std::vector<double> best_;  // of all rows
};

// One thread's room.
template <class Value>
struct Worker {
    PartOfRows<Value> part;
    std::vector<std::size_t> rows;
    std::vector<double> shares;
};

template <class Value>
void check(const DenseView<Value>& X, const MixtureComponents& components,
           std::span<const std::int32_t> likely, std::span<const double> logs,
           std::span<const double> norms) {
    const std::size_t n_components = components.offsets.size();
    if (!X.has_rows()) throw std::invalid_argument("X must be stored by rows");
    if (X.n_cols == 0) throw std::invalid_argument("X must have a column");
    if (n_components == 0 || components.means.size() != n_entries(n_components, X.n_cols) ||
        components.factors.size() != n_entries(components.means.size(), X.n_cols) ||
        likely.size() != X.n_rows || logs.size() != n_entries(X.n_rows, n_components) ||
        norms.size() != X.n_rows) {
        throw std::invalid_argument("X, means, factors, offsets and likely must fit each other");
    }
    for (const std::int32_t k : likely) {
        if (k < 0 || static_cast<std::size_t>(k) >= n_components) {
            throw std::invalid_argument("likely must be numbers of components");
        }
    }
}

}  // namespace

template <class Value>
void dense_responsibilities(const DenseView<Value>& X, const MixtureComponents& components,
                            double least, std::span<std::int32_t> likely, std::span<double> logs,
                            std::span<double> norms, const Execution& execution) {
    check(X, components, likely, logs, norms);
    const std::size_t n_components = components.offsets.size();
    const FactorPanels panels(components.factors, X.n_cols, components.upper);
    const AddPanel add_panel = add_panel_at(simd_level());
    const ExpRows exp_rows = exp_rows_at(simd_level());
    std::vector<std::vector<Worker<Value>>> workers(
        static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(
        n_parts_of(X.n_rows, kRowsPerPart), execution,
        [&](std::size_t part, int number, Checkpoint& checkpoint) {
            auto& own = workers[static_cast<std::size_t>(number)];
            if (own.empty()) {
                own.push_back({PartOfRows<Value>(X, components, panels, add_panel, least),
                               {},
                               std::vector<double>(kRowsPerPart * n_components)});
            }
            auto& [block, rows, shares] = own.front();
            const std::size_t first = part * kRowsPerPart;
            const std::size_t n = std::min(kRowsPerPart, X.n_rows - first);
            double* const out = logs.data() + first * n_components;
            block.begin(first);
            for (const bool is_likely : {true, false}) {
                for (std::size_t k = 0; k < n_components; ++k) {
                    rows.clear();
                    for (std::size_t r = 0; r < n; ++r) {
                        const auto expected = static_cast<std::size_t>(likely[first + r]);
                        if ((expected == k) == is_likely) rows.push_back(r);
                    }
                    block.weigh(k, rows, out);
                    checkpoint();
                }
            }
            for (std::size_t r = 0; r < n; ++r) {
                const double* row = out + r * n_components;
                likely[first + r] =
                    static_cast<std::int32_t>(std::max_element(row, row + n_components) - row);
            }
            normalise(out, n, n_components, least, exp_rows, shares.data(), norms.data() + first);
        });
}

void log_responsibilities(std::span<const double> offsets, std::span<double> logs,
                          std::span<double> norms, const Execution& execution) {
    const std::size_t n_components = offsets.size(), n_rows = norms.size();
    if (n_components == 0 || logs.size() != n_entries(n_rows, n_components)) {
        throw std::invalid_argument("logs, offsets and norms must fit each other");
    }
    const ExpRows exp_rows = exp_rows_at(simd_level());
    std::vector<std::vector<double>> scratch(
        static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(n_parts_of(n_rows, kRowsPerPart), execution, [&](std::size_t part, int worker) {
        auto& shares = scratch[static_cast<std::size_t>(worker)];
        shares.resize(kRowsPerPart * n_components);
        const std::size_t first = part * kRowsPerPart;
        const std::size_t n = std::min(kRowsPerPart, n_rows - first);
        double* const out = logs.data() + first * n_components;
        for (std::size_t i = 0; i < n * n_components; ++i) out[i] += offsets[i % n_components];
        normalise(out, n, n_components, kNever, exp_rows, shares.data(), norms.data() + first);
    });
}

template void dense_responsibilities(const DenseView<float>&, const MixtureComponents&, double,
                                     std::span<std::int32_t>, std::span<double>, std::span<double>,
                                     const Execution&);
template void dense_responsibilities(const DenseView<double>&, const MixtureComponents&, double,
                                     std::span<std::int32_t>, std::span<double>, std::span<double>,
                                     const Execution&);

}  // namespace quire
