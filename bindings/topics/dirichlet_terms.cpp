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
        "q"_exact, "prior"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_dirichlet_terms(nb::module_& m) {
    for_types<float, double>([&]<class Value>() { bind_dirichlet_terms_of<Value>(m); });
}

}  // namespace quire::bindings
