#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "cluster/kmeans.hpp"
#include "cluster/kmeans_rows.hpp"

namespace quire {

namespace {

constexpr std::size_t kRowsPerPart = 512;
constexpr std::size_t kAhead = 8;  // rows that are asked for before they are added

// For each cluster the rows to add to its sums and to take from them, in order.
class Changes {
  public:
    struct Change {
        std::size_t row;
        bool leaves;
    };

    explicit Changes(const KMeansUpdate& update)
        : n_clusters_(update.totals.size()), whole_(n_clusters_), changed_(n_clusters_) {
        const auto &labels = update.labels, &before = update.before;
        std::vector<std::size_t> n_members(n_clusters_), n_changes(n_clusters_);
        for (std::size_t row = 0; row < labels.size(); ++row) {
            ++n_members[at(labels, row)];
            if (before.empty() || before[row] == labels[row]) continue;
            ++n_changes[at(labels, row)];
            ++n_changes[at(before, row)];
        }
        begin_.assign(n_clusters_ + 1, 0);
        for (std::size_t j = 0; j < n_clusters_; ++j) {
            const bool from_nothing = before.empty() || update.rebuild[j] != 0;
            changed_[j] = from_nothing || n_changes[j] > 0;
            whole_[j] = from_nothing || (changed_[j] && n_changes[j] >= n_members[j]);
            begin_[j + 1] = begin_[j] + (whole_[j] ? n_members[j] : n_changes[j]);
        }
        list_.resize(begin_.back());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (std::size_t row = 0; row < labels.size(); ++row) {
            const std::size_t now = at(labels, row);
            const bool moved = !before.empty() && before[row] != labels[row];
            if (moved || whole_[now]) list_[next[now]++] = {row, false};
            if (!moved) continue;
            const std::size_t then = at(before, row);
            if (!whole_[then]) list_[next[then]++] = {row, true};
        }
    }

    bool changed(std::size_t j) const { return changed_[j]; }
    bool whole(std::size_t j) const { return whole_[j]; }
    std::span<const Change> of(std::size_t j) const {
        return {list_.data() + begin_[j], begin_[j + 1] - begin_[j]};
    }
    // The clusters, those with most to do first: threads end together.
    std::vector<std::size_t> by_work() const {
        std::vector<std::size_t> order(n_clusters_);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return of(a).size() > of(b).size(); });
        return order;
    }

  private:
    static std::size_t at(std::span<const std::int32_t> labels, std::size_t row) {
        return static_cast<std::size_t>(labels[row]);
    }

    std::size_t n_clusters_;
    std::vector<bool> whole_, changed_;
    std::vector<std::size_t> begin_;
    std::vector<Change> list_;
};

double square_of(const std::vector<double>& numbers) {
    return KMeansDenseRows<double>{{nullptr, 0, numbers.size(), 0, 1}}.sum(
        [&](std::size_t f) { return numbers[f] * numbers[f]; });
}

// Puts new sums in the place of those of cluster j.
void replace_sums(const KMeansUpdate& update, std::size_t j, std::size_t n_clusters,
                  const std::vector<double>& sums) {
    const std::size_t n_cols = sums.size(), stride = kmeans_stride(n_clusters);
    const double square = square_of(sums), total = update.totals[j], old = update.factor[j];
    double factor = 0;
    if (update.cosine) {
        if (square > 0) factor = 1 / std::sqrt(square);
    } else if (total > 0) {
        factor = 1 / total;
    }
    double* const place = update.sums.data() + j * n_cols;
    const auto moved = [&](std::size_t f) {
        const double gap = factor * sums[f] - old * place[f];
        return gap * gap;
    };
    update.shift[j] = std::sqrt(KMeansDenseRows<double>{{nullptr, 0, n_cols, 0, 1}}.sum(moved));
    update.factor[j] = factor;
    update.norms[j] = update.cosine ? (square > 0 ? 1.0 : 0.0) : square * factor * factor;
    for (std::size_t f = 0; f < n_cols; ++f) {
        if (place[f] == sums[f]) continue;
        place[f] = sums[f];
        if (update.operand.empty()) continue;
        update.operand[f * stride + j] = static_cast<float>(update.scale * sums[f]);
    }
}

void check_update(const KMeansUpdate& update, std::size_t n_rows, std::size_t n_cols) {
    const std::size_t n_clusters = update.totals.size();
    check_labels(update.labels, n_rows, n_clusters);
    if (!update.before.empty()) check_labels(update.before, n_rows, n_clusters);
    if (update.weights.size() != n_rows) {
        throw std::invalid_argument("weights must have n_rows entries");
    }
    if (update.rebuild.size() != n_clusters || update.factor.size() != n_clusters ||
        update.norms.size() != n_clusters || update.shift.size() != n_clusters ||
        update.sums.size() != n_entries(n_clusters, n_cols)) {
        throw std::invalid_argument("centres must be n_clusters x n_cols");
    }
    if (!update.operand.empty() &&
        update.operand.size() != n_entries(n_cols, kmeans_stride(n_clusters))) {
        throw std::invalid_argument("operand must be n_cols x stride");
    }
}

