// What coordinate descent asks of a matrix: three kinds of design behind one interface.
//
//     n_features(), square_norm(j), n_stored(j)
//     reset(w, support)      the residual r = y - X w, anew
//     dot(j), move(j, step)  x_j'r, and r -= step x_j
//     gradient(out)          X'r
//     residual()             r as numbers whose affine combinations are those of r
//     moments(w, support)    r'r and r'y
//     gram(slots, first, G)  rows `first` and on of X_S'X_S
//     gram_limit             the largest working set whose Gram matrix is worth having
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dense.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/vector_steps.hpp"
#include "sparse/csr.hpp"

namespace quire {

using Features = std::vector<std::uint32_t>;

struct Moments {
    double rr = 0;  // r'r
    double ry = 0;  // r'y
};

// A square matrix in the upper left of a larger block, so that it can grow.
struct GramBlock {
    RawVector<double> values;
    std::size_t stride = 0;
    double* row(std::size_t i) { return values.data() + i * stride; }
};

// Rows cut into parts of about equal work, by the data alone.
template <class Size>
std::vector<std::size_t> cut_by_work(std::size_t n, std::size_t work_per_part, Size&& size) {
    std::vector<std::size_t> cuts{0};
    std::size_t work = 0;
    for (std::size_t i = 0; i < n; ++i) {
        work += size(i) + 8;
        if (work >= work_per_part || i + 1 == n) {
            cuts.push_back(i + 1);
            work = 0;
        }
    }
    return cuts;
}

constexpr std::size_t kWorkPerPart = std::size_t{1} << 16;

template <class Value, class Index>
class SparseDesign {
  public:
    static constexpr std::size_t gram_limit = 2048;

    SparseDesign(const CsrView<Value, Index>& columns, std::span<const double> means,
                 std::span<const double> root_weights, std::span<const double> y,
                 const Execution& execution)
        : X_(columns), means_(means), q_(root_weights), y_(y), execution_(execution) {
        const std::size_t p = X_.n_rows();
        residual_.resize(y.size());
        squares_.resize(p);
        total_ = static_cast<double>(y.size());
        if (!q_.empty()) total_ = dot_in_lanes(q_.data(), q_.data(), q_.size());
        cuts_ = cut_by_work(p, kWorkPerPart, [&](std::size_t j) { return n_stored(j); });
        for_each_column([&](std::size_t j) { squares_[j] = square_norm_of(j); });
    }

    std::size_t n_features() const { return X_.n_rows(); }
    double square_norm(std::size_t j) const { return squares_[j]; }
    std::size_t n_stored(std::size_t j) const { return X_.end(j) - X_.begin(j); }

    void reset(std::span<const double> w, const Features& support) {
        std::copy(y_.begin(), y_.end(), residual_.begin());
        shift_ = 0;
        for (const std::uint32_t j : support) move(j, w[j]);
        fold();
    }

    double dot(std::size_t j) const {
        const Value* x = X_.data.data();
        const Index* rows = X_.indices.data();
        const double* r = residual_.data();
        std::size_t i = X_.begin(j);
        const std::size_t end = X_.end(j);
        double a = 0, b = 0, c = 0, d = 0;  // four strands hide the latency of an addition
        for (; i + 4 <= end; i += 4) {
            a += static_cast<double>(x[i]) * r[rows[i]];
            b += static_cast<double>(x[i + 1]) * r[rows[i + 1]];
            c += static_cast<double>(x[i + 2]) * r[rows[i + 2]];
            d += static_cast<double>(x[i + 3]) * r[rows[i + 3]];
        }
        for (; i < end; ++i) a += static_cast<double>(x[i]) * r[rows[i]];
        const double sum = (a + c) + (b + d);
        return means_.empty() ? sum : sum + shift_ * total_ * means_[j];
    }

    // The part of a step that would fill every row is kept as one number.
    void move(std::size_t j, double step) {
        const Value* x = X_.data.data();
        const Index* rows = X_.indices.data();
        double* r = residual_.data();
        for (std::size_t i = X_.begin(j); i < X_.end(j); ++i) {
            r[rows[i]] -= step * static_cast<double>(x[i]);
        }
        if (!means_.empty()) shift_ += step * means_[j];
    }

    void gradient(std::span<double> out) {
        fold();
        for_each_column([&](std::size_t j) { out[j] = dot(j); });
    }

    std::span<double> residual() {
        fold();
        return residual_;
    }

    Moments moments(std::span<const double>, const Features&) {
        fold();
        return {dot_in_lanes(residual_.data(), residual_.data(), residual_.size()),
                dot_in_lanes(residual_.data(), y_.data(), y_.size())};
    }

