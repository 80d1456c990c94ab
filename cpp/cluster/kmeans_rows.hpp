// Rows of a sparse and of a dense matrix, in the form that the k-means kernels share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "base/dense.hpp"
#include "base/prefetch.hpp"
#include "base/vector_steps.hpp"
#include "sparse/csr.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

template <class Value>
struct KMeansSparseRows {
    CsrView<Value, std::int32_t> X;

    std::size_t n_rows() const { return X.n_rows(); }
    std::size_t n_cols() const { return static_cast<std::size_t>(X.n_cols); }
    std::size_t n_terms(std::size_t row) const { return X.end(row) - X.begin(row); }
    void check(const Execution& execution) const { csr_check_columns(X, execution); }

    double dot(std::size_t row, const double* w) const {
        double sum = 0;
        for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
            sum += static_cast<double>(X.data[i]) * w[X.indices[i]];
        }
        return sum;
    }
    // into += weight * row
    void add(std::size_t row, double weight, double* into) const {
        for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
            into[X.indices[i]] += weight * static_cast<double>(X.data[i]);
        }
    }
    void ask_for_row(std::size_t) const {}
    // |row - factor * sum|^2, where norm = |factor * sum|^2
    double distance(std::size_t row, const double* sum, double factor, double norm) const {
        double here = 0, met = 0;
        for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
            const double c = factor * sum[X.indices[i]];
            const double gap = static_cast<double>(X.data[i]) - c;
            here += gap * gap;
            met += c * c;
        }
        return std::max(0.0, here + (norm - met));
    }
};

template <class Value>
struct KMeansDenseRows {
    DenseView<Value> X;

    std::size_t n_rows() const { return X.n_rows; }
    std::size_t n_cols() const { return X.n_cols; }
    std::size_t n_terms(std::size_t) const { return X.n_cols; }
    void check(const Execution&) const {
        if (!X.has_rows()) throw std::invalid_argument("X must be stored by rows");
    }
    const Value* row(std::size_t i) const { return X.at(i, 0); }

    // In eight strands, so that compilers can vectorise them.
    template <class Term>
    double sum(const Term& term) const {
        std::array<double, 8> lanes{};
        std::size_t f = 0;
        for (; f + 8 <= X.n_cols; f += 8) {
            for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += term(f + lane);
        }
        for (; f < X.n_cols; ++f) lanes[f % 8] += term(f);
        return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
               ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    }
    double dot(std::size_t i, const double* w) const {
        const Value* x = row(i);
        return sum([&](std::size_t f) { return static_cast<double>(x[f]) * w[f]; });
    }
    void add(std::size_t i, double weight, double* into) const {
        subtract_multiple(-weight, row(i), into, X.n_cols);
    }
    void ask_for_row(std::size_t i) const { prefetch_row(row(i), X.n_cols); }
    double distance(std::size_t i, const double* centre, double factor, double) const {
        const Value* x = row(i);
        return sum([&](std::size_t f) {
            const double gap = static_cast<double>(x[f]) - factor * centre[f];
            return gap * gap;
        });
    }
};

// Throws std::invalid_argument unless labels are numbers of clusters, one for each row.
inline void check_labels(std::span<const std::int32_t> labels, std::size_t n_rows,
                         std::size_t n_clusters) {
    if (labels.size() != n_rows) throw std::invalid_argument("labels must have n_rows entries");
    bool outside = false;
    for (const std::int32_t label : labels) {
        outside |= static_cast<std::uint32_t>(label) >= n_clusters;
    }
    if (outside) throw std::invalid_argument("labels must be in [0, n_clusters)");
}

}  // namespace quire
