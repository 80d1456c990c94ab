"""Linear systems of Newton's method for logistic regression, and the ways to solve them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire import _core
from quire._shared.design import Arrays
from quire._shared.typing import Floats

if TYPE_CHECKING:
    from quire.linear_model._smooth_logistic import LogisticProblem

__all__ = ["CholeskySystem", "DenseSystem", "SparseSystem", "System", "choose_system"]


_MAX_PRODUCTS = 500
_CHOLESKY_MULTINOMIAL = 256  # unknowns
_CHOLESKY_BINARY = 1024


class System(Protocol):
    """Solves H d = -G at one penalty, for changing curvature."""

    single: bool

    def solve(
        self, G: Floats, curvature: NDArray[Any], accuracy: float
    ) -> tuple[Floats, int, float]:
        """Return d, the number of products with H, and G'd."""

    def exact(self) -> System:
        """Return the same in double precision."""


def choose_system(
    problem: LogisticProblem,
    l2: float,
    intercept_l2: float,
    method: str = "auto",
    *,
    roughly: bool = False,
) -> System:
    """Return the fastest way for data of this size.

    Parameters
    ----------
    problem : LogisticProblem
        The data.
    l2, intercept_l2 : float
        Penalties of W and b.
    method : {"auto", "cg", "cholesky"}, default="auto"
        Whether to force one.
    roughly : bool, default=False
        Whether a few digits are enough.
    """
    design = problem.design
    unknowns = (design.shape[1] + 1) * problem.width
    small = _CHOLESKY_BINARY if problem.width == 1 else _CHOLESKY_MULTINOMIAL
    if method == "cholesky" or (method == "auto" and not design.is_sparse and unknowns <= small):
        return CholeskySystem(problem, l2, intercept_l2)
    if design.is_sparse:
        # Small products gain little from float32, and lose it if they must be precise in the end.
        single = not problem.is_small or (roughly and problem.width > 1)
        return SparseSystem(problem, l2, intercept_l2, single=single)
    return DenseSystem(problem, l2, intercept_l2)


class SparseSystem:
    """Conjugate gradients on sparse data, compiled.

    Parameters
    ----------
    problem : LogisticProblem
        The data.
    l2, intercept_l2 : float
        Penalties of W and b.
    single : bool, default=False
        Whether the vectors of the iterations are in single precision. The direction is then as good
        as its accuracy asks, and passes over X are almost twice as fast; gradients and objective,
        which decide where the minimum is, are in double precision always.
    """

    def __init__(
        self, problem: LogisticProblem, l2: float, intercept_l2: float, *, single: bool = False
    ) -> None:
        self.problem = problem
        self.l2, self.intercept_l2 = l2, intercept_l2
        self.single = single
        rows, width = problem.design.rows, problem.width
        # The columns in another order, and some of them dense, if that is faster.
        self._order: NDArray[Any] | None = None
        self._head = np.empty((len(problem.codes), 0), dtype=np.float32 if single else np.float64)
        if width > 1:
            columns = problem.design.columns
            if single:
                rows, columns = _in_single(rows), _in_single(columns)
        else:  # no transpose is needed; some arrays of the right kind stand in for it
            if single:
                found = _core.sparse.csr_frequent_first(rows, problem.n_threads)
                self._order, self._head = found[:2]
                rows = (*found[2:], rows[3])
            columns = (*rows[:3], 0)
        self._arrays = rows, columns

    def solve(
        self, G: Floats, curvature: NDArray[Any], accuracy: float
    ) -> tuple[Floats, int, float]:
        """Return d, the number of products with H, and G'd."""
        problem = self.problem
        squares = problem.squares
        if self._order is not None:
            squares, G = squares[self._order], np.vstack([G[self._order], G[-1:]])
        found, n_products, _, slope = _core.linear.logistic_newton(
            *self._arrays,
            curvature,
            problem.weights,
            self.l2,
            self.intercept_l2,
            problem.fit_intercept,
            squares,
            self._head,
            G,
            accuracy,
            _MAX_PRODUCTS,
            problem.n_threads,
        )
        if self._order is None:
            return found, n_products, slope
        direction = np.empty_like(found)
        direction[self._order] = found[:-1]
        direction[-1] = found[-1]
        return direction, n_products, slope

    def exact(self) -> SparseSystem:
        """Return the same in double precision."""
        return SparseSystem(self.problem, self.l2, self.intercept_l2)


def _in_single(arrays: Arrays) -> Arrays:
    data, indices, indptr, n = arrays
    return data.astype(np.float32, copy=False), indices, indptr, n


