"""Newton's method whose steps are found by conjugate gradients: for many parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quire._shared.typing import Floats
from quire.optimize._datafit import Datafit
from quire.optimize._loop import backtrack, descend, require_smooth
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._penalty import ElasticNetPenalty
from quire.optimize._profiled import Profiled
from quire.optimize._result import Callback, OptimizeResult
from quire.optimize._vectors import inner, norm

__all__ = ["cg_direction", "conjugate_gradients", "newton_cg"]

Operator = Callable[[Floats], Floats]


def newton_cg(
    datafit: Datafit,
    penalty: ElasticNetPenalty | None = None,
    x0: Floats | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    max_products: int = 200,
    callback: Callback | None = None,
) -> OptimizeResult:
    r"""Newton's method that needs products :math:`Hv` only, never H.

    Intercepts or thresholds are eliminated from :math:`H d = -\nabla F`, and the rest is solved by
    conjugate gradients, preconditioned with the diagonal of H. The search for d ends early while
    the gradient is large and goes on longer near the optimum: the residual is at most
    :math:`\min(1/2, \sqrt{|\nabla F| / |\nabla F_0|})` of the gradient. A line search follows.

    Parameters
    ----------
    datafit : Datafit
        The loss.
    penalty : ElasticNetPenalty, default=None
        Must have ``l1=0``; none at all if not given.
    x0 : ndarray of shape (n_parameters,), default=None
        Where to start.
    tol : float, default=1e-6
        Norm of the gradient to reach.
    max_iter : int, default=100
        The most iterations.
    max_products : int, default=200
        The most products with H in one iteration; each reads X twice.
    callback : callable, default=None
        Called with iteration, parameters and objective.

    Returns
    -------
    OptimizeResult
        Parameters, objective, and the record of the way.

    Examples
    --------
    >>> from quire.optimize import LogisticLoss, newton_cg
    >>> result = newton_cg(LogisticLoss([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> result.x.round(4)
    array([ 0.9082, -1.3623])
    """
    objective = Objective(datafit, penalty or ElasticNetPenalty())
    require_smooth(objective, "newton_cg")
    start = objective.start(x0)
    first = max(start.gradient_norm, np.finfo(float).tiny)

    def step(point: ObjectivePoint) -> tuple[ObjectivePoint, float] | None:
        share = min(0.5, np.sqrt(point.gradient_norm / first))
        direction = cg_direction(point, share, 0.3 * tol, max_products)
        return backtrack(objective, point, direction)

    return descend("newton_cg", start, step, tol, max_iter, callback)


def cg_direction(point: ObjectivePoint, share: float, tol: float, max_products: int) -> Floats:
    """Return about the solution d of H d = -gradient.

    Parameters
    ----------
    point : ObjectivePoint
        Where.
    share, tol : float
        The residual may be this share of the gradient, or have this norm.
    max_products : int
        The most products with H.
    """
    k = point.objective.n_coefficients
    datafit, profiled = point.loss.datafit, Profiled(point.loss)
    design, l2 = datafit.design, point.objective.l2[:k]
    no_scores = np.zeros_like(point.loss.rows.slope)

    def product(v: Floats) -> Floats:
        rows = profiled.curve(design.dot(v.reshape(-1, datafit.n_outputs)))
        return design.t_dot(rows).ravel() + l2 * v

    slope = point.gradient[k:]
    settled = profiled.best_extra(no_scores, slope)
    rest = point.gradient[:k]
    if datafit.n_extra:
        rest = rest + design.t_dot(point.loss.rows.curve(no_scores, settled)[0]).ravel()
    diagonal = point.loss.hessian_diagonal[:k] + l2
    largest = diagonal.max(initial=0.0)
    inverse = 1.0 / np.maximum(diagonal, 1e-8 * largest if largest > 0 else 1.0)
    d = conjugate_gradients(product, -rest, inverse, share, tol, max_products)
    scores = design.dot(d.reshape(-1, datafit.n_outputs))
    return np.concatenate([d, profiled.best_extra(scores, slope)])


def conjugate_gradients(
    product: Operator, b: Floats, inverse: Floats, share: float, tol: float, max_products: int
) -> Floats:
    """Solve A d = b with A positive, until the residual is small.

    A direction without curvature ends the search: what was found until then is returned, or the
    direction itself if that is nothing.

    Parameters
    ----------
    product : callable
        Returns A v.
    b : ndarray of shape (n,)
        Right side.
    inverse : ndarray of shape (n,)
        The preconditioner: about the inverse of the diagonal of A.
    share : float
        Norm of the residual over that of `b`, both in the norm of the preconditioner.
    tol : float
        Euclidean norm of the residual that is also small enough.
    max_products : int
        The most products.
    """
    d = np.zeros_like(b)
    r = b.copy()
    z = inverse * r
    v = z.copy()
    squared = first = inner(r, z)
    for number in range(max_products):
        if squared <= share**2 * first * (number > 0) or norm(r) <= tol:
            break
        Av = product(v)
        curvature = inner(v, Av)
        if curvature <= 1e-15 * inner(v, v):
            return v if number == 0 else d
        length = squared / curvature
        d += length * v
        r -= length * Av
        z = inverse * r
        before, squared = squared, inner(r, z)
        v = z + (squared / before) * v
    return d
