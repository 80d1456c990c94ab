r"""Distributions of rows of counts and of presence.

.. math::
    \log P(x \mid k) = \sum_i x_i \log P(i \mid k), \qquad
    P(i \mid k) = \frac{N_{ki} + \alpha}{N_k + \alpha I}

for counts (without the multinomial coefficient, which is the same for all classes), and

.. math::
    P(x \mid k) = \prod_i a_{ki}^{x_i} (1 - a_{ki})^{1 - x_i}, \qquad
    a_{ki} = \frac{D_{ki} + \alpha}{D_k + 2 \alpha}

for presence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from quire import _core
from quire._shared.class_sums import class_sums
from quire._shared.drawn_documents import count_matrix, presence_matrix
from quire._shared.draws import draw_words, lengths_of
from quire._shared.typing import Floats, Ints, Places
from quire.naive_bayes._class_statistics import log_proportions, placed
from quire.naive_bayes._part import Batch

__all__ = ["Bernoulli", "Multinomial"]


class Multinomial:
    """Counts: each class has its own shares of the columns.

    Parameters
    ----------
    alpha : float or array-like of shape (n_columns,)
        Smoothing.
    """

    kind = "counts"

    def __init__(self, alpha: Any) -> None:
        self.alpha = alpha

    def start(self, n_classes: int, n_columns: int) -> None:
        """Forget everything."""
        _check_alpha(self.alpha, n_columns)
        self.feature_count_ = np.zeros((n_classes, n_columns))

    def prepared(self, X: Any, where: str) -> Any:
        """Return the matrix as CSR with values that are not negative."""
        return _as_csr(X, where)

    def learn(self, X: Any, batch: Batch) -> None:
        """Add the statistics of some rows."""
        self.feature_count_ = self.feature_count_ + _class_sums(X, batch)

    def settle(self) -> None:
        """Compute parameters from statistics."""
        alpha = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        totals = self.feature_count_.sum(axis=1)
        self.feature_log_prob_ = _core.counts.multinomial_log_prob(
            self.feature_count_, totals, alpha
        ).T

    def linear(self, X: Any) -> tuple[Floats, Floats | None]:
        """Return weights and offset: the log-likelihoods are ``X @ weights.T + offset``."""
        return self.feature_log_prob_, None

    def draw(self, codes: Ints, lengths: Ints | None, n_rows: float, rng: Any) -> Any:
        """Return counts, CSR, for rows of these classes."""
        if lengths is None:
            lengths = lengths_of(None, len(codes), self.feature_count_.sum() / (n_rows or 1.0))
        tokens = draw_words(rng, np.repeat(codes, lengths), np.exp(self.feature_log_prob_))
        return count_matrix(tokens, lengths, self.feature_count_.shape[1])

    def spread(self, place: Places, n_classes: int) -> None:
        """Make room for more classes."""
        self.feature_count_ = placed(self.feature_count_, place, n_classes)

    def merge(self, other: Any, place: Places) -> None:
        """Add the statistics of another part."""
        self.feature_count_[place] += other.feature_count_


class Bernoulli:
    """Presence: each class has its own probability that a column is there.

    Parameters
    ----------
    alpha : float or array-like of shape (n_columns,)
        Smoothing.
    binarize : float or None
        Above this a column is there; ``None``: wherever it is not zero.
    """

    kind = "presence"

    def __init__(self, alpha: Any, binarize: float | None) -> None:
        self.alpha = alpha
        self.binarize = binarize

    def start(self, n_classes: int, n_columns: int) -> None:
        """Forget everything."""
        _check_alpha(self.alpha, n_columns)
        self.class_count_ = np.zeros(n_classes)
        self.feature_count_ = np.zeros((n_classes, n_columns))

    def prepared(self, X: Any, where: str) -> Any:
        """Return the matrix as CSR of ones."""
        if self.binarize is None:
            return sparse.csr_array(_as_csr(X, where) != 0).astype(np.float64)
        if sparse.issparse(X) and self.binarize < 0:
            raise ValueError(f"A sparse {where} cannot be binarized below zero: {self.binarize}.")
        _check_not_missing(X.data if sparse.issparse(X) else X, where)
        return sparse.csr_array(X > self.binarize).astype(np.float64)

    def learn(self, X: Any, batch: Batch) -> None:
        """Add the statistics of some rows."""
        self.feature_count_ = self.feature_count_ + _class_sums(X, batch)
        rows = np.bincount(batch.codes, batch.weights, minlength=batch.n_classes)
        self.class_count_ = self.class_count_ + rows

    def settle(self) -> None:
        """Compute parameters from statistics."""
        there = self.feature_count_ + self.alpha
        absent = self.class_count_[:, None] - self.feature_count_ + self.alpha
        # Shares of two: those of a class without rows are equal, the limit for a vanishing alpha.
        both = np.stack([there.ravel(), np.maximum(absent, 0).ravel()], axis=1)
        self.feature_log_prob_, self.absent_log_prob_ = log_proportions(both, 0.0).T.reshape(
            2, *there.shape
        )

    def linear(self, X: Any) -> tuple[Floats, Floats | None]:
        """Return weights and offset: the log-likelihoods are ``X @ weights.T + offset``."""
        certain = np.isneginf(self.absent_log_prob_)
        base = np.where(certain, 0, self.absent_log_prob_)
        offset = np.broadcast_to(base.sum(axis=1), (X.shape[0], len(base)))
        if certain.any():  # a row without a column that is always there is impossible
            lacking = X @ certain.T.astype(np.float64) < certain.sum(axis=1)
            offset = np.where(lacking, -np.inf, offset)
        return self.feature_log_prob_ - base, offset

    def draw(self, codes: Ints, lengths: Ints | None, n_rows: float, rng: Any) -> Any:
        """Return ones, CSR, for rows of these classes."""
        return presence_matrix(rng, codes, np.exp(self.feature_log_prob_))

    def spread(self, place: Places, n_classes: int) -> None:
        """Make room for more classes."""
        self.feature_count_ = placed(self.feature_count_, place, n_classes)
        self.class_count_ = placed(self.class_count_, place, n_classes)

    def merge(self, other: Any, place: Places) -> None:
        """Add the statistics of another part."""
        self.feature_count_[place] += other.feature_count_
        self.class_count_[place] += other.class_count_


def _check_alpha(alpha: Any, n_columns: int) -> None:
    shape = np.shape(alpha)
    if shape not in ((), (n_columns,)):
        raise ValueError(
            f"When alpha is an array, it should have a value for each of the {n_columns} columns; "
            f"it has shape {shape}."
        )
    if np.min(alpha) < 0:
        raise ValueError("All values in alpha must be greater than 0.")


def _as_csr(X: Any, where: str) -> Any:
    """Return a matrix as CSR array of float64 or int64, without zeros among its values."""
    X = sparse.csr_array(X)
    if X.dtype not in (np.float64, np.float32, np.int64):
        X = X.astype(np.float64)
    _check_not_missing(X.data, where)
    if (X.data < 0).any():
        raise ValueError(
            f"Negative values in the {where}: a multinomial distribution is of counts."
        )
    if not X.data.all():
        X = X.copy()
        X.eliminate_zeros()
    return X


def _check_not_missing(values: Any, where: str) -> None:
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"Input X contains NaN in the {where}. Fill it with 0.")


def _class_sums(X: Any, batch: Batch) -> Floats:
    return class_sums(X, batch.codes, batch.n_classes, batch.weights, None, batch.n_threads)[0]
