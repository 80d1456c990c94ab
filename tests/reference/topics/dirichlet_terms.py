"""The twin of cpp/dirichlet_terms."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, psi


def dirichlet_terms(q: NDArray[np.float64], prior: float) -> float:
    """The sum of (prior - q) psi(q) + log Gamma(q)."""
    return float(np.sum((prior - q) * psi(q) + gammaln(q)))
