// A sparse matrix times a dense one. Every matrix type is one overload.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/filled.hpp"
#include "sparse/csr_matmul.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_matmul_of(nb::module_& m) {
    m.def(
        "csr_matmul",
        [](const CsrView<Value, Index>& X, const Matrix<double>& W, const Array<double>& offset,
           std::optional<double> threshold, int n_threads) {
            const std::size_t n_rows = X.n_rows(), width = W.shape(1);
            auto out = filled<double>(
                n_entries(n_rows, width), n_threads, [&](auto sums, const auto& execution) {
                    csr_matmul(X, as_span(W), width, as_span(offset), threshold, sums, execution);
                });
            return to_numpy(std::move(out), {n_rows, width});
        },
        "X"_a, "W"_exact, "offset"_exact, "threshold"_a.none(), "n_threads"_a = 1);
    m.def(
        "csr_argmax",
        [](const CsrView<Value, Index>& X, const Matrix<double>& W, const Array<double>& offset,
           std::optional<double> threshold, int n_threads) {
            bool finite = true;
            auto best =
                filled<std::int64_t>(X.n_rows(), n_threads, [&](auto out, const auto& execution) {
                    finite = csr_argmax(X, as_span(W), W.shape(1), as_span(offset), threshold, out,
                                        execution);
                });
            return tuple_of(to_numpy(std::move(best)), finite);
        },
        "X"_a, "W"_exact, "offset"_exact, "threshold"_a.none(), "n_threads"_a = 1);
}

}  // namespace

void bind_csr_matmul(nb::module_& m) {
    for_matrices<float, double, std::int64_t>(
        [&]<class Value, class Index>() { bind_csr_matmul_of<Value, Index>(m); });
}

}  // namespace quire::bindings
