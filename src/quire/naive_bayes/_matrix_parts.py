"""Parts that are rows of a matrix: columns of counts or presence, and the words of texts."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.evidence_terms import difference
from quire._shared.typing import Floats, Ints, Places
from quire.naive_bayes._part import Batch, Piece
from quire.naive_bayes._tables import Table, documents_of, numbers_of

__all__ = ["MatrixPart", "TextPart"]


class MatrixPart:
    """Columns of numbers under one distribution.

    Parameters
    ----------
    columns : list of int
        Of the table in fit.
    labels : list of str
        What they are called.
    n_classes : int
        Number of classes.
    distribution : Multinomial or Bernoulli
        Of the rows.
    """

    def __init__(
        self, columns: list[int], labels: list[str], n_classes: int, distribution: Any
    ) -> None:
        self.columns = columns
        self.labels = labels
        self.distribution = distribution
        self.kind: str = distribution.kind
        distribution.start(n_classes, len(columns))

    def copied(self) -> MatrixPart:
        """Return a part that can learn without changing this one."""
        other = copy.copy(self)
        other.distribution = copy.copy(self.distribution)
        return other

    def learn(self, table: Table, places: Sequence[int], batch: Batch) -> None:
        """Add the statistics of some rows."""
        self.distribution.learn(self._read(table, places), batch)

    def settle(self) -> None:
        """Compute parameters from statistics."""
        self.distribution.settle()

    def add_scores(self, scores: Floats, table: Table, places: Sequence[int], n: int) -> None:
        """Add log P(x | k) to the scores."""
        _add_linear(scores, self._read(table, places), self.distribution, n)

    def piece(self, table: Table, places: Sequence[int]) -> Piece:
        """Return what each column says."""
        values = self._read(table, places)
        if self.kind == "counts" or table.is_sparse:
            return _linear_piece(values, self.distribution)
        return self._presence_piece(values.toarray())

    def term_names(self) -> list[str]:
        """Return the names of the columns."""
        return self.labels

    def term_weights(self) -> Floats | None:
        """Return what one occurrence adds."""
        return _term_weights(self.distribution)

    def spread(self, place: Places, n_classes: int) -> None:
        """Make room for more classes."""
        self.distribution.spread(place, n_classes)

    def merge(self, other: Any, place: Places) -> None:
        """Add the statistics of another part."""
        self.distribution.merge(other.distribution, place)

    def draw(self, codes: Ints, lengths: Ints | None, n_rows: float, rng: Any) -> list[Any]:
        """Return numbers of each column for rows of these classes."""
        return list(self.distribution.draw(codes, lengths, n_rows, rng).toarray().T)

    def described(self) -> list[str]:
        """Return the columns."""
        return self.labels

    def _read(self, table: Table, places: Sequence[int]) -> Any:
        if table.is_sparse:
            return self.distribution.prepared(table.data[:, list(places)], "matrix X")
        X = np.stack(
            [
                numbers_of(table.column(place), label, self.kind)
                for place, label in zip(places, self.labels, strict=True)
            ],
            axis=1,
        )
        for i in np.flatnonzero(np.isnan(X).any(axis=0)):
            raise ValueError(
                f"Column {self.labels[i]!r} has missing values (NaN), which a column of "
                f"{self.kind} cannot leave out. Fill it with 0, or name it under 'categorical' or "
                "'continuous'."
            )
        return self.distribution.prepared(X, f"table of {self.kind}")

    def _presence_piece(self, X: Floats) -> Piece:
        """Return what each column says by being there or by being absent."""
        n_rows, n_columns = X.shape
        columns = np.tile(np.arange(n_columns), n_rows)
        indptr = np.arange(0, n_rows * n_columns + 1, n_columns)
        values = sparse.csr_array((X.ravel(), columns, indptr), shape=X.shape)
        present, absent = self.distribution.feature_log_prob_, self.distribution.absent_log_prob_

        def between(rows: Any, a: int, b: int) -> Floats:
            said, unsaid = difference(present[a], present[b]), difference(absent[a], absent[b])
            told: Floats = np.where(rows.data != 0, said[rows.indices], unsaid[rows.indices])
            return told

        return Piece(values, between)


class TextPart:
    """One column of texts, with a vocabulary and a distribution of its own.

    Parameters
    ----------
    column : int
        Of the table in fit.
    label : str
        What it is called.
    n_classes : int
        Number of classes.
    distribution : Multinomial or Bernoulli
        Of the words.
    vectorizer : transformer
        From texts to a sparse matrix; not fitted.
    """

    kind = "text"

    def __init__(
        self, column: int, label: str, n_classes: int, distribution: Any, vectorizer: Any
    ) -> None:
        self.columns = [column]
        self.label = label
        self.n_classes = n_classes
        self.distribution = distribution
        self.vectorizer_ = vectorizer
        self.is_started = False

    def copied(self) -> TextPart:
        """Return a part that can learn without changing this one."""
        other = copy.copy(self)
        other.distribution = copy.copy(self.distribution)
        return other

    @property
    def n_words(self) -> int:
        """The size of the vocabulary."""
        return int(self.distribution.feature_count_.shape[1])

    def learn(self, table: Table, places: Sequence[int], batch: Batch) -> None:
        """Add the statistics of some rows."""
        rows, documents = documents_of(table.column(places[0]))
        if not self.is_started and len(rows) == 0:
            raise ValueError(f"All texts of column {self.label!r} are missing. Leave it out.")
        codes = batch.codes[rows]
        if not self.is_started:
            X = self.vectorizer_.fit_transform(documents, codes)
            self.distribution.start(self.n_classes, X.shape[1])
            self.is_started = True
        elif len(rows):
            X = self.vectorizer_.transform(documents)
        else:
            return
        weights = None if batch.weights is None else batch.weights[rows]
        part = Batch(codes, weights, batch.n_classes, batch.n_threads)
        self.distribution.learn(self._prepared(X), part)

    def settle(self) -> None:
        """Compute parameters from statistics."""
        self.distribution.settle()

    def add_scores(self, scores: Floats, table: Table, places: Sequence[int], n: int) -> None:
        """Add log P(x | k) to the scores."""
        rows, X = self._read(table, places)
        if len(rows) == len(scores):
            _add_linear(scores, X, self.distribution, n)
        elif len(rows):
            part = np.zeros((len(rows), scores.shape[1]))
            _add_linear(part, X, self.distribution, n)
            scores[rows] += part

    def piece(self, table: Table, places: Sequence[int]) -> Piece:
        """Return what each word says."""
        rows, X = self._read(table, places)
        piece = _linear_piece(X, self.distribution)
        lengths = np.zeros(table.n_rows, dtype=X.indptr.dtype)
        lengths[rows] = np.diff(X.indptr)
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        values = sparse.csr_array((X.data, X.indices, indptr), shape=(table.n_rows, X.shape[1]))
        offset = None
        if piece.offset is not None:
            offset = np.zeros((table.n_rows, piece.offset.shape[1]))
            offset[rows] = piece.offset
        return Piece(values, piece.between, offset)

    def term_names(self) -> list[str]:
        """Return "column: word" for each of them."""
        return [f"{self.label}: {word}" for word in self.words()]

    def term_weights(self) -> Floats | None:
        """Return what one occurrence adds."""
        return _term_weights(self.distribution)

    def words(self) -> Sequence[Any]:
        """Return the vocabulary; numbers of columns where there is none."""
        if hasattr(self.vectorizer_, "get_feature_names_out"):
            try:
                return list(self.vectorizer_.get_feature_names_out())
            except AttributeError:  # a pipeline of which a step has none
                pass
        return range(self.n_words)

    def spread(self, place: Places, n_classes: int) -> None:
        """Make room for more classes."""
        self.n_classes = n_classes
        self.distribution.spread(place, n_classes)

    def merge(self, other: Any, place: Places) -> None:
        """Add the statistics of another part."""
        self.distribution.merge(other.distribution, place)

    def check_same_words(self, other: Any) -> None:
        """Refuse to add counts of different words."""
        if self.n_words != other.n_words or list(self.words()) != list(other.words()):
            raise ValueError(
                f"Cannot merge models with different vocabularies of column {self.label!r}. Give "
                "both a vectorizer with the same vocabulary, or one that hashes."
            )

    def draw(self, codes: Ints, lengths: Ints | None, n_rows: float, rng: Any) -> list[Any]:
        """Return texts for rows of these classes: their words in the order of the vocabulary."""
        words = self.words()
        if isinstance(words, range):
            raise ValueError(
                f"The texts of column {self.label!r} cannot be written: its vectorizer does not "
                "know the words of its columns."
            )
        X = self.distribution.draw(codes, lengths, n_rows, rng)
        spelled = np.repeat(np.asarray(words, dtype=object)[X.indices], X.data)
        ends = np.append(0, np.cumsum(np.asarray(X.sum(axis=1)).ravel()))
        return [[" ".join(spelled[a:b]) for a, b in pairwise(ends)]]

    def described(self) -> list[str]:
        """Return the column with the size of its vocabulary."""
        what = "" if self.distribution.kind == "counts" else f", {self.distribution.kind}"
        return [f"{self.label} ({self.n_words} terms{what})"]

    def _read(self, table: Table, places: Sequence[int]) -> tuple[NDArray[np.intp], Any]:
        """Return which rows have a text, and the matrix of these."""
        rows, documents = documents_of(table.column(places[0]))
        if len(rows) == 0:
            return rows, sparse.csr_array((0, self.n_words), dtype=np.float64)
        return rows, self._prepared(self.vectorizer_.transform(documents))

    def _prepared(self, X: Any) -> Any:
        return self.distribution.prepared(X, f"matrix of the texts of column {self.label!r}")


def _add_linear(scores: Floats, X: Any, distribution: Any, n_threads: int) -> None:
    weights, offset = distribution.linear(X)
    by_feature = np.ascontiguousarray(weights.T)
    scores += _core.sparse.csr_matmul(csr_arrays(X), by_feature, np.empty(0), None, n_threads)
    if offset is not None:
        scores += offset


def _linear_piece(X: Any, distribution: Any) -> Piece:
    weights, offset = distribution.linear(X)

    def between(rows: Any, a: int, b: int) -> Floats:
        said: Floats = rows.data * difference(weights[a], weights[b])[rows.indices]
        return said

    return Piece(X, between, offset)


def _term_weights(distribution: Any) -> Floats:
    nothing = sparse.csr_array((0, distribution.feature_count_.shape[1]), dtype=np.float64)
    weights: Floats = distribution.linear(nothing)[0]
    return weights
