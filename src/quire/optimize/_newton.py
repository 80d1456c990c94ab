"""Newton's method with the whole Hessian: few iterations, for few parameters."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from quire._shared.typing import Floats
from quire.optimize._datafit import Datafit
from quire.optimize._loop import backtrack, descend, require_smooth
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._penalty import ElasticNetPenalty, Penalty
from quire.optimize._result import Callback, OptimizeResult

__all__ = ["newton", "newton_direction"]


def newton(
    datafit: Datafit,
    penalty: Penalty | None = None,
    x0: Floats | None = None,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    callback: Callback | None = None,
) -> OptimizeResult:
    r"""Minimise a quadratic model again and again: :math:`w \leftarrow w - t H^{-1} \nabla F(w)`.

    For the logistic loss this is iteratively reweighted least squares. H is factorised by Cholesky;
    where it is singular (collinear columns, softmax) the shortest of the steps is taken. One
    iteration costs :math:`O(n p^2 + p^3)` and :math:`O(p^2)` memory.

    Parameters
    ----------
    datafit : Datafit
        The loss.
    penalty : Penalty, default=None
        Must be smooth, such as ``ElasticNetPenalty(l2=1.0)``; none at all if not given.
    x0 : ndarray of shape (n_parameters,), default=None
        Where to start.
    tol : float, default=1e-8
        Norm of the gradient to reach.
    max_iter : int, default=100
        The most iterations.
    callback : callable, default=None
        Called with iteration, parameters and objective.

    Returns
    -------
    OptimizeResult
        Parameters, objective, and the record of the way.

    Examples
    --------
    >>> from quire.optimize import LogisticLoss, newton
    >>> result = newton(LogisticLoss([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> result.n_iter, result.x.round(4)
    (4, array([ 0.9082, -1.3623]))
    """
    objective = Objective(datafit, penalty or ElasticNetPenalty())
    require_smooth(objective, "newton")

    def step(point: ObjectivePoint) -> tuple[ObjectivePoint, float] | None:
        return backtrack(objective, point, newton_direction(point))

    return descend("newton", objective.start(x0), step, tol, max_iter, callback)


def newton_direction(point: ObjectivePoint) -> Floats:
    """Return the solution d of H d = -gradient, the shortest if there are several."""
    H = point.loss.hessian()
    H[np.diag_indices_from(H)] += point.penalty_curvature
    # Parameters in units of their curvature: columns of very different size do no harm.
    diagonal = np.diag(H)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    H *= scale[:, None] * scale
    slope = -point.gradient * scale
    try:
        factor = linalg.cho_factor(H)
        is_regular = np.diag(factor[0]).min() > 1e-7
    except linalg.LinAlgError:
        is_regular = False
    direction: Floats
    if is_regular:
        direction = linalg.cho_solve(factor, slope)
    else:
        direction = linalg.lstsq(H, slope, cond=1e-12)[0]
    return direction * scale
