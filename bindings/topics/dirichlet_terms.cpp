// Sums over the parameters of Dirichlet distributions.
#include "topics/dirichlet_terms.hpp"

#include <nanobind/nanobind.h>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

namespace {

template <class Real>
void bind_dirichlet_terms_of(nb::module_& m) {
    m.def(
        "dirichlet_terms",
        [](const Array<Real>& q, double prior, int n_threads) {
            return run(n_threads, [&](const Execution& execution) {
                return dirichlet_terms(as_span(q), prior, execution);
            });
        },
        nb::arg("q").noconvert(), nb::arg("prior"), nb::arg("n_threads") = 1);
}

}  // namespace

void bind_dirichlet_terms(nb::module_& m) {
    bind_dirichlet_terms_of<float>(m);
    bind_dirichlet_terms_of<double>(m);
}

}  // namespace quire::bindings
