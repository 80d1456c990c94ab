"""The rows that are clustered, in the form that the kernels take, and the centres beside them.

A centre is `factor` times `sums`: a mean is the sum of its rows over their weight, a direction the
sum over its length. The kernels keep the sums, because they change only where rows move.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.extmath import row_norms

from quire import _core
from quire._shared.typing import Codes, Floats

__all__ = ["Centres", "Rows", "in_one_piece", "unit_rows"]


def in_one_piece(X: Any) -> Any:
    """Return rows, of which the arrays of a sparse matrix are contiguous.

    Parameters
    ----------
    X : ndarray or CSR matrix
        Rows.
    """
    if not sp.issparse(X):
        return X
    is_one = all(part.flags.c_contiguous for part in (X.data, X.indices, X.indptr))
    return X if is_one else X.copy()


def unit_rows(X: Any) -> Any:
    """Return a copy of X with rows of length one; rows of zeros stay as they are.

    Parameters
    ----------
    X : ndarray or CSR matrix
        Rows of float32 or float64.

    Returns
    -------
    ndarray or CSR matrix
        Of the same type.
    """
    lengths = np.sqrt(_squares(X))
    with np.errstate(divide="ignore"):
        factor = np.where(lengths > 0, 1.0 / lengths, 0.0)
    if not sp.issparse(X):
        return (X * factor[:, np.newaxis]).astype(X.dtype, copy=False)
    X = X.copy()
    X.data = (X.data * np.repeat(factor, np.diff(X.indptr))).astype(X.dtype, copy=False)
    return X


class Rows:
    """A checked matrix, the lengths of its rows, and the kernels of its kind.

    Parameters
    ----------
    X : ndarray in C order or CSR matrix with 32-bit indices
        Rows of float32 or float64.
    n_threads : int
        Number of threads.
    """

    def __init__(self, X: Any, n_threads: int) -> None:
        self.X, self.n_threads = X, n_threads
        self.n_rows, self.n_cols = X.shape
        self.squares = _squares(X)  # |x_i|^2
        self.lengths = np.sqrt(self.squares)
        self.is_sparse = sp.issparse(X)
        if self.is_sparse:
            self._assign: Any = _core.cluster.csr_kmeans_assign
            self._update: Any = _core.cluster.csr_kmeans_update
            self._distances: Any = _core.cluster.csr_kmeans_distances
        else:
            self._assign = _core.cluster.dense_kmeans_assign
            self._update = _core.cluster.dense_kmeans_update
            self._distances = _core.cluster.dense_kmeans_distances

    @property
    def scale(self) -> float:
        """A power of two that brings the longest row to a length between one and two."""
        longest = float(self.lengths.max(initial=0.0))
        if not 0 < longest < math.inf:
            return 1.0
        return math.ldexp(1.0, min(1 - math.frexp(longest)[1], 1000))

    def row(self, number: int) -> Floats:
        """Return one row as a dense vector."""
        x = self.X[[number]].toarray()[0] if self.is_sparse else self.X[number]
        return np.asarray(x, dtype=np.float64)

    def assign(self, centres: Centres, drift: Floats, labels: Codes, slack: Floats) -> None:
        """Give every row the number of its nearest centre; see `csr_kmeans_assign`."""
        self._assign(
            self.X,
            self.lengths,
            centres.sums,
            centres.factor,
            centres.norms,
            centres.operand,
            centres.scale,
            drift,
            labels,
            slack,
            self.n_threads,
        )

    def nearest(self, centres: Centres) -> Codes:
        """Return the numbers of the nearest centres."""
        labels = np.zeros(self.n_rows, dtype=np.int32)
        slack = np.full(self.n_rows, -np.inf)
        self.assign(centres, np.zeros(len(centres.sums)), labels, slack)
        return labels

    def update(
        self,
        centres: Centres,
        weights: Floats,
        before: Codes,
        labels: Codes,
        rebuild: NDArray[np.uint8],
        totals: Floats,
    ) -> Floats:
        """Move the centres to their rows; return how far each went. See `csr_kmeans_update`."""
        shift: Floats = self._update(
            self.X,
            weights,
            before,
            labels,
            rebuild,
            totals,
            centres.cosine,
            centres.scale,
            centres.sums,
            centres.factor,
            centres.norms,
            centres.operand,
            self.n_threads,
        )
        return shift

    def distances(self, centres: Centres, labels: Codes) -> Floats:
        """Return the squared distance of every row to the centre of its label."""
        out: Floats = self._distances(
            self.X, centres.sums, centres.factor, centres.norms, labels, self.n_threads
        )
        return out


class Centres:
    """The centres, in double precision and as the operand of the kernels.

    Parameters
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        Where they are. Copied.
    rows : Rows
        What they are compared with.
    cosine : bool, default=False
        Bring them to length one.
    operand : bool, default=True
        Make the operand, which takes as much work as writing all centres down. It pays where there
        are more values in the rows than features.
    """

    def __init__(
        self, centers: NDArray[Any], rows: Rows, *, cosine: bool = False, operand: bool = True
    ) -> None:
        self.cosine, self.scale = cosine, rows.scale
        self.sums = np.array(centers, dtype=np.float64, order="C")
        self.factor = np.ones(len(self.sums))
        self.norms = np.empty(0)
        self.operand = np.empty((0, 0), dtype=np.float32)
        self.refresh(rows.n_threads, operand=operand)

    def refresh(self, n_threads: int, *, operand: bool = True) -> None:
        """Work out norms and operand anew, after the sums or their factors have changed."""
        squares = np.asarray(row_norms(self.sums, squared=True))
        if self.cosine:
            with np.errstate(divide="ignore"):
                self.factor = np.where(squares > 0, 1.0 / np.sqrt(squares), 0.0)
            self.norms = (squares > 0).astype(np.float64)
        else:
            self.norms = squares * self.factor**2
        if operand:
            self.operand = _core.cluster.kmeans_operand(self.sums, self.scale, n_threads)

    def array(self) -> Floats:
        """Return the centres themselves."""
        return self.sums * self.factor[:, np.newaxis]


def _squares(X: Any) -> Floats:
    """Return the squared lengths of the rows, summed in double precision."""
    if not sp.issparse(X):
        return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    if X.dtype != np.float64:
        X = sp.csr_matrix((X.data.astype(np.float64), X.indices, X.indptr), shape=X.shape)
    return np.asarray(row_norms(X, squared=True), dtype=np.float64)
