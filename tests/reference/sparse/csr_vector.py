"""The twins of cpp/sparse/csr_vector."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def csr_matvec(X: Array, v: Array, offset: float) -> Array:
    """Offset + X v."""
    return offset + X @ v


def csr_t_matvec(X: Array, u: Array) -> Array:
    """X' u."""
    return X.T @ u
