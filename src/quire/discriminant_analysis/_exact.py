r"""Discriminants without shrinkage: the pseudo-inverse of the scatter within, by its smaller side.

With T the rows less the mean of their class, scaled, and its singular value decomposition
:math:`T = U \Sigma V'`, all that is needed are products with :math:`V \Sigma^{-1}`. They come from
the eigenvectors of :math:`T'T`, or from those of :math:`TT'`, since
:math:`V \Sigma^{-1} = T' U \Sigma^{-2}`; in neither case is V larger than it has to be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from quire._shared.design import Design
from quire._shared.typing import Floats
from quire.discriminant_analysis._gram import gram
from quire.discriminant_analysis._scatter import Scatter

__all__ = ["Whitening", "between_directions", "whitening"]


@dataclass(frozen=True, eq=False)
class Whitening:
    r"""The columns of :math:`V \Sigma^{-1}`, each divided by the scale of its features.

    Parameters
    ----------
    singular_values : ndarray of shape (rank,)
        Those that count, largest first.
    vectors : ndarray of shape (n_features, rank) or (n_samples, rank)
        V, or U.
    design : Design or None
        T without its centring, if `vectors` is U.
    codes : ndarray of shape (n_samples,)
        The class of each row.
    scale : ndarray of shape (n_features,)
        Of the features.
    """

    singular_values: Floats
    vectors: Floats
    design: Design | None
    codes: NDArray[np.int32]
    scale: Floats

    def project(self, M: Floats) -> Floats:
        """Return M times the columns.

        Parameters
        ----------
        M : ndarray of shape (n_rows, n_features)
            Rows.
        """
        M = M / self.scale
        if self.design is None:
            return (M @ self.vectors) / self.singular_values
        T = _centered(self.design.dot(M.T), self.codes)
        return (T.T @ self.vectors) / self.singular_values**2

    def combine(self, C: Floats) -> Floats:
        """Return the columns times C.

        Parameters
        ----------
        C : ndarray of shape (rank, width)
            Weights of the columns.
        """
        if self.design is None:
            V = self.vectors @ (C / self.singular_values[:, None])
        else:
            U = self.vectors @ (C / self.singular_values[:, None] ** 2)
            V = self.design.t_dot(_centered(U, self.codes))
        return V / self.scale[:, None]


def whitening(
    within: Scatter, codes: NDArray[np.int32], scale: Floats, tol: float, relative: float
) -> Whitening:
    """Return the whitening of a scatter without shrinkage.

    Parameters
    ----------
    within : Scatter
        The scatter.
    codes : ndarray of shape (n_samples,)
        The class of each row.
    scale : ndarray of shape (n_features,)
        What to divide the features by.
    tol : float
        Singular values up to this do not count.
    relative : float
        Nor do eigenvalues up to this part of the largest.
    """
    n, p = within.design.shape
    if p <= n:
        design = None
        matrix = within.toarray() / scale / scale[:, None]
    else:
        rows: Any = sparse.csr_array(within.design.X, dtype=np.float64, copy=True)
        rows.data *= np.repeat(np.sqrt(within.row_weights), np.diff(rows.indptr))
        rows.data *= np.where(within.constant, 0.0, 1 / scale)[rows.indices]
        design = Design(rows, within.design.n_threads)
        matrix = _centered(gram(rows), codes)
        matrix = _centered(np.ascontiguousarray(matrix.T), codes)
    values, vectors = linalg.eigh(matrix, overwrite_a=True)
    values, vectors = values[::-1], vectors[:, ::-1]
    singular_values = np.sqrt(np.maximum(values, 0))
    rank = int(np.sum((singular_values > tol) & (values > relative * values[0])))
    return Whitening(singular_values[:rank], vectors[:, :rank], design, codes, scale)


def between_directions(
    white: Whitening, means: Floats, xbar: Floats, weights: Floats, tol: float
) -> tuple[Floats, Floats]:
    """Return the directions in which the whitened means differ, and their singular values.

    Parameters
    ----------
    white : Whitening
        Of the scatter within.
    means : ndarray of shape (n_classes, n_features)
        Of the classes.
    xbar : ndarray of shape (n_features,)
        Their mean.
    weights : ndarray of shape (n_classes,)
        Of the squared distances.
    tol : float
        Singular values up to this part of the largest do not count.

    Returns
    -------
    scalings : ndarray of shape (n_features, rank)
        The directions.
    singular_values : ndarray of shape (min(n_classes, rank within),)
        All of them.
    """
    distances = np.sqrt(weights)[:, None] * white.project(means - xbar)
    _, S, Vt = linalg.svd(distances, full_matrices=False)
    rank = int(np.sum(tol * S[0] < S))
    return white.combine(Vt[:rank].T), S


def _centered(U: Floats, codes: NDArray[np.int32]) -> Floats:
    """Take the mean of its class from every row; in place.

    The rows of a class have one weight here, so that this is what centring X does to products.
    """
    counts = np.bincount(codes)
    members = (np.ones(len(codes)), codes, np.arange(len(codes) + 1))
    sums = sparse.csr_array(members, shape=(len(codes), len(counts))).T @ U
    U -= (sums / counts[:, None])[codes]
    return U
