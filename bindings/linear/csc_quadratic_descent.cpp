// Coordinate descent on a quadratic. Every matrix type is one overload.
#include "linear/csc_quadratic_descent.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csc_quadratic_descent_of(nb::module_& m) {
    m.def(
        "csc_quadratic_descent",
        [](const CscView<Value, Index>& X, const Array<std::int64_t>& working,
           const Array<double>& curvature, const Array<double>& h, MutableArray<double> residual,
           MutableArray<double> w, double l1, double l2, double tol, std::int64_t max_passes) {
            check_apart({memory_of(writable(residual)), memory_of(writable(w))},
                        {memory_of(X.data), memory_of(X.indices), memory_of(X.indptr),
                         memory_of(as_span(working)), memory_of(as_span(curvature)),
                         memory_of(as_span(h))});
            return run(1, [&](const Execution& execution) {
                return csc_quadratic_descent(X, as_span(working), as_span(curvature), as_span(h),
                                             writable(residual), writable(w), l1, l2, tol,
                                             max_passes, execution);
            });
        },
        "X"_a, "working"_exact, "curvature"_exact, "h"_exact, "residual"_exact, "w"_exact, "l1"_a,
        "l2"_a, "tol"_a, "max_passes"_a);
}

}  // namespace

void bind_csc_quadratic_descent(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csc_quadratic_descent_of<Value, Index>(m); });
}

}  // namespace quire::bindings
