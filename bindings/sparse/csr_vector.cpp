// A sparse matrix, or its transpose, times a vector. Every matrix type is one overload.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"
#include "sparse/csr_vector.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_vector_of(nb::module_& m) {
    m.def(
        "csr_matvec",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Array<double>& v, double offset, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            return to_numpy(
                filled<double>(indptr.size() - 1, n_threads, [&](auto out, const auto& execution) {
                    csr_matvec(X, as_span(v), offset, out, execution);
                }));
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("v").noconvert(), nb::arg("offset") = 0.0,
        nb::arg("n_threads") = 1);
    m.def(
        "csr_t_matvec",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Array<double>& u, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            return to_numpy(filled<double>(n_cols, n_threads, [&](auto out, const auto& execution) {
                csr_t_matvec(X, as_span(u), out, execution);
            }));
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("u").noconvert(), nb::arg("n_threads") = 1);
}

}  // namespace

void bind_csr_vector(nb::module_& m) {
    bind_csr_vector_of<float, std::int32_t>(m);
    bind_csr_vector_of<float, std::int64_t>(m);
    bind_csr_vector_of<double, std::int32_t>(m);
    bind_csr_vector_of<double, std::int64_t>(m);
}

}  // namespace quire::bindings
