// k-means: rows to their nearest centre, and centres to the means of their rows.
//
// A centre is c_j = factor_j * sums_j, with the sum of its rows kept as it is: when a few rows
// move, only what they touch changes. Beside the sums in double precision lies a copy in single
// precision, turned so that the numbers of all centres for one column are neighbours (the
// operand). It says which centres can be the nearest, with a bound on its error; where more than
// one can, the sums decide. The labels are therefore those of double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dense.hpp"
#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

inline constexpr std::size_t kKMeansLanes = 16;  // the operand's rows are a multiple of this long

inline std::size_t kmeans_stride(std::size_t n_clusters) {
    return (n_clusters + kKMeansLanes - 1) / kKMeansLanes * kKMeansLanes;
}

struct KMeansCentres {
    std::size_t n_clusters = 0, n_cols = 0;
    std::span<const double> sums;    // n_clusters x n_cols
    std::span<const double> factor;  // n_clusters
    std::span<const double> norms;   // n_clusters: |c_j|^2
    std::span<const float> operand;  // n_cols x stride: scale * sums, turned; or nothing
    double scale = 1;                // a power of two that brings the rows near to length one
};

// A step of k-means++: rows that may become the next centre, and what each would leave of the
// squared distances `closest` of all rows to their nearest centre so far.
struct KMeansCandidates {
    std::span<const double> squares;       // n_rows: |x_i|^2
    std::span<const double> weights;       // n_rows
    std::span<const double> closest;       // n_rows
    std::span<const std::int64_t> chosen;  // n_candidates: numbers of rows
    std::span<double> left;                // n_candidates x n_rows, written
    std::span<double> potentials;          // n_candidates: the weighted sums of that, written
};

// left[c, i] = min(closest_i, |x_i - x_chosen_c|^2), potentials_c = sum_i weights_i left[c, i].
//
// Equivalent to
//     products = X[chosen] @ X.T
//     left = minimum(closest, maximum(squares + squares[chosen, None] - 2 * products, 0))
//     potentials = left @ weights
template <class Value>
void dense_kmeans_candidates(const DenseView<Value>& X, const KMeansCandidates& candidates,
                             const Execution& execution);

// operand[f, j] = scale * sums[j, f] in single precision, and 0 in the columns of padding.
void kmeans_operand(std::span<const double> sums, std::size_t n_clusters, double scale,
                    std::span<float> operand, const Execution& execution);

// labels_i = the first j that minimises |x_i - c_j|. lengths_i = |x_i|.
//
// slack_i is a lower bound for how much nearer the centre of row i was than any other, and drift_j
// how much of that may be lost since for rows of centre j (how far it moved, and how far at most
// another one did). Rows that keep a slack above zero keep their label and are not looked at. With
// slack = -infinity all rows are.
//
// Equivalent to
//     (norms - 2 * factor * (X @ sums.T)).argmin(axis=1)
template <class Value>
void csr_kmeans_assign(const CsrView<Value, std::int32_t>& X, std::span<const double> lengths,
                       const KMeansCentres& centres, std::span<const double> drift,
                       std::span<std::int32_t> labels, std::span<double> slack,
                       const Execution& execution);
template <class Value>
void dense_kmeans_assign(const DenseView<Value>& X, std::span<const double> lengths,
                         const KMeansCentres& centres, std::span<const double> drift,
                         std::span<std::int32_t> labels, std::span<double> slack,
                         const Execution& execution);

// What an update reads and what it changes.
struct KMeansUpdate {
    std::span<const double> weights;        // of the rows
    std::span<const std::int32_t> before;   // the labels that the sums are of
    std::span<const std::int32_t> labels;   // the labels that they shall be of
    std::span<const std::uint8_t> rebuild;  // n_clusters: not zero where the sums are of neither
    std::span<const double> totals;         // n_clusters: the weight of the rows of each
    bool cosine = false;  // centres of length one; otherwise means (zero if there is no weight)
    double scale = 1;
    std::span<double> sums, factor, norms;  // as in KMeansCentres
    std::span<float> operand;               // or nothing
    std::span<double> shift;                // n_clusters: how far each centre moved
};

// sums_j = the sum of weight_i x_i over the rows with label j, and what follows from it.
//
// Each cluster is worked on by one thread, in the order of the rows: from the rows that came and
// went, or anew where that is less.
//
// Equivalent to
//     sums = one_hot(labels).T @ (weights[:, None] * X)
//     factor = 1 / totals, or 1 / norm(sums, axis=1)
template <class Value>
void csr_kmeans_update(const CsrView<Value, std::int32_t>& X, const KMeansUpdate& update,
                       const Execution& execution);
template <class Value>
void dense_kmeans_update(const DenseView<Value>& X, const KMeansUpdate& update,
                         const Execution& execution);

// out_i = |x_i - c_j|^2 with j = labels_i.
//
// Equivalent to
//     ((X - factor[labels, None] * sums[labels]) ** 2).sum(axis=1)
template <class Value>
void csr_kmeans_distances(const CsrView<Value, std::int32_t>& X, const KMeansCentres& centres,
                          std::span<const std::int32_t> labels, std::span<double> out,
                          const Execution& execution);
template <class Value>
void dense_kmeans_distances(const DenseView<Value>& X, const KMeansCentres& centres,
                            std::span<const std::int32_t> labels, std::span<double> out,
                            const Execution& execution);

}  // namespace quire
