"""The twin of cpp/csr_matmul."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def csr_matmul(X: Array, W: Array, offset: Array, threshold: float | None) -> Array:
    """Offset + X W, or offset + [X > threshold] W."""
    values = X if threshold is None else X > threshold
    return offset + np.asarray(values, dtype=np.float64) @ W
