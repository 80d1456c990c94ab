// The part of divergences between Dirichlet distributions that is a sum over all parameters.
#pragma once

#include <span>

#include "base/parallel.hpp"

namespace quire {

// The sum of (prior - q) psi(q) + log Gamma(q). With the sums of rows it gives the divergence of
// Dir(q) from Dir(prior), whatever the layout of q.
//
// Added up in parts of fixed size: the same bits with any number of threads.
//
// Equivalent to
//     numpy.sum((prior - q) * psi(q) + gammaln(q))
template <class Real>
double dirichlet_terms(std::span<const Real> q, double prior, const Execution& execution);

}  // namespace quire
