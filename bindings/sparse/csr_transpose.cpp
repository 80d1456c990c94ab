// The columns of a sparse matrix: their order and their transpose. Every matrix type is one
// overload.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/memory.hpp"
#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"
#include "sparse/csr_columns.hpp"
#include "sparse/csr_frequent.hpp"
#include "sparse/csr_transpose.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_transpose_of(nb::module_& m) {
    m.def(
        "csr_transpose",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            const std::size_t last = indptr.size() == 0 ? 0 : indptr.size() - 1;
            const std::size_t n_stored =  // a wrong indptr is found by the kernel
                std::min(data.size(),
                         indptr.size() == 0 ? 0 : static_cast<std::size_t>(indptr.data()[last]));
            RawVector<Value> values(n_stored);
            RawVector<Index> rows(n_stored), starts(n_cols + 1);
            run(n_threads, [&](const Execution& execution) {
                csr_transpose(X, std::span<Value>(values), std::span<Index>(rows),
                              std::span<Index>(starts), execution);
            });
            return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(rows)),
                                  to_numpy(std::move(starts)));
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("n_threads") = 1);
    m.def(
        "csr_check",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            return run(n_threads,
                       [&](const Execution& execution) { return csr_check(X, execution); });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("n_threads") = 1);
}

template <class Value, class Index>
void bind_csr_frequent_first_of(nb::module_& m) {
    m.def(
        "csr_frequent_first",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            FrequentFirst<Index> made;
            run(n_threads,
                [&](const Execution& execution) { made = csr_frequent_first(X, execution); });
            return nb::make_tuple(to_numpy(std::move(made.order)),
                                  to_numpy(std::move(made.head), {indptr.size() - 1, made.n_head}),
                                  to_numpy(std::move(made.data)), to_numpy(std::move(made.indices)),
                                  to_numpy(std::move(made.indptr)));
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("n_threads") = 1);
}

}  // namespace

void bind_csr_transpose(nb::module_& m) {
    bind_csr_frequent_first_of<float, std::int32_t>(m);
    bind_csr_frequent_first_of<float, std::int64_t>(m);
    bind_csr_frequent_first_of<double, std::int32_t>(m);
    bind_csr_frequent_first_of<double, std::int64_t>(m);
    bind_csr_transpose_of<float, std::int32_t>(m);
    bind_csr_transpose_of<float, std::int64_t>(m);
    bind_csr_transpose_of<double, std::int32_t>(m);
    bind_csr_transpose_of<double, std::int64_t>(m);
    bind_csr_transpose_of<std::int64_t, std::int32_t>(m);
    bind_csr_transpose_of<std::int64_t, std::int64_t>(m);
}

}  // namespace quire::bindings
