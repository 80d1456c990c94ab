// Nearest neighbours by brute force. Every type of matrix is one overload.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/memory.hpp"
#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/filled.hpp"
#include "neighbors/csr_nearest.hpp"
#include "neighbors/dense_nearest.hpp"

namespace quire::bindings {

namespace {

// Makes the two arrays of a result and lets search(out, execution) fill them.
template <class Search>
auto found(std::size_t n_queries, std::size_t k, int n_threads, Search&& search) {
    auto distances = unset<double>(n_queries, k);
    auto points = unset<std::int64_t>(n_queries, k);
    run(n_threads, [&](const Execution& execution) {
        search(NearestOut{k, std::span(distances), std::span(points)}, execution);
    });
    return tuple_of(to_numpy(std::move(distances), {n_queries, k}),
                    to_numpy(std::move(points), {n_queries, k}));
}

// Before room for the result is made.
void check_k(std::size_t k, std::size_t n_points) {
    if (k < 1 || k > n_points) throw std::invalid_argument("k must be in [1, n_rows]");
}

Distance distance_of(int number) {
    if (number < 0 || number > 2) throw std::invalid_argument("distance must be 0, 1 or 2");
    return static_cast<Distance>(number);
}

template <class Value, class Index>
void bind_csr_nearest_of(nb::module_& m) {
    m.def(
        "csr_nearest",
        [](const CsrView<Value, Index>& X, const CsrView<Value, Index>& Q, int distance,
           std::size_t k, int n_threads) {
            check_k(k, X.n_rows());
            return found(Q.n_rows(), k, n_threads, [&](const auto& out, const auto& execution) {
                csr_nearest(X, Q, distance_of(distance), out, execution);
            });
        },
        "X"_a, "Q"_a, "distance"_a, "k"_a, "n_threads"_a = 1);
}

template <class Value>
void bind_dense_nearest_of(nb::module_& m) {
    m.def(
        "dense_nearest",
        [](const Matrix<Value>& X, const Matrix<Value>& Q, int distance, std::size_t k,
           int n_threads) {
            check_k(k, X.shape(0));
            return found(Q.shape(0), k, n_threads, [&](const auto& out, const auto& execution) {
                dense_nearest(RowsView<Value>{as_span(X).data(), X.shape(0), X.shape(1)},
                              RowsView<Value>{as_span(Q).data(), Q.shape(0), Q.shape(1)},
                              distance_of(distance), out, execution);
            });
        },
        "X"_exact, "Q"_exact, "distance"_a, "k"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_nearest(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csr_nearest_of<Value, Index>(m); });
    for_types<float, double>([&]<class Value>() { bind_dense_nearest_of<Value>(m); });
}

}  // namespace quire::bindings
