"""From matrices as users have them to the kernels that find nearest rows.

A kernel takes two matrices of one kind: both sparse with sorted columns or both dense, with values
and indices of one type. Cosine distances are those of rows of length 1.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

from quire import _core
from quire._shared.threads import effective_threads

__all__ = ["DISTANCES", "nearest"]

# Points as a kernel takes them, with what they were made of: by the model that keeps them.
_Ready = tuple[Any, "np.dtype[Any]", str, Any]
_READY: WeakKeyDictionary[Any, _Ready] = WeakKeyDictionary()

# The names of distances, and their numbers in cpp/neighbors/nearest.hpp.
DISTANCES = {"euclidean": 0, "l2": 0, "sqeuclidean": 1, "cosine": 2}


def nearest(
    points: Any,
    queries: Any,
    k: int,
    metric: str,
    n_jobs: int | None = None,
    owner: Any = None,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Find the k rows of one matrix that are nearest to each row of another.

    Parameters
    ----------
    points : ndarray or CSR matrix of shape (n_points, n_features)
        Where to look; finite numbers.
    queries : ndarray or CSR matrix of shape (n_queries, n_features)
        Of the same kind as `points`.
    k : int
        How many, at most ``n_points``.
    metric : {"euclidean", "l2", "sqeuclidean", "cosine"}
        The distance.
    n_jobs : int, default=None
        Threads; ``None`` means all cores. The result does not depend on it.
    owner : object, default=None
        The model of the points: rows of length 1 are then made once, and kept as long as it lives.

    Returns
    -------
    distances : ndarray of shape (n_queries, k)
        Rising. They are computed in double precision; cosine distances of float32 data are
        float32, as scikit-learn's are.
    indices : ndarray of shape (n_queries, k)
        Rows of `points`; of those at the same distance the first ones.

    Examples
    --------
    >>> import numpy as np
    >>> distances, indices = nearest(np.eye(3), np.eye(3)[:1], 2, "sqeuclidean")
    >>> distances, indices
    (array([[0., 2.]]), array([[0, 1]]))
    """
    dtype = np.result_type(points.dtype, queries.dtype)
    if dtype not in (np.float32, np.float64):
        dtype = np.dtype(np.float64)
    is_same = queries is points
    points = _kept(owner, points, dtype, metric)
    queries = points if is_same else _prepared(queries, dtype, metric)
    number, n_threads = DISTANCES[metric], effective_threads(n_jobs)
    if sparse.issparse(points):
        distances, indices = _core.neighbors.csr_nearest(
            _arrays(points, queries),
            _arrays(queries, points),
            number,
            k,
            n_threads,
        )
    else:
        distances, indices = _core.neighbors.dense_nearest(points, queries, number, k, n_threads)
    return distances.astype(dtype if metric == "cosine" else np.float64, copy=False), indices


def _kept(owner: Any, X: Any, dtype: np.dtype[Any], metric: str) -> Any:
    """Return prepared points: those that a model made before, if they are of the same data."""
    if owner is None:
        return _prepared(X, dtype, metric)
    ready = _READY.get(owner)
    if ready is None or ready[0] is not X or ready[1:3] != (dtype, metric):
        ready = X, dtype, metric, _prepared(X, dtype, metric)
        _READY[owner] = ready
    return ready[3]


def _prepared(X: Any, dtype: np.dtype[Any], metric: str) -> Any:
    if sparse.issparse(X):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        X = X.astype(dtype, copy=False)
    else:
        X = np.ascontiguousarray(X, dtype=dtype)
    return normalize(X) if metric == "cosine" else X


def _arrays(X: Any, other: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]:
    """Return the arrays of a sparse matrix, with indices of a type that both have."""
    is_small = all(part.dtype == np.int32 for part in (X.indices, X.indptr, other.indices))
    index = np.int32 if is_small and other.indptr.dtype == np.int32 else np.int64
    return (
        np.ascontiguousarray(X.data),
        np.ascontiguousarray(X.indices, dtype=index),
        np.ascontiguousarray(X.indptr, dtype=index),
        X.shape[1],
    )
