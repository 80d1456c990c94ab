r"""Losses of linear models as functions of one vector of parameters.

.. math:: f(w) = \frac{1}{S} \sum_i s_i\, \ell_i(\eta_i, e), \qquad \eta = X B, \qquad w = (B, e)

:math:`B` holds the coefficients (features x outputs, row by row) and :math:`e` what is never
penalised: intercepts, or the thresholds of an ordered outcome. A loss has to say what happens in a
row (:class:`Rows`); the products with X, which are the same for all losses, are here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.design import Design
from quire._shared.typing import Floats

__all__ = ["Datafit", "InterceptRows", "Point", "Rows"]


class Rows(ABC):
    """The loss of all rows at given scores, weights included, and its derivatives."""

    value: float  # may be inf: outside of the domain of the loss; then nothing else is asked
    slope: Floats  # (n_samples, n_outputs): by the scores
    extra_slope: Floats  # (n_extra,): by intercepts or thresholds
    curvature: Floats  # (n_samples, n_outputs): second derivatives by the scores

    @abstractmethod
    def curve(self, scores: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """Return the second derivatives times a change of scores and of intercepts."""


class InterceptRows(Rows):
    """Rows whose scores are X w and an intercept, if there is one."""

    fit_intercept: bool

    def of_intercept(self, change: Floats) -> Floats:
        """Return derivatives by the intercept: those by the scores, added up."""
        return change.sum(axis=0) if self.fit_intercept else np.empty(0)

    def curve(self, scores: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """Return the second derivatives times a change of scores and of the intercept."""
        change = self.curvature * (scores + extra.sum())
        return change, self.of_intercept(change)


class Datafit(ABC):
    """A loss of a linear model on given data.

    The parameters are one vector: first the coefficients, feature by feature, then intercepts or
    thresholds. ``penalized`` marks the coefficients.

    Parameters
    ----------
    X : Design, ndarray or sparse matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        Numbers, or codes of classes from 0.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, not negative. Only their proportions matter.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    """

    n_outputs = 1

    def __init__(
        self, X: Any, y: Any, sample_weight: Any = None, fit_intercept: bool = True
    ) -> None:
        self.design = _as_design(X)
        self.fit_intercept = fit_intercept
        n_samples, self.n_features = self.design.shape
        self.y = np.asarray(y)
        if self.y.shape != (n_samples,):
            raise ValueError(f"y has shape {self.y.shape}; X has {n_samples} rows.")
        weights = np.ones(n_samples) if sample_weight is None else np.asarray(sample_weight, float)
        if weights.shape != (n_samples,):
            raise ValueError(f"sample_weight has shape {weights.shape}; X has {n_samples} rows.")
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
            raise ValueError("sample_weight must be finite, not negative, and not all zero.")
        self.weights: Floats = weights / weights.sum()

    @property
    def n_extra(self) -> int:
        """Number of intercepts or thresholds."""
        return self.n_outputs if self.fit_intercept else 0

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.n_features * self.n_outputs + self.n_extra

    @property
    def penalized(self) -> NDArray[np.bool_]:
        """Which parameters a penalty may look at: the coefficients."""
        return np.arange(self.size) < self.n_features * self.n_outputs

    def start(self) -> Floats:
        """Return where solvers begin: zeros, as far as these are allowed."""
        return np.zeros(self.size)

    def longest_step(self, x: Floats, direction: Floats) -> float:
        """Return how far a line search may go, in units of `direction`; any number, as a rule."""
        return np.inf

    @abstractmethod
    def rows(self, scores: Floats, extra: Floats) -> Rows:
        """Return the loss at scores X B and intercepts or thresholds."""

    def at(self, w: Floats) -> Point:
        """Return the loss at `w`, with derivatives that share their work.

        Parameters
        ----------
        w : ndarray of shape (n_parameters,)
            Parameters.
        """
        return Point(self, w)

    def value(self, w: Floats) -> float:
        """Return the loss."""
        return self.at(w).value

    def gradient(self, w: Floats) -> Floats:
        """Return its gradient, of shape (n_parameters,)."""
        return self.at(w).gradient

    def hessian_product(self, w: Floats, v: Floats) -> Floats:
        """Return the second derivatives at `w` times `v`, without making them a matrix."""
        return self.at(w).hessian_product(v)

    def split(self, w: Floats) -> tuple[Floats, Floats]:
        """Return the coefficients (n_features, n_outputs) and the intercepts or thresholds."""
        n_coefficients = self.n_features * self.n_outputs
        return w[:n_coefficients].reshape(self.n_features, -1), w[n_coefficients:]


class Point:
    """A loss at one place.

    Parameters
    ----------
    datafit : Datafit
        The loss.
    x : ndarray of shape (n_parameters,)
        The place.
    """

    def __init__(self, datafit: Datafit, x: Floats) -> None:
        self.datafit = datafit
        self.x = np.asarray(x, dtype=np.float64)
        if self.x.shape != (datafit.size,):
            raise ValueError(f"w has shape {self.x.shape}; this loss has {datafit.size} parameters")
        coefficients, extra = datafit.split(self.x)
        self.rows = datafit.rows(datafit.design.dot(coefficients), extra)
        self.value = self.rows.value

    @cached_property
    def gradient(self) -> Floats:
        """First derivatives, of shape (n_parameters,)."""
        slope = self.datafit.design.t_dot(self.rows.slope)
        return np.concatenate([slope.ravel(), self.rows.extra_slope])

    def hessian_product(self, v: Floats) -> Floats:
        """Return the second derivatives times a vector.

        Parameters
        ----------
        v : ndarray of shape (n_parameters,)
            The vector.
        """
        coefficients, extra = self.datafit.split(v)
        design = self.datafit.design
        rows, extra = self.rows.curve(design.dot(coefficients), extra)
        return np.concatenate([design.t_dot(rows).ravel(), extra])

    @cached_property
    def hessian_diagonal(self) -> Floats:
        """The diagonal of the second derivatives, of shape (n_parameters,)."""
        outputs = np.ascontiguousarray(self.rows.curvature.T)
        squares = [self.datafit.design.squared_norms(h) for h in outputs]
        return np.concatenate([np.stack(squares, axis=1).ravel(), np.diag(self.extra_hessian)])

    @cached_property
    def extra_hessian(self) -> Floats:
        """Second derivatives by intercepts or thresholds, of shape (n_extra, n_extra)."""
        zero = np.zeros_like(self.rows.slope)
        columns = [self.rows.curve(zero, e)[1] for e in np.eye(self.datafit.n_extra)]
        return np.array(columns).reshape(self.datafit.n_extra, self.datafit.n_extra)

    def hessian(self) -> Floats:
        """Return the second derivatives as a matrix, for models with few parameters."""
        datafit = self.datafit
        if datafit.n_outputs > 1:
            return np.stack([self.hessian_product(e) for e in np.eye(datafit.size)], axis=1)
        p, zero = datafit.n_features, np.zeros_like(self.rows.slope)
        units = np.eye(datafit.n_extra)
        H = np.empty((datafit.size, datafit.size))
        H[:p, :p] = _gram(datafit.design, self.rows.curvature[:, 0])
        if len(units):
            rows = np.concatenate([self.rows.curve(zero, e)[0] for e in units], axis=1)
            H[:p, p:] = datafit.design.t_dot(rows)
            H[p:, :p] = H[:p, p:].T
            H[p:, p:] = self.extra_hessian
        return H


def _as_design(X: Any) -> Design:
    if isinstance(X, Design):
        return X
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        return Design(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))
    X = np.asarray(X)
    return Design(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))


def _gram(design: Design, h: Floats) -> Floats:
    """Return (X - center)' diag(h) (X - center)."""
    if design.is_sparse:
        weighted = design.X.multiply(h[:, None]).tocsr()
        gram: Floats = np.asarray((design.X.T @ weighted).todense(), dtype=np.float64)
    else:
        X = design.X.astype(np.float64, copy=False)
        gram = X.T @ (h[:, None] * X)
    if design.center is not None:
        sums = Design(design.X, design.n_threads).t_dot(h)
        cross = np.outer(sums, design.center)
        gram = gram - cross - cross.T + h.sum() * np.outer(design.center, design.center)
    return gram
