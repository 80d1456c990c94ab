"""Whether terms are there, where it does not matter how often."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.class_sums import csr_arrays
from quire._shared.sparse import csr_like, is_sparse

__all__ = ["csr_parts", "presence"]


def presence(X: Any, threshold: float | None) -> Any:
    """Return 1 where X is above a threshold and 0 elsewhere, as sparse as X; X without one.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers.
    threshold : float or None
        Not negative.
    """
    if threshold is None:
        return X
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    if not is_sparse(X):
        return (X > threshold).astype(dtype)
    data, indices, indptr, n_columns = csr_parts(X)
    ones = (data > threshold).astype(dtype)
    return csr_like(X, ones, indices, indptr, n_columns)


def csr_parts(X: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]:
    """Return the arrays of a CSR matrix, every entry once, and the number of columns."""
    data, indices, indptr, n_columns = csr_arrays(X, once=True)
    n_stored = int(indptr[-1])
    return data[:n_stored], indices[:n_stored], indptr, n_columns
