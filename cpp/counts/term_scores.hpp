// How much each column says about the class of a row: the scores behind
// quire.feature_extraction.select.
//
// Both go through the rows class by class with one accumulator for each column, and touch only the
// (class, column) pairs that occur; what the other pairs add to a score depends only on how many
// rows they stand for, which is counted exactly. Time is in proportion to the stored values and
// memory to the columns, for any number of classes. The work is cut by columns, which does not
// change the order of any sum: the bits do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// Pearson's statistic of the table "class by share of column j": with O_kj the sum of column j over
// the n_k rows of class k, N_j the sum over all n rows and E_kj = N_j n_k / n,
//     scores_j = sum over k of (O_kj - E_kj)^2 / E_kj.
// Values must not be negative. NaN for a column that sums to zero. A class without rows adds
// nothing.
//
// Equivalent to
//     sklearn.feature_selection.chi2(X, labels)[0]
template <class Value, class Index>
void csr_chi2(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
              std::size_t n_classes, std::span<double> scores, const Execution& execution);

// The mutual information, in nats, of the class and of "column j is not zero": with n_kt the number
// of rows of class k where that is true (t = 1) or not (t = 0),
//     scores_j = sum over k and t of (n_kt / n) log(n n_kt / (n_k n_t)),  0 log 0 = 0.
// The matrix must not store an entry twice.
//
// Equivalent to
//     [sklearn.metrics.mutual_info_score(labels, X[:, j] != 0) for j in range(n_cols)]
template <class Value, class Index>
void csr_mutual_info(const CsrView<Value, Index>& X, std::span<const std::int32_t> labels,
                     std::size_t n_classes, std::span<double> scores, const Execution& execution);

}  // namespace quire
