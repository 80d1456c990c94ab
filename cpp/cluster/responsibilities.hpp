// The E step of EM: how much of each row every component of a mixture is responsible for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dense.hpp"
#include "base/parallel.hpp"

namespace quire {

// What is known of the components of a mixture of normal densities. The logarithm of the weighted
// density of component k at x is offset_k - |(x - mean_k)' P_k|^2 / 2.
struct MixtureComponents {
    std::span<const double> means;    // n_components x n_cols
    std::span<const double> factors;  // n_components x n_cols x n_cols: P_k
    std::span<const double> offsets;  // n_components
    bool upper = true;  // P_k is upper triangular; what lies below the diagonal is not read
};

// logs_ik = log of the share of component k in row i, and norms_i = log of the density at row i.
// Shares whose logarithm is below `least` are not worked out, and -infinity stands for them.
//
// likely_i is the component that row i is expected to belong to, in [0, n_components), and comes
// back as the one that it does. A squared distance is a sum that only grows, so that a component is
// given up as soon as it is too far behind the best one so far. That changes no result, and a good
// guess in `likely` makes it quick.
//
// X must be stored by rows. The same bits with any instruction set and number of threads.
//
// Equivalent to
//     dense = offsets - 0.5 * dense_mahalanobis(X, means, factors)
//     norms = logsumexp(dense, axis=1)
//     logs = dense - norms[:, None];  logs[logs < least] = -inf
template <class Value>
void dense_responsibilities(const DenseView<Value>& X, const MixtureComponents& components,
                            double least, std::span<std::int32_t> likely, std::span<double> logs,
                            std::span<double> norms, const Execution& execution);

// The same from logarithms of densities (n_rows x n_components), which become those of shares.
//
// Equivalent to
//     dense = logs + offsets
//     norms = logsumexp(dense, axis=1)
//     logs = dense - norms[:, None]
void log_responsibilities(std::span<const double> offsets, std::span<double> logs,
                          std::span<double> norms, const Execution& execution);

}  // namespace quire
