r"""Maximum likelihood for Dirichlet parameters, from proportions and from counts.

Both likelihoods have a Hessian that is a diagonal and one number everywhere, so that a step of
Newton's method costs as much as the gradient. Steps are taken in :math:`\log\alpha`, which keeps
parameters positive. Where Newton's step would lead astray, a fixed-point step that cannot lower the
likelihood takes its place.

References
----------
T. Minka, "Estimating a Dirichlet distribution", 2000, revised 2012.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.special import gammaln, polygamma, psi
from sklearn.exceptions import ConvergenceWarning

from quire._shared.typing import Floats
from quire.distributions._checks import (
    check_counts,
    check_proportions,
    check_weights,
    count_pairs,
)

__all__ = ["fit_counts", "fit_proportions"]


_LARGEST = 1e9  # a concentration that data cannot tell from infinity


def fit_proportions(
    proportions: Any, sample_weight: Any, symmetric: bool, tol: float, max_iter: int
) -> Floats:
    """Return the parameters of :meth:`quire.distributions.Dirichlet.fit`."""
    points = np.atleast_2d(np.asarray(proportions))
    points = check_proportions(points, points.shape[-1])
    weights = check_weights(sample_weight, len(points))
    points, weights = points[weights > 0], weights[weights > 0] / weights.sum()
    _check_categories(points.shape[1])
    if points.min() == 0:
        row, column = np.argwhere(points == 0)[0]
        raise ValueError(
            f"proportions[{row}, {column}] is 0, where every Dirichlet density is 0 or infinite. "
            "If the proportions come from counts, pass the counts to Dirichlet.fit_counts; "
            "otherwise put a small number in place of zeros and divide rows by their sums."
        )
    mean_log, mean = weights @ np.log(points), weights @ points
    spread = weights @ (points - mean) ** 2
    if (spread <= 1e-28).all():
        raise ValueError(
            f"All {len(points)} rows are equal: the likelihood grows with the concentration "
            "without end. Rows that differ are needed."
        )
    with np.errstate(divide="ignore"):
        guesses = mean * (1 - mean) / spread - 1  # of the concentration, by moments
    usable = guesses[np.isfinite(guesses) & (guesses > 0)]
    start = mean * float(np.exp(np.log(usable).mean()) if len(usable) else len(mean))
    return _maximum(ProportionsLikelihood(mean_log), start, symmetric, tol, max_iter)


def fit_counts(
    counts: Any, sample_weight: Any, symmetric: bool, tol: float, max_iter: int
) -> Floats:
    """Return the parameters of :meth:`quire.distributions.Dirichlet.fit_counts`."""
    rows = check_counts(counts)
    weights = check_weights(sample_weight, rows.shape[0])
    _check_categories(rows.shape[1])
    sums = np.asarray(weights @ rows).ravel()
    missing = np.flatnonzero(sums == 0)
    if len(missing) and not (symmetric and sums.any()):
        raise ValueError(
            f"Column {missing[0]} of the counts is empty ({len(missing)} of {len(sums)} are): "
            "the most probable parameter is 0, which no Dirichlet distribution has. Leave "
            "empty columns out, or pass symmetric=True."
        )
    if np.asarray(rows.sum(axis=1)).ravel()[weights > 0].max() < 2:
        raise ValueError(
            "No row has more than one count: proportions of rows cannot be told from their "
            "mean. Rows with two counts or more are needed."
        )
    start = np.ones(len(sums)) if symmetric else sums / sums.sum() * len(sums)
    likelihood = CountsLikelihood(rows, weights)
    if likelihood.excess(start / len(sums)) <= 0:
        return _without_end(start, stacklevel=4)
    return _maximum(likelihood, start, symmetric, tol, max_iter)


def _check_categories(n_categories: int) -> None:
    if n_categories < 2:
        raise ValueError("There is one category: its proportion is always 1, nothing to learn.")


def _maximum(
    likelihood: Likelihood, start: Floats, symmetric: bool, tol: float, max_iter: int
) -> Floats:
    if not symmetric:
        return maximise(likelihood, start, tol=tol, max_iter=max_iter)
    n = len(start)
    one = maximise(Symmetric(likelihood, n), start.mean()[None], tol=tol, max_iter=max_iter)
    return np.full(n, one[0])


class Likelihood(ABC):
    """A function of Dirichlet parameters that is to be maximised."""

    @abstractmethod
    def value(self, alpha: Floats) -> float:
        """Return the log likelihood, up to a constant."""

    @abstractmethod
    def derivatives(self, alpha: Floats) -> tuple[Floats, Floats, float]:
        """Return the gradient, and q and z of the Hessian ``diag(q) + z``."""

    @abstractmethod
    def fixed_point(self, alpha: Floats) -> Floats:
        """Return parameters whose likelihood is not lower."""


class ProportionsLikelihood(Likelihood):
    """Independent proportions, known by the means of their logarithms."""

    def __init__(self, mean_log: Floats) -> None:
        self.mean_log = mean_log

    def value(self, alpha: Floats) -> float:
        """Return the mean log density."""
        return float(gammaln(alpha.sum()) - gammaln(alpha).sum() + (alpha - 1) @ self.mean_log)

    def derivatives(self, alpha: Floats) -> tuple[Floats, Floats, float]:
        """Return gradient, diagonal and constant of the Hessian."""
        gradient = psi(alpha.sum()) - psi(alpha) + self.mean_log
        return gradient, -polygamma(1, alpha), float(polygamma(1, alpha.sum()))

    def fixed_point(self, alpha: Floats) -> Floats:
        """Solve psi(alpha_k) = psi(sum of the old alpha) + mean log of category k."""
        return inverse_digamma(psi(alpha.sum()) + self.mean_log)


class CountsLikelihood(Likelihood):
    """Rows of counts, each drawn with proportions of its own: the Dirichlet-multinomial.

    What is needed of the data is how often each count occurs in each category. The cost of a step
    grows with the number of such pairs, not with counts or rows.
    """

    def __init__(self, rows: Any, weights: Floats) -> None:
        self.n_categories: int = rows.shape[1]
        self.columns, self.counts, self.times = count_pairs(rows, weights)
        totals, where = np.unique(np.asarray(rows.sum(axis=1)).ravel(), return_inverse=True)
        self.totals, self.rows = totals, np.bincount(where, weights, len(totals))

    def value(self, alpha: Floats) -> float:
        """Return the log likelihood without the multinomial coefficients."""
        own, total = alpha[self.columns], alpha.sum()
        found = self.times @ (gammaln(own + self.counts) - gammaln(own))
        return float(found - self.rows @ (gammaln(total + self.totals) - gammaln(total)))

    def derivatives(self, alpha: Floats) -> tuple[Floats, Floats, float]:
        """Return gradient, diagonal and constant of the Hessian."""
        own, total = alpha[self.columns], alpha.sum()
        gained = self._by_category(psi(own + self.counts) - psi(own))
        curved = self._by_category(polygamma(1, own + self.counts) - polygamma(1, own))
        lost = self.rows @ (psi(total + self.totals) - psi(total))
        z = self.rows @ (polygamma(1, total) - polygamma(1, total + self.totals))
        return gained - lost, curved, float(z)

    def fixed_point(self, alpha: Floats) -> Floats:
        """Multiply by the ratio of the two sums of the gradient."""
        own, total = alpha[self.columns], alpha.sum()
        gained = self._by_category(psi(own + self.counts) - psi(own))
        lost = self.rows @ (psi(total + self.totals) - psi(total))
        return np.asarray(np.maximum(alpha * gained / lost, 1e-300))

    def excess(self, mean: Floats) -> float:
        """Return the slope of the likelihood in 1 / concentration where that is 0.

        If it is not positive, rows differ no more than multinomial ones with one `mean`, and the
        likelihood is largest for an infinite concentration.
        """
        pairs = self.times @ (self.counts * (self.counts - 1) / mean[self.columns])
        return float(pairs - self.rows @ (self.totals * (self.totals - 1))) / 2

    def _by_category(self, terms: Floats) -> Floats:
        return np.bincount(self.columns, self.times * terms, self.n_categories).astype(np.float64)


class Symmetric(Likelihood):
    """Another likelihood where all parameters are equal: a function of one number."""

    def __init__(self, whole: Likelihood, n_categories: int) -> None:
        self.whole, self.n_categories = whole, n_categories

    def value(self, alpha: Floats) -> float:
        """Return the log likelihood."""
        return self.whole.value(np.full(self.n_categories, alpha[0]))

    def derivatives(self, alpha: Floats) -> tuple[Floats, Floats, float]:
        """Return slope and curvature."""
        n = self.n_categories
        gradient, q, z = self.whole.derivatives(np.full(n, alpha[0]))
        return np.array([gradient.sum()]), np.array([q.sum() + z * n * n]), 0.0

    def fixed_point(self, alpha: Floats) -> Floats:
        """Go uphill by half."""
        up = self.derivatives(alpha)[0][0] > 0
        return alpha * (1.5 if up else 1 / 1.5)


def maximise(likelihood: Likelihood, start: Floats, *, tol: float, max_iter: int) -> Floats:
    """Return the parameters with the largest likelihood.

    Parameters
    ----------
    likelihood : Likelihood
        What to maximise.
    start : ndarray of shape (n_categories,)
        Where to start.
    tol : float
        Parameters have converged when no one changes by more than this share of it.
    max_iter : int
        Steps at most.

    Returns
    -------
    ndarray of shape (n_categories,)
        The parameters.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` steps do not suffice, or if the likelihood grows without end because rows do
        not differ more than chance makes them.
    """
    alpha = start
    value = likelihood.value(alpha)
    for _ in range(max_iter):
        following, value = _step(likelihood, alpha, value)
        change = float(np.max(np.abs(following - alpha) / alpha))
        alpha = following
        if change <= tol:
            return alpha
        if alpha.sum() > _LARGEST:
            return _without_end(alpha, stacklevel=6)
    warnings.warn(
        f"Dirichlet parameters still change by a share of {change:.1e} after {max_iter} steps; "
        "increase max_iter or tol.",
        ConvergenceWarning,
        stacklevel=5,
    )
    return alpha


def _without_end(alpha: Floats, stacklevel: int) -> Floats:
    """Warn that the concentration is infinite; return the parameters with one that is large."""
    warnings.warn(
        f"The concentration of the Dirichlet distribution would grow without end: rows differ no "
        f"more than by chance. The proportions are right; the concentration is set to "
        f"{_LARGEST:.0e}.",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )
    return np.asarray(alpha * (_LARGEST / alpha.sum()))


def _step(likelihood: Likelihood, alpha: Floats, value: float) -> tuple[Floats, float]:
    direction = _newton_direction(alpha, *likelihood.derivatives(alpha))
    if direction is not None:
        for _ in range(6):
            following = alpha * np.exp(direction)
            found = likelihood.value(following)
            # A step within rounding of the likelihood is taken: the gradient knows better.
            if found >= value - 1e-13 * max(1.0, abs(value)):
                return following, found
            direction = direction / 4
    following = likelihood.fixed_point(alpha)
    return following, likelihood.value(following)


def _newton_direction(alpha: Floats, gradient: Floats, q: Floats, z: float) -> Floats | None:
    """Return Newton's step in log(alpha); None where the Hessian there is not negative definite."""
    slope = gradient * alpha
    diagonal = q * alpha**2 + slope
    if not (diagonal < 0).all():
        return None
    along = alpha / diagonal
    divisor = 1 + z * float(alpha @ along)
    if divisor <= 0:
        return None
    step = slope / diagonal - along * (z * float(slope @ along) / divisor)
    return np.asarray(np.clip(-step, -3.0, 3.0)) if np.isfinite(step).all() else None


def inverse_digamma(y: Floats) -> Floats:
    """Return x with psi(x) = y, by five steps of Newton's method from a close start.

    Examples
    --------
    >>> inverse_digamma(psi(np.array([1e-3, 1.0, 1e6]))).round(9)
    array([1.e-03, 1.e+00, 1.e+06])
    """
    x = np.where(y >= -2.22, np.exp(y) + 0.5, -1.0 / np.minimum(y - psi(1.0), -1.0))
    for _ in range(5):
        x = x - (psi(x) - y) / polygamma(1, x)
    return np.asarray(x)
