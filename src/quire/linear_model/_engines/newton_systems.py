"""Linear systems of Newton's method for logistic regression, and the ways to solve them."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire import _core
from quire._shared.typing import Floats
from quire._shared.vectors import conjugate_gradients, inner
from quire.linear_model._engines.logistic_problem import LogisticProblem

__all__ = [
    "CholeskySystem",
    "DenseSystem",
    "NewtonStep",
    "SparseSystem",
    "System",
    "choose_system",
]


_MAX_PRODUCTS = 500
_CHOLESKY_MULTINOMIAL = 256  # unknowns
_CHOLESKY_BINARY = 1024


class NewtonStep(NamedTuple):
    """A solution d of H d = -G.

    Attributes
    ----------
    direction : ndarray of shape (n_features + 1, width)
        d.
    scores : ndarray of shape (n_samples, width)
        X d, with the intercepts of d.
    n_products : int
        Products with H that it took.
    slope : float
        G'd.
    """

    direction: Floats
    scores: Floats
    n_products: int
    slope: float


class System(Protocol):
    """Solves H d = -G at one penalty, for changing curvature."""

    single: bool

    def solve(
        self, G: Floats, curvature: NDArray[Any], accuracy: float, largest: float
    ) -> NewtonStep:
        """Return d.

        Parameters
        ----------
        G : ndarray of shape (n_features + 1, width)
            The gradient.
        curvature : ndarray of shape (n_samples, width)
            From ``LogisticProblem.state``.
        accuracy : float
            Norm of the residual that is small enough, relative to that of G.
        largest : float
            Largest component of the residual that is small enough, too.
        """

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
        self._arrays = problem.newton_arrays(single)

    def solve(
        self, G: Floats, curvature: NDArray[Any], accuracy: float, largest: float
    ) -> NewtonStep:
        """Return d."""
        problem, (rows, columns, order, head, squares) = self.problem, self._arrays
        if order is not None:
            G = np.vstack([G[order], G[-1:]])
        found, scores, n_products, _, slope = _core.linear.logistic_newton(
            rows,
            columns,
            curvature,
            problem.weights,
            self.l2,
            self.intercept_l2,
            problem.fit_intercept,
            squares,
            head,
            G,
            accuracy,
            largest,
            _MAX_PRODUCTS,
            problem.n_threads,
        )
        if order is None:
            return NewtonStep(found, scores, n_products, slope)
        direction = np.empty_like(found)
        direction[order] = found[:-1]
        direction[-1] = found[-1]
        return NewtonStep(direction, scores, n_products, slope)

    def exact(self) -> SparseSystem:
        """Return the same in double precision."""
        return SparseSystem(self.problem, self.l2, self.intercept_l2)


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
        self, G: Floats, curvature: NDArray[Any], accuracy: float, largest: float
    ) -> NewtonStep:
        """Return d."""
        diagonal = self.diagonal(curvature)
        inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0)
        direction, n_products = conjugate_gradients(
            lambda V: self.product(V, curvature),
            -G,
            inverse,
            share=accuracy,
            tol=largest,
            max_products=_MAX_PRODUCTS,
        )
        scores = self.problem.scores(direction)
        return NewtonStep(direction, scores, n_products, inner(G, direction))

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
        self, G: Floats, curvature: NDArray[Any], accuracy: float, largest: float
    ) -> NewtonStep:
        """Return d, exactly."""
        H = self.hessian(curvature)
        g = G[: self.n_rows].ravel()
        try:
            d = linalg.cho_solve(linalg.cho_factor(H), -g)
        except linalg.LinAlgError:  # collinear columns without a penalty
            d = linalg.lstsq(H, -g)[0]
        direction = np.zeros_like(G)
        direction[: self.n_rows] = d.reshape(self.n_rows, -1)
        return NewtonStep(direction, self.problem.scores(direction), 0, float(g @ d))

    def exact(self) -> CholeskySystem:
        """Return itself."""
        return self
