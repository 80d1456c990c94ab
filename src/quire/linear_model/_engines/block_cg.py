r"""Ridge regression of many targets at once by conjugate gradients.

The coefficients solve one of two systems, of which the smaller is taken:

.. math:: (A'A + \alpha I)\, W = A'B, \qquad\text{or}\qquad
          W = A'D, \quad (AA' + \alpha I)\, D = B.

Block conjugate gradients look for the columns of the solution in the sum of their Krylov spaces.
That takes fewer products with A than a search for each column on its own, and each stored value of
A meets all targets side by side. The directions are orthonormalised in every step (Dubrulle 2001),
so that targets which depend on each other, or which are done before the others, do no harm.

References
----------
Dubrulle, A. A. (2001). Retooling the method of block conjugate gradients. Electronic Transactions
on Numerical Analysis, 12, 216-233.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire._shared.typing import Floats
from quire.linear_model._engines.row_operator import RowOperator

__all__ = ["BlockSolution", "block_ridge", "orthonormal", "padded", "qr"]

Operator = Callable[[Floats], Floats]

_WIDTH = 32  # targets in a block: its orthonormalisation costs the square of this for each row
_VERIFIED = 1e-8  # below this the recursion may drift from the residual it stands for


class BlockSolution(NamedTuple):
    """Coefficients, iterations of every target, and the largest residual in units of its target."""

    coef: Floats
    n_iter: NDArray[np.int32]
    residual: float


def block_ridge(
    A: RowOperator,
    B: Floats,
    alpha: float,
    tol: float,
    max_iter: int | None,
    scale: Floats | None = None,
) -> BlockSolution:
    """Minimise ||B - A W||^2 + alpha ||W||^2.

    Parameters
    ----------
    A : RowOperator
        The matrix.
    B : ndarray of shape (n_samples, n_targets)
        Targets, weighted and centred as A is.
    alpha : float
        Penalty, positive.
    tol : float
        Norm of the residual of the system, in units of its right-hand side.
    max_iter : int or None
        ``None``: ten times the size of the system.
    scale : ndarray of shape (n_features,), default=None
        Solve for W / scale, with columns of A of like lengths. The solution is the same, but `tol`
        then holds for small columns as for large ones.

    Returns
    -------
    BlockSolution
        Its coefficients have the shape (n_features, n_targets).
    """
    n, p = A.shape
    of_samples = n < p and scale is None
    limit = 10 * min(n, p) if max_iter is None else max_iter
    penalty: Any = alpha
    if scale is not None:
        A, penalty = A.scaled(scale), alpha * scale[:, None] ** 2

    def system(V: Floats) -> Floats:
        product = A.dot(A.t_dot(V)) if of_samples else A.t_dot(A.dot(V))
        product += penalty * V
        return product

    n_targets = B.shape[1]
    parts = np.array_split(np.arange(n_targets), -(-n_targets // _WIDTH))
    solutions = []
    for part in parts:
        right = B[:, part] if of_samples else A.t_dot(B[:, part])
        solution = _solve(system, right, tol, limit)
        coef = A.t_dot(solution.coef) if of_samples else solution.coef
        if scale is not None:
            coef = scale[:, None] * coef
        solutions.append(solution._replace(coef=coef))
    return BlockSolution(
        np.hstack([s.coef for s in solutions]),
        np.concatenate([s.n_iter for s in solutions]),
        max(s.residual for s in solutions),
    )


def _solve(system: Operator, B: Floats, tol: float, max_iter: int) -> BlockSolution:
    """Solve until the residuals are small; for a loose tol, until the recursion says so."""
    norms = np.linalg.norm(B, axis=0)
    wanted = max(tol, 4 * np.finfo(float).eps) * norms
    X, n_iter, residual = _block_cg(system, B, wanted, max_iter)
    if tol < _VERIFIED:
        R = B - system(X)
        while (reached := _largest(R, norms)) > tol and n_iter.max() < max_iter:
            step, more, _ = _block_cg(system, R, wanted, max_iter - int(n_iter.max()))
            R_next = B - system(X + step)
            if _largest(R_next, norms) > reached / 2:  # as far as rounding lets it go
                break
            X, R, n_iter = X + step, R_next, n_iter + more
        return BlockSolution(X, n_iter, 0.0 if n_iter.max() < max_iter else _largest(R, norms))
    return BlockSolution(X, n_iter, float((residual / np.where(norms > 0, norms, 1)).max()))


def _largest(R: Floats, norms: Floats) -> float:
    return float((np.linalg.norm(R, axis=0) / np.where(norms > 0, norms, 1)).max())


def _block_cg(
    system: Operator, B: Floats, wanted: Floats, max_iter: int
) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Run the recursion: residuals are Q C with orthonormal Q, directions are P."""
    X = np.zeros_like(B)
    n_iter = np.zeros(B.shape[1], dtype=np.int32)
    Q, C = orthonormal(B)
    residual = np.linalg.norm(C, axis=0)
    if Q.shape[1] == 0:
        return X, n_iter, residual
    P = Q
    for step in range(1, max_iter + 1):
        Z = padded(system, P)
        G = P.T @ Z
        try:
            scale = linalg.solve(G, np.column_stack([C, np.eye(len(G))]), assume_a="pos")
        except linalg.LinAlgError:  # directions that rounding has made dependent
            scale = np.linalg.pinv(G, hermitian=True) @ np.column_stack([C, np.eye(len(G))])
        X += P @ scale[:, : C.shape[1]]  # scale = G^-1 [C, I]
        Q, R = qr(Q - Z @ scale[:, C.shape[1] :])
        C = R @ C
        n_iter[residual > wanted] = step
        residual = np.linalg.norm(C, axis=0)
        if (residual <= wanted).all():
            break
        P = Q + P @ R.T
    return X, n_iter, residual


def qr(M: Floats) -> tuple[Floats, Floats]:
    """Return Q and R with M = Q R and orthonormal columns in Q.

    By Cholesky factors of M'M, which is several times quicker, where they lose no more than four
    digits.
    """
    try:
        R = linalg.cholesky(M.T @ M, check_finite=False)
    except linalg.LinAlgError:
        R = np.zeros((1, 1))
    pivots = np.abs(np.diag(R))
    if pivots.min() < 1e-2 * pivots.max() or pivots.max() == 0:
        return linalg.qr(M, mode="economic", check_finite=False)  # type: ignore[no-any-return]
    return M @ linalg.solve_triangular(R, np.eye(len(R)), check_finite=False), R


def orthonormal(B: Floats) -> tuple[Floats, Floats]:
    """Return Q and C with B = Q C and orthonormal columns in Q, as many as B has dimensions."""
    norms = np.linalg.norm(B, axis=0)
    scaled = B / np.where(norms > 0, norms, 1)
    Q, R, order = linalg.qr(scaled, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    rank = int(np.sum(pivots > 1e-14 * max(pivots.max(initial=0), 1)))
    C = np.empty((rank, B.shape[1]))
    C[:, order] = R[:rank]
    return np.ascontiguousarray(Q[:, :rank]), C * norms


def padded(system: Operator, P: Floats) -> Floats:
    """Apply the system to P with columns of zeros up to a multiple of four, which is faster."""
    n, width = P.shape
    even = -(-width // 4) * 4
    if even == width or width < 4:
        return system(np.ascontiguousarray(P))
    wide = np.zeros((n, even))
    wide[:, :width] = P
    return system(wide)[:, :width]
