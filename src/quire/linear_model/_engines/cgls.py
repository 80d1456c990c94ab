r"""Least squares of many targets by conjugate gradients, with or without a penalty.

.. math:: \min_w \lVert b - Aw \rVert^2 + \alpha \lVert w \rVert^2

for each target, all side by side: a pass over A serves them all. In exact arithmetic the iterates
are those of LSQR. They start at zero and stay in the row space of A, so that without a penalty the
limit is the solution of least norm.

References
----------
Bjorck, A. (1996). Numerical Methods for Least Squares Problems, section 7.4. SIAM.
Paige, C. C. and Saunders, M. A. (1982). LSQR: an algorithm for sparse linear equations and sparse
least squares. ACM Transactions on Mathematical Software, 8, 43-71: the rules for stopping.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats
from quire.linear_model._engines.row_operator import RowOperator

__all__ = ["LeastSquaresSolution", "cgls"]


_PATIENCE = 200  # iterations without a smaller gradient: rounding does not allow more


class LeastSquaresSolution(NamedTuple):
    """Coefficients, iterations of every target, and what is left of the gradient.

    The last is the largest of |A'r - alpha w| / (|A| |(r, sqrt(alpha) w)|) over the targets that
    did not converge, 0 if all did.
    """

    coef: Floats
    n_iter: NDArray[np.int32]
    gradient: float


def cgls(
    A: RowOperator, B: Floats, alpha: Floats, tol: float, max_iter: int | None
) -> LeastSquaresSolution:
    """Solve the least-squares problems of all columns of B.

    Parameters
    ----------
    A : RowOperator
        The matrix.
    B : ndarray of shape (n_samples, n_targets)
        Targets, weighted and centred as A is.
    alpha : ndarray of shape (n_targets,)
        Penalties, zero or more.
    tol : float
        Stop when the gradient is below `tol` times |A| |residual|, or the residual below `tol`
        times |b| + |A| |w|: the rules of LSQR, with its estimate of the Frobenius norm |A|.
    max_iter : int or None
        ``None``: twice the number of features, and at least 100.

    Returns
    -------
    LeastSquaresSolution
        Its coefficients have the shape (n_features, n_targets).
    """
    p, n_targets = A.shape[1], B.shape[1]
    limit = max(2 * p, 100) if max_iter is None else max_iter
    tol = max(tol, 4 * np.finfo(float).eps)
    coef = np.zeros((p, n_targets))
    n_iter = np.zeros(n_targets, dtype=np.int32)
    b_norm = np.linalg.norm(B, axis=0)

    active = np.arange(n_targets)  # the columns below belong to these targets
    R, W = B.copy(), np.zeros((p, n_targets))
    S = A.t_dot(R)
    P = S.copy()
    gamma = _squares(S)
    best, waited = gamma.copy(), np.zeros(n_targets, dtype=np.int64)
    norm = np.zeros(n_targets)  # of A, squared, as far as the directions have shown it
    last = np.zeros(n_targets)
    noise = 4 * np.finfo(float).eps * A.frobenius_norm() * b_norm  # of a gradient that is zero
    left = np.zeros(n_targets)
    for step in range(limit + 1):
        penalised = np.sqrt(_squares(R) + alpha[active] * _squares(W))
        size = np.sqrt(norm[active]) * penalised
        left[active] = np.sqrt(gamma) / np.where(size > 0, size, np.inf)
        done = np.sqrt(gamma) <= tol * size
        done |= penalised <= tol * (b_norm[active] + np.sqrt(norm[active] * _squares(W)))
        done |= (np.sqrt(gamma) <= noise[active]) | (waited >= _PATIENCE)
        if done.any():
            left[active[done]] = 0
            coef[:, active[done]] = W[:, done]
            keep = ~done
            active, gamma, best, waited = active[keep], gamma[keep], best[keep], waited[keep]
            R, W, S, P = (np.ascontiguousarray(M[:, keep]) for M in (R, W, S, P))
        if not len(active) or step == limit:
            break
        Q = A.dot(P)
        length = gamma / (_squares(Q) + alpha[active] * _squares(P))
        norm[active] += 1 / length + last[active]  # the trace of Lanczos' tridiagonal matrix
        W += length * P
        R -= length * Q
        S = A.t_dot(R) - alpha[active] * W
        new = _squares(S)
        last[active] = new / gamma / length
        P *= new / gamma
        P += S
        gamma = new
        waited = np.where(gamma < best, 0, waited + 1)
        best = np.minimum(best, gamma)
        n_iter[active] = step + 1
    coef[:, active] = W
    return LeastSquaresSolution(coef, n_iter, float(left[active].max(initial=0)))


def _squares(M: Floats) -> Floats:
    squares: Floats = np.einsum("ij,ij->j", M, M)
    return squares
