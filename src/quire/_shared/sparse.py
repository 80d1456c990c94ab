"""Sparse matrices from the arrays that kernels return."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import get_config

__all__ = ["as_configured", "csr_from_arrays"]


def csr_from_arrays(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], n_columns: int
) -> Any:
    """Return a CSR matrix around arrays that are known to be right: nothing is checked or copied.

    Parameters
    ----------
    data, indices, indptr : ndarray
        The arrays of the matrix; columns sorted and distinct within each row.
    n_columns : int
        The number of columns.

    Returns
    -------
    csr_matrix or csr_array
        Which of the two, scikit-learn's configuration ``sparse_interface`` says.
    """
    matrix = _csr_class()((len(indptr) - 1, n_columns), dtype=np.int8)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def as_configured(X: Any) -> Any:
    """Return a CSR matrix as the class that scikit-learn's configuration asks for."""
    kind = _csr_class()
    return X if isinstance(X, kind) else kind(X)


def _csr_class() -> Any:
    return sp.csr_array if get_config().get("sparse_interface") == "sparray" else sp.csr_matrix
