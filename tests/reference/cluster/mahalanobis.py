"""The twin of cpp/mahalanobis."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def dense_mahalanobis(X: Array, means: Array, factors: Array) -> Array:
    """|(x_i - mean_k)' P_k|^2 for all rows and components."""
    columns = [(((X - mean) @ P) ** 2).sum(axis=1) for mean, P in zip(means, factors, strict=True)]
    return np.column_stack(columns)
