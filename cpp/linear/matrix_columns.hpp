// A matrix by columns, for methods that change one coefficient at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "sparse/csr.hpp"
#include "sparse/csr_transpose.hpp"

namespace quire {

// Sums over a column x: x' r, x' w and x' diag(w) x.
struct ColumnMoments {
    double residual, mass, square;

    void add(double x, double r, double w) {
        const double weighted = x * w;
        residual += x * r;
        mass += weighted;
        square += x * weighted;
    }
};

// The columns of a sparse matrix: a copy of a CSR matrix in compressed-column form, rows rising
// within a column.
//
// Sums are taken in four strands by place, so that they do not wait for one another.
template <class Value, class Index>
class SparseColumns {
  public:
    static constexpr bool is_sparse = true;

    SparseColumns(const CsrView<Value, Index>& X, const Execution& execution)
        : n_rows_(X.n_rows()), n_cols_(static_cast<std::size_t>(X.n_cols)), begin_(n_cols_ + 1) {
        const std::size_t size = n_rows_ > 0 ? X.end(n_rows_ - 1) : 0;
        values_.resize(size);
        rows_.resize(size);
        csr_transpose<Value, Index>(X, values_, rows_, begin_, execution);
    }

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_cols() const { return n_cols_; }
    std::size_t n_stored() const { return values_.size(); }
    std::size_t n_stored(std::size_t j) const { return end(j) - begin(j); }

    // The transposed matrix, as rows.
    CsrView<Value, Index> transposed() const {
        return {{values_.data(), values_.size()},
                {rows_.data(), rows_.size()},
                {begin_.data(), begin_.size()},
                static_cast<std::int64_t>(n_rows_)};
    }

    // x_j' u
    double dot(std::size_t j, const double* u) const {
        const Value* x = values_.data();
        const Index* rows = rows_.data();
        double sums[4] = {0, 0, 0, 0};
        std::size_t i = begin(j);
        const std::size_t stop = end(j);
        for (; i + 4 <= stop; i += 4) {
            sums[0] += static_cast<double>(x[i]) * u[rows[i]];
            sums[1] += static_cast<double>(x[i + 1]) * u[rows[i + 1]];
            sums[2] += static_cast<double>(x[i + 2]) * u[rows[i + 2]];
            sums[3] += static_cast<double>(x[i + 3]) * u[rows[i + 3]];
        }
        for (; i < stop; ++i) sums[0] += static_cast<double>(x[i]) * u[rows[i]];
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    ColumnMoments moments(std::size_t j, const double* r, const double* w) const {
        const Value* x = values_.data();
        const Index* rows = rows_.data();
        ColumnMoments a{0, 0, 0}, b{0, 0, 0};
        std::size_t i = begin(j);
        const std::size_t stop = end(j);
        for (; i + 2 <= stop; i += 2) {
            a.add(static_cast<double>(x[i]), r[rows[i]], w[rows[i]]);
            b.add(static_cast<double>(x[i + 1]), r[rows[i + 1]], w[rows[i + 1]]);
        }
        if (i < stop) a.add(static_cast<double>(x[i]), r[rows[i]], w[rows[i]]);
        return {a.residual + b.residual, a.mass + b.mass, a.square + b.square};
    }

    // t += step x_j
    void add(std::size_t j, double step, double* t) const {
        const Value* x = values_.data();
        const Index* rows = rows_.data();
        const std::size_t stop = end(j);
        for (std::size_t i = begin(j); i < stop; ++i) {
            t[rows[i]] += step * static_cast<double>(x[i]);
        }
    }

    // u += step diag(w) x_j
    void add(std::size_t j, double step, const double* w, double* u) const {
        const Value* x = values_.data();
        const Index* rows = rows_.data();
        const std::size_t stop = end(j);
        for (std::size_t i = begin(j); i < stop; ++i) {
            u[rows[i]] += step * static_cast<double>(x[i]) * w[rows[i]];
        }
    }

  private:
    std::size_t begin(std::size_t j) const { return static_cast<std::size_t>(begin_[j]); }
    std::size_t end(std::size_t j) const { return static_cast<std::size_t>(begin_[j + 1]); }

    std::size_t n_rows_, n_cols_;
    std::vector<Index> begin_;  // n_cols + 1
    RawVector<Value> values_;
    RawVector<Index> rows_;
};

// The columns of a dense matrix that lies in memory column by column; borrowed.
template <class Value>
class DenseColumns {
  public:
    static constexpr bool is_sparse = false;

    DenseColumns(std::span<const Value> values, std::size_t n_rows, std::size_t n_cols)
        : values_(values), n_rows_(n_rows), n_cols_(n_cols) {}

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_cols() const { return n_cols_; }
    std::size_t n_stored() const { return values_.size(); }
    std::size_t n_stored(std::size_t) const { return n_rows_; }

    double dot(std::size_t j, const double* u) const {
        return in_lanes(
            [x = column(j), u](std::size_t i) { return static_cast<double>(x[i]) * u[i]; });
    }
    ColumnMoments moments(std::size_t j, const double* r, const double* w) const {
        constexpr std::size_t kLanes = 4;
        const Value* x = column(j);
        ColumnMoments lanes[kLanes] = {};
        std::size_t i = 0;
        for (; i + kLanes <= n_rows_; i += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                lanes[lane].add(static_cast<double>(x[i + lane]), r[i + lane], w[i + lane]);
            }
        }
        for (; i < n_rows_; ++i) lanes[i % kLanes].add(static_cast<double>(x[i]), r[i], w[i]);
        ColumnMoments sum{0, 0, 0};
        for (const ColumnMoments& lane : lanes) {
            sum.residual += lane.residual;
            sum.mass += lane.mass;
            sum.square += lane.square;
        }
        return sum;
    }
    void add(std::size_t j, double step, double* t) const {
        const Value* x = column(j);
        for (std::size_t i = 0; i < n_rows_; ++i) t[i] += step * static_cast<double>(x[i]);
    }
    void add(std::size_t j, double step, const double* w, double* u) const {
        const Value* x = column(j);
        for (std::size_t i = 0; i < n_rows_; ++i) u[i] += step * static_cast<double>(x[i]) * w[i];
    }

  private:
    const Value* column(std::size_t j) const { return values_.data() + j * n_rows_; }

    // The sum of term(i) over the rows in eight strands, which the compiler can vectorise.
    template <class Term>
    double in_lanes(Term&& term) const {
        constexpr std::size_t kLanes = 8;
        double lanes[kLanes] = {};
        std::size_t i = 0;
        for (; i + kLanes <= n_rows_; i += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
        }
        for (; i < n_rows_; ++i) lanes[i % kLanes] += term(i);
        double sum = 0;
        for (const double lane : lanes) sum += lane;
        return sum;
    }

    std::span<const Value> values_;
    std::size_t n_rows_, n_cols_;
};

}  // namespace quire
