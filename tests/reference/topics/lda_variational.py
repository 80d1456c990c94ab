"""The twins of cpp/lda_variational and cpp/exp_digamma, as the formulas are written."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, psi

Array = NDArray[np.float64]


def lda_variational_documents(
    X: Array, topics: Array, prior: Array, gamma: Array, max_iter: int, tol: float, eps: float
) -> tuple[Array, Array, Array]:
    """Gamma, exp(E[log theta]) and count / (expected probability) of documents; X is dense."""
    gamma, weights = gamma.copy(), np.empty_like(gamma)
    ratios = np.zeros(X.shape)
    for d, counts in enumerate(X):
        weights[d] = np.exp(psi(gamma[d]) - psi(gamma[d].sum()))
        for _ in range(max_iter):
            ratio = counts / (topics @ weights[d] + eps)
            following = prior + weights[d] * (ratio @ topics)
            change = np.abs(following - gamma[d]).mean()
            gamma[d] = following
            weights[d] = np.exp(psi(gamma[d]) - psi(gamma[d].sum()))
            if change < tol:
                break
        ratios[d] = counts / (topics @ weights[d] + eps)
    return gamma, weights, ratios


def lda_expected_topics(
    topics: Array, words: Any, scale: float, shift: float, totals: Array
) -> Array:
    """exp(E[log phi]) of some words."""
    return np.exp(psi(scale * topics[words] + shift) - psi(totals))


def lda_variational_bound(X: Array, gamma: Array, topics: Array, totals: Array) -> float:
    """Sum over words of count * log of the expected probability."""
    log_theta = psi(gamma) - psi(gamma.sum(axis=1))[:, None]
    log_phi = psi(topics) - psi(totals)
    mixtures = logsumexp(log_theta[:, None, :] + log_phi[None, :, :], axis=2)
    return float((X * np.where(X > 0, mixtures, 0)).sum())