template <class Rows>
void update_centres(const Rows& X, const KMeansUpdate& update, Execution execution) {
    constexpr std::size_t worth_a_thread = std::size_t{1} << 15;
    X.check(execution);
    const std::size_t n_cols = X.n_cols(), n_clusters = update.totals.size();
    check_update(update, X.n_rows(), n_cols);
    if (n_clusters * n_cols + X.n_rows() < worth_a_thread) execution.n_threads = 1;
    const Changes changes(update);
    const auto order = changes.by_work();
    std::vector<std::vector<double>> scratch(
        static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(
        n_clusters, execution, [&](std::size_t part, int worker, Checkpoint& checkpoint) {
            const std::size_t j = order[part];
            update.shift[j] = 0;
            if (!changes.changed(j)) return;
            auto& sums = scratch[static_cast<std::size_t>(worker)];
            if (changes.whole(j)) {
                sums.assign(n_cols, 0.0);
            } else {
                const double* old = update.sums.data() + j * n_cols;
                sums.assign(old, old + n_cols);
            }
            const auto list = changes.of(j);
            for (std::size_t i = 0; i < list.size(); ++i) {
                if (i + kAhead < list.size()) X.ask_for_row(list[i + kAhead].row);
                const auto [row, leaves] = list[i];
                X.add(row, leaves ? -update.weights[row] : update.weights[row], sums.data());
                checkpoint.step();
            }
            if (update.totals[j] == 0) sums.assign(n_cols, 0.0);  // not what rounding left
            replace_sums(update, j, n_clusters, sums);
        });
}

template <class Rows>
void distances(const Rows& X, const KMeansCentres& centres, std::span<const std::int32_t> labels,
               std::span<double> out, Execution execution) {
    X.check(execution);
    const std::size_t n_rows = X.n_rows(), n_cols = X.n_cols();
    check_labels(labels, n_rows, centres.n_clusters);
    if (centres.n_cols != n_cols || centres.sums.size() != n_entries(centres.n_clusters, n_cols) ||
        centres.factor.size() != centres.n_clusters || centres.norms.size() != centres.n_clusters ||
        out.size() != n_rows) {
        throw std::invalid_argument("centres must be n_clusters x n_cols");
    }
    if (n_rows < 4 * kRowsPerPart) execution.n_threads = 1;
    parallel_parts(n_parts_of(n_rows, kRowsPerPart), execution, [&](std::size_t part, int) {
        const std::size_t end = std::min((part + 1) * kRowsPerPart, n_rows);
        for (std::size_t row = part * kRowsPerPart; row < end; ++row) {
            const auto j = static_cast<std::size_t>(labels[row]);
            out[row] = X.distance(row, centres.sums.data() + j * n_cols, centres.factor[j],
                                  centres.norms[j]);
        }
    });
}

}  // namespace

void kmeans_operand(std::span<const double> sums, std::size_t n_clusters, double scale,
                    std::span<float> operand, const Execution& execution) {
    constexpr std::size_t kColumnsPerPart = 128;
    const std::size_t n_cols = n_clusters == 0 ? 0 : sums.size() / n_clusters;
    const std::size_t stride = kmeans_stride(n_clusters);
    if (operand.size() != n_entries(n_cols, stride) ||
        sums.size() != n_entries(n_clusters, n_cols)) {
        throw std::invalid_argument("operand must be n_cols x stride");
    }
    parallel_parts(n_parts_of(n_cols, kColumnsPerPart), execution, [&](std::size_t part, int) {
        const std::size_t first = part * kColumnsPerPart;
        const std::size_t end = std::min(first + kColumnsPerPart, n_cols);
        std::fill(operand.begin() + static_cast<std::ptrdiff_t>(first * stride),
                  operand.begin() + static_cast<std::ptrdiff_t>(end * stride), 0.0f);
        for (std::size_t j = 0; j < n_clusters; ++j) {
            for (std::size_t f = first; f < end; ++f) {
                operand[f * stride + j] = static_cast<float>(scale * sums[j * n_cols + f]);
            }
        }
    });
}

template <class Value>
void csr_kmeans_update(const CsrView<Value, std::int32_t>& X, const KMeansUpdate& update,
                       const Execution& execution) {
    update_centres(KMeansSparseRows<Value>{X}, update, execution);
}

template <class Value>
void dense_kmeans_update(const DenseView<Value>& X, const KMeansUpdate& update,
                         const Execution& execution) {
    update_centres(KMeansDenseRows<Value>{X}, update, execution);
}

template <class Value>
void csr_kmeans_distances(const CsrView<Value, std::int32_t>& X, const KMeansCentres& centres,
                          std::span<const std::int32_t> labels, std::span<double> out,
                          const Execution& execution) {
    distances(KMeansSparseRows<Value>{X}, centres, labels, out, execution);
}

template <class Value>
void dense_kmeans_distances(const DenseView<Value>& X, const KMeansCentres& centres,
                            std::span<const std::int32_t> labels, std::span<double> out,
                            const Execution& execution) {
    distances(KMeansDenseRows<Value>{X}, centres, labels, out, execution);
}

#define QUIRE_INSTANTIATE(Value)                                                                  \
    template void csr_kmeans_update(const CsrView<Value, std::int32_t>&, const KMeansUpdate&,     \
                                    const Execution&);                                            \
    template void dense_kmeans_update(const DenseView<Value>&, const KMeansUpdate&,               \
                                      const Execution&);                                          \
    template void csr_kmeans_distances(const CsrView<Value, std::int32_t>&, const KMeansCentres&, \
                                       std::span<const std::int32_t>, std::span<double>,          \
                                       const Execution&);                                         \
    template void dense_kmeans_distances(const DenseView<Value>&, const KMeansCentres&,           \
                                         std::span<const std::int32_t>, std::span<double>,        \
                                         const Execution&);
QUIRE_INSTANTIATE(float)
QUIRE_INSTANTIATE(double)
#undef QUIRE_INSTANTIATE

}  // namespace quire
