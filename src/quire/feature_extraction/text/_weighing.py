"""Counts become weights, in place: by tf-idf, by BM25, and by the norm of a row.

The transformers call this, and so does what is scored from a model file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quire import _core
from quire._shared.class_sums import csr_arrays

__all__ = ["normalize_rows", "weigh_bm25", "weigh_tfidf"]


def weigh_tfidf(transformer: Any, X: Any, n_threads: int) -> Any:
    """Weight a CSR matrix of floats in place by tf-idf.

    Parameters
    ----------
    transformer : object
        Fitted, with the parameters of a TfidfTransformer.
    X : CSR matrix
        Counts; changed.
    n_threads : int
        Threads.
    """
    if transformer.sublinear_tf:
        np.log(X.data, X.data)
        X.data += 1.0
    normalize_rows(X, getattr(transformer, "idf_", None), transformer.norm, n_threads)
    return X


def weigh_bm25(transformer: Any, X: Any, n_threads: int) -> Any:
    """Weight a CSR matrix of floats in place by BM25.

    Parameters
    ----------
    transformer : object
        Fitted, with the parameters of a BM25Transformer.
    X : CSR matrix
        Counts; changed.
    n_threads : int
        Threads.
    """
    lengths = _core.sparse.csr_matvec(csr_arrays(X), np.ones(X.shape[1]), 0.0, n_threads)
    if transformer.mean_length_ > 0:
        lengths /= transformer.mean_length_
    lengths *= transformer.b
    lengths += 1.0 - transformer.b
    lengths *= transformer.k1
    damped = np.repeat(lengths.astype(X.dtype), np.diff(X.indptr))
    damped += X.data
    X.data *= X.dtype.type(transformer.k1 + 1.0)
    np.divide(X.data, damped, out=X.data, where=damped > 0)
    normalize_rows(X, getattr(transformer, "idf_", None), transformer.norm, n_threads)
    return X


def normalize_rows(X: Any, idf: Any, norm: str | None, n_threads: int) -> None:
    """Weight the columns of a CSR matrix and divide its rows by their norm, in place.

    Parameters
    ----------
    X : CSR matrix
        Float values; changed.
    idf : array-like or None
        Weights of the columns.
    norm : {'l1', 'l2'} or None
        Which norm.
    n_threads : int
        Threads.
    """
    if idf is not None:
        idf = np.ascontiguousarray(idf, dtype=X.dtype)
    indices, indptr = X.indices, X.indptr
    if indices.dtype != indptr.dtype:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    if not X.data.flags.c_contiguous:
        X.data = np.ascontiguousarray(X.data)  # weighted in place
    _core.text.csr_tfidf((X.data, indices, indptr, X.shape[1]), idf, norm, n_threads)
