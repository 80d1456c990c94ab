r"""Linear systems with a shrunk scatter matrix, by conjugate gradients on its smaller side.

With D what shrinkage adds to the diagonal and G the rows less the mean of their class, each times
the root of its weight and scaled by :math:`D^{-1/2}`,

.. math:: S = D^{1/2} (I + G'G) D^{1/2}, \qquad
          (I + G'G)^{-1} = I - G' (I + GG')^{-1} G

so that the unknowns are as many as the features or as the samples, whichever are fewer. Text has a
long tail of large eigenvalues, which would make the iterations many; their part of the matrix is
found from some random products (Nyström's approximation) and divided out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from quire._shared.typing import Floats
from quire.discriminant_analysis._scatter import Scatter

__all__ = ["ShrunkSystem", "Solution"]

Operator = Callable[[Floats], Floats]

_PACE = 40  # iterations in which to be done, else the large eigenvalues are looked for
_RANK = 512  # how many are, at most
_NUMBERS = 16_000_000  # in their vectors, at most
_WIDTH = 32  # columns of one product with X


@dataclass(frozen=True, eq=False)
class Solution:
    """Solutions Z of S Z = B."""

    Z: Floats
    n_iter: int
    residual: float  # the largest over the columns, of the size of the right-hand side
    converged: bool


class ShrunkSystem:
    """Solves S Z = B for the scatter S within classes.

    Parameters
    ----------
    scatter : Scatter
        Shrunk: all that is added to its diagonal is positive.
    codes : ndarray of shape (n_samples,)
        The class of each row, that is, its row among the centers of the scatter.
    """

    def __init__(self, scatter: Scatter, codes: NDArray[np.int32]) -> None:
        self.scatter = scatter
        self.codes = codes
        n, p = scatter.design.shape
        self.in_samples = n < p
        self._root = np.sqrt(scatter.row_weights)[:, None]
        self._scale = 1 / np.sqrt(scatter.added)[:, None]
        members = (np.ones(n), codes, np.arange(n + 1))
        self._members = sparse.csr_array(members, shape=(n, len(scatter.centers))).T
        self._large: tuple[Floats, Floats] | None = None

    def solve(self, B: Floats, tol: float = 1e-9, max_iter: int = 1000) -> Solution:
        """Return the solution for each column of B.

        Parameters
        ----------
        B : ndarray of shape (n_features, width)
            Right-hand sides.
        tol : float, default=1e-9
            The size of a residual, of that of its right-hand side, at which to stop.
        max_iter : int, default=1000
            Iterations, at most.
        """
        right = self._scale * B
        inner = self._rows_dot(right) if self.in_samples else right
        U, n_iter, residual = np.zeros_like(inner), 0, np.inf
        if self._large is None:
            U, n_iter, residual = conjugate_gradients(self._dot, inner, U, tol, _PACE, pace=_PACE)
        if residual > tol:
            U, more, residual = conjugate_gradients(
                self._dot, inner, U, tol, max_iter - n_iter, self._without_large
            )
            n_iter += more
        if self.in_samples:
            U = right - self._columns_dot(U)
        return Solution(self._scale * U, n_iter, residual, residual <= tol)

    def _rows_dot(self, V: Floats) -> Floats:
        """Return G V."""
        V = self._scale * V
        centers = self.scatter.centers @ V
        product = self.scatter.design.dot(V)
        product -= centers[self.codes]
        product *= self._root
        return product

    def _columns_dot(self, U: Floats) -> Floats:
        """Return G'U."""
        U = self._root * U
        product = self.scatter.design.t_dot(U)
        product -= self.scatter.centers.T @ (self._members @ U)
        product *= self._scale
        return product

    def _gram_dot(self, V: Floats) -> Floats:
        """Return GG'V or G'GV."""
        if self.in_samples:
            return self._rows_dot(self._columns_dot(V))
        return self._columns_dot(self._rows_dot(V))

    def _dot(self, V: Floats) -> Floats:
        return V + self._gram_dot(V)

    def _without_large(self, R: Floats) -> Floats:
        """Divide the large eigenvalues out: the preconditioner."""
        if self._large is None:
            self._large = self._find_large()
        vectors, change = self._large
        return R + vectors @ (change[:, None] * (vectors.T @ R))

    def _find_large(self) -> tuple[Floats, Floats]:
        """Return approximate eigenvectors, and by how much their parts are to be changed."""
        m = min(self.scatter.design.shape)
        rank = max(1, min(_RANK, m // 4, _NUMBERS // m))
        test = np.random.default_rng(0).standard_normal((m, rank))
        product = np.empty((m, rank))
        for start in range(0, rank, _WIDTH):
            part = slice(start, start + _WIDTH)
            product[:, part] = self._gram_dot(test[:, part])
        shift = np.finfo(float).eps * linalg.norm(product)
        product += shift * test
        small = test.T @ product
        values, vectors = linalg.eigh((small + small.T) / 2)
        good = values > 1e-12 * values[-1]
        product = product @ (vectors[:, good] / np.sqrt(values[good]))
        squares, vectors = linalg.eigh(product.T @ product)
        good = squares > 1e-10 * squares[-1]
        vectors = product @ (vectors[:, good] / np.sqrt(squares[good]))
        found = np.maximum(squares[good] - shift, 0)
        return vectors, (1 + found[0]) / (1 + found) - 1


def conjugate_gradients(
    dot: Operator,
    B: Floats,
    start: Floats,
    tol: float,
    max_iter: int,
    precondition: Operator | None = None,
    pace: int | None = None,
) -> tuple[Floats, int, float]:
    """Solve A U = B for every column; columns that are done take no more part.

    Parameters
    ----------
    dot : callable
        Multiplies by A, symmetric and positive definite.
    B : ndarray of shape (size, width)
        Right-hand sides.
    start : ndarray of shape (size, width)
        Where to begin.
    tol : float
        The size of a residual, of that of its right-hand side, at which to stop.
    max_iter : int
        Iterations, at most.
    precondition : callable, default=None
        Multiplies by something near the inverse of A.
    pace : int, default=None
        Give up, from the eighth iteration on, if so many would not do at the rate so far.

    Returns
    -------
    U : ndarray of shape (size, width)
        The solutions.
    n_iter : int
        Iterations made.
    residual : float
        The largest residual, of the size of its right-hand side.
    """
    result = start.copy()
    R = B - dot(start) if start.any() else B.copy()
    wanted = tol * _norms(B)
    active = np.flatnonzero(_norms(R) > wanted)
    U, R = result[:, active], R[:, active]
    left = _norms(R)
    H = R if precondition is None else precondition(R)
    P = H.copy()
    product = _products(R, H)
    n_iter = 0
    while len(active) and n_iter < max_iter:
        n_iter += 1
        image = dot(P)
        step = product / _products(P, image)
        U += step * P
        R -= step * image
        left = _norms(R)
        on = left > wanted[active]
        if not on.all():
            result[:, active[~on]] = U[:, ~on]
            active, U, R, P = active[on], U[:, on], R[:, on], P[:, on]
            product, left = product[on], left[on]
            if not len(active):
                break
        worst = (left / (wanted[active] / tol)).max()
        if pace is not None and n_iter >= 8 and worst > tol ** (n_iter / pace):
            break
        H = R if precondition is None else precondition(R)
        previous, product = product, _products(R, H)
        P *= product / previous
        P += H
    result[:, active] = U
    residual = left / (wanted[active] / tol)
    return result, n_iter, float(residual.max(initial=0.0))


def _norms(R: Floats) -> Floats:
    return np.sqrt(_products(R, R))


def _products(A: Floats, B: Floats) -> Floats:
    sums: Floats = np.einsum("ij,ij->j", A, B)
    return sums
