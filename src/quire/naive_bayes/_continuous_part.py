r"""Continuous columns, with values that may be missing.

.. math:: p(x_j \mid k) = \mathcal{N}(x_j;\, \theta_{kj},\, \sigma^2_{kj} + \varepsilon_j)

Every column is smoothed by its own variance, and one that is the same in all rows says nothing.
Moments and densities are those of :class:`~quire.naive_bayes.GaussianNB`, column by column.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.evidence_terms import difference
from quire._shared.typing import Floats, Ints, Places
from quire.naive_bayes._category_tables import each_block
from quire.naive_bayes._moments import Moments
from quire.naive_bayes._normal import NormalDensities
from quire.naive_bayes._part import Batch, Piece
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
        The share of the variance of a column that is added to its variance in each class.
    """

    kind = "continuous"

    def __init__(
        self, columns: list[int], labels: list[str], n_classes: int, var_smoothing: float
    ) -> None:
        self.columns = columns
        self.labels = labels
        self.var_smoothing = var_smoothing
        # One for each column, since values may be missing in one and there in another.
        self.moments_ = [Moments.empty(n_classes, 1) for _ in columns]
        # Of all rows together. As in GaussianNB they have no weights: they only set a scale.
        self.whole_ = [Moments.empty(1, 1) for _ in columns]

    def copied(self) -> ContinuousPart:
        """Return a part that can learn without changing this one."""
        return copy.copy(self)

    def learn(self, table: Table, places: Sequence[int], batch: Batch) -> None:
        """Add the statistics of some rows."""
        moments, whole = list(self.moments_), list(self.whole_)
        for i, place in enumerate(places):
            x, codes, weights = self._read(table, place, i), batch.codes, batch.weights
            present = ~np.isnan(x)
            if not present.all():
                x, codes = x[present], codes[present]
                weights = None if weights is None else weights[present]
            if len(x) == 0:
                continue
            of_class = _moments(x, codes, batch.n_classes, weights, batch.n_threads)
            of_all = _moments(x, np.zeros_like(codes), 1, None, batch.n_threads)
            moments[i], whole[i] = moments[i].join(of_class), whole[i].join(of_all)
        self.moments_, self.whole_ = moments, whole

    def settle(self) -> None:
        """Compute parameters from statistics."""
        whole = np.array([whole.variance()[0, 0] for whole in self.whole_])
        # Not zero times infinity, where a variance is too large for a number.
        self.epsilon_ = self.var_smoothing * whole if self.var_smoothing else np.zeros(len(whole))
        theta, variance, known = [], [], []
        for moments in self.moments_:
            # A class without any value in a column has the density of all classes together.
            pooled, unknown = moments.pooled(), moments.count[:, None] <= 0
            theta.append(np.where(unknown, pooled.mean, moments.mean))
            variance.append(np.where(unknown, pooled.variance(), moments.variance()))
            known.append(pooled.count[0] > 0)
        self.theta_, self.known_ = np.hstack(theta), np.array(known)
        self.var_ = np.hstack(variance) + self.epsilon_
        self.densities_ = NormalDensities.of(
            self.theta_, self.var_, np.ones(len(self.theta_), dtype=bool)
        )
        if self.var_smoothing:
            self.densities_ = self.densities_.without(whole == 0)

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
            at = self.densities_.at
            return difference(*(at(rows.data, k, rows.indices) for k in (a, b)))

        return Piece(values, between, is_count=False)

    def term_names(self) -> list[str]:
        """Return the names of the columns."""
        return self.labels

    def term_weights(self) -> Floats | None:
        """Return ``None``: a measurement has no weight by itself."""
        return None

    def spread(self, place: Places, n_classes: int) -> None:
        """Make room for more classes."""
        self.moments_ = [moments.spread(place, n_classes) for moments in self.moments_]

    def merge(self, other: Any, place: Places) -> None:
        """Add the statistics of another part."""
        n_classes = len(self.moments_[0].count)
        self.moments_ = [
            mine.join(theirs.spread(place, n_classes))
            for mine, theirs in zip(self.moments_, other.moments_, strict=True)
        ]
        self.whole_ = [
            mine.join(theirs) for mine, theirs in zip(self.whole_, other.whole_, strict=True)
        ]

    def draw(self, codes: Ints, lengths: Ints | None, n_rows: float, rng: Any) -> list[Any]:
        """Return numbers of each column for rows of these classes; NaN where nothing is known."""
        noise = rng.standard_normal((len(codes), len(self.columns)))
        X = self.theta_[codes] + np.sqrt(self.var_[codes]) * noise
        return list(np.where(self.known_, X, np.nan).T)

    def described(self) -> list[str]:
        """Return the columns."""
        return self.labels

    def _read(self, table: Table, place: int, i: int) -> Floats:
        return numbers_of(table.column(place), self.labels[i], self.kind)

    def _log_density(self, x: Floats, i: int) -> Floats:
        """Return log p(x_i | k) of shape (n_rows, n_classes), zeros where it is missing."""
        if not self.known_[i]:
            return np.zeros((len(x), len(self.theta_)))
        log_density = self.densities_.at(x[:, None], slice(None), i)
        log_density[np.isnan(x)] = 0
        return log_density


def _moments(
    x: Floats, codes: Any, n_classes: int, weights: Floats | None, n_threads: int
) -> Moments:
    moments = Moments.of_classes(x[:, None], codes, n_classes, weights, n_threads)
    return moments if moments.is_finite() else moments.without_nan()