class DenseSystem:
    """Conjugate gradients on dense data, with the diagonal of H as preconditioner.

    Parameters
    ----------
    problem : LogisticProblem
        The data.
    l2, intercept_l2 : float
        Penalties of W and b.
    """

    single = False

    def __init__(self, problem: LogisticProblem, l2: float, intercept_l2: float) -> None:
        self.problem = problem
        self.penalty = np.full((problem.design.shape[1] + 1, 1), l2)
        self.penalty[-1] = intercept_l2
        self.squares = problem.design.X**2

    def product(self, V: Floats, curvature: Floats) -> Floats:
        """Return H V."""
        problem = self.problem
        Z = problem.scores(V)
        if problem.width == 1:
            Z *= curvature
        else:
            Z -= np.einsum("ik,ik->i", curvature, Z)[:, None]
            Z *= curvature
            if len(problem.weights):
                Z *= problem.weights[:, None]
        return problem.back(Z) + self.penalty * V

    def diagonal(self, curvature: Floats) -> Floats:
        """Return the diagonal of H."""
        problem = self.problem
        c = curvature
        if problem.width > 1:
            c = c * (1 - c)
            if len(problem.weights):
                c *= problem.weights[:, None]
        found = np.empty((self.squares.shape[1] + 1, problem.width))
        found[:-1] = self.squares.T @ c.astype(self.squares.dtype)
        found[-1] = c.sum(axis=0)
        found += self.penalty
        return found

    def solve(
        self, G: Floats, curvature: NDArray[Any], accuracy: float
    ) -> tuple[Floats, int, float]:
        """Return d, the number of products with H, and G'd."""
        diagonal = self.diagonal(curvature)
        inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0)
        x, r = np.zeros_like(G), -G
        v = inverse * r
        rz = float(np.vdot(r, v))
        goal = accuracy**2 * rz
        n_products = 0
        while n_products < _MAX_PRODUCTS and rz > goal:
            h = self.product(v, curvature)
            n_products += 1
            curved = float(np.vdot(v, h))
            if not curved > 0:
                break
            step = rz / curved
            x += step * v
            r -= step * h
            z = inverse * r
            last, rz = rz, float(np.vdot(r, z))
            v *= rz / last
            v += z
        return x, n_products, float(np.vdot(G, x))

    def exact(self) -> DenseSystem:
        """Return itself."""
        return self


class CholeskySystem:
    r"""The Hessian as a matrix, and its Cholesky factor: exact, for few unknowns.

    Softmax scores do not change if all classes get the same weights. Where no penalty decides
    between such solutions, H is singular along them, and G has no part there; a multiple of
    :math:`\mathbf 1 \mathbf 1'` over the classes makes H regular and changes no direction.

    Parameters
    ----------
    problem : LogisticProblem
        The data.
    l2, intercept_l2 : float
        Penalties of W and b.
    """

    single = False

    def __init__(self, problem: LogisticProblem, l2: float, intercept_l2: float) -> None:
        self.problem = problem
        n, p = problem.design.shape
        self.n_rows = p + int(problem.fit_intercept)
        X = problem.design.X
        self.X = np.ones((n, self.n_rows))
        self.X[:, :p] = X.toarray() if problem.design.is_sparse else X
        self.penalty = np.full(self.n_rows, l2)
        if problem.fit_intercept:
            self.penalty[-1] = intercept_l2

    def hessian(self, curvature: Floats) -> Floats:
        """Return H as a matrix, the classes of a feature side by side."""
        X, width, m = self.X, self.problem.width, self.n_rows
        if width == 1:
            H: Floats = X.T @ (curvature * X)
            H.flat[:: m + 1] += self.penalty
            return H
        weights = self.problem.weights if len(self.problem.weights) else 1.0
        blocks = np.empty((m, width, m, width))
        for k in range(width):
            for j in range(k + 1):
                part = curvature[:, k] * ((k == j) - curvature[:, j]) * weights
                blocks[:, k, :, j] = X.T @ (part[:, None] * X)
                blocks[:, j, :, k] = blocks[:, k, :, j]
        diagonal = np.einsum("ikik->i", blocks) / width
        for i in range(m):
            np.fill_diagonal(blocks[i, :, i, :], blocks[i, :, i, :].diagonal() + self.penalty[i])
            if self.penalty[i] == 0:
                blocks[i, :, i, :] += diagonal[i] / width
        return blocks.reshape(m * width, m * width)

    def solve(
        self, G: Floats, curvature: NDArray[Any], accuracy: float
    ) -> tuple[Floats, int, float]:
        """Return d, the number of products with H (none), and G'd."""
        H = self.hessian(curvature)
        g = G[: self.n_rows].ravel()
        try:
            d = linalg.cho_solve(linalg.cho_factor(H), -g)
        except linalg.LinAlgError:  # collinear columns without a penalty
            d = linalg.lstsq(H, -g)[0]
        direction = np.zeros_like(G)
        direction[: self.n_rows] = d.reshape(self.n_rows, -1)
        return direction, 0, float(g @ d)

    def exact(self) -> CholeskySystem:
        """Return itself."""
        return self
