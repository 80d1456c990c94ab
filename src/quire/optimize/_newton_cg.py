"""Newton's method whose steps are found by conjugate gradients: for many parameters."""

from __future__ import annotations

import numpy as np

from quire._shared.typing import Floats
from quire._shared.vectors import conjugate_gradients
from quire.optimize._datafit import Datafit
from quire.optimize._loop import backtrack, descend, require_smooth
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._penalty import ElasticNetPenalty, Penalty
from quire.optimize._profiled import Profiled
from quire.optimize._result import Callback, OptimizeResult

__all__ = ["cg_direction", "newton_cg"]


def newton_cg(
    datafit: Datafit,
    penalty: Penalty | None = None,
    x0: Floats | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    max_products: int = 200,
    callback: Callback | None = None,
    keep_steps: bool = False,
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
    penalty : Penalty, default=None
        Must be smooth, such as ``ElasticNetPenalty(l2=1.0)``; none at all if not given.
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
    keep_steps : bool, default=False
        Whether the result has ``steps``: the start and where every iteration led.

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

    return descend("newton_cg", start, step, tol, max_iter, callback, keep_steps)


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
    design, curvature = datafit.design, point.penalty_curvature[:k]
    no_scores = np.zeros_like(point.loss.rows.slope)

    def product(v: Floats) -> Floats:
        rows = profiled.curve(design.dot(v.reshape(-1, datafit.n_outputs)))
        return design.t_dot(rows).ravel() + curvature * v

    slope = point.gradient[k:]
    settled = profiled.best_extra(no_scores, slope)
    rest = point.gradient[:k]
    if datafit.n_extra:
        rest = rest + design.t_dot(point.loss.rows.curve(no_scores, settled)[0]).ravel()
    diagonal = point.loss.hessian_diagonal[:k] + curvature
    largest = diagonal.max(initial=0.0)
    inverse = 1.0 / np.maximum(diagonal, 1e-8 * largest if largest > 0 else 1.0)
    d, _ = conjugate_gradients(
        product, -rest, inverse, share=share, tol=tol, max_products=max_products
    )
    scores = design.dot(d.reshape(-1, datafit.n_outputs))
    return np.concatenate([d, profiled.best_extra(scores, slope)])
