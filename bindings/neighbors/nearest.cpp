// Nearest neighbours by brute force. Every type of matrix is one overload.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/memory.hpp"
#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"
#include "neighbors/csr_nearest.hpp"
#include "neighbors/dense_nearest.hpp"

namespace quire::bindings {

namespace {

// Makes the two arrays of a result and lets search(out, execution) fill them.
template <class Search>
nb::object found(std::size_t n_queries, std::size_t k, int n_threads, Search&& search) {
    RawVector<double> distances(n_queries * k);
    RawVector<std::int64_t> points(n_queries * k);
    run(n_threads, [&](const Execution& execution) {
        search(NearestOut{k, std::span(distances), std::span(points)}, execution);
    });
    return nb::make_tuple(to_numpy(std::move(distances), {n_queries, k}),
                          to_numpy(std::move(points), {n_queries, k}));
}

template <class Value, class Index>
void bind_csr_nearest_of(nb::module_& m) {
    m.def(
        "csr_nearest",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           const Array<Value>& query_data, const Array<Index>& query_indices,
           const Array<Index>& query_indptr, std::size_t n_cols, int distance, std::size_t k,
           int n_threads) {
            const auto columns = static_cast<std::int64_t>(n_cols);
            const auto X = as_csr<Value, Index>(data, indices, indptr, columns);
            const auto Q = as_csr<Value, Index>(query_data, query_indices, query_indptr, columns);
            return found(Q.n_rows(), k, n_threads, [&](const auto& out, const auto& execution) {
                csr_nearest(X, Q, static_cast<Distance>(distance), out, execution);
            });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("query_data").noconvert(), nb::arg("query_indices").noconvert(),
        nb::arg("query_indptr").noconvert(), nb::arg("n_cols"), nb::arg("distance"), nb::arg("k"),
        nb::arg("n_threads") = 1);
}

template <class Value>
void bind_dense_nearest_of(nb::module_& m) {
    m.def(
        "dense_nearest",
        [](const Matrix<Value>& X, const Matrix<Value>& Q, int distance, std::size_t k,
           int n_threads) {
            return found(Q.shape(0), k, n_threads, [&](const auto& out, const auto& execution) {
                dense_nearest(RowsView<Value>{X.data(), X.shape(0), X.shape(1)},
                              RowsView<Value>{Q.data(), Q.shape(0), Q.shape(1)},
                              static_cast<Distance>(distance), out, execution);
            });
        },
        nb::arg("X").noconvert(), nb::arg("Q").noconvert(), nb::arg("distance"), nb::arg("k"),
        nb::arg("n_threads") = 1);
}

}  // namespace

void bind_nearest(nb::module_& m) {
    bind_csr_nearest_of<float, std::int32_t>(m);
    bind_csr_nearest_of<float, std::int64_t>(m);
    bind_csr_nearest_of<double, std::int32_t>(m);
    bind_csr_nearest_of<double, std::int64_t>(m);
    bind_dense_nearest_of<float>(m);
    bind_dense_nearest_of<double>(m);
}

}  // namespace quire::bindings
