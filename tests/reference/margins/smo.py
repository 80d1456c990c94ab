"""The twins of cpp/margins/smo: pairs of variables by second-order selection."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def smo(
    K: Array, low: Array, high: Array, tol: float, max_iter: int, beta: Array, slack: Array
) -> tuple[int, float]:
    """Change `beta` and `slack` in place; return iterations and the gap that is left."""
    n_iter = 0
    while True:
        rising = np.where(beta < high, slack, -np.inf)
        falling = np.where(beta > low, slack, np.inf)
        gap = rising.max() - falling.min()
        if not gap > tol or n_iter == max_iter:
            return n_iter, gap
        i = int(rising.argmax())
        difference = slack[i] - falling
        curvature = np.maximum(K[i, i] + K.diagonal() - 2 * K[i], 1e-12)
        gain = np.where(difference > 0, difference**2, 0.0) / curvature
        j = int(gain.argmax())
        step = min(difference[j] / curvature[j], high[i] - beta[i], beta[j] - low[j])
        beta[i] = high[i] if step == high[i] - beta[i] else beta[i] + step
        beta[j] = low[j] if step == beta[j] - low[j] else beta[j] - step
        slack -= step * (K[i] - K[j])
        n_iter += 1


def smo_slack(table: Array, which: NDArray[np.int64], change: Array, slack: Array) -> Array:
    """Return the slack after some variables have changed, whose rows of K the table has."""
    return slack - change @ table[which]
