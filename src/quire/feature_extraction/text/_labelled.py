"""Documents with their labels and weights, read in step and never held whole."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quire._shared.labels import class_codes
from quire._shared.texts import is_missing, python_objects

__all__ = ["LabelledDocuments"]

Codes: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Read: TypeAlias = Callable[[int], Any]  # the next n things, or fewer at the end

_NO_WEIGHTS = np.empty(0)


class LabelledDocuments:
    """Documents, labels and weights in whatever form a caller has them.

    Parameters
    ----------
    documents : iterable
        Documents; with ``labels=None`` pairs (document, label), or batches that have ``texts`` and
        ``labels`` (a single one will do), such as ``quire.io.read_batches`` yields.
    labels : array-like, iterator or None
        The label of each document.
    weights : array-like, iterator or None
        The weight of each document.

    Attributes
    ----------
    n_documents : int
        How many were taken so far.
    class_count : ndarray of shape (n_codes,)
        The sum of their weights, by code.
    """

    def __init__(self, documents: Any, labels: Any, weights: Any) -> None:
        self.n_documents = 0
        self.class_count: Floats = np.zeros(0)
        self._pending: deque[Any] = deque()  # labels of pairs and batches whose texts were read
        self._documents = documents
        self._labels: _LabelArray | _LabelStream
        self._kind = "documents"
        if labels is not None:
            _check_lengths(documents, labels, "labels")
            self._labels = (
                _LabelStream(_read_iterator(labels))
                if _is_iterator(labels)
                else _LabelArray(labels)
            )
        else:
            self._labels = _LabelStream(self._read_pending)
            if _is_batch(documents):
                self._documents = [documents]
            items = iter(self._documents)
            first = list(itertools.islice(items, 1))
            self._documents = itertools.chain(first, items)
            self._kind = "batches" if first and _is_batch(first[0]) else "pairs"
        self._read_weights: Read | None = None
        if weights is not None:
            _check_lengths(documents if labels is not None else None, weights, "weights")
            self._read_weights = (
                _read_iterator(weights) if _is_iterator(weights) else _read_array(weights)
            )

    def groups(self) -> Iterator[Any]:
        """Yield documents as vectorizers take them: all at once, or the texts of each batch.

        Their labels and weights are to be taken before the next group.
        """
        if self._kind == "documents":
            yield self._documents
        elif self._kind == "pairs":
            yield self._texts_of_pairs()
        else:
            for number, batch in enumerate(self._documents):
                if not _is_batch(batch) or batch.labels is None:
                    raise ValueError(
                        f"Batch {number} (counted from 0) has no labels. Read the batches with the "
                        "name of a label column, or pass labels."
                    )
                self._pending.extend(python_objects(batch.labels))
                yield batch.texts

    def take(self, n: int) -> tuple[Codes, Floats]:
        """Return the codes and weights of the next n documents; no weights means 1 for each.

        Codes are places in :attr:`class_count`, in the order in which labels are first met if they
        were not there at once.
        """
        codes = self._labels.take(n)
        if len(codes) < n:
            raise _ended_first("labels", self.n_documents + len(codes), self.n_documents + n)
        weights = _NO_WEIGHTS
        if self._read_weights is not None:
            weights = np.asarray(self._read_weights(n), dtype=np.float64)
            if len(weights) < n:
                raise _ended_first("weights", self.n_documents + len(weights), self.n_documents + n)
            if not np.isfinite(weights).all():
                row = self.n_documents + int(np.flatnonzero(~np.isfinite(weights))[0])
                raise ValueError(
                    f"The weight of row {row} (counted from 0) is not a finite number."
                )
        room = np.zeros(self._labels.n_codes - len(self.class_count))
        self.class_count = np.concatenate([self.class_count, room])
        np.add.at(self.class_count, codes, weights if len(weights) else 1.0)
        self.n_documents += n
        return codes, weights

    def finish(self) -> tuple[NDArray[Any], NDArray[np.int32] | None]:
        """Return the sorted classes, and the place among them of each code if it is another.

        To be called after all documents; labels or weights that are left are an error.
        """
        if self.n_documents == 0:
            raise ValueError("There are no documents to count.")
        if len(self._labels.take(1)):
            raise _documents_ended_first("labels", self.n_documents)
        if self._read_weights is not None and len(self._read_weights(1)):
            raise _documents_ended_first("weights", self.n_documents)
        return self._labels.classes()

    def _texts_of_pairs(self) -> Iterator[Any]:
        for row, pair in enumerate(self._documents):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise TypeError(
                    f"Without labels, documents must be pairs (text, label) or batches with texts "
                    f"and labels; item {row} (counted from 0) is of type {type(pair).__name__}."
                )
            self._pending.append(pair[1])
            yield pair[0]

    def _read_pending(self, n: int) -> list[Any]:
        return [self._pending.popleft() for _ in range(min(n, len(self._pending)))]


class _LabelArray:
    """Labels that are all there."""

    def __init__(self, labels: Any) -> None:
        if not isinstance(labels, list | tuple):
            labels = np.asarray(labels)
        _check_missing(labels, 0)
        self._classes, self._codes = (
            class_codes(labels) if len(labels) else (np.asarray(labels), np.zeros(0, np.int32))
        )
        self._place = 0

    @property
    def n_codes(self) -> int:
        return len(self._classes)

    def take(self, n: int) -> Codes:
        codes = self._codes[self._place : self._place + n]
        self._place += n
        return codes

    def classes(self) -> tuple[NDArray[Any], None]:
        return self._classes, None


class _LabelStream:
    """Labels that come by and by, numbered in the order in which they are first met."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._numbers: dict[Any, int] = {}
        self._n_read = 0

    @property
    def n_codes(self) -> int:
        return len(self._numbers)

    def take(self, n: int) -> Codes:
        labels = self._read(n)
        _check_missing(labels, self._n_read)
        self._n_read += len(labels)
        numbers = self._numbers
        codes = [numbers.setdefault(label, len(numbers)) for label in labels]
        return np.array(codes, dtype=np.int32)

    def classes(self) -> tuple[NDArray[Any], NDArray[np.int32]]:
        return class_codes(list(self._numbers))


