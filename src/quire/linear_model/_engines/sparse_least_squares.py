r"""Least squares with a sparse matrix: which way to solve it.

.. math::

    \min_{W, c} \sum_i s_i \lVert y_i - W'x_i - c \rVert^2 + \sum_t \alpha_t \lVert w_t \rVert^2

If samples or features are few, their Gram matrix is factorised. Otherwise conjugate gradients do
it: over blocks of targets that share a positive penalty, else over targets side by side.
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
from quire.linear_model._engines.row_operator import RowOperator

__all__ = ["Fit", "sparse_least_squares", "sparse_ridge_path"]


_SMALL, _LARGE = 100, 2000  # sizes of a Gram matrix that is always, and that is never, too large
_PER_TARGET = 100  # between these, columns of it that cost what the iterations for a target do
_CONDITION = 1e-10  # of a Gram matrix whose factors are good enough to be refined


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
    if W is None:
        if alpha[0] > 0 and (alpha == alpha[0]).all():
            W, n_iter, left = block_ridge(A, B, float(alpha[0]), tol, max_iter)
            measure = "largest relative residual"
        else:
            W, n_iter, left = cgls(A, B, alpha, tol, max_iter)
            measure = "largest relative gradient"
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
    each = [_by_gram(A, B, np.full(Y.shape[1], alpha)) for alpha in alphas[:1]]
    if each[0] is not None:
        each += [_by_gram(A, B, np.full(Y.shape[1], alpha)) for alpha in alphas[1:]]
    found = block_ridge_path(A, B, alphas, tol) if any(W is None for W in each) else each
    n_iter = np.zeros(Y.shape[1], dtype=np.int32)
    return [Fit(W.T, A.intercept(Y, W), n_iter) for W in found if W is not None]


def _by_gram(A: RowOperator, B: Floats, alpha: Floats) -> Floats | None:
    """Solve by Cholesky factors of the smaller Gram matrix; None if it is large or singular."""
    n, p = A.shape
    of_samples = n < p
    size, n_targets = min(n, p), B.shape[1]
    if size > min(_LARGE, max(_SMALL, _PER_TARGET * n_targets)) or (of_samples and not alpha.all()):
        return None
    gram = A.gram(of_samples)
    right = B if of_samples else A.t_dot(B)
    solution = np.empty_like(right)
    for penalty in np.unique(alpha):
        mine = alpha == penalty
        found = _by_cholesky(gram, right[:, mine], penalty)
        if found is None:
            return None
        solution[:, mine] = found
    return A.t_dot(solution) if of_samples else solution


def _by_cholesky(gram: Floats, B: Floats, penalty: float) -> Floats | None:
    """Solve (gram + penalty I) V = B and refine it; None if that would not be accurate."""
    matrix = gram.copy()
    matrix[np.diag_indices_from(matrix)] += penalty
    try:
        factor = linalg.cho_factor(matrix, lower=True)
    except linalg.LinAlgError:
        return None
    pivots = np.diag(factor[0]) ** 2
    if pivots.min(initial=1) <= _CONDITION * pivots.max(initial=1):
        return None
    V: Floats = linalg.cho_solve(factor, B)
    for _ in range(2):
        V += linalg.cho_solve(factor, B - matrix @ V)
    return V
