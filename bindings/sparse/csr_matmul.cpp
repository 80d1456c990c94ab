// A sparse matrix times a dense one. Every matrix type is one overload.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"
#include "sparse/csr_matmul.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_matmul_of(nb::module_& m) {
    m.def(
        "csr_matmul",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Matrix<double>& W, const Array<double>& offset,
           std::optional<double> threshold, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            const std::size_t n_rows = indptr.size() - 1, width = W.shape(1);
            auto out =
                filled<double>(n_rows * width, n_threads, [&](auto sums, const auto& execution) {
                    csr_matmul(X, as_span(W), width, as_span(offset), threshold, sums, execution);
                });
            return to_numpy(std::move(out), {n_rows, width});
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("W").noconvert(), nb::arg("offset").noconvert(),
        nb::arg("threshold").none(), nb::arg("n_threads") = 1);
    m.def(
        "csr_argmax",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Matrix<double>& W, const Array<double>& offset,
           std::optional<double> threshold, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            bool finite = true;
            auto best = filled<std::int64_t>(
                indptr.size() - 1, n_threads, [&](auto out, const auto& execution) {
                    finite = csr_argmax(X, as_span(W), W.shape(1), as_span(offset), threshold, out,
                                        execution);
                });
            return nb::make_tuple(to_numpy(std::move(best)), finite);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("W").noconvert(), nb::arg("offset").noconvert(),
        nb::arg("threshold").none(), nb::arg("n_threads") = 1);
}

}  // namespace

void bind_csr_matmul(nb::module_& m) {
    bind_csr_matmul_of<float, std::int32_t>(m);
    bind_csr_matmul_of<float, std::int64_t>(m);
    bind_csr_matmul_of<double, std::int32_t>(m);
    bind_csr_matmul_of<double, std::int64_t>(m);
    bind_csr_matmul_of<std::int64_t, std::int32_t>(m);
    bind_csr_matmul_of<std::int64_t, std::int64_t>(m);
}

}  // namespace quire::bindings
