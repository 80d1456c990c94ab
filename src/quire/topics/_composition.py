"""Regressions of topic shares on metadata, with the uncertainty of the shares: composition.

Shares of topics are estimates. For each sample of them from their posterior the regression is done,
and its coefficients are drawn from their own distribution; all draws together carry both kinds of
uncertainty. Reference: A. Treier and S. Jackman, "Democracy as a latent variable", American Journal
of Political Science 2008; M. Roberts, B. Stewart and D. Tingley, "stm: An R Package for Structural
Topic Models", Journal of Statistical Software 2019.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.special import stdtr
from threadpoolctl import threadpool_limits

from quire._shared.typing import Floats, Ints

__all__ = [
    "CORRECTIONS",
    "Design",
    "GroupMeans",
    "LeastSquares",
    "Moments",
    "Pooled",
    "compose",
    "corrected",
    "two_sided",
]

CORRECTIONS = ("holm", "bh", "none")
_ROWS = 4096  # documents whose products of columns are held at a time


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
    """Least squares on the columns of a matrix.

    The covariance "HC2" needs no equal variances: it is the sandwich with residuals divided by one
    less the leverage, and for groups the variance within each, divided by its size. "classical" is
    the variance of the residuals times the inverse of D'D.

    Parameters
    ----------
    D : ndarray of shape (n_documents, p)
        Few columns. Those that are sums of others get the coefficients of least length.
    covariance : {"HC2", "classical"}, default="HC2"
        How uncertain coefficients are.
    """

    def __init__(self, D: Floats, covariance: str = "HC2") -> None:
        n, p = D.shape
        scale = np.sqrt((D**2).sum(axis=0))
        scale[scale == 0] = 1.0
        Q, sizes, axes = np.linalg.svd(D / scale, full_matrices=False)
        kept = sizes > sizes[0] * max(n, p) * np.finfo(np.float64).eps
        self.rank = int(kept.sum())
        self._Q = np.ascontiguousarray(Q[:, kept])
        self._back = (axes[kept].T / sizes[kept]) / scale[:, None]  # from Q'y to coefficients
        self._room = np.maximum(1 - (self._Q**2).sum(axis=1), 1e-8)
        self._is_classical = covariance == "classical"
        self._degrees = max(n - self.rank, 1)

    def degrees(self) -> Floats:
        """Return documents less coefficients."""
        return np.array([float(self._degrees)])

    def estimate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return coefficients (p, K) and roots of their covariances (K, p, p)."""
        turned = self._Q.T @ theta
        coef = self._back @ turned
        squares = (theta - self._Q @ turned) ** 2
        if self._is_classical:
            errors = np.sqrt(squares.sum(axis=0) / self._degrees)
            return coef, errors[:, None, None] * self._square(self._back)
        squares /= self._room[:, None]
        meat = np.zeros((theta.shape[1], self.rank, self.rank))
        one, other = np.triu_indices(self.rank)
        for start in range(0, len(theta), _ROWS):
            rows = slice(start, start + _ROWS)
            products = self._Q[rows][:, one] * self._Q[rows][:, other]
            meat[:, one, other] += (products.T @ squares[rows]).T
        meat[:, other, one] = meat[:, one, other]
        sizes, axes = np.linalg.eigh(meat)
        roots = axes * np.sqrt(np.maximum(sizes, 0.0))[:, None, :]
        return coef, self._square(self._back @ roots)

    @staticmethod
    def _square(roots: Floats) -> Floats:
        """Return roots of covariances with as many columns as rows; added ones are zero."""
        missing = roots.shape[-2] - roots.shape[-1]
        return np.pad(roots, [(0, 0)] * (roots.ndim - 1) + [(0, missing)]) if missing else roots


