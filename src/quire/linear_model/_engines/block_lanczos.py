r"""Ridge regression of many targets at many penalties, from one Krylov space.

The Krylov spaces of :math:`S` and of :math:`S + \alpha I` are the same. The block Lanczos process
finds an orthonormal basis :math:`Q` of one in which S is a matrix T of few diagonals, and with the
right-hand side :math:`B = Q_1 C`

.. math:: (S + \alpha I) X = B \quad\text{has the approximate solution}\quad
          X = Q\, (T + \alpha I)^{-1} E_1 C

for every penalty. Only the smallest, whose solution is the slowest to come, decides how long to go
on. This costs the products of one solution, and memory for its basis.

References
----------
Golub, G. H., Underwood, R. (1977). The block Lanczos method for computing eigenvalues. Mathematical
Software III, 361-377. Academic Press.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from quire._shared.typing import Floats
from quire.linear_model._engines.block_cg import block_ridge, orthonormal, padded, qr
from quire.linear_model._engines.row_operator import RowOperator

__all__ = ["block_ridge_path"]


_MOST_STORED = 1 << 25  # numbers of a basis: a quarter of a gigabyte
_FEWEST_STEPS, _MOST_STEPS = 40, 300


def block_ridge_path(A: RowOperator, B: Floats, alphas: list[float], tol: float) -> list[Floats]:
    """Minimise ||B - A W||^2 + alpha ||W||^2 for several penalties.

    Parameters
    ----------
    A : RowOperator
        The matrix.
    B : ndarray of shape (n_samples, n_targets)
        Targets, weighted and centred as A is.
    alphas : list of float
        Penalties, positive.
    tol : float
        Norm of the residual of the system at the smallest penalty, in units of its right-hand side.

    Returns
    -------
    list of ndarray of shape (n_features, n_targets)
        Coefficients for each penalty.
    """
    n, p = A.shape
    of_samples = n < p
    steps = min(_MOST_STEPS, _MOST_STORED // (min(n, p) * B.shape[1]))
    basis = None
    if steps >= _FEWEST_STEPS:
        right = B if of_samples else A.t_dot(B)
        basis = _Basis.of(A, right, of_samples, min(alphas), tol, steps)
    if basis is None:  # it would be too large, or is not enough
        return [block_ridge(A, B, alpha, tol, None).coef for alpha in alphas]
    solutions = [basis.solution(alpha) for alpha in alphas]
    return [A.t_dot(one) for one in solutions] if of_samples else solutions


class _Basis:
    """Q and T, and C of the right-hand side."""

    def __init__(self, C: Floats, nothing: Floats) -> None:
        self.C = C
        self.nothing = nothing
        self.Q: list[Floats] = []
        self.diagonal: list[Floats] = []
        self.below: list[Floats] = []

    @classmethod
    def of(
        cls, A: RowOperator, right: Floats, of_samples: bool, alpha: float, tol: float, steps: int
    ) -> _Basis | None:
        """Return a basis that is large enough for a penalty; None if `steps` blocks are not.

        Parameters
        ----------
        A : RowOperator
            The matrix.
        right : ndarray
            Right-hand side.
        of_samples : bool
            Whether S is A A' rather than A'A.
        alpha : float
            The penalty.
        tol : float
            Largest residual, in units of the right-hand side.
        steps : int
            Most blocks.
        """

        def system(V: Floats) -> Floats:
            return A.dot(A.t_dot(V)) if of_samples else A.t_dot(A.dot(V))

        Q, C = orthonormal(right)
        basis = cls(C, np.zeros_like(right))
        wanted = tol * np.linalg.norm(right, axis=0)
        if Q.shape[1] == 0:
            return basis
        left = C  # right-hand side of what is left of T after elimination of the blocks so far
        coupling: Floats | None = None  # what elimination takes from the next diagonal block
        for _ in range(steps):
            Z = padded(system, Q)
            D = Q.T @ Z
            D = 0.5 * (D + D.T)
            Z -= Q @ D
            if basis.Q:
                Z -= basis.Q[-1] @ basis.below[-1].T
            basis.Q.append(Q)
            basis.diagonal.append(D)
            Q, R = qr(Z)
            pivot = D + alpha * np.eye(len(D))
            if coupling is not None:
                pivot -= coupling
            try:
                eliminated = linalg.solve(pivot, np.hstack([left, R.T]), assume_a="pos")
            except linalg.LinAlgError:
                return None
            left = -R @ eliminated[:, : left.shape[1]]
            coupling = R @ eliminated[:, left.shape[1] :]
            if (np.linalg.norm(left, axis=0) <= wanted).all():
                return basis
            basis.below.append(R)
        return None

    def solution(self, alpha: float) -> Floats:
        """Return Q (T + alpha I)^-1 E_1 C."""
        if not self.Q:  # the right-hand side is zero
            return self.nothing
        width, blocks = self.Q[0].shape[1], len(self.Q)
        size = width * blocks
        T = np.zeros((width + 1, size))  # row d: the diagonal d below the main one
        columns = np.arange(width)
        for number, D in enumerate(self.diagonal):
            start = number * width
            for d in range(width):
                T[d, start : start + width - d] = D[columns[d:], columns[: width - d]]
        for number, R in enumerate(self.below[: blocks - 1]):  # upper triangles
            start = number * width
            for row in range(width):
                T[width + row - columns[row:], start + columns[row:]] = R[row, row:]
        T[0] += alpha
        right = np.zeros((size, self.C.shape[1]))
        right[:width] = self.C
        Y = linalg.solveh_banded(T, right, lower=True, overwrite_ab=True, check_finite=False)
        found: Floats = self.Q[0] @ Y[:width]
        for number, Q in enumerate(self.Q[1:], 1):
            found += Q @ Y[number * width : (number + 1) * width]
        return found
