"""The twin of cpp/gaussian."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def dense_gaussian_log_likelihood(X: Array, mean: Array, scale: Array, offset: Array) -> Array:
    """L_ik = offset_k - 1/2 sum_j ((x_ij - mean_kj) scale_kj)^2."""
    X = np.asarray(X, dtype=np.float64)
    return offset - 0.5 * (((X[:, None] - mean) * scale) ** 2).sum(axis=2)
