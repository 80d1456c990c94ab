r"""One call of the kernel for a path of penalties of the elastic net.

.. math:: \tfrac12 \lVert y - Xw \rVert^2 + \lambda_1 \lVert w \rVert_1
          + \tfrac{\lambda_2}{2} \lVert w \rVert^2
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.typing import Floats

__all__ = ["EnetProblem", "column_means", "solve_path"]


_NONE = np.empty(0)


@dataclass
class EnetProblem:
    """The data of a path.

    Parameters
    ----------
    X : CSC matrix or Fortran-ordered ndarray of shape (n_samples, n_features)
        float32 or float64.
    y : ndarray of shape (n_samples,)
        The targets; centred, if X is to be.
    means : ndarray of shape (n_features,), default=None
        Of a sparse X, which then stands for X less the (weighted) means of its columns.
    weights : ndarray of shape (n_samples,), default=None
        For a sparse X: weights of the rows.
    gram : ndarray of shape (n_features, n_features), default=None
        X'X of a dense X, used in its place.
    Xy : ndarray of shape (n_features,), default=None
        X'y, with `gram`.
    """

    X: Any
    y: NDArray[Any]
    means: Floats | None = None
    weights: NDArray[Any] | None = None
    gram: NDArray[Any] | None = None
    Xy: NDArray[Any] | None = None


def solve_path(
    problem: EnetProblem,
    l1: Floats,
    l2: Floats,
    start: NDArray[Any] | None,
    *,
    tol: float,
    max_iter: int,
    positive: bool,
    n_threads: int,
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Solve for every pair of penalties, each from the solution of the one before.

    Parameters
    ----------
    problem : EnetProblem
        The data.
    l1, l2 : ndarray of shape (n_penalties,)
        The penalties of the sum of squares, not of its mean.
    start : ndarray of shape (n_features,) or None
        The first coefficients; zero if not given.
    tol : float
        The duality gap to reach, in units of the sum of squares of y.
    max_iter : int
        Sweeps for one penalty.
    positive : bool
        Whether coefficients must not be negative.
    n_threads : int
        Threads to use.

    Returns
    -------
    coefs : ndarray of shape (n_penalties, n_features)
        The coefficients.
    gaps : ndarray of shape (n_penalties,)
        Their duality gaps.
    n_iter : ndarray of shape (n_penalties,)
        The sweeps made.
    """
    y = np.ascontiguousarray(problem.y, dtype=np.float64)
    first = _NONE if start is None else np.ascontiguousarray(start, dtype=np.float64)
    options: Any = (l1, l2, first, float(tol), int(max_iter), bool(positive), n_threads)
    if sparse.issparse(problem.X):
        columns, means, roots, y = _sparse_parts(problem, y)
        coefs, gaps, n_iter = _core.linear.csc_enet_path(columns, means, roots, y, *options)
    elif problem.gram is not None:
        gram = np.ascontiguousarray(problem.gram, dtype=np.float64)
        Xy = problem.X.T @ problem.y if problem.Xy is None else problem.Xy
        Xy = np.ascontiguousarray(Xy, dtype=np.float64)
        coefs, gaps, n_iter = _core.linear.gram_enet_path(gram, Xy, float(y @ y), *options)
    else:
        X = np.asfortranarray(problem.X)
        coefs, gaps, n_iter = _core.linear.dense_enet_path(X, y, *options)
    _warn_of_gaps(gaps, tol * float(y @ y), l1)
    return coefs, gaps, n_iter


def column_means(X: Any, weights: NDArray[Any] | None) -> Floats:
    """Return the (weighted) means of the columns of a CSC matrix.

    Parameters
    ----------
    X : CSC matrix
        The matrix.
    weights : ndarray of shape (n_samples,) or None
        Weights of the rows.
    """
    w = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
    means: Floats = (
        _core.sparse.csr_matmul(csr_arrays(X.T), w[:, None], _NONE, None)[:, 0] / w.sum()
    )
    return means


def _sparse_parts(problem: EnetProblem, y: Floats) -> tuple[Any, Floats, Floats, Floats]:
    """Return the columns, their means, the roots of the weights, and y times these roots."""
    X = problem.X.tocsc()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    data, indices, indptr, n = csr_arrays(X.T)
    weights = problem.weights
    means = _NONE if problem.means is None else problem.means
    if problem.means is not None:
        y = y - np.average(y, weights=weights)
    if weights is None:
        return (data, indices, indptr, n), means, _NONE, y
    roots = np.sqrt(np.asarray(weights, dtype=np.float64))
    data = data * roots[indices]
    return (data, indices, indptr, n), means, roots, y * roots


def _warn_of_gaps(gaps: Floats, wanted: float, l1: Floats) -> None:
    for gap, penalty in zip(gaps, l1, strict=True):
        if gap <= wanted:
            continue
        message = (
            "Objective did not converge. You might want to increase the number of iterations, "
            "check the scale of the features or consider increasing regularisation. "
            f"Duality gap: {gap:.6e}, tolerance: {wanted:.3e}"
        )
        if penalty < np.finfo(np.float64).eps:
            message += (
                "\nLinear regression models with a zero l1 penalization strength are more "
                "efficiently fitted by Ridge, RidgeCV or LinearRegression."
            )
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
