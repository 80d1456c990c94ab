"""Kernels between rows: a whole matrix, or the rows that are asked for.

Inner products come from compiled code for sparse rows and from BLAS for dense ones; the kernel is
made of them by `kernel_rows`, in double precision, and kept in single precision for the solver.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.typing import Floats, Singles

__all__ = ["GivenKernel", "Kernel", "KernelRows", "RowSource"]


# The numbers are those of cpp/margins/kernel_rows.hpp.
KINDS = {"linear": 0, "poly": 1, "rbf": 2, "sigmoid": 3}
_BLOCK = 1 << 21  # numbers of a block of inner products

NOT_FINITE = (
    "The dual coefficients or intercepts are not finite. The input data may contain large values "
    "and need to be preprocessed."
)


@dataclass(frozen=True)
class Kernel:
    """A kernel by name, with its parameters as in scikit-learn."""

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3


class RowSource(Protocol):
    """Rows of the kernel matrix of some samples."""

    n: int

    def rows(self, which: NDArray[Any]) -> Singles:
        """Return rows of the matrix, of shape (len(which), n)."""

    def rows_into(self, which: NDArray[Any], table: Singles, places: NDArray[np.int64]) -> None:
        """Write rows of the matrix to rows of a table, which rise."""

    def matrix(self) -> Singles:
        """Return all of it."""

    def part(self, which: NDArray[Any]) -> RowSource:
        """Return the same for some of the samples."""


class GivenKernel:
    """A matrix that is there already.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        The kernel, symmetric.
    """

    def __init__(self, K: NDArray[Any]) -> None:
        self.K: Singles = np.ascontiguousarray(K, dtype=np.float32)
        self.n = len(K)

    def rows(self, which: NDArray[Any]) -> Singles:
        """Return rows of the matrix, of shape (len(which), n)."""
        found: Singles = self.K[which]
        return found

    def rows_into(self, which: NDArray[Any], table: Singles, places: NDArray[np.int64]) -> None:
        """Write rows of the matrix to rows of a table, which rise."""
        table[places] = self.K[which]

    def matrix(self) -> Singles:
        """Return all of it."""
        return self.K

    def part(self, which: NDArray[Any]) -> GivenKernel:
        """Return the same for some of the samples."""
        return GivenKernel(self.K[np.ix_(which, which)])


class KernelRows:
    """Samples, ready to be compared with others and with each other.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers, float64.
    kernel : Kernel
        The kernel.
    n_threads : int
        Threads to use; they change no bit.

    Examples
    --------
    >>> import numpy as np
    >>> samples = KernelRows(np.array([[0.0], [1.0]]), Kernel("rbf", gamma=1.0), n_threads=1)
    >>> samples.matrix().round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]], dtype=float32)
    """

    def __init__(self, X: Any, kernel: Kernel, n_threads: int) -> None:
        X = _once(X)
        self.X, self.kernel, self.n_threads = X, kernel, n_threads
        self.n = X.shape[0]
        self.squares = _squares(X)
        if not np.isfinite(self.squares).all():
            raise ValueError(NOT_FINITE)
        self._columns: Any = None
        self._rooms = threading.local()
        if sparse.issparse(X):
            self._columns = (*_core.sparse.csr_transpose(csr_arrays(X), n_threads), self.n)

    def rows(self, which: NDArray[Any]) -> Singles:
        """Return rows of the matrix, of shape (len(which), n)."""
        found = np.empty((len(which), self.n), dtype=np.float32)
        self.rows_into(which, found, np.arange(len(which)))
        return found

    def rows_into(self, which: NDArray[Any], table: Singles, places: NDArray[np.int64]) -> None:
        """Write rows of the matrix to rows of a table, which rise."""
        step = max(1, _BLOCK // max(self.n, 1))
        for start in range(0, len(which), step):
            part = which[start : start + step]
            _core.margins.kernel_rows_into(
                self._products(self.X[part], self._room(step)),
                self.squares[part],
                *self._settings,
                places[start : start + step],
                table,
                self.n_threads,
            )

    def matrix(self) -> Singles:
        """Return all of it."""
        return self.rows(np.arange(self.n))

    def part(self, which: NDArray[Any]) -> KernelRows:
        """Return the same for some of the samples."""
        return KernelRows(self.X[which], self.kernel, self.n_threads)

    def against(self, X: Any) -> Floats:
        """Return the kernel of other rows with these, in double precision.

        Parameters
        ----------
        X : CSR matrix or ndarray of shape (n_others, n_features)
            Of the same kind as the samples.
        """
        X = _once(X)
        found: Floats = _core.margins.kernel_rows(
            self._products(X), _squares(X), *self._settings, False, self.n_threads
        )
        return found

    @property
    def _settings(self) -> tuple[Floats, int, float, float, int]:
        kernel = self.kernel
        kind = KINDS[kernel.name]
        return self.squares, kind, float(kernel.gamma), float(kernel.coef0), int(kernel.degree)

    def _room(self, n_rows: int) -> Floats | None:
        """Return memory for products, the same each time: new memory has to be cleared first."""
        if self._columns is not None:
            return None
        room: Floats | None = getattr(self._rooms, "products", None)
        if room is None or len(room) < n_rows:
            room = self._rooms.products = np.empty((n_rows, self.n))
        return room

    def _products(self, X: Any, room: Floats | None = None) -> Floats:
        """Return the inner products of other rows with these."""
        if self._columns is None:
            return np.matmul(X, self.X.T, out=None if room is None else room[: len(X)])
        index = self._columns[1].dtype
        rows = X.data, X.indices.astype(index, copy=False), X.indptr.astype(index, copy=False)
        return _core.margins.csr_gram((*rows, X.shape[1]), self._columns, self.n_threads)


def _once(X: Any) -> Any:
    """Return X with every entry stored in one piece."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _squares(X: Any) -> Floats:
    """Return the squared lengths of rows."""
    if not sparse.issparse(X):
        found: Floats = np.einsum("ij,ij->i", X, X)
        return found
    sums = np.add.reduceat(np.append(X.data**2, 0.0), X.indptr[:-1])
    sums[np.diff(X.indptr) == 0] = 0.0
    return np.asarray(sums, dtype=np.float64)
