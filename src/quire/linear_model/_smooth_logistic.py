r"""Logistic regression with a smooth objective, by Newton's method.

.. math:: F(W, b) = \sum_i s_i \ell(y_i, x_i' W + b) + \frac{\lambda}{2} \|W\|^2
          + \frac{\lambda_b}{2} \|b\|^2

with the sigmoid loss for two classes (one column of weights) and the softmax loss for more (a
column for each). Every iteration solves :math:`H d = -\nabla F` roughly, and goes along d as far as
Armijo's rule allows; trial steps cost no product with X, since the scores of d are kept.

The system is solved by conjugate gradients with two passes over X for a product
(:class:`SparseSystem`, all of it compiled, and :class:`DenseSystem`), or exactly where it is small
(:class:`CholeskySystem`).

References
----------
-  C.-J. Lin, R. C. Weng, S. S. Keerthi (2008). Trust region Newton method for large-scale
   logistic regression. Journal of Machine Learning Research 9, 627-650.
-  J. Nocedal, S. J. Wright (2006). Numerical Optimization, chapter 7. Springer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.design import Design
from quire._shared.typing import Floats
from quire.linear_model._newton_systems import System, choose_system

__all__ = ["USUAL_TOL", "LogisticProblem", "SmoothResult", "smooth_logistic"]


_NONE = np.empty(0)
_ARMIJO = 1e-4
_GAP = {False: 0.0003, True: 0.003}  # over tol; by whether there are more than two classes
_MAX_HALVINGS = 40
_SMALL = 1 << 21
USUAL_TOL = 1e-4
_ROUGH = 1e-6
_NEAR = 0.02  # a step that should be longer or shorter by less than this share is left alone
_ROUNDING = 16 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class SmoothResult:
    """Where the iterations ended.

    Attributes
    ----------
    coef : ndarray of shape (n_features, width)
        W, with a column for each class, or one column for two classes.
    intercept : ndarray of shape (width,)
        b, zero if there is none.
    objective : float
        F.
    scores : ndarray of shape (n_samples, width)
        X W + b.
    gap : float
        How far F is above its minimum at most, if `l2` is positive and it was to be `certain`; an
        estimate by Newton's model otherwise.
    gradient : float
        Largest component of the gradient of F over the sum of the weights.
    n_iter : int
        Newton steps.
    n_products : int
        Products with the Hessian.
    converged : bool
        Whether the goal was reached.
    separable : bool
        Whether the classes are told apart without error by scores that could grow for ever: an
        unpenalised objective has no minimum then.
    """

    coef: Floats
    intercept: Floats
    objective: float
    scores: Floats
    gap: float
    gradient: float
    n_iter: int
    n_products: int
    converged: bool
    separable: bool


class LogisticProblem:
    """Data of a logistic regression, ready for several penalties.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers, float32 or float64.
    codes : ndarray of int32 of shape (n_samples,)
        Classes, as numbers.
    n_classes : int
        How many there are.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples, not negative.
    fit_intercept : bool, default=True
        Whether there is a b.
    n_threads : int, default=1
        Threads to use.
    """

    def __init__(
        self,
        X: Any,
        codes: NDArray[np.int32],
        n_classes: int,
        *,
        sample_weight: Floats | None = None,
        fit_intercept: bool = True,
        n_threads: int = 1,
    ) -> None:
        self.design = Design(X, n_threads)
        if self.design.is_sparse:  # once for all products
            _core.sparse.csr_check(self.design.rows, n_threads)
        self.codes = codes
        self.width = 1 if n_classes == 2 else n_classes
        self.weights = (
            _NONE if sample_weight is None else np.ascontiguousarray(sample_weight, np.float64)
        )
        self.total = float(len(codes) if sample_weight is None else self.weights.sum())
        self.fit_intercept = fit_intercept
        self.n_threads = n_threads

    @property
    def is_small(self) -> bool:
        """Whether a product with X is a matter of a millisecond."""
        stored = len(self.design.rows[0]) if self.design.is_sparse else self.design.X.size
        return int(stored) * self.width < _SMALL

    @cached_property
    def mean_square(self) -> float:
        """The (weighted) mean of the squared norms of the rows of a sparse X."""
        data, _, indptr, _ = self.design.rows
        squares = np.square(data, dtype=np.float64)
        if len(self.weights):
            squares *= np.repeat(self.weights, np.diff(indptr))
        return float(squares.sum()) / self.total

    @cached_property
    def squares(self) -> Floats:
        """Sums of squares of the columns of a sparse X, for two classes; else nothing."""
        if self.width > 1:
            return _NONE
        data, indices, indptr, p = self.design.rows
        ones = np.ones(len(self.codes))
        return _core.sparse.csr_t_matvec(
            (np.square(data), indices, indptr, p), ones, self.n_threads
        )

    def scores(self, weights: Floats) -> Floats:
        """Return X W + b; `weights` has the rows of W and then b."""
        if self.width == 1 and self.design.is_sparse:
            b = float(weights[-1, 0]) if self.fit_intercept else 0.0
            w = np.ascontiguousarray(weights[:-1, 0])
            return _core.sparse.csr_matvec(self.design.rows, w, b, self.n_threads)[:, None]
        Z: Floats = self.design.dot(weights[:-1])
        if self.fit_intercept:
            Z += weights[-1]
        return Z

    def loss(self, Z: Floats, direction: Floats, step: float) -> float:
        """Return the weighted sum of losses at Z + step * direction."""
        return _core.linear.logistic_loss(
            Z, self.codes, self.weights, direction, float(step), self.n_threads
        )

    def state(self, Z: Floats, *, single: bool = False) -> tuple[float, Floats, NDArray[Any]]:
        """Return the sum of losses at Z, its derivative by Z, and what its Hessian is made of."""
        return _core.linear.logistic_state(Z, self.codes, self.weights, single, self.n_threads)

    def back(self, residuals: Floats) -> Floats:
        """Return X' residuals, and their sum in the row of the intercept."""
        product = np.empty((self.design.shape[1] + 1, self.width))
        if self.width == 1 and self.design.is_sparse:
            u = np.ascontiguousarray(residuals[:, 0])
            product[:-1, 0] = _core.sparse.csr_t_matvec(self.design.rows, u, self.n_threads)
        else:
            product[:-1] = self.design.t_dot(residuals)
        product[-1] = residuals.sum(axis=0) if self.fit_intercept else 0.0
        return product

    def is_separated(self, Z: Floats) -> bool:
        """Return whether every sample that counts has its own class on top, alone."""
        if self.width == 1:
            margins = np.where(self.codes == 1, Z[:, 0], -Z[:, 0])
        else:
            own = np.take_along_axis(Z, self.codes[:, None].astype(np.intp), axis=1)[:, 0]
            others = Z.copy()
            np.put_along_axis(others, self.codes[:, None].astype(np.intp), -np.inf, axis=1)
            margins = own - others.max(axis=1)
        return bool((margins[self.weights > 0] if len(self.weights) else margins).min() > 0)


