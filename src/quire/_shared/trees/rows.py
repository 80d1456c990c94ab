"""Rows as the kernels take them, and what all trees of one forest are grown on, made once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from quire import _core
from quire._shared.threads import effective_threads
from quire._shared.validation import check_sparse_arrays

__all__ = ["GrowthData", "as_rows", "check_places"]


def as_rows(X: Any) -> Any:
    """Return a dense matrix, or the arrays of a sparse one, as single-precision rows."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float32)
    X = X.tocsr()
    _check_ranges(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.nnz >= np.iinfo(np.int32).max:
        raise ValueError(
            f"X has {X.nnz} stored values; trees take fewer than 2**31. Select fewer columns."
        )
    data = np.ascontiguousarray(X.data, dtype=np.float32)
    indices = np.ascontiguousarray(X.indices)
    return data, indices, np.ascontiguousarray(X.indptr, dtype=indices.dtype), int(X.shape[1])


def check_places(X: Any) -> None:
    """Raise an error if places of a sparse matrix lie outside of it; dense ones are let pass.

    Before code of scipy or scikit-learn, which trusts them, makes another matrix of it.
    """
    if not sparse.issparse(X):
        return
    if X.format not in ("csr", "csc"):
        check_sparse_arrays(X)
        return
    _check_ranges(X)
    n = X.shape[1] if X.format == "csr" else X.shape[0]
    if len(X.indices) and (X.indices.min() < 0 or X.indices.max() >= n):
        raise ValueError(
            f"X is a damaged sparse matrix: it has a {'column' if X.format == 'csr' else 'row'} "
            f"outside of [0, {n})."
        )


def _check_ranges(X: Any) -> None:
    """Raise an error unless every row, or column, is a range of the stored values."""
    indptr = X.indptr
    if (
        len(indptr) != X.shape[0 if X.format == "csr" else 1] + 1
        or len(X.indices) != len(X.data)
        or indptr[0] != 0
        or indptr[-1] > len(X.data)
        or (indptr[1:] < indptr[:-1]).any()
    ):
        raise ValueError(
            "X is a damaged sparse matrix: its rows do not divide its stored values. "
            "X.check_format() says more."
        )


class GrowthData:
    """What trees are grown on: rows as the kernels take them, and classes as numbers.

    A tree that is fitted alone makes its own. An ensemble makes one for each of its fits and hands
    it to the trees of that fit, which find there what the first of them has made. It ends with the
    fit: data may change between two of them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: tuple[Any, Any] | None = None  # what was given, and what was made of it
        self._labels: tuple[Any, Any] | None = None
        self._stopped = False
        self._n_growing = 0
        self._has_ended = threading.Condition()

    @contextmanager
    def rows(self, given: Any, X: Any, categories: Any = None) -> Iterator[Any]:
        """Give rows as the kernels take them, to grow one tree on.

        Parameters
        ----------
        given : object
            What the tree was given. An ensemble that hands another object to each of its trees (a
            choice of rows, for example) has data for the first of them only.
        X : ndarray or sparse matrix of shape (n_samples, n_features)
            The same, checked.
        categories : array-like of bool of shape (n_features,), default=None
            Which columns hold codes of categories.
        """
        with self._has_ended:
            self._n_growing += 1
        try:
            made = self._made(given, X, categories)
            if self._stopped:
                raise KeyboardInterrupt
            yield made
        finally:
            with self._has_ended:
                self._n_growing -= 1
                self._has_ended.notify_all()

    def _made(self, given: Any, X: Any, categories: Any) -> Any:
        marks = np.asarray([] if categories is None else categories, dtype=np.uint8)

        def make() -> Any:
            return _core.trees.TreeData(as_rows(X), effective_threads(None), marks)

        with self._lock:
            if self._rows is None:
                self._rows = given, make()
            if self._rows[0] is given:
                return self._rows[1]
        return make()

    def labels(self, given: Any, make: Callable[[], Any]) -> Any:
        """Return what `make` makes of labels, once for all trees that were given the same ones."""
        with self._lock:
            if self._labels is None:
                self._labels = given, make()
            if self._labels[0] is given:
                return self._labels[1]
        return make()

    def stop(self) -> None:
        """End the trees that threads still grow, let none begin, and wait for their threads.

        Python may end after Ctrl-C, and must not do so while a kernel is at work.
        """
        self._stopped = True
        if self._rows is not None:  # else a thread that is making them will see the mark
            self._rows[1].stop()
        with self._has_ended:
            self._has_ended.wait_for(lambda: self._n_growing == 0)
