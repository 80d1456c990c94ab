// Coordinate descent on a quadratic. Every matrix type is one overload.
#include "linear/csc_quadratic_descent.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csc_quadratic_descent_of(nb::module_& m) {
    m.def(
        "csc_quadratic_descent",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_samples, const Array<std::int64_t>& working,
           const Array<double>& curvature, const Array<double>& h, MutableArray<double> residual,
           MutableArray<double> w, double l1, double l2, double tol, std::int64_t max_passes) {
            const auto columns =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_samples));
            const std::span<double> r{residual.data(), residual.size()};
            const std::span<double> x{w.data(), w.size()};
            return run(1, [&](const Execution& execution) {
                return csc_quadratic_descent(columns, as_span(working), as_span(curvature),
                                             as_span(h), r, x, l1, l2, tol, max_passes, execution);
            });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_samples"), nb::arg("working").noconvert(), nb::arg("curvature").noconvert(),
        nb::arg("h").noconvert(), nb::arg("residual").noconvert(), nb::arg("w").noconvert(),
        nb::arg("l1"), nb::arg("l2"), nb::arg("tol"), nb::arg("max_passes"));
}

}  // namespace

void bind_csc_quadratic_descent(nb::module_& m) {
    bind_csc_quadratic_descent_of<float, std::int32_t>(m);
    bind_csc_quadratic_descent_of<float, std::int64_t>(m);
    bind_csc_quadratic_descent_of<double, std::int32_t>(m);
    bind_csc_quadratic_descent_of<double, std::int64_t>(m);
}

}  // namespace quire::bindings
