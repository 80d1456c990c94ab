r"""Continuous columns, with values that may be missing.

.. math:: p(x_j \mid k) = \mathcal{N}(x_j;\, \theta_{kj},\, \sigma^2_{kj} + \varepsilon)
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from quire._evidence_terms import difference
from quire.naive_bayes._category_tables import each_block
from quire.naive_bayes._class_statistics import placed
from quire.naive_bayes._part import Batch, Floats, Piece, Places
from quire.naive_bayes._tables import Table, numbers_of

__all__ = ["ContinuousPart"]


class ContinuousPart:
    """Continuous columns, each with a normal density in each class.

    Parameters
    ----------
    columns : list of int
        Of the table in fit.
    labels : list of str
        What they are called.
    n_classes : int
        Number of classes.
    var_smoothing : float
        The share of the largest variance of a column that is added to all variances.
    """

    kind = "continuous"

    def __init__(
        self, columns: list[int], labels: list[str], n_classes: int, var_smoothing: float
    ) -> None:
        self.columns = columns
        self.labels = labels
        self.var_smoothing = var_smoothing
        self.moments_ = np.zeros((3, n_classes, len(columns)))
        # Of all rows together. As in GaussianNB they have no weights: they only set a scale.
        self.whole_ = np.zeros((3, 1, len(columns)))

    def copied(self) -> ContinuousPart:
        """Return a part that can learn without changing this one."""
        return copy.copy(self)

    def learn(self, table: Table, places: Sequence[int], batch: Batch) -> None:
        """Add the statistics of some rows."""
        of_class, of_all = np.zeros_like(self.moments_), np.zeros_like(self.whole_)
        for i, place in enumerate(places):
            x, codes, weights = self._read(table, place, i), batch.codes, batch.weights
            present = ~np.isnan(x)
            if not present.all():
                x, codes = x[present], codes[present]
                weights = None if weights is None else weights[present]
            of_class[:, :, i] = _moments(x, codes, weights, batch.n_classes)
            of_all[:, :, i] = _moments(x, np.zeros(len(x), dtype=np.int32), None, 1)
        self.moments_ = _joined(self.moments_, of_class)
        self.whole_ = _joined(self.whole_, of_all)

    @property
    def largest_variance(self) -> float:
        """The largest variance of a column."""
        n, _, squares = self.whole_
        return float((squares / np.maximum(n, 1)).max(initial=0.0))

    def settle(self, largest_variance: float) -> None:
        """Compute parameters from statistics."""
        n, mean, squares = self.moments_
        # A class without any value in a column has the density of all classes together.
        total, center, spread = _pooled(self.moments_)
        unknown = n <= 0
        self.epsilon_ = self.var_smoothing * largest_variance
        self.theta_ = np.where(unknown, center, mean)
        shared = spread / np.where(total > 0, total, 1)
        variance = np.where(unknown, shared, squares / np.where(unknown, 1, n)) + self.epsilon_
        # A density needs a width: without smoothing a constant has the least there is.
        self.var_ = np.maximum(variance, np.finfo(np.float64).tiny)
        self.known_ = total > 0

    def add_scores(self, scores: Floats, table: Table, places: Sequence[int], n: int) -> None:
        """Add log p(x | k) to the scores."""
        columns = [self._read(table, place, i) for i, place in enumerate(places)]

        def add(rows: slice) -> None:
            for i, x in enumerate(columns):
                scores[rows] += self._log_density(x[rows], i)

        each_block(len(scores), n, add)

    def piece(self, table: Table, places: Sequence[int]) -> Piece:
        """Return what each column says."""
        X = np.stack([self._read(table, place, i) for i, place in enumerate(places)], axis=1)
        present = ~np.isnan(X) & self.known_
        columns = np.nonzero(present)[1]
        indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
        values = sparse.csr_array((X[present], columns, indptr), shape=X.shape)

        def between(rows: Any, a: int, b: int) -> Floats:
            log_density = [
                _log_normal(rows.data, self.theta_[k, rows.indices], self.var_[k, rows.indices])
                for k in (a, b)
            ]
            return difference(*log_density)

        return Piece(values, between, is_count=False)

    def term_names(self) -> list[str]:
        """Return the names of the columns."""
        return self.labels

    def term_weights(self) -> Floats | None:
        """Return ``None``: a measurement has no weight by itself."""
        return None

    def spread(self, place: Places, n_classes: int) -> None:
        """Make room for more classes."""
        self.moments_ = np.stack([placed(moment, place, n_classes) for moment in self.moments_])

    def merge(self, other: Any, place: Places) -> None:
        """Add the statistics of another part."""
        n_classes = self.moments_.shape[1]
        theirs = np.stack([placed(moment, place, n_classes) for moment in other.moments_])
        self.moments_ = _joined(self.moments_, theirs)
        self.whole_ = _joined(self.whole_, other.whole_)

    def described(self) -> list[str]:
        """Return the columns."""
        return self.labels

    def _read(self, table: Table, place: int, i: int) -> Floats:
        return numbers_of(table.column(place), self.labels[i], self.kind)

    def _log_density(self, x: Floats, i: int) -> Floats:
        """Return log p(x_i | k) of shape (n_rows, n_classes), zeros where it is missing."""
        if not self.known_[i]:
            return np.zeros((len(x), len(self.theta_)))
        log_density = _log_normal(x[:, None], self.theta_[:, i], self.var_[:, i])
        log_density[np.isnan(x)] = 0
        return log_density


def _log_normal(x: Floats, mean: Floats, variance: Floats) -> Floats:
    with np.errstate(over="ignore"):  # -inf is what it should be
        log_density: Floats = -0.5 * (np.log(2 * np.pi * variance) + (x - mean) ** 2 / variance)
    return log_density


def _moments(x: Floats, codes: Any, weights: Floats | None, n_classes: int) -> Floats:
    """Return sum of weights, mean and sum of squared deviations of each class, in two passes."""

    def sums(values: Floats) -> Floats:
        weighted = values if weights is None else weights * values
        return np.bincount(codes, weighted, minlength=n_classes).astype(np.float64, copy=False)

    n = np.bincount(codes, weights, minlength=n_classes).astype(np.float64, copy=False)
    divisor = np.where(n > 0, n, 1)
    mean = sums(x) / divisor
    deviation = x - mean[codes]
    shift = sums(deviation) / divisor  # what rounding left of it
    squares = np.maximum(sums(deviation**2) - n * shift**2, 0)
    return np.stack([n, mean + shift, squares])


def _joined(left: Floats, right: Floats) -> Floats:
    """Return the moments of two samples together (Chan, Golub and LeVeque 1979)."""
    n = left[0] + right[0]
    share = right[0] / np.where(n > 0, n, 1)
    shift = right[1] - left[1]
    mean = left[1] + shift * share
    squares = left[2] + right[2] + left[0] * share * shift**2
    return np.stack([n, mean, squares])


def _pooled(moments: Floats) -> Floats:
    """Return the moments of all classes together, of shape (3, n_columns)."""
    pooled = moments[:, 0]
    for k in range(1, moments.shape[1]):
        pooled = _joined(pooled, moments[:, k])
    return pooled
