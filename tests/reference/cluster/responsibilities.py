"""The twin of cpp/responsibilities."""

import numpy as np
from numpy.typing import NDArray
from tests.reference.cluster.mahalanobis import dense_mahalanobis

Array = NDArray[np.float64]


def dense_responsibilities(
    X: Array, means: Array, factors: Array, offsets: Array, least: float
) -> tuple[Array, Array]:
    """Logarithms of shares, those below `least` as minus infinity, and of the densities of rows."""
    logs, norms = log_responsibilities(offsets, -0.5 * dense_mahalanobis(X, means, factors))
    return np.where(logs < least, -np.inf, logs), norms


def log_responsibilities(offsets: Array, logs: Array) -> tuple[Array, Array]:
    """Logarithms of shares and of the densities of rows, from those of the components."""
    logs = logs + offsets
    norms = np.logaddexp.reduce(logs, axis=1)
    return logs - norms[:, np.newaxis], norms
