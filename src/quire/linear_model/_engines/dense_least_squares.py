r"""Least squares with a dense matrix, whatever the units of its columns.

LAPACK takes singular values below `tol` times the largest for zero. A column that is small beside
the others, only because of its unit, has such a singular value, and would be left out. So if
directions were cut and columns have unlike scales, the problem is solved once more with columns of
length one:

.. math:: \min_v \lVert y - XDv \rVert, \qquad w = Dv.

The minimum is the same, and where it is unique, so is w; otherwise w is projected to the minimiser
of least norm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire._shared.typing import Floats

__all__ = ["UNLIKE", "DenseFit", "column_scale", "dense_least_squares", "is_unlike"]


UNLIKE = 1e3  # ratio of the lengths of columns beyond which they are scaled


class DenseFit(NamedTuple):
    """What was found.

    Attributes
    ----------
    coef : ndarray of shape (n_features,) or (n_features, n_targets)
        Coefficients.
    rank : int
        Number of singular values above the cut.
    singular : ndarray of shape (min(n_samples, n_features),)
        Singular values of X.
    saved : ndarray of int
        Columns that the cut would have left out because of their scale.
    """

    coef: NDArray[Any]
    rank: int
    singular: NDArray[Any]
    saved: NDArray[np.intp]


def dense_least_squares(
    X: NDArray[Any], y: NDArray[Any], tol: float, taken: Floats | float = 0.0
) -> DenseFit:
    """Minimise ||y - X w||, and ||w|| among the minimisers.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers, weighted and centred.
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Targets, weighted and centred as X is.
    tol : float
        Singular values below `tol` times the largest count as zero.
    taken : ndarray of shape (n_features,), default=0.0
        What centring took away from the squared lengths of the columns; tells a constant from a
        small column.
    """
    coef, _, rank, singular = linalg.lstsq(X, y, cond=tol)
    none = np.empty(0, dtype=np.intp)
    if rank == min(X.shape):
        return DenseFit(coef, rank, singular, none)
    squares = np.einsum("ij,ij->j", X, X, dtype=np.float64)
    scale = column_scale(squares, squares + taken, np.finfo(X.dtype).eps)
    if not is_unlike(scale):
        return DenseFit(coef, rank, singular, none)
    D = scale.astype(X.dtype)
    found, _, better, _ = linalg.lstsq(X * D, y, cond=tol)
    if better <= rank:
        return DenseFit(coef, rank, singular, none)
    coef = (D * found.T).T
    if better < X.shape[1]:
        coef = _of_least_norm(coef, X * D, D, better)
    small = np.flatnonzero((scale > 0) & (scale * tol >= scale[scale > 0].min()))
    return DenseFit(coef, better, singular, small)


def _of_least_norm(
    coef: NDArray[Any], scaled: NDArray[Any], D: NDArray[Any], rank: int
) -> NDArray[Any]:
    """Take the part in the null space of X away."""
    rows = linalg.svd(scaled, full_matrices=len(scaled) < len(D))[2]
    nothing = rows[rank:].T * D[:, None]
    lengths = np.linalg.norm(nothing, axis=0)
    some = lengths > 0  # constant columns have no weight anyhow
    Q = linalg.qr(nothing[:, some] / lengths[some], mode="economic")[0]
    return coef - Q @ (Q.T @ coef)  # type: ignore[no-any-return]


def column_scale(squares: Floats, raw: Floats, eps: float) -> Floats:
    """Return one over the lengths of columns; 0 for those that are constant up to rounding.

    Parameters
    ----------
    squares : ndarray of shape (n_features,)
        Squared lengths of the centred columns.
    raw : ndarray of shape (n_features,)
        The same, not centred.
    eps : float
        Relative rounding error of the numbers.
    """
    counts = squares > (64 * eps) ** 2 * raw
    scale: Floats = np.where(counts, 1 / np.sqrt(np.where(counts, squares, 1)), 0.0)
    return scale


def is_unlike(scale: Floats) -> bool:
    """Return whether lengths of columns differ so much that it matters."""
    some = scale[scale > 0]
    return bool(len(some)) and float(some.max()) > UNLIKE * float(some.min())
