"""Gradient descent with a line search: the plainest solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quire.optimize._datafit import Datafit
from quire.optimize._loop import backtrack, descend, require_smooth
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._penalty import ElasticNetPenalty, Penalty
from quire.optimize._result import Callback, OptimizeResult

__all__ = ["gradient_descent"]


def gradient_descent(
    datafit: Datafit,
    penalty: Penalty | None = None,
    x0: NDArray[np.float64] | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    callback: Callback | None = None,
) -> OptimizeResult:
    r"""Go downhill: :math:`w \leftarrow w - t \nabla F(w)`, until :math:`|\nabla F(w)| \le tol`.

    The step t is halved until the objective falls by :math:`10^{-4}\, t\, |\nabla F|^2` (Armijo's
    rule). The next search starts at twice the step that was taken, so that t can grow again.

    Parameters
    ----------
    datafit : Datafit
        The loss.
    penalty : Penalty, default=None
        Must be smooth, such as ``ElasticNetPenalty(l2=1.0)``; none at all if not given.
    x0 : ndarray of shape (n_parameters,), default=None
        Where to start; zeros if not given (for ordered outcomes with the thresholds of the shares).
    tol : float, default=1e-6
        Norm of the gradient to reach.
    max_iter : int, default=10_000
        The most iterations.
    callback : callable, default=None
        Called with iteration, parameters and objective.

    Returns
    -------
    OptimizeResult
        Parameters, objective, and the record of the way.

    Examples
    --------
    >>> from quire.optimize import SquaredLoss, gradient_descent
    >>> result = gradient_descent(SquaredLoss([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]))
    >>> result.converged, result.x.round(4)
    (True, array([2., 1.]))
    """
    objective = Objective(datafit, penalty or ElasticNetPenalty())
    require_smooth(objective, "gradient_descent")
    last = 0.5

    def step(point: ObjectivePoint) -> tuple[ObjectivePoint, float] | None:
        nonlocal last
        found = backtrack(objective, point, -point.gradient, 2 * last)
        if found is not None:
            last = found[1]
        return found

    return descend("gradient_descent", objective.start(x0), step, tol, max_iter, callback)
