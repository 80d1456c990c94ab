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
#include "bindings/base/csr.hpp"
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
        [](const CsrView<Value, Index>& X, int n_threads) {
            const std::size_t n_stored =  // a wrong indptr is found by the kernel
                std::min(X.data.size(), static_cast<std::size_t>(X.indptr.back()));
            RawVector<Value> values(n_stored);
            RawVector<Index> rows(n_stored), starts(n_cols_of(X) + 1);
            run(n_threads, [&](const Execution& execution) {
                csr_transpose(X, std::span<Value>(values), std::span<Index>(rows),
                              std::span<Index>(starts), execution);
            });
            return tuple_of(to_numpy(std::move(values)), to_numpy(std::move(rows)),
                            to_numpy(std::move(starts)));
        },
        "X"_a, "n_threads"_a = 1);
    m.def(
        "csr_check",
        [](const CsrView<Value, Index>& X, int n_threads) {
            return run(n_threads,
                       [&](const Execution& execution) { return csr_check(X, execution); });
        },
        "X"_a, "n_threads"_a = 1);
}

template <class Value, class Index>
void bind_csr_frequent_first_of(nb::module_& m) {
    m.def(
        "csr_frequent_first",
        [](const CsrView<Value, Index>& X, int n_threads) {
            FrequentFirst<Index> made;
            run(n_threads,
                [&](const Execution& execution) { made = csr_frequent_first(X, execution); });
            return tuple_of(to_numpy(std::move(made.order)),
                            to_numpy(std::move(made.head), {X.n_rows(), made.n_head}),
                            to_numpy(std::move(made.data)), to_numpy(std::move(made.indices)),
                            to_numpy(std::move(made.indptr)));
        },
        "X"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_csr_transpose(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csr_frequent_first_of<Value, Index>(m); });
    for_matrices<float, double, std::int64_t>(
        [&]<class Value, class Index>() { bind_csr_transpose_of<Value, Index>(m); });
}

}  // namespace quire::bindings