def smooth_logistic(
    problem: LogisticProblem,
    *,
    l2: float,
    intercept_l2: float = 0.0,
    coef: Floats | None = None,
    intercept: Floats | None = None,
    scores: Floats | None = None,
    tol: float = 1e-4,
    gap_tol: float | None = None,
    certain: bool = True,
    max_iter: int = 100,
    method: str = "auto",
) -> SmoothResult:
    """Minimise F by Newton's method.

    It has converged when no component of the gradient of F over the sum of the weights is above
    `tol`, and F is within `gap_tol` of its minimum, relatively; or when rounding forbids more.

    Parameters
    ----------
    problem : LogisticProblem
        The data.
    l2, intercept_l2 : float
        Penalties of W and b.
    coef, intercept : ndarray of shape (n_features, width) and (width,), default=None
        Where to start; zero if ``None``.
    scores : ndarray of shape (n_samples, width), default=None
        X W + b there, if known. It is overwritten.
    tol : float, default=1e-4
        See above.
    gap_tol : float, default=None
        See above. If ``None``, ``0.0003 * tol`` for two classes, where scikit-learn has a solver as
        precise as that (liblinear), and ``0.003 * tol`` for more. Where X is small it is a
        hundred-thousandth of that, unless `tol` asks for less than 1e-4: the step or two more that
        it takes cost little.
    certain : bool, default=True
        Whether the distance to the minimum must be known, by a bound. Otherwise what the last
        Newton step was to gain, doubled, may stand for it: far less at weak penalties.
    max_iter : int, default=100
        Newton steps at most.
    method : {"auto", "cg", "cholesky"}, default="auto"
        How the linear systems are solved.

    Returns
    -------
    SmoothResult
        The weights and how good they are.
    """
    if gap_tol is None:
        strict = problem.is_small and tol <= USUAL_TOL
        gap_tol = _GAP[problem.width > 1] * (1e-5 * tol if strict else tol)
    p = problem.design.shape[1]
    W = np.zeros((p + 1, problem.width))  # the last row is b
    if coef is not None:
        W[:-1] = coef
    if intercept is not None and problem.fit_intercept:
        W[-1] = intercept
    penalty = np.full((p + 1, 1), l2)
    penalty[-1] = intercept_l2
    system = choose_system(
        problem, l2, intercept_l2, method, roughly=gap_tol >= _ROUGH and not certain
    )
    if scores is not None:
        Z = scores
    else:
        Z = problem.scores(W) if W.any() else np.zeros((len(problem.codes), problem.width))
    square = _square(W, l2, intercept_l2)
    n_products, n_iter = 0, 0
    norm, decrease = np.inf, np.inf
    while True:
        loss, residuals, curvature = problem.state(Z, single=system.single)
        objective = loss + 0.5 * square
        G = problem.back(residuals)
        G += penalty * W
        gradient = float(max(G.max(), -G.min())) / problem.total
        gap = _gap(problem, system, G, curvature, l2, intercept_l2, decrease)
        if not certain:
            gap = min(gap, 2 * decrease)
        separable = l2 == 0 and n_iter > 0 and problem.is_separated(Z)
        goal = gap_tol * max(objective, 1e-8 * problem.total)
        is_exact = decrease <= _ROUNDING * objective
        if is_exact or (gradient <= tol and (gap <= goal or separable)):
            converged = True
            break
        if n_iter == max_iter:
            converged = False
            break
        last_norm, norm = norm, float(np.sqrt(_dot(G, G)))
        accuracy = _forcing(norm, last_norm, 2.5 * np.sqrt(goal / gap) if gap > 0 else 1.0)
        direction, products, slope = system.solve(G, curvature, accuracy)
        n_products += products
        decrease = -0.5 * slope
        towards = problem.scores(direction)
        linear = l2 * _dot(W[:-1], direction[:-1]) + intercept_l2 * _dot(W[-1:], direction[-1:])
        ray = _Ray(objective, slope, square, linear, _square(direction, l2, intercept_l2))
        step = _line_search(problem, Z, towards, ray)
        if step == 0.0:
            if system.single:
                system = system.exact()
                continue
            # Rounding: nothing can be gained any more. (Numbers that overflow end here, too.)
            is_small = bool(direction.any()) and abs(decrease) <= 1e-9 * objective
            converged = gradient <= tol or is_small
            break
        n_iter += 1
        towards *= step
        Z += towards
        square = ray.square_at(step)
        direction *= step
        W += direction
        if system.single and (n_iter >= 15 or decrease <= 1e-9 * objective):
            system = system.exact()
    return SmoothResult(
        W[:-1], W[-1].copy(), objective, Z, gap, gradient, n_iter, n_products, converged, separable
    )


