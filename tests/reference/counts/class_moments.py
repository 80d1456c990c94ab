"""The twin of cpp/class_moments, in fractions: no rounding but that of the results."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def dense_class_moments(
    X: Array, labels: Array, n_classes: int, weights: Array | None = None
) -> tuple[Array, Array, Array, Array]:
    """W_k = sum w_i, mean_kj = sum w_i x_ij / W_k, ssd_kj = sum w_i (x_ij - mean_kj)^2."""
    w = [Fraction(1)] * len(X) if weights is None else [Fraction(v) for v in weights.tolist()]
    count = np.zeros(n_classes)
    mean, low, ssd = np.zeros((3, n_classes, X.shape[1]))
    for k in range(n_classes):
        rows = np.flatnonzero(labels == k)
        total = sum((w[i] for i in rows), Fraction(0))
        count[k] = float(total)
        if total == 0:
            continue
        for j, column in enumerate(X[rows].T.tolist()):
            x = [Fraction(value) for value in column]
            first = sum((w[i] * v for i, v in zip(rows, x, strict=True)), Fraction(0))
            second = sum((w[i] * v * v for i, v in zip(rows, x, strict=True)), Fraction(0))
            mean[k, j] = float(first / total)
            low[k, j] = float(first / total - Fraction(mean[k, j]))
            ssd[k, j] = float(second - first * first / total)
    return count, mean, low, ssd