def _is_iterator(values: Any) -> bool:
    return hasattr(values, "__next__")


def _is_batch(item: Any) -> bool:
    return hasattr(item, "texts") and hasattr(item, "labels")


def _read_iterator(values: Iterable[Any]) -> Read:
    iterator = iter(values)
    return lambda n: list(itertools.islice(iterator, n))


def _read_array(values: Any) -> Read:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"weights must be one-dimensional; their shape is {array.shape}.")
    place = 0

    def read(n: int) -> Floats:
        nonlocal place
        place += n
        return array[place - n : place]

    return read


def _check_missing(labels: Any, first_row: int) -> None:
    """Refuse labels that are None or NaN."""
    if isinstance(labels, np.ndarray):
        if labels.dtype.kind not in "fO" or labels.ndim != 1:
            return
        labels = labels.tolist()
    try:
        missing = any(map(is_missing, set(labels)))  # fewer than there are rows
    except TypeError:  # lists in a list: left to whoever checks the shape
        return
    if missing:
        row = first_row + next(i for i, label in enumerate(labels) if is_missing(label))
        raise ValueError(
            f"The label of row {row} (counted from 0) is missing. Drop such rows, or give them a "
            "class of their own."
        )


def _check_lengths(documents: Any, values: Any, name: str) -> None:
    """Refuse lengths that differ, where both are known before anything is read."""
    if hasattr(documents, "__len__") and hasattr(values, "__len__"):
        n_documents, n_values = len(documents), len(values)
        if n_documents != n_values:
            raise ValueError(
                f"documents and {name} must have the same length: there are {n_documents} "
                f"documents and {n_values} {name}."
            )


def _ended_first(name: str, n_values: int, n_documents: int) -> ValueError:
    return ValueError(
        f"The {name} ended first: there are {n_values} {name} and at least {n_documents} documents."
    )


def _documents_ended_first(name: str, n_documents: int) -> ValueError:
    return ValueError(
        f"The documents ended first: there are {n_documents} documents and more {name}."
    )
