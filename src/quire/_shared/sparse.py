"""Sparse matrices from the arrays that kernels return, with SciPy and without it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CsrRows",
    "as_configured",
    "as_csr",
    "csr_from_arrays",
    "csr_like",
    "is_sparse",
    "row_sums",
]


class CsrRows:
    """Rows that are stored sparsely, without SciPy: what kernels read and evidence is made of.

    Parameters
    ----------
    data, indices, indptr : ndarray
        The arrays of a CSR matrix; columns sorted and distinct within each row.
    n_columns : int
        The number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from quire._shared.sparse import CsrRows
    >>> X = CsrRows(np.array([2.0, 3.0]), np.array([1, 0]), np.array([0, 1, 2]), 2)
    >>> X[[1]].toarray()
    array([[3., 0.]])
    """

    format: Literal["csr"] = "csr"
    ndim = 2
    has_canonical_format = True

    def __init__(
        self, data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], n_columns: int
    ) -> None:
        self.data = data
        self.indices = indices
        self.indptr = indptr
        self.shape = (len(indptr) - 1, int(n_columns))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        dtype: np.dtype[Any] = self.data.dtype
        return dtype

    def __getitem__(self, rows: Sequence[int]) -> CsrRows:
        """Return some rows, by their numbers."""
        spans = [slice(int(self.indptr[row]), int(self.indptr[row + 1])) for row in rows]
        indptr = np.zeros(len(spans) + 1, dtype=self.indptr.dtype)
        np.cumsum([span.stop - span.start for span in spans], out=indptr[1:])
        data, indices = (
            np.concatenate([part[:0], *(part[span] for span in spans)])
            for part in (self.data, self.indices)
        )
        return CsrRows(data, indices, indptr, self.shape[1])

    def __mul__(self, factor: float) -> CsrRows:
        """Return the rows times a number."""
        return CsrRows(self.data * factor, self.indices, self.indptr, self.shape[1])

    def astype(self, dtype: Any) -> CsrRows:
        """Return a copy with values of another type."""
        return CsrRows(self.data.astype(dtype), self.indices, self.indptr, self.shape[1])

    def toarray(self) -> NDArray[Any]:
        """Return all values, also the zeros."""
        whole = np.zeros(self.shape, dtype=self.dtype)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        whole[rows, self.indices] = self.data
        return whole


def is_sparse(X: Any) -> bool:
    """Return whether this is a sparse matrix, SciPy's or :class:`CsrRows`; SciPy is not imported.

    Parameters
    ----------
    X : object
        Anything.
    """
    if isinstance(X, CsrRows):
        return True
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and bool(scipy_sparse.issparse(X))


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


def as_csr(X: Any) -> Any:
    """Return a matrix as a CSR array; rows without SciPy stay what they are.

    Parameters
    ----------
    X : sparse matrix, CsrRows or ndarray
        Two-dimensional.
    """
    if isinstance(X, CsrRows):
        return X
    from scipy import sparse

    return sparse.csr_array(X)


def csr_like(
    X: Any,
    data: NDArray[Any],
    indices: Any = None,
    indptr: Any = None,
    n_columns: int | None = None,
) -> Any:
    """Return a CSR matrix of other entries; without SciPy if the first one is.

    Parameters
    ----------
    X : CSR matrix or CsrRows
        What it is like.
    data : ndarray
        Its values.
    indices, indptr : ndarray, default=None
        Where they are; as in X if ``None``.
    n_columns : int, default=None
        The number of columns; as in X if ``None``.
    """
    indices = X.indices if indices is None else indices
    indptr = X.indptr if indptr is None else indptr
    n_columns = X.shape[1] if n_columns is None else n_columns
    if isinstance(X, CsrRows):
        return CsrRows(data, indices, indptr, n_columns)
    from scipy import sparse

    return sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))


def row_sums(X: Any) -> NDArray[Any]:
    """Return the sum of each row.

    Parameters
    ----------
    X : CSR matrix, CsrRows or ndarray
        Two-dimensional.
    """
    if not is_sparse(X):
        sums: NDArray[Any] = np.asarray(X).sum(axis=1)
        return sums
    sums = np.zeros(X.shape[0], dtype=X.dtype)
    filled = np.flatnonzero(np.diff(X.indptr))
    sums[filled] = np.add.reduceat(X.data, X.indptr[filled]) if len(filled) else 0
    return sums


def _csr_class() -> Any:
    from scipy import sparse
    from sklearn import get_config

    wants_arrays = get_config().get("sparse_interface") == "sparray"
    return sparse.csr_array if wants_arrays else sparse.csr_matrix