@dataclass(frozen=True, eq=False)
class Moments:
    """Estimates from samples of the shares, and what is known of them.

    Attributes
    ----------
    coef : ndarray of shape (p, n_topics)
        Means of the coefficients over the samples.
    within, between : ndarray of shape (n_topics, p, p)
        The mean of their covariances, and the covariance of the coefficients between samples.
    n_samples : int
        How many samples there were.
    degrees : ndarray of shape (p,) or (1,)
        Degrees of freedom within a sample.
    """

    coef: Floats
    within: Floats
    between: Floats
    n_samples: int
    degrees: Floats

    @classmethod
    def of(cls, fits: Sequence[tuple[Floats, Floats]], degrees: Floats) -> Moments:
        """Return the moments of what a design estimated from each sample."""
        n = len(fits)
        coef = np.mean([one for one, _ in fits], axis=0)
        within = np.zeros((coef.shape[1], len(coef), len(coef)))
        between = np.zeros_like(within)
        for one, root in fits:
            full = root[:, :, None] * np.eye(len(coef)) if root.ndim == 2 else root
            within += full @ full.transpose(0, 2, 1) / n
            if n > 1:
                off = (one - coef).T
                between += off[:, :, None] * off[:, None, :] / (n - 1)
        return cls(coef, within, between, n, degrees)

    def functions(self, functions: Floats) -> tuple[Floats, Floats, Floats]:
        """Return linear functions of the coefficients, their standard errors, degrees of freedom.

        Variances are added by Rubin's rule, T = W + (1 + 1/M) B for M samples, which is the
        variance of the draws of composition, with what a finite number of samples leaves open.
        Degrees of freedom are those of Barnard and Rubin (1999); within a sample, those of Welch
        and Satterthwaite where coefficients have degrees of their own.

        Parameters
        ----------
        functions : ndarray of shape (n_functions, p)
            Weights of the coefficients.

        Returns
        -------
        estimate, error, degrees : ndarray of shape (n_functions, n_topics)
        """
        estimate = functions @ self.coef
        W = np.einsum("fp,kpq,fq->fk", functions, self.within, functions, optimize=True)
        W = np.maximum(W, 0.0)
        own = np.broadcast_to(self.degrees.mean(), W.shape)
        if len(self.degrees) > 1:
            parts = functions[:, :, None] ** 2 * np.diagonal(self.within, axis1=1, axis2=2).T
            sums = (parts**2 / self.degrees[:, None]).sum(axis=1)
            own = np.divide(W**2, sums, out=np.full(W.shape, self.degrees.max()), where=sums > 0)
        if self.n_samples == 1:
            return estimate, np.sqrt(W), own
        more = 1 + 1 / self.n_samples
        B = np.einsum("fp,kpq,fq->fk", functions, self.between, functions, optimize=True)
        total = W + more * np.maximum(B, 0.0)
        share = np.divide(total - W, total, out=np.zeros_like(total), where=total > 0)
        old = (self.n_samples - 1) / np.maximum(share, 1e-12) ** 2
        observed = (own + 1) / (own + 3) * own * np.maximum(1 - share, 1e-12)
        return estimate, np.sqrt(total), 1 / (1 / old + 1 / observed)


@dataclass(frozen=True, eq=False)
class Pooled:
    """Linear functions of coefficients over all draws, each of shape (n_functions, n_topics).

    Attributes
    ----------
    mean, lower, upper : ndarray
        The mean and the ends of the interval.
    positive : ndarray
        The share of draws above zero.
    p : ndarray
        Probabilities of estimates as far from zero, if the truth were zero.
    """

    mean: Floats
    lower: Floats
    upper: Floats
    positive: Floats
    p: Floats


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
    estimate, error, freedom = Moments.of(fits, degrees).functions(functions)
    return Pooled(mean, lower, upper, positive, two_sided(estimate, error, freedom))


def two_sided(estimate: Floats, error: Floats, degrees: Floats) -> Floats:
    """Return two-sided probabilities by Student's t; 1 where nothing varies and nothing differs."""
    known = error > 0
    t = np.divide(np.abs(estimate), error, out=np.zeros_like(estimate), where=known)
    p: Floats = 2 * stdtr(degrees, -t)
    return np.where(known, p, np.where(np.abs(estimate) > 0, 0.0, 1.0))


def corrected(p: Floats, method: str) -> Floats:
    """Return p-values that allow for all of them having been looked at.

    Parameters
    ----------
    p : ndarray
        P-values, of any shape.
    method : {"holm", "bh", "none"}
        "holm" keeps the probability of one false finding or more, "bh" (Benjamini and Hochberg) the
        share of findings that are false.

    Examples
    --------
    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").round(3)
    array([0.03, 0.06, 0.06])
    >>> corrected(np.array([0.01, 0.04, 0.03]), "bh").round(3)
    array([0.03, 0.04, 0.04])
    """
    flat = p.ravel()
    n = len(flat)
    if method == "none" or n == 0:
        return p.copy()
    order = np.argsort(flat, kind="stable")
    ranks = np.arange(n)
    if method == "holm":
        steps = np.maximum.accumulate(flat[order] * (n - ranks))
    else:
        steps = np.minimum.accumulate((flat[order] * n / (ranks + 1))[::-1])[::-1]
    found = np.empty(n)
    found[order] = np.minimum(steps, 1.0)
    return found.reshape(p.shape)
