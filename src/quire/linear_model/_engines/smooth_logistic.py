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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.linear_model._engines.logistic_problem import Gradient, LogisticProblem
from quire.linear_model._engines.logistic_steps import StepRecord
from quire.linear_model._engines.newton_systems import choose_system

__all__ = ["USUAL_TOL", "SmoothResult", "smooth_logistic", "usual_gap"]


_ARMIJO = 1e-4
_GAP = {False: 0.0003, True: 0.003}  # over tol; by whether there are more than two classes
_MAX_HALVINGS = 40
USUAL_TOL = 1e-4
_ROUGH = 1e-6
_NEAR = 0.02  # a step that should be longer or shorter by less than this share is left alone
_SAFELY = 0.6  # how far below `tol` the gradient is to be, so that it is not missed by a hair
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
    record: StepRecord | None = None,
) -> SmoothResult:
    """Minimise F by Newton's method.

    It has converged when no component of the gradient of F over the sum of the weights is above
    `tol`, as scikit-learn's solvers ask, and F is within `gap_tol` of its minimum, relatively; or
    when rounding forbids more.

    Parameters
    ----------
    problem : LogisticProblem
        The data.
    l2, intercept_l2 : float
        Penalties of W and b.
    coef, intercept : ndarray of shape (n_features, width) and (width,), default=None
        Where to start; ``None`` means no weights, and intercepts that give every class its share.
    scores : ndarray of shape (n_samples, width), default=None
        X W + b there, if known. It is overwritten.
    tol : float, default=1e-4
        See above.
    gap_tol : float, default=None
        See above. ``None`` asks nothing of F as a rule: the gradient decides. But where X is small
        it means some 1e-11, unless `tol` is above 1e-4, since the step or two more that it takes
        cost less than a look at X; and without a penalty 0.0003 * `tol` for two classes and
        0.003 * `tol` for more, since such weights are estimates that have standard errors.
    certain : bool, default=True
        Whether the distance to the minimum must be known, by a bound. Otherwise what the last
        Newton step was to gain, doubled, may stand for it: far less at weak penalties.
    max_iter : int, default=100
        Newton steps at most.
    method : {"auto", "cg", "cholesky"}, default="auto"
        How the linear systems are solved.
    record : StepRecord, default=None
        What takes every iteration down.

    Returns
    -------
    SmoothResult
        The weights and how good they are.
    """
    if gap_tol is None:
        gap_tol = usual_gap(problem, l2, tol)
    if coef is None and intercept is None and max_iter > 0:
        W, Z = problem.start(intercept_l2)
    else:
        W = np.zeros((problem.design.shape[1] + 1, problem.width))  # the last row is b
        if coef is not None:
            W[:-1] = coef
        if intercept is not None and problem.fit_intercept:
            W[-1] = intercept
        Z = problem.scores(W) if scores is None else scores
    system = choose_system(
        problem, l2, intercept_l2, method, roughly=gap_tol >= _ROUGH and not certain
    )
    # Sums of single precision are a millionth off; far less than the gradient may be.
    rough = system.single and tol >= 0.1 * USUAL_TOL and gap_tol >= USUAL_TOL
    square = _square(W, l2, intercept_l2)
    n_products, n_iter = 0, 0
    norm, decrease, step = np.inf, np.inf, np.nan
    while True:
        loss, residuals, curvature = problem.state(Z, single=system.single)
        objective = loss + 0.5 * square
        G = problem.gradient(residuals, W, l2, intercept_l2, single=rough and system.single)
        if record is not None and len(record.steps) == n_iter:
            record.add(W, objective, G.values, step)
        gradient = G.largest / problem.total
        gap = _gap(problem, G, curvature, l2, intercept_l2, decrease)
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
        last_norm, norm = norm, float(np.sqrt(G.square + inner(G.values[-1], G.values[-1])))
        enough = min(2.5 * np.sqrt(goal / gap) if gap > goal else 1.0, _SAFELY * tol / gradient)
        found = system.solve(
            G.values,
            curvature,
            _forcing(norm, last_norm, enough),
            _SAFELY * tol * problem.total if goal == np.inf else 0.0,
        )
        direction, towards = found.direction, found.scores
        if problem.width > 1 and problem.fit_intercept and intercept_l2 == 0:
            # What all classes have in common changes no probability: rounding would decide on it.
            common = float(direction[-1].mean())
            direction[-1] -= common
            towards -= common
        n_products += found.n_products
        decrease = -0.5 * found.slope
        linear = l2 * inner(W[:-1], direction[:-1]) + intercept_l2 * inner(W[-1], direction[-1])
        ray = _Ray(objective, found.slope, square, linear, _square(direction, l2, intercept_l2))
        step = _line_search(problem, Z, towards, ray)
        if step == 0.0 and not system.single:
            # Rounding: nothing can be gained any more. (Numbers that overflow end here, too.)
            is_small = bool(direction.any()) and abs(decrease) <= 1e-9 * objective
            converged = gradient <= tol or is_small
            break
        if step > 0.0:
            n_iter += 1
            if step != 1.0:
                towards *= step
                direction *= step
            Z += towards
            W += direction
            square = ray.square_at(step)
        if system.single and (step == 0.0 or n_iter >= 15 or decrease <= 1e-9 * objective):
            system = system.exact()
            Z = problem.scores(W)  # without what single precision has added up
    return SmoothResult(
        W[:-1], W[-1].copy(), objective, Z, gap, gradient, n_iter, n_products, converged, separable
    )


def usual_gap(problem: LogisticProblem, l2: float, tol: float) -> float:
    """Return how near to its minimum F has to be if nothing is said about it, relatively."""
    if problem.is_small and tol <= USUAL_TOL:
        # Conjugate gradients come near slowly what an exact step reaches beyond what is asked.
        precisely = 1e-9 if problem.is_tiny and problem.design.is_sparse else 1e-5
        return precisely * tol * _GAP[problem.width > 1]
    return np.inf if l2 > 0 else tol * _GAP[problem.width > 1]


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
    G: Gradient,
    curvature: NDArray[Any],
    l2: float,
    intercept_l2: float,
    decrease: float,
) -> float:
    """Return a bound of F less its minimum: F is strongly convex in W, and nearly so in b."""
    if l2 == 0:
        return decrease
    gap = G.square / (2 * l2)
    if problem.fit_intercept:
        c = curvature
        if problem.width == 1:
            diagonal = c.sum(axis=0, dtype=np.float64)
        elif len(problem.weights):
            diagonal = problem.weights @ (c * (1 - c))
        else:
            diagonal = c.sum(axis=0, dtype=np.float64) - np.einsum("ij,ij->j", c, c)
        last = G.values[-1]
        gap += 0.5 * float((last**2 / np.maximum(diagonal + intercept_l2, 1e-300)).sum())
    return gap


def _square(W: Floats, l2: float, intercept_l2: float) -> float:
    return l2 * inner(W[:-1], W[:-1]) + intercept_l2 * inner(W[-1], W[-1])


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
