r"""The matrix of a linear model: products with X and its transpose, centred without being copied.

.. math:: (X - \mathbf 1 \mu') V = XV - \mathbf 1 (\mu' V), \qquad
          (X - \mathbf 1 \mu')' U = X'U - \mu (\mathbf 1' U)

Sparse matrices stay sparse. Their transpose is made once, at the first product that needs it, so
that both products read rows, every result is written by one thread, and the number of threads
cannot change a bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.typing import Floats

__all__ = ["Arrays", "Design"]

Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]


class Design:
    """X, or X less the means of its columns.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers, float32 or float64.
    n_threads : int, default=1
        Threads to use.
    center : ndarray of shape (n_features,), default=None
        What to take away from every row.
    """

    def __init__(self, X: Any, n_threads: int = 1, center: Floats | None = None) -> None:
        self.X = X
        self.n_threads = n_threads
        self.center = center
        self.is_sparse = bool(sparse.issparse(X))
        self._rows: Arrays | None = None
        self._columns: Arrays | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        n, p = self.X.shape
        return int(n), int(p)

    @property
    def rows(self) -> Arrays:
        """The arrays of a sparse X by rows: data, indices, indptr, number of columns."""
        if self._rows is None:
            self._rows = csr_arrays(self.X, self.n_threads)
        return self._rows

    @property
    def columns(self) -> Arrays:
        """The arrays of a sparse X by columns: data, indices, indptr, number of rows."""
        if self._columns is None:
            data, indices, indptr = _core.sparse.csr_transpose(self.rows, self.n_threads)
            self._columns = data, indices, indptr, self.shape[0]
        return self._columns

    def centered(self, weights: Floats | None = None) -> Design:
        """Return the design less the (weighted) means of its columns; the arrays are shared.

        Parameters
        ----------
        weights : ndarray of shape (n_samples,), default=None
            Weights of the rows in the mean.
        """
        design = Design(self.X, self.n_threads, self.means(weights))
        design._rows, design._columns = self._rows, self._columns
        return design

    def means(self, weights: Floats | None = None) -> Floats:
        """Return the (weighted) means of the columns of X itself.

        Parameters
        ----------
        weights : ndarray of shape (n_samples,), default=None
            Weights of the rows.
        """
        w = np.ones(self.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        means: Floats = self._t_dot(w[:, None])[:, 0] / w.sum()
        return means

    def dot(self, V: Floats) -> Floats:
        """Return (X - center) V.

        Parameters
        ----------
        V : ndarray of shape (n_features,) or (n_features, width)
            A vector, or several side by side.
        """
        matrix = _as_matrix(V)
        product = self._dot(matrix)
        if self.center is not None:
            product -= self.center @ matrix
        return product.reshape(-1) if V.ndim == 1 else product

    def t_dot(self, U: Floats) -> Floats:
        """Return (X - center)' U.

        Parameters
        ----------
        U : ndarray of shape (n_samples,) or (n_samples, width)
            A vector, or several side by side.
        """
        matrix = _as_matrix(U)
        product = self._t_dot(matrix)
        if self.center is not None:
            product -= np.outer(self.center, matrix.sum(axis=0))
        return product.reshape(-1) if U.ndim == 1 else product

    def squared_norms(self, weights: Floats | None = None) -> Floats:
        """Return the (weighted) sum of squares of every column of X - center.

        Parameters
        ----------
        weights : ndarray of shape (n_samples,), default=None
            Weights of the rows.
        """
        w = np.ones(self.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        if self.is_sparse:
            data, indices, indptr, n = self.columns
            squares = data.astype(np.float64) ** 2
            sums: Floats = _core.sparse.csr_matmul(
                (squares, indices, indptr, n), w[:, None], np.empty(0), None, self.n_threads
            )[:, 0]
        else:
            sums = np.einsum("ij,ij,i->j", self.X, self.X, w, dtype=np.float64)
        if self.center is not None:
            linear = self._t_dot(w[:, None])[:, 0]
            sums = sums - 2 * self.center * linear + self.center**2 * w.sum()
            np.maximum(sums, 0, out=sums)
        return sums

    def _dot(self, V: Floats) -> Floats:
        if self.is_sparse:
            return _core.sparse.csr_matmul(self.rows, V, np.empty(0), None, self.n_threads)
        return _product(self.X, V)

    def _t_dot(self, U: Floats) -> Floats:
        if self.is_sparse:
            return _core.sparse.csr_matmul(self.columns, U, np.empty(0), None, self.n_threads)
        return _product(self.X.T, U)


def _as_matrix(V: Floats) -> Floats:
    return np.ascontiguousarray(V[:, None] if V.ndim == 1 else V, dtype=np.float64)


def _product(X: Any, V: Floats) -> Floats:
    """Multiply in the precision of X, so that it is not copied."""
    return (X @ V.astype(X.dtype, copy=False)).astype(np.float64, copy=False)  # type: ignore[no-any-return]
