"""The twin of cpp/csc_quadratic_descent."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def csc_quadratic_descent(
    X: Array,
    working: NDArray[np.int64],
    curvature: Array,
    h: Array,
    residual: Array,
    w: Array,
    l1: float,
    l2: float,
    tol: float,
    max_passes: int,
) -> float:
    """Pass over coordinates; `residual` and `w` are changed in place."""
    largest = 0.0
    for _ in range(max_passes):
        largest = 0.0
        for j, c in zip(working, curvature, strict=True):
            if c + l2 <= 0:
                continue
            z = c * w[j] - X[:, j] @ residual
            step = np.sign(z) * max(abs(z) - l1, 0.0) / (c + l2) - w[j]
            residual += h * X[:, j] * step
            w[j] += step
            largest = max(largest, abs(step) * (c + l2))
        if largest <= tol:
            break
    return largest