    // Through the rows: a row with k columns in S adds k products to each of them.
    void gram(const Features& slots, std::size_t first, GramBlock& G) {
        const std::size_t n = y_.size(), m = slots.size();
        std::vector<std::size_t> begin(n + 1, 0);
        for (const std::uint32_t j : slots) {
            for (std::size_t i = X_.begin(j); i < X_.end(j); ++i) ++begin[row(i) + 1];
        }
        for (std::size_t i = 0; i < n; ++i) begin[i + 1] += begin[i];
        entries_.resize(begin[n]);
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (std::size_t s = 0; s < m; ++s) {
            for (std::size_t i = X_.begin(slots[s]); i < X_.end(slots[s]); ++i) {
                entries_[next[row(i)]++] = {X_.data[i], static_cast<std::uint32_t>(s)};
            }
        }
        const auto cuts = cut_by_work(m - first, kWorkPerPart, [&](std::size_t s) {
            return n_stored(slots[first + s]) * (1 + begin[n] / (n + 1));
        });
        parallel_parts(cuts.size() - 1, threads_for(cuts), [&](std::size_t part, int) {
            for (std::size_t s = first + cuts[part]; s < first + cuts[part + 1]; ++s) {
                double* const out = G.row(s);
                std::fill(out, out + m, 0.0);
                const std::uint32_t j = slots[s];
                for (std::size_t i = X_.begin(j); i < X_.end(j); ++i) {
                    const auto x = static_cast<double>(X_.data[i]);
                    const std::size_t r = row(i);
                    for (std::size_t e = begin[r]; e < begin[r + 1]; ++e) {
                        out[entries_[e].slot] += x * static_cast<double>(entries_[e].value);
                    }
                }
                if (!means_.empty()) {
                    const double factor = total_ * means_[j];
                    for (std::size_t t = 0; t < m; ++t) out[t] -= factor * means_[slots[t]];
                }
                out[s] = squares_[j];
            }
        });
    }

  private:
    struct Entry {
        Value value;
        std::uint32_t slot;
    };

    std::size_t row(std::size_t i) const { return static_cast<std::size_t>(X_.indices[i]); }

    // r + shift q in place of r and shift; r'q = 0 but for rounding, and that is taken out too.
    void fold() {
        if (means_.empty()) return;
        double* r = residual_.data();
        const std::size_t n = residual_.size();
        if (q_.empty()) {
            for (std::size_t i = 0; i < n; ++i) r[i] += shift_;
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum += r[i];
            for (std::size_t i = 0; i < n; ++i) r[i] -= sum / total_;
        } else {
            subtract_multiple(-shift_, q_.data(), r, n);
            subtract_multiple(dot_in_lanes(q_.data(), r, n) / total_, q_.data(), r, n);
        }
        shift_ = 0;
    }

    double square_norm_of(std::size_t j) const {
        double sum = 0, about_zero = 0, seen = 0;
        const double mean = means_.empty() ? 0.0 : means_[j];
        for (std::size_t i = X_.begin(j); i < X_.end(j); ++i) {
            const auto x = static_cast<double>(X_.data[i]);
            const double q = q_.empty() ? 1.0 : q_[row(i)];
            sum += (x - q * mean) * (x - q * mean);
            about_zero += x * x;
            seen += q * q;
        }
        if (!means_.empty()) sum += mean * mean * std::max(0.0, total_ - seen);
        return sum <= 1e-26 * about_zero ? 0.0 : sum;  // a constant column
    }

    Execution threads_for(const std::vector<std::size_t>& cuts) const {
        return {cuts.size() > 3 ? execution_.n_threads : 1, execution_.interrupted};
    }

    template <class Body>
    void for_each_column(Body&& body) {
        parallel_parts(cuts_.size() - 1, threads_for(cuts_), [&](std::size_t part, int) {
            for (std::size_t j = cuts_[part]; j < cuts_[part + 1]; ++j) body(j);
        });
    }

    CsrView<Value, Index> X_;
    std::span<const double> means_, q_, y_;
    Execution execution_;
    std::vector<double> residual_, squares_;
    std::vector<std::size_t> cuts_;
    RawVector<Entry> entries_;
    double shift_ = 0, total_ = 0;
};

template <class Value>
class DenseDesign {
  public:
    static constexpr std::size_t gram_limit = 512;

    DenseDesign(const DenseView<Value>& X, std::span<const double> y, const Execution& execution)
        : X_(X), y_(y), residual_(y.size()), squares_(X.n_cols), execution_(execution) {
        cuts_ = cut_by_work(X.n_cols, kWorkPerPart, [&](std::size_t) { return X.n_rows; });
        for_each_column([&](std::size_t j) {
            squares_[j] = dot_in_lanes(X_.at(0, j), X_.at(0, j), X_.n_rows);
        });
    }