def _forcing(norm: float, last_norm: float, goal: float) -> float:
    """Return how precisely to solve: roughly far from the minimum, and near it as it takes.

    Parameters
    ----------
    norm, last_norm : float
        Of the gradient, now and one step ago.
    goal : float
        The norm that would be enough, relative to that now.
    """
    progress = 0.25 * norm / last_norm  # 0 at first
    return float(np.clip(max(progress, goal), 0.05, 0.3)) if progress > 0 else 0.3


def _gap(
    problem: LogisticProblem,
    system: System,
    G: Floats,
    curvature: NDArray[Any],
    l2: float,
    intercept_l2: float,
    decrease: float,
) -> float:
    """Return a bound of F less its minimum: F is strongly convex in W, and nearly so in b."""
    if l2 == 0:
        return decrease
    gap = _dot(G[:-1], G[:-1]) / (2 * l2)
    if problem.fit_intercept:
        c = curvature
        if problem.width == 1:
            diagonal = c.sum(axis=0, dtype=np.float64)
        elif len(problem.weights):
            diagonal = problem.weights @ (c * (1 - c))
        else:
            diagonal = c.sum(axis=0, dtype=np.float64) - np.einsum("ij,ij->j", c, c)
        gap += 0.5 * float((G[-1] ** 2 / np.maximum(diagonal + intercept_l2, 1e-300)).sum())
    return gap


