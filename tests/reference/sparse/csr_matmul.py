"""The twin of cpp/csr_matmul."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def csr_matmul(X: Array, W: Array, offset: Array, threshold: float | None) -> Array:
    """Offset + X W, or offset + [X > threshold] W."""
    values = X if threshold is None else X > threshold
    return offset + np.asarray(values, dtype=np.float64) @ W


def csr_argmax(X: Array, W: Array, offset: Array, threshold: float | None) -> Array:
    """The column in which each row of the same product is largest."""
    return csr_matmul(X, W, offset, threshold).argmax(axis=1)
