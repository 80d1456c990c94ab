r"""The largest eigenvalues of a symmetric operator by block Lanczos with thick restarts.

A block of random vectors is multiplied by the operator S again and again, and every new block is
made orthogonal to all before it. In the basis Q that grows so, S is the small matrix
:math:`T = Q'SQ`, with

.. math:: SQ = QT + Q_{+} R E', \qquad \lVert S(Qy) - \theta Qy \rVert = \lVert R\, y_{last} \rVert

for an eigenpair :math:`(\theta, y)` of T, where :math:`Q_{+}` is the next block and
:math:`y_{last}` the part of y that belongs to the last one. So the residual of every pair is known
without a product, and the search ends when all that are wanted are small. A basis that has become
too large is replaced by its best eigenvectors, which lose nothing of what was found.

A sparse S meets a block of vectors side by side, which is far cheaper than one after another.

References
----------
Zhou, Y. and Saad, Y. (2008). Block Krylov-Schur method for large symmetric eigenvalue problems.
Numerical Algorithms, 47, 341-359.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg

from quire import _core
from quire._shared.typing import Floats

__all__ = ["Eigenpairs", "largest_eigenpairs"]

Operator = Callable[[Floats], Floats]

_MOST_PRODUCTS = 400  # blocks, restarts included
_DEPENDENT = 1e-4  # sine of the angle between a column and those before it
_NOT_WORTH_A_RESTART = 1e-13  # a residual that rounding may keep from falling further
_CANCELLED = 1e-3  # so little of a block is left that it has lost its digits
_EPSILON = float(np.finfo(np.float64).eps)


class Eigenpairs(NamedTuple):
    """What was found: eigenvalues from the largest down, with vectors as columns.

    `residual` is the largest one over the first eigenvalue, and `converged` whether it is as small
    as was asked for.
    """

    values: Floats
    vectors: Floats
    residual: float
    n_products: int
    converged: bool


def largest_eigenpairs(
    operator: Operator,
    start: Floats,
    n_wanted: int,
    tol: float,
    most_vectors: int,
    n_threads: int,
) -> Eigenpairs:
    """Find the largest eigenvalues of a symmetric operator without negative ones.

    Parameters
    ----------
    operator : callable
        ``operator(V)`` returns S V.
    start : ndarray of shape (size, width)
        The first block.
    n_wanted : int
        Number of eigenvalues.
    tol : float
        Largest norm of a residual, in units of the largest eigenvalue.
    most_vectors : int
        Largest size of the basis, at least ``n_wanted + 3 * width``.
    n_threads : int
        Threads to use.

    Returns
    -------
    Eigenpairs
        What was found.
    """
    basis = _Basis(start, most_vectors, n_threads)
    tol = max(tol, _EPSILON)
    look_at = int(np.ceil(3 * n_wanted / basis.width))
    history: list[tuple[int, float]] = []
    while True:
        R = basis.grow(operator)
        if basis.size < n_wanted:
            continue
        done = basis.n_products >= _MOST_PRODUCTS
        full = basis.size + 2 * basis.width > most_vectors
        if not (done or full or basis.n_products >= look_at):
            continue
        values, Y = linalg.eigh(basis.projected())
        values, Y = values[::-1], Y[:, ::-1]
        residuals = np.linalg.norm(R @ Y[-basis.width :, :n_wanted], axis=0)
        worst = float(residuals.max() / max(values[0], np.finfo(float).tiny))
        enough = worst <= (max(tol, _NOT_WORTH_A_RESTART) if full or done else tol)
        if enough or done:
            vectors = basis.Q[:, : basis.size] @ Y[:, :n_wanted]
            return Eigenpairs(values[:n_wanted], vectors, worst, basis.n_products, enough)
        look_at = _next_look(history, basis.n_products, worst, tol)
        if full:
            kept = min(n_wanted + basis.width, basis.size - basis.width)
            basis.restart(values[:kept], Y[:, :kept], R)


def _next_look(
    history: list[tuple[int, float]], n_products: int, residual: float, tol: float
) -> int:
    """Return the number of products at which the residual, which falls by a factor, will do."""
    history.append((n_products, max(residual, _EPSILON)))
    if len(history) < 2:
        return n_products + 4
    (before, larger), (now, smaller) = history[-2:]
    fall = np.log(larger / smaller) / (now - before)
    missing = np.log(smaller / tol) / fall if fall > 0 else np.inf
    return n_products + int(np.clip(np.ceil(missing), 1, max(4, n_products // 3)))


class _Basis:
    """Orthonormal vectors Q, of which the last block is still to be multiplied, and T."""

    def __init__(self, start: Floats, most_vectors: int, n_threads: int) -> None:
        self.n_threads = n_threads
        size, self.width = start.shape
        self.Q = np.empty((size, most_vectors + self.width))
        self.T = np.zeros((most_vectors, most_vectors))
        self.Q[:, : self.width] = orthonormal(start)[0]
        self.size = 0  # vectors that were multiplied; the next block lies behind them
        self.n_products = 0
        self._joined = 0  # the first column that S joins to the last block

    def grow(self, operator: Operator) -> Floats:
        """Multiply the last block; return R, which joins it to the next one."""
        old, new = self.size, self.size + self.width
        Z = operator(np.ascontiguousarray(self.Q[:, old:new]))
        near = self.Q[:, self._joined : new]  # all that S joins to the last block
        H = near.T @ Z
        Z -= near @ H
        # The whole basis, every time: what rounding leaves of it would be missing in T, and the
        # residuals of the vectors would be larger than those that T promises.
        Z = _core.linear.block_project(self.Q, new, Z, self.n_threads)[0]
        Z, R = orthonormal(Z)
        if np.abs(np.diag(R)).min() < _CANCELLED * np.abs(H).max():
            Z = _core.linear.block_project(self.Q, new, Z, self.n_threads)[0]
            Z, again = orthonormal(Z)
            R = again @ R
        self.T[self._joined : new, old:new] = H
        self.T[old:new, self._joined : new] = H.T
        self.Q[:, new : new + self.width] = Z
        self.size, self._joined = new, old
        self.n_products += 1
        return R

    def projected(self) -> Floats:
        """Return T."""
        T = self.T[: self.size, : self.size]
        return 0.5 * (T + T.T)

    def restart(self, values: Floats, Y: Floats, R: Floats) -> None:
        """Keep the eigenvectors Q Y, and the block that was to be multiplied next."""
        kept = len(values)
        coupling = R @ Y[self.size - self.width : self.size]  # (width, kept)
        following = self.Q[:, self.size : self.size + self.width].copy()
        self.Q[:, :kept] = self.Q[:, : self.size] @ Y
        self.Q[:, kept : kept + self.width] = following
        self.T[:] = 0
        self.T[np.arange(kept), np.arange(kept)] = values
        self.T[kept : kept + self.width, :kept] = coupling
        self.T[:kept, kept : kept + self.width] = coupling.T
        self.size, self._joined = kept, 0


def orthonormal(Z: Floats) -> tuple[Floats, Floats]:
    """Return an orthonormal basis of the columns of Z, and R with Z = basis R.

    By the Cholesky factor of Z'Z, which is a tenth of the work of Householder's reflections. It
    loses digits where columns are nearly dependent; then the reflections do it.

    Parameters
    ----------
    Z : ndarray of shape (size, width)
        The columns.
    """
    gram = Z.T @ Z
    scale = np.sqrt(np.diag(gram))
    if scale.min() > 0:
        gram /= np.outer(scale, scale)
        try:
            R = linalg.cholesky(gram, check_finite=False)
        except linalg.LinAlgError:
            R = None
        if R is not None and np.diag(R).min() > _DEPENDENT:
            R = R * scale
            inverse = linalg.solve_triangular(R, np.eye(len(R)), check_finite=False)
            return Z @ inverse, R
    Q, R = linalg.qr(Z, mode="economic", check_finite=False)
    return np.ascontiguousarray(Q), R
