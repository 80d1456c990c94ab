"""Regressions of topic shares on metadata, with the uncertainty of the shares: composition.

Shares of topics are estimates. For each sample of them from their posterior the regression is done,
and its coefficients are drawn from their own distribution; all draws together carry both kinds of
uncertainty. Reference: A. Treier and S. Jackman, "Democracy as a latent variable", American Journal
of Political Science 2008; M. Roberts, B. Stewart and D. Tingley, "stm: An R Package for Structural
Topic Models", Journal of Statistical Software 2019.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from quire._shared.typing import Floats, Ints

__all__ = ["Design", "GroupMeans", "LeastSquares", "Pooled", "compose"]


class Design(Protocol):
    """A regression of shares on something known of the documents."""

    def estimate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return coefficients (p, K) and roots of their covariances (K, p, p) or (K, p)."""

    def degrees(self) -> Floats:
        """Return the degrees of freedom of the variance of each coefficient (p,) or of all (1,)."""


class GroupMeans:
    """The mean share in each group, with a variance of its own.

    Parameters
    ----------
    codes : ndarray of shape (n_documents,)
        Groups from 0 up; none is empty.
    """

    def __init__(self, codes: Ints) -> None:
        self.sizes = np.bincount(codes).astype(np.float64)
        shape = (len(self.sizes), len(codes))
        self._sum = sparse.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape)

    def degrees(self) -> Floats:
        """Return one less than the documents of each group; of one, those of all groups."""
        pooled = max(self.sizes.sum() - len(self.sizes), 1.0)
        return np.where(self.sizes > 1, self.sizes - 1, pooled)

    def estimate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return means (p, K) and their standard errors (K, p).

        A group of one document has the mean variance within all groups.
        """
        n = self.sizes[:, None]
        means = (self._sum @ theta) / n
        squares = np.maximum(self._sum @ theta**2 - n * means**2, 0.0)
        pooled = squares.sum(axis=0) / max(n.sum() - len(n), 1.0)
        variances = np.where(n > 1, squares / np.maximum(n - 1, 1.0), pooled)
        return means, np.sqrt(variances / n).T


class LeastSquares:
    """Least squares on the columns of a matrix, with a covariance that no equal variances need.

    The covariance is HC2, the sandwich with residuals divided by one less the leverage. For groups
    it is the variance within each, divided by its size.

    Parameters
    ----------
    D : ndarray of shape (n_documents, p)
        Few columns.
    """

    def __init__(self, D: Floats) -> None:
        n, p = D.shape
        self._inverse = np.linalg.pinv(D.T @ D, hermitian=True)
        self._D = D
        self._room = np.maximum(1 - np.einsum("ij,ij->i", D @ self._inverse, D), 1e-8)
        one, other = np.triu_indices(p)
        self._products = D[:, one] * D[:, other]
        self._pairs = one, other
        self._degrees = max(n - p, 1)

    def degrees(self) -> Floats:
        """Return documents less coefficients."""
        return np.array([float(self._degrees)])

    def estimate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return coefficients (p, K) and roots of their covariances (K, p, p)."""
        coef = self._inverse @ (self._D.T @ theta)
        weights = (theta - self._D @ coef) ** 2 / self._room[:, None]
        p = len(coef)
        meat = np.empty((theta.shape[1], p, p))
        meat[:, self._pairs[0], self._pairs[1]] = (self._products.T @ weights).T
        meat[:, self._pairs[1], self._pairs[0]] = meat[:, self._pairs[0], self._pairs[1]]
        sizes, axes = np.linalg.eigh(self._inverse @ meat @ self._inverse)
        return coef, axes * np.sqrt(np.maximum(sizes, 0.0))[:, None, :]


@dataclass(frozen=True, eq=False)
class Pooled:
    """Linear functions of coefficients over all draws, each of shape (n_functions, n_topics).

    Attributes
    ----------
    mean, lower, upper : ndarray
        The mean and the ends of the interval.
    positive : ndarray
        The share of draws above zero.
    """

    mean: Floats
    lower: Floats
    upper: Floats
    positive: Floats


def compose(
    samples: Iterable[Floats],
    design: Design,
    functions: Floats,
    *,
    n_draws: int,
    confidence: float,
    rng: np.random.Generator,
) -> Pooled:
    """Regress every sample of the shares, draw the coefficients of each, and pool the draws.

    Parameters
    ----------
    samples : iterable of ndarray of shape (n_documents, n_topics)
        Samples of the shares.
    design : Design
        The regression.
    functions : ndarray of shape (n_functions, p)
        What to report, as weights of the coefficients.
    n_draws : int
        How many draws in all, at least one from each sample.
    confidence : float
        The probability of the interval.
    rng : Generator
        For the draws.

    Returns
    -------
    Pooled
        What to report for each topic.
    """
    # One thread: the products are narrow, and their bits must not depend on the machine's cores.
    with threadpool_limits(1, user_api="blas"):
        fits = [design.estimate(theta) for theta in samples]
    coefs = np.stack([coef for coef, _ in fits])  # (samples, p, K)
    roots = np.stack([root for _, root in fits])  # (samples, K, p) or (samples, K, p, p)
    n_samples, p, n_topics = coefs.shape
    each = -(-n_draws // n_samples)
    degrees = design.degrees()
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    mean = functions @ coefs.mean(axis=0)
    lower, upper, positive = np.empty((3, *mean.shape))
    for topic in range(n_topics):
        noise = rng.standard_normal((n_samples, each, p))
        noise /= np.sqrt(rng.chisquare(degrees, (n_samples, each, len(degrees))) / degrees)
        root = roots[:, topic]
        moved = noise * root[:, None, :] if root.ndim == 2 else noise @ root.transpose(0, 2, 1)
        draws = (coefs[:, None, :, topic] + moved).reshape(-1, p) @ functions.T
        lower[:, topic], upper[:, topic] = np.quantile(draws, ends, axis=0)
        positive[:, topic] = (draws > 0).mean(axis=0)
    return Pooled(mean, lower, upper, positive)
