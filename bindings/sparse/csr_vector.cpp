// A sparse matrix, or its transpose, times a vector. Every matrix type is one overload.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/filled.hpp"
#include "sparse/csr_vector.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_vector_of(nb::module_& m) {
    m.def(
        "csr_matvec",
        [](const CsrView<Value, Index>& X, const Array<double>& v, double offset, int n_threads) {
            return to_numpy(
                filled<double>(X.n_rows(), n_threads, [&](auto out, const auto& execution) {
                    csr_matvec(X, as_span(v), offset, out, execution);
                }));
        },
        "X"_a, "v"_exact, "offset"_a = 0.0, "n_threads"_a = 1);
    m.def(
        "csr_t_matvec",
        [](const CsrView<Value, Index>& X, const Array<double>& u, int n_threads) {
            return to_numpy(
                filled<double>(n_cols_of(X), n_threads, [&](auto out, const auto& execution) {
                    csr_t_matvec(X, as_span(u), out, execution);
                }));
        },
        "X"_a, "u"_exact, "n_threads"_a = 1);
}

}  // namespace

void bind_csr_vector(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csr_vector_of<Value, Index>(m); });
}

}  // namespace quire::bindings
