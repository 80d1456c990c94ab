"""Rows as the kernels take them, prepared once for all the trees of a forest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from quire import _core
from quire._shared.threads import effective_threads

__all__ = ["as_rows", "once", "prepared", "shared_rows"]

_lock = threading.Lock()
_n_scopes = 0
_shared: dict[int, tuple[Any, Any]] = {}  # by identity: an object, kept alive, and what was made


def as_rows(X: Any) -> Any:
    """Return a dense matrix, or the arrays of a sparse one, as single-precision rows."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float32)
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.nnz >= np.iinfo(np.int32).max:
        raise ValueError(
            f"X has {X.nnz} stored values; trees take fewer than 2**31. Select fewer columns."
        )
    data = np.ascontiguousarray(X.data, dtype=np.float32)
    return data, X.indices, X.indptr.astype(X.indices.dtype, copy=False), int(X.shape[1])


@contextmanager
def shared_rows() -> Iterator[None]:
    """Within, trees that are fitted on one and the same matrix share what is made of it.

    An error, or Ctrl-C, also ends the trees that other threads are growing on it.
    """
    global _n_scopes
    with _lock:
        _n_scopes += 1
    try:
        yield
    except BaseException:
        with _lock:
            if _n_scopes == 1:  # else some may be of another forest
                for _, made in _shared.values():
                    if isinstance(made, _core.trees.TreeData):
                        made.stop()
        raise
    finally:
        with _lock:
            _n_scopes -= 1
            if _n_scopes == 0:
                _shared.clear()


def once(key: Any, make: Callable[[], Any]) -> Any:
    """Return what `make` makes of the object `key`: anew, or, where trees share, once for all."""
    if _n_scopes == 0:
        return make()
    with _lock:
        if id(key) not in _shared:
            _shared[id(key)] = (key, make())
        return _shared[id(key)][1]


def prepared(X: Any, key: Any, categories: Any = None) -> Any:
    """Return the matrix as the kernels grow trees on it; `key` is what it was made from.

    `categories` says which columns hold codes of categories.
    """
    marks = np.asarray([] if categories is None else categories, dtype=np.uint8)
    return once(key, lambda: _core.trees.TreeData(as_rows(X), effective_threads(None), marks))
