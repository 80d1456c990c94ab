r"""Information matrices of linear predictors, formed by blocks of rows, and their inverses.

With the rows :math:`z_i` of the design and curvatures :math:`D_i` (one number for each pair of
linear predictors) the information is :math:`\sum_i D_i \otimes z_i z_i'`. Dense columns are centred
first, which keeps the digits that a large mean would cost; the covariance is moved back afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lapack, solve_triangular

from quire._shared.typing import Floats
from quire.linear_model._summary.checks import quoted

__all__ = [
    "SingularInformationError",
    "blocks",
    "collinear",
    "dense_means",
    "information",
    "inverse",
    "inverse_factor",
    "uncentred",
]

Curvature = Callable[[slice], Floats]

_BLOCK = 1 << 21  # numbers in a block
_DENSE = 0.1  # share of nonzero entries from which a sparse matrix is multiplied as a dense one
_TOLERANCE = 1e-11  # of a squared distance between unit columns


class SingularInformationError(ValueError):
    """A column is a combination of others; `columns` has its number first, then theirs."""

    def __init__(self, columns: list[int]) -> None:
        super().__init__("the information matrix is singular")
        self.columns = columns


def collinear(columns: list[int], names: tuple[str, ...]) -> ValueError:
    """Return the error that says which columns depend on each other.

    Parameters
    ----------
    columns : list of int
        A column and those it is a combination of.
    names : tuple of str
        Name of every column.
    """
    if len(columns) == 1:
        return ValueError(
            f"column {names[columns[0]]!r} is zero in every row: nothing is known about its "
            "coefficient. Leave it out and refit."
        )
    others = quoted([names[j] for j in columns[1:]])
    return ValueError(
        f"columns are collinear: {names[columns[0]]!r} is a linear combination of {others}, or "
        "very nearly so, and their coefficients cannot be told apart. Leave one out and refit."
    )


def dense_means(
    X: Any, weights: Floats, names: tuple[str, ...], constant: str = "intercept"
) -> Floats | None:
    """Return the weighted means of the columns of a dense X; None for a sparse one.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_samples, n_features)
        The features.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    names : tuple of str
        Names of the columns, for the error if one of them is constant.
    constant : str, default="intercept"
        What of the model is constant too.
    """
    if sparse.issparse(X):
        return None
    flat = np.flatnonzero(np.ptp(X, axis=0) <= 1e-13 * np.abs(X).max(axis=0))
    if len(flat):
        zero = not X[:, flat[0]].any()
        raise collinear([int(flat[0]), *([] if zero else [len(names)])], (*names, constant))
    return np.average(X, axis=0, weights=weights)


def blocks(
    X: Any, center: Floats | None, intercept: bool = False
) -> Iterator[tuple[slice, Floats]]:
    """Give the rows as dense blocks, centred and with a column of ones before them if asked for.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_samples, n_features)
        The features.
    center : ndarray of shape (n_features,) or None
        What to take away from every row.
    intercept : bool, default=False
        Whether to add a column of ones.
    """
    n, p = X.shape
    step = max(1, _BLOCK // (p + 1))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        block = X[rows].toarray() if sparse.issparse(X) else X[rows]
        if center is not None:
            block = block - center
        if intercept:
            block = np.hstack([np.ones((len(block), 1)), block])
        yield rows, block


def information(
    X: Any, curvature: Curvature, width: int, *, intercept: bool, center: Floats | None = None
) -> Floats:
    """Return the information of several linear predictors, predictor by predictor.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_samples, n_features)
        The features.
    curvature : callable
        From a slice of rows to the matrices D_i, shape (rows, width, width), symmetric.
    width : int
        Number of linear predictors.
    intercept : bool
        Whether each has an intercept, as its first parameter.
    center : ndarray of shape (n_features,) or None
        What to take away from every row of a dense X.
    """
    n, p = X.shape
    k = p + intercept
    total = np.zeros((width, width, k, k))
    if sparse.issparse(X) and X.nnz < _DENSE * n * p:
        ones = sparse.csr_array(np.ones((n, 1)))
        Z = sparse.csr_array(sparse.hstack([ones, X])) if intercept else X
        step = max(1, _BLOCK // width**2)
        parts: Any = (
            (rows, Z[rows]) for rows in (slice(i, min(i + step, n)) for i in range(0, n, step))
        )
    else:
        parts = blocks(X, center, intercept)
    for rows, block in parts:
        D = curvature(rows)
        for a in range(width):
            for b in range(a + 1):
                scaled = block * D[:, a, b, None]
                product = block.T @ scaled
                total[a, b] += product.toarray() if sparse.issparse(product) else product
    for a in range(width):
        for b in range(a):
            total[b, a] = total[a, b]  # each part is symmetric
    return total.transpose(0, 2, 1, 3).reshape(width * k, width * k)


def inverse(matrix: Floats) -> Floats:
    """Return the inverse of an information matrix.

    Parameters
    ----------
    matrix : ndarray of shape (k, k)
        Symmetric.

    Raises
    ------
    SingularInformationError
        If it is not positive definite, or so nearly that the inverse would be noise.
    """
    scale = np.sqrt(np.diag(matrix))
    if not (scale > 0).all():
        raise SingularInformationError([int(np.argmin(scale))])
    factor, info = lapack.dpotrf(matrix / np.outer(scale, scale), lower=1, clean=1)
    found = inverse_factor(factor.T, scale, np.sqrt(_TOLERANCE), stopped=info - 1 if info else None)
    product: Floats = found @ found.T
    return product


def inverse_factor(
    R: Floats, scale: Floats, tolerance: float, stopped: int | None = None
) -> Floats:
    """Return M such that M M' is the inverse of S R'R S, S the diagonal matrix of `scale`.

    Parameters
    ----------
    R : ndarray of shape (k, k)
        Upper triangle, its columns of length one.
    scale : ndarray of shape (k,)
        Lengths of the columns.
    tolerance : float
        Distance from the columns before it at which a column counts as a combination of them.
    stopped : int, default=None
        The column at which a factorisation could not go on.
    """
    size = len(R) if stopped is None else stopped
    near = np.flatnonzero(np.abs(np.diag(R))[:size] < tolerance)
    bad = int(near[0]) if len(near) else stopped
    if bad is not None:
        weights = solve_triangular(R[:bad, :bad], R[:bad, bad], lower=False) if bad else np.empty(0)
        raise SingularInformationError([bad, *np.flatnonzero(np.abs(weights) > 1e-4).tolist()])
    found: Floats = solve_triangular(R, np.eye(len(R)), lower=False) / scale[:, None]
    return found


def uncentred(covariance: Floats, center: Floats | None, width: int) -> Floats:
    """Return the covariance of intercepts and coefficients from that of a centred design.

    Parameters
    ----------
    covariance : ndarray of shape (width * (p + 1), width * (p + 1))
        Of the parameters of `width` linear predictors with an intercept each.
    center : ndarray of shape (p,) or None
        What was taken away from the columns.
    width : int
        Number of linear predictors.
    """
    if center is None:
        return covariance
    k = len(center) + 1
    C = covariance.reshape(width, k, width, k).copy()
    C[:, 0] -= np.einsum("j,ajbl->abl", center, C[:, 1:])
    C[:, :, :, 0] -= np.einsum("j,albj->alb", center, C[:, :, :, 1:])
    return C.reshape(covariance.shape)