def _dot(A: Floats, B: Floats) -> float:
    """Return the sum of products, on one thread, so that it is the same however many there are."""
    return float(np.einsum("ij,ij->", A, B))


def _square(W: Floats, l2: float, intercept_l2: float) -> float:
    return l2 * _dot(W[:-1], W[:-1]) + intercept_l2 * _dot(W[-1:], W[-1:])


@dataclass(frozen=True)
class _Ray:
    """F along a direction, as far as it is known: ``square`` is the penalty of W, doubled."""

    objective: float
    slope: float
    square: float
    linear: float
    quadratic: float

    def square_at(self, step: float) -> float:
        return self.square + step * (2 * self.linear + step * self.quadratic)


def _line_search(problem: LogisticProblem, Z: Floats, towards: Floats, ray: _Ray) -> float:
    """Return a step near the lowest point of F along a ray; 0 if no step decreases F.

    1 if that is near, as it is close to the minimum; else the lowest point of a parabola, or of the
    cubic through all values so far. The first steps gain much by it: at zero, curvature is at its
    highest and Newton's step too short. If none of these decreases F enough, smaller ones do.
    """
    if not ray.slope < 0:
        return 0.0
    slack = _ROUNDING * abs(ray.objective)

    def excess(step: float) -> float:
        """Return F less what it would be if it were linear."""
        value = problem.loss(Z, towards, step) + 0.5 * ray.square_at(step)
        return value - ray.objective - step * ray.slope

    def is_enough(step: float, above: float) -> bool:
        return bool(above <= -(1 - _ARMIJO) * step * ray.slope + slack)

    first = excess(1.0)
    best = (1.0, first)
    if -ray.slope > 1e-8 * abs(ray.objective) and np.isfinite(first):
        step = _parabola(first, ray.slope)
        if abs(step - 1) > _NEAR:
            second = excess(step)
            trials = [best, (step, second)]
            step = _cubic(*trials[0], *trials[1], ray.slope)
            if step > 0:
                trials.append((step, excess(step)))
            best = min(trials, key=lambda trial: trial[1] + trial[0] * ray.slope)
    for _ in range(_MAX_HALVINGS):
        if is_enough(*best):
            return best[0]
        best = (0.5 * best[0], excess(0.5 * best[0]))
    return 0.0


def _parabola(above: float, slope: float) -> float:
    """Return the lowest point of slope * t + above * t**2, within reason."""
    return float(np.clip(-slope / (2 * above), 0.1, 3.0)) if above > 0 else 3.0


def _cubic(t1: float, above1: float, t2: float, above2: float, slope: float) -> float:
    """Return the lowest point of slope * t + a t**2 + b t**3 through two points; 0 if far off."""
    r1, r2 = above1 / t1**2, above2 / t2**2
    b = (r2 - r1) / (t2 - t1)
    a = r1 - b * t1
    square = a * a - 3 * b * slope
    if not square > 0:
        return 0.0
    step = -slope / (a + np.sqrt(square))
    return float(step) if 0.05 < step < 4 else 0.0