    std::size_t n_features() const { return X_.n_cols; }
    double square_norm(std::size_t j) const { return squares_[j]; }
    std::size_t n_stored(std::size_t) const { return X_.n_rows; }

    void reset(std::span<const double> w, const Features& support) {
        std::copy(y_.begin(), y_.end(), residual_.begin());
        for (const std::uint32_t j : support) move(j, w[j]);
    }
    double dot(std::size_t j) const {
        return dot_in_lanes(X_.at(0, j), residual_.data(), X_.n_rows);
    }
    void move(std::size_t j, double step) {
        subtract_multiple(step, X_.at(0, j), residual_.data(), X_.n_rows);
    }
    void gradient(std::span<double> out) {
        for_each_column([&](std::size_t j) { out[j] = dot(j); });
    }
    std::span<double> residual() { return residual_; }
    Moments moments(std::span<const double>, const Features&) {
        return {dot_in_lanes(residual_.data(), residual_.data(), residual_.size()),
                dot_in_lanes(residual_.data(), y_.data(), y_.size())};
    }
    void gram(const Features& slots, std::size_t first, GramBlock& G) {
        const std::size_t m = slots.size();
        const auto cuts =
            cut_by_work(m - first, kWorkPerPart, [&](std::size_t) { return X_.n_rows * m; });
        parallel_parts(cuts.size() - 1, threads_for(cuts), [&](std::size_t part, int) {
            for (std::size_t s = first + cuts[part]; s < first + cuts[part + 1]; ++s) {
                const Value* x = X_.at(0, slots[s]);
                for (std::size_t t = 0; t < m; ++t) {
                    G.row(s)[t] = dot_in_lanes(x, X_.at(0, slots[t]), X_.n_rows);
                }
            }
        });
    }

  private:
    Execution threads_for(const std::vector<std::size_t>& cuts) const {
        return {cuts.size() > 3 ? execution_.n_threads : 1, execution_.interrupted};
    }
    template <class Body>
    void for_each_column(Body&& body) {
        parallel_parts(cuts_.size() - 1, threads_for(cuts_), [&](std::size_t part, int) {
            for (std::size_t j = cuts_[part]; j < cuts_[part + 1]; ++j) body(j);
        });
    }

    DenseView<Value> X_;
    std::span<const double> y_;
    std::vector<double> residual_, squares_;
    std::vector<std::size_t> cuts_;
    Execution execution_;
};

// The gradient X'y - G w stands where the residual does: it is as affine in w.
class GramDesign {
  public:
    static constexpr std::size_t gram_limit = 2048;

    GramDesign(std::span<const double> gram, std::span<const double> Xy, double yy)
        : G_(gram), Xy_(Xy), yy_(yy), gradient_(Xy.size()) {}

    std::size_t n_features() const { return Xy_.size(); }
    double square_norm(std::size_t j) const { return std::max(0.0, row(j)[j]); }
    std::size_t n_stored(std::size_t) const { return Xy_.size(); }

    void reset(std::span<const double> w, const Features& support) {
        std::copy(Xy_.begin(), Xy_.end(), gradient_.begin());
        for (const std::uint32_t j : support) move(j, w[j]);
    }
    double dot(std::size_t j) const { return gradient_[j]; }
    void move(std::size_t j, double step) {
        subtract_multiple(step, row(j), gradient_.data(), gradient_.size());
    }
    void gradient(std::span<double> out) {
        std::copy(gradient_.begin(), gradient_.end(), out.begin());
    }
    std::span<double> residual() { return gradient_; }
    Moments moments(std::span<const double> w, const Features& support) {
        double with_Xy = 0, with_gradient = 0;
        for (const std::uint32_t j : support) {
            with_Xy += w[j] * Xy_[j];
            with_gradient += w[j] * gradient_[j];
        }
        return {yy_ - with_Xy - with_gradient, yy_ - with_Xy};
    }
    void gram(const Features& slots, std::size_t first, GramBlock& G) {
        for (std::size_t s = first; s < slots.size(); ++s) {
            for (std::size_t t = 0; t < slots.size(); ++t) G.row(s)[t] = row(slots[s])[slots[t]];
        }
    }

  private:
    const double* row(std::size_t j) const { return G_.data() + j * Xy_.size(); }

    std::span<const double> G_, Xy_;
    double yy_;
    std::vector<double> gradient_;
};

}  // namespace quire
