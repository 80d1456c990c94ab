// A sparse matrix, or its transpose, times one vector, without the transpose being made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "sparse/csr.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

// out = offset + X v, in eight strands for each row.
//
// Equivalent to
//     offset + X @ v
template <class Value, class Index>
void csr_matvec(const CsrView<Value, Index>& X, std::span<const double> v, double offset,
                std::span<double> out, const Execution& execution);

// out = X' u, read by rows. Rows are cut into at most 8 parts by the size of X alone, each part
// has sums of its own, and these are added up in order: any number of threads gives the same bits.
//
// Equivalent to
//     X.T @ u
template <class Value, class Index>
void csr_t_matvec(const CsrView<Value, Index>& X, std::span<const double> u, std::span<double> out,
                  const Execution& execution);

// A sparse row times a vector, in eight strands.
template <class Real, class Value, class Index>
Real csr_row_dot(const CsrView<Value, Index>& X, std::size_t row, const Real* v) {
    constexpr std::size_t kLanes = 8;
    Real sums[kLanes] = {};
    std::size_t i = X.begin(row);
    const std::size_t end = X.end(row);
    for (; i + kLanes <= end; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += static_cast<Real>(X.data[i + lane]) *
                          v[static_cast<std::size_t>(X.indices[i + lane])];
        }
    }
    for (std::size_t lane = 0; i < end; ++i, ++lane) {
        sums[lane] += static_cast<Real>(X.data[i]) * v[static_cast<std::size_t>(X.indices[i])];
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Sums over rows, for every column: the parts of csr_t_matvec, for kernels that know what a row
// adds only when they come to it.
template <class Real, class Value, class Index>
class ColumnSums {
  public:
    // With `check`, add_rows throws std::invalid_argument where a column is outside; otherwise the
    // columns must have been checked (csr_check_columns). Rows must have been in either case.
    ColumnSums(const CsrView<Value, Index>& X, Execution execution, bool check = false)
        : X_(X), execution_(execution), check_(check), n_cols_(static_cast<std::size_t>(X.n_cols)) {
        const std::size_t n_rows = X.n_rows(), n_stored = n_rows > 0 ? X.end(n_rows - 1) : 0;
        if (n_stored < (std::size_t{1} << 15)) execution_.n_threads = 1;
        const std::size_t n_parts =
            n_stored < 4096
                ? 1
                : std::clamp<std::size_t>(n_stored / (4 * std::max<std::size_t>(n_cols_, 1)), 4, 8);
        first_.assign(n_parts + 1, n_rows);
        first_[0] = 0;
        for (std::size_t part = 1; part < n_parts; ++part) {
            const auto at = static_cast<Index>(n_stored / n_parts * part);
            const auto row = std::lower_bound(X.indptr.begin(), X.indptr.end() - 1, at);
            first_[part] = static_cast<std::size_t>(row - X.indptr.begin());
        }
        sums_.resize(n_parts * n_cols_);
    }

    std::size_t n_parts() const { return first_.size() - 1; }

    // Adds scale * values of a row, where scale = of_row(part, row, sums of the part): it may add
    // to these, too.
    template <class OfRow>
    void add_rows(OfRow&& of_row) {
        parallel_parts(n_parts(), execution_, [&](std::size_t part, int, Checkpoint& checkpoint) {
            Real* const sums = sums_.data() + part * n_cols_;
            std::fill(sums, sums + n_cols_, Real{0});
            for (std::size_t row = first_[part]; row < first_[part + 1]; ++row) {
                if (check_ && (row - first_[part]) % kRowsChecked == 0) {
                    csr_check_range(X_, row, std::min(row + kRowsChecked, first_[part + 1]));
                }
                const Real scale = of_row(part, row, sums);
                const std::size_t end = X_.end(row);
                for (std::size_t i = X_.begin(row); i < end; ++i) {
                    sums[static_cast<std::size_t>(X_.indices[i])] +=
                        scale * static_cast<Real>(X_.data[i]);
                }
                checkpoint.step();
            }
        });
        check_ = false;  // every row has been looked at
    }

    // Calls use(block, column, sum) for all columns; blocks are runs of columns.
    template <class Use>
    void for_columns(Use&& use) const {
        parallel_parts(n_blocks(), execution_, [&](std::size_t block, int) {
            const std::size_t end = std::min((block + 1) * kColumns, n_cols_);
            for (std::size_t column = block * kColumns; column < end; ++column) {
                Real sum = 0;
                for (std::size_t part = 0; part < n_parts(); ++part) {
                    sum += sums_[part * n_cols_ + column];
                }
                use(block, column, sum);
            }
        });
    }
    std::size_t n_blocks() const { return n_parts_of(n_cols_, kColumns); }

  private:
    static constexpr std::size_t kColumns = 8192, kRowsChecked = 8;
    const CsrView<Value, Index>& X_;
    Execution execution_;
    bool check_;
    std::size_t n_cols_;
    std::vector<std::size_t> first_;
    RawVector<Real> sums_;
};

}  // namespace quire
