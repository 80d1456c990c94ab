"""The twins of cpp/naive_bayes: parameters from counts by class, as the formulas are written."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def shares(counts: Array) -> Array:
    """Counts divided by their sum over the terms; all the same where there are none."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, where=total > 0, out=np.full(counts.shape, 1 / counts.shape[1]))


def multinomial_log_prob(counts: Array, alpha: Array) -> Array:
    """Log P(i | k) = log((N_ki + a_i) / sum_j (N_kj + a_j)), terms as rows."""
    with np.errstate(divide="ignore"):
        return np.log(shares(counts + alpha)).T


def presence(counts: Array, n: Array, alpha: Array) -> Array:
    """p_ki = (N_ki + a_i) / (N_k + 2 a_i); 1/2 where nothing was seen."""
    total = np.broadcast_to(n[:, None] + 2 * alpha, counts.shape)
    return np.divide(counts + alpha, total, where=total > 0, out=np.full(counts.shape, 0.5))


def bernoulli_log_prob(counts: Array, n: Array, alpha: Array) -> Array:
    """Log p_ki, terms as rows."""
    with np.errstate(divide="ignore"):
        return np.log(presence(counts, n, alpha)).T


def bernoulli_weights(counts: Array, n: Array, alpha: Array) -> tuple[Array, Array]:
    """Log(p / (1 - p)) with terms as rows, and sums of log(1 - p), over terms with 0 < p < 1."""
    p = presence(counts, n, alpha)
    inside = (p > 0) & (p < 1)
    p = np.where(inside, p, 0.5)
    weights = np.where(inside, np.log(p / (1 - p)), 0.0)
    return weights.T, np.where(inside, np.log(1 - p), 0.0).sum(axis=1)


def complement_weights(counts: Array, alpha: Array) -> tuple[Array, Array]:
    """-log of the share of a term in the other classes, terms as rows; and all occurrences."""
    everything = counts.sum(axis=0)
    with np.errstate(divide="ignore"):
        return -np.log(shares((everything - counts) + alpha)).T, everything
