"""Sums over the documents of each class, of any matrix that passed validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.sparse import is_sparse
from quire._shared.typing import Floats

__all__ = ["class_counts", "class_sums", "csr_arrays", "native"]


_DTYPES = (np.float64, np.float32, np.int64)  # what the kernels read as it is
_NONE = np.empty(0)


def class_sums(
    X: Any,
    codes: NDArray[np.int32],
    n_classes: int,
    weights: Floats | None,
    threshold: float | None,
    n_threads: int,
) -> tuple[Floats, Floats]:
    """Add up the rows of each class.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_documents, n_features)
        The documents.
    codes : ndarray of shape (n_documents,)
        Their classes.
    n_classes : int
        How many classes there are.
    weights : ndarray of shape (n_documents,) or None
        Of the documents.
    threshold : float or None
        If given, X above it counts as 1 and the rest as 0.
    n_threads : int
        Threads to use.

    Returns
    -------
    sums : ndarray of shape (n_classes, n_features)
        The sums.
    totals : ndarray of shape (n_classes,)
        Those of all features together.
    """
    w = _NONE if weights is None else weights
    if is_sparse(X):
        arrays = csr_arrays(X, n_threads, once=threshold is not None)
        return _core.counts.csr_class_sums(arrays, codes, n_classes, w, threshold, n_threads)
    dense = np.ascontiguousarray(native(X))
    return _core.counts.dense_class_sums(dense, codes, n_classes, w, threshold, n_threads)


def class_counts(
    X: Any, codes: NDArray[np.int32], n_classes: int, threshold: float | None, n_threads: int
) -> tuple[NDArray[Any], Floats]:
    """Add up the rows of each class, in whole numbers of 32 bits where that is exact.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_documents, n_features)
        The documents.
    codes : ndarray of shape (n_documents,)
        Their classes.
    n_classes : int
        How many classes there are.
    threshold : float or None
        If given, X above it counts as 1 and the rest as 0.
    n_threads : int
        Threads to use.

    Returns
    -------
    counts : ndarray of uint32 or float64 of shape (n_classes, n_features)
        The sums.
    totals : ndarray of shape (n_classes,)
        Those of all features together.
    """
    if is_sparse(X):
        arrays = csr_arrays(X, n_threads, once=threshold is not None)
        if threshold is not None or arrays[0].dtype == np.int64:
            found = _core.counts.csr_class_counts(arrays, codes, n_classes, threshold, n_threads)
            if found is not None:
                return found
    return class_sums(X, codes, n_classes, None, threshold, n_threads)


def csr_arrays(
    X: Any, n_threads: int = 1, *, once: bool = False
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]:
    """Return the arrays of a CSR matrix as the kernels take them, and the number of columns.

    Parameters
    ----------
    X : CSR matrix
        The matrix.
    n_threads : int, default=1
        Threads to use.
    once : bool, default=False
        Join entries that are stored in several pieces.
    """
    indices = np.ascontiguousarray(X.indices)
    indptr = np.ascontiguousarray(X.indptr, dtype=indices.dtype)
    arrays = np.ascontiguousarray(native(X.data)), indices, indptr, X.shape[1]
    if once and _core.counts.csr_has_duplicates(arrays, n_threads):
        X = X.copy()
        X.sum_duplicates()
        return csr_arrays(X)
    return arrays


def native(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in a dtype that the kernels know."""
    if values.dtype in _DTYPES and values.dtype.isnative:
        return values
    kind = np.int64 if values.dtype.kind in "bi" or values.dtype in (np.uint8, np.uint16) else float
    return values.astype(kind)
