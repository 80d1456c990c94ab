r"""Least squares with a sparse matrix: which way to solve it.

.. math::

    \min_{W, c} \sum_i s_i \lVert y_i - W'x_i - c \rVert^2 + \sum_t \alpha_t \lVert w_t \rVert^2

If samples or features are few, their Gram matrix is factorised; without a penalty and near to
collinear, a triangular factor or the eigenvectors of it take its place. Otherwise conjugate
gradients do it: over blocks of targets that share a positive penalty, else over targets side by
side. Gram matrices have a diagonal of ones when they are factorised, and conjugate gradients work
on columns of length one where the lengths are very unlike, so that units do not matter.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire._shared.convergence import warn_not_converged
from quire._shared.sklearn import threadpool_controller_decorator
from quire._shared.typing import Floats
from quire.linear_model._engines.block_cg import block_ridge
from quire.linear_model._engines.block_lanczos import block_ridge_path
from quire.linear_model._engines.cgls import cgls
from quire.linear_model._engines.dense_least_squares import (
    UNLIKE,
    column_scale,
    dense_least_squares,
    is_unlike,
)
from quire.linear_model._engines.row_operator import RowOperator

__all__ = ["Fit", "sparse_least_squares", "sparse_ridge_path"]


_SMALL, _LARGE = 100, 2000  # sizes of a Gram matrix that is always, and that is never, too large
_PER_TARGET = 100  # between these, columns of it that cost what the iterations for a target do
_CONDITION = 1e-10  # of a Gram matrix whose factors are good enough to be refined
_CANCELLED = 1e-7  # of a sum of squares, once the mean is gone: the rest has lost its digits
_MOST_DENSE = 1 << 22  # numbers of a matrix whose rows are dense, some at a time
_LEAST_TOL = 1e-7  # singular values below this part of the largest are lost in their squares


class Fit(NamedTuple):
    """Coefficients (n_targets, n_features), intercepts (n_targets,), iterations (n_targets,)."""

    coef: Floats
    intercept: Floats
    n_iter: NDArray[np.int32]


@threadpool_controller_decorator(limits=1, user_api="blas")  # for blocks as narrow as these
def sparse_least_squares(
    X: Any,
    Y: NDArray[Any],
    *,
    alpha: Floats,
    sample_weight: Floats | None,
    fit_intercept: bool,
    tol: float,
    max_iter: int | None,
    n_threads: int,
    name: str,
    iterate: bool = False,
) -> Fit:
    """Fit linear functions to the targets.

    Parameters
    ----------
    X : CSR matrix of shape (n_samples, n_features)
        Checked numbers, float32 or float64.
    Y : ndarray of shape (n_samples, n_targets)
        Targets.
    alpha : ndarray of shape (n_targets,)
        Penalties, zero or more.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights, zero or more.
    fit_intercept : bool
        Whether there is an intercept.
    tol : float
        Relative accuracy of conjugate gradients, see `block_ridge` and `cgls`.
    max_iter : int or None
        Most iterations of conjugate gradients; ``None`` lets them choose.
    n_threads : int
        Threads to use.
    name : str
        Of the model, for warnings.
    iterate : bool, default=False
        Never factorise.

    Returns
    -------
    Fit
        In double precision.
    """
    A = RowOperator(X, sample_weight, fit_intercept, n_threads)
    B = A.targets(Y)
    n_iter = np.zeros(Y.shape[1], dtype=np.int32)
    W = None if iterate else _by_gram(A, B, alpha)
    if W is None and not iterate and not alpha.any():
        W = _by_qr(A, B, tol) if A.shape[0] >= A.shape[1] else _by_eigenvectors(A, B, tol)
    if W is None:
        if alpha[0] > 0 and (alpha == alpha[0]).all():
            scale = _scale(A, float(alpha[0]))
            W, n_iter, left = block_ridge(A, B, float(alpha[0]), tol, max_iter, scale)
            measure = "largest relative residual"
        else:
            W, n_iter, left = cgls(A, B, alpha, tol, max_iter)
            measure = "largest relative gradient"
            scale = _scale(A, 0.0)
            if scale is not None:
                W, n_iter, left = _corrected(A, B, alpha, W, n_iter, scale, tol, max_iter)
        if left > tol:
            warn_not_converged(name, int(n_iter.max()), measure, left, tol)
    return Fit(W.T, A.intercept(Y, W), n_iter)


@threadpool_controller_decorator(limits=1, user_api="blas")
def sparse_ridge_path(
    X: Any,
    Y: NDArray[Any],
    *,
    alphas: list[float],
    sample_weight: Floats | None,
    fit_intercept: bool,
    tol: float,
    n_threads: int,
) -> list[Fit]:
    """Fit linear functions to the targets at several penalties, for the work of about one.

    Parameters
    ----------
    X, Y, sample_weight, fit_intercept, tol, n_threads
        As for `sparse_least_squares`.
    alphas : list of float
        Positive penalties, the same for all targets.

    Returns
    -------
    list of Fit
        One for each penalty, in double precision.
    """
    A = RowOperator(X, sample_weight, fit_intercept, n_threads)
    B = A.targets(Y)
    n_targets = Y.shape[1]
    n_iter = np.zeros(n_targets, dtype=np.int32)
    each = [_by_gram(A, B, np.full(n_targets, alpha)) for alpha in alphas[:1]]
    if each[0] is not None:
        each += [_by_gram(A, B, np.full(n_targets, alpha)) for alpha in alphas[1:]]
    if any(W is None for W in each):
        scale = _scale(A, min(alphas))
        if scale is None:
            solutions = block_ridge_path(A, B, alphas, tol)
        else:
            solutions = [block_ridge(A, B, alpha, tol, None, scale).coef for alpha in alphas]
    else:
        solutions = [W for W in each if W is not None]
    return [Fit(W.T, A.intercept(Y, W), n_iter) for W in solutions]


def _scale(A: RowOperator, alpha: float) -> Floats | None:
    """Return factors that make columns of A (and the penalty) equally long; None if they are."""
    if A.longest() + alpha <= UNLIKE**2 * alpha:
        return None
    squares, raw = A.column_squares()
    scale = column_scale(squares + alpha, raw + alpha, np.finfo(float).eps)
    return scale if is_unlike(scale) else None


def _corrected(
    A: RowOperator,
    B: Floats,
    alpha: Floats,
    W: Floats,
    n_iter: NDArray[np.int32],
    scale: Floats,
    tol: float,
    max_iter: int | None,
) -> tuple[Floats, NDArray[np.int32], float]:
    """Go on from where conjugate gradients ended, with columns of length one.

    In lengths that are very unlike, `tol` is met before the small columns are looked at. Without a
    penalty this is a correction, so that what was the solution of least norm stays it.
    """
    W, n_iter = W.copy(), n_iter.copy()
    left = 0.0
    for penalty in np.unique(alpha):
        mine = alpha == penalty
        if penalty > 0:
            W[:, mine], n_iter[mine], reached = block_ridge(
                A, B[:, mine], float(penalty), tol, max_iter, _scale(A, float(penalty))
            )
        else:
            rest = B[:, mine] - A.dot(np.ascontiguousarray(W[:, mine]))
            step, more, reached = cgls(A.scaled(scale), rest, alpha[mine], tol, max_iter)
            W[:, mine] += scale[:, None] * step
            n_iter[mine] += more
        left = max(left, reached)
    return W, n_iter, left


def _is_small(A: RowOperator, n_targets: int) -> bool:
    """Return whether the smaller Gram matrix is cheaper than iterations."""
    return min(A.shape) <= min(_LARGE, max(_SMALL, _PER_TARGET * n_targets))


def _by_gram(A: RowOperator, B: Floats, alpha: Floats) -> Floats | None:
    """Solve by Cholesky factors of the smaller Gram matrix; None if it is large or singular."""
    of_samples = A.shape[0] < A.shape[1]
    if not _is_small(A, B.shape[1]) or (of_samples and not alpha.all()):
        return None
    if not alpha.all():
        squares, raw = A.column_squares()
        if (squares <= _CANCELLED * raw).any():
            return None
    gram = A.gram(of_samples)
    right = B if of_samples else A.t_dot(B)
    solution = np.empty_like(right)
    for penalty in np.unique(alpha):
        mine = alpha == penalty
        part = _by_cholesky(gram, right[:, mine], penalty)
        if part is None:
            return None
        solution[:, mine] = part
    return A.t_dot(solution) if of_samples else solution


def _by_cholesky(gram: Floats, B: Floats, penalty: float) -> Floats | None:
    """Solve (gram + penalty I) V = B and refine it; None if that would not be accurate."""
    matrix = gram.copy()
    matrix[np.diag_indices_from(matrix)] += penalty
    diagonal = np.diag(matrix)
    if diagonal.min(initial=1) <= 0:
        return None
    scale = 1 / np.sqrt(diagonal)
    matrix *= scale[:, None] * scale
    right = scale[:, None] * B
    try:
        factor = linalg.cho_factor(matrix, lower=True)
    except linalg.LinAlgError:
        return None
    pivots = np.diag(factor[0]) ** 2
    if pivots.min(initial=1) <= _CONDITION * pivots.max(initial=1):
        return None
    V: Floats = linalg.cho_solve(factor, right)
    for _ in range(2):
        V += linalg.cho_solve(factor, right - matrix @ V)
    return scale[:, None] * V


def _by_qr(A: RowOperator, B: Floats, tol: float) -> Floats | None:
    """Solve with a triangular factor of A, made of some rows at a time; None if A is large."""
    n, p = A.shape
    if not _is_small(A, B.shape[1]) or n * p > _MOST_DENSE:
        return None
    R = np.empty((0, p + B.shape[1]))
    start = 0
    for rows in A.row_blocks(max(_MOST_DENSE // 8, 2 * p * p)):
        block = np.hstack([rows, B[start : start + len(rows)]])
        start += len(rows)
        R = linalg.qr(np.vstack([R, block]), mode="r")[0][: p + B.shape[1]]
    squares, raw = A.column_squares()
    fit = dense_least_squares(R[:, :p], R[:, p:], tol, raw - squares)
    return np.ascontiguousarray(fit.coef)


def _by_eigenvectors(A: RowOperator, B: Floats, tol: float) -> Floats | None:
    """Find the solution of least norm, w = A'u, from the eigenvectors of A A'; None if large."""
    if not _is_small(A, B.shape[1]) or _scale(A, 0.0) is not None:
        return None
    squares, V = linalg.eigh(A.gram(of_samples=True))
    kept = squares > max(tol, _LEAST_TOL) ** 2 * squares.max(initial=0)
    V, squares = V[:, kept], squares[kept][:, None]
    if not kept.any():
        return np.zeros((A.shape[1], B.shape[1]))
    W = A.t_dot(V @ ((V.T @ B) / squares))
    for _ in range(2):
        W += A.t_dot(V @ ((V.T @ (B - A.dot(W))) / squares))
    return W
