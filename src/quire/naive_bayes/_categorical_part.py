r"""Categorical columns of any type, with values that may be missing.

.. math:: P(x_j = c \mid k) = \frac{N_{kjc} + \alpha}{N_{kj} + \alpha C_j}

with :math:`N_{kj}` the number of rows of class :math:`k` that have a value in column :math:`j`.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.draws import draw_words
from quire._shared.evidence_terms import difference
from quire._shared.typing import Floats, Ints, Places
from quire.naive_bayes._category_tables import add_lookups, category_counts, one_hot
from quire.naive_bayes._class_statistics import log_proportions, placed
from quire.naive_bayes._part import Batch, Piece
from quire.naive_bayes._tables import Table, declared_categories, factorize

__all__ = ["CategoricalPart"]


class CategoricalPart:
    """Categorical columns, each with smoothed shares of its categories in each class.

    Parameters
    ----------
    columns : list of int
        Of the table in fit.
    labels : list of str
        What they are called.
    n_classes : int
        Number of classes.
    alpha : float
        Smoothing.
    unseen : {"ignore", "error"}
        What a category that was not there in fit is.
    """

    kind = "categorical"

    def __init__(
        self, columns: list[int], labels: list[str], n_classes: int, alpha: float, unseen: str
    ) -> None:
        self.columns = columns
        self.labels = labels
        self.alpha = alpha
        self.unseen = unseen
        self.categories_: list[list[Any]] = [[] for _ in columns]
        self.category_count_: list[Floats] = [np.zeros((n_classes, 0)) for _ in columns]

    def copied(self) -> CategoricalPart:
        """Return a part that can learn without changing this one."""
        other = copy.copy(self)
        other.categories_ = list(self.categories_)
        other.category_count_ = list(self.category_count_)
        return other

    def learn(self, table: Table, places: Sequence[int], batch: Batch) -> None:
        """Add the statistics of some rows."""
        for i, place in enumerate(places):
            column = table.column(place)
            values, codes = factorize(column, self.labels[i])
            self._grow(i, [*declared_categories(column), *values])
            counts = category_counts(
                self._known(i, values)[codes],
                batch.codes,
                len(self.categories_[i]),
                batch.n_classes,
                batch.weights,
            )
            self.category_count_[i] = self.category_count_[i] + counts

    def settle(self) -> None:
        """Compute parameters from statistics."""
        self.feature_log_prob_ = [
            log_proportions(count, self.alpha) for count in self.category_count_
        ]

    def add_scores(self, scores: Floats, table: Table, places: Sequence[int], n: int) -> None:
        """Add log P(x | k) to the scores."""
        add_lookups(scores, self.feature_log_prob_, self._encode(table, places), n)

    def piece(self, table: Table, places: Sequence[int]) -> Piece:
        """Return what each category says."""
        values = one_hot(self._encode(table, places), [len(known) for known in self.categories_])
        weights = np.hstack(self.feature_log_prob_)
        return Piece(values, lambda rows, a, b: difference(weights[a], weights[b])[rows.indices])

    def term_names(self) -> list[str]:
        """Return "column=category" for each of them."""
        return [
            f"{label}={category}"
            for label, known in zip(self.labels, self.categories_, strict=True)
            for category in known
        ]

    def term_weights(self) -> Floats | None:
        """Return what a category adds."""
        return np.hstack(self.feature_log_prob_)

    def spread(self, place: Places, n_classes: int) -> None:
        """Make room for more classes."""
        self.category_count_ = [placed(count, place, n_classes) for count in self.category_count_]

    def merge(self, other: Any, place: Places) -> None:
        """Add the statistics of another part."""
        for i, known in enumerate(other.categories_):
            self._grow(i, known)
            count = self.category_count_[i]
            to = self._known(i, known)[:-1]
            count[np.ix_(place, to)] += other.category_count_[i]

    def draw(self, codes: Ints, lengths: Ints | None, n_rows: float, rng: Any) -> list[Any]:
        """Return categories of each column for rows of these classes."""
        columns: list[Any] = []
        for known, table in zip(self.categories_, self.feature_log_prob_, strict=True):
            if known:
                columns.append([known[c] for c in draw_words(rng, codes, np.exp(table))])
            else:
                columns.append([None] * len(codes))
        return columns

    def described(self) -> list[str]:
        """Return the columns with the numbers of their categories."""
        return [
            f"{label} ({len(known)} categories)"
            for label, known in zip(self.labels, self.categories_, strict=True)
        ]

    def _encode(self, table: Table, places: Sequence[int]) -> list[NDArray[Any]]:
        """Return the numbers of the categories of some rows, -1 for what is missing or ignored."""
        encoded = []
        for i, place in enumerate(places):
            values, codes = factorize(table.column(place), self.labels[i])
            known = self._known(i, values)
            if self.unseen == "error" and (known[:-1] < 0).any():
                new = values[int(np.flatnonzero(known[:-1] < 0)[0])]
                raise ValueError(
                    f"Column {self.labels[i]!r} holds the category {new!r}, which was not there in "
                    f"fit ({len(self.categories_[i])} categories were). Fit with rows that have "
                    'it, or let unseen="ignore" leave it out.'
                )
            encoded.append(known[codes])
        return encoded

    def _known(self, i: int, values: list[Any]) -> NDArray[np.int64]:
        """Return the number of each value, -1 if it is new, and a last -1 for missing values."""
        number = {category: code for code, category in enumerate(self.categories_[i])}
        return np.array([*(number.get(value, -1) for value in values), -1], dtype=np.int64)

    def _grow(self, i: int, values: list[Any]) -> None:
        """Add categories, in sorted order, and columns of zeros for them."""
        before = self.categories_[i]
        if set(values) <= set(before):
            return
        self.categories_[i] = _sorted({*before, *values})
        place = self._known(i, before)[:-1]
        count = np.zeros((len(self.category_count_[i]), len(self.categories_[i])))
        count[:, place] = self.category_count_[i]
        self.category_count_[i] = count


def _sorted(values: set[Any]) -> list[Any]:
    """Return values in order, whatever their types."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))
