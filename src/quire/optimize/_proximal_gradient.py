"""Accelerated proximal gradient (FISTA): absolute values with any loss."""

from __future__ import annotations

import numpy as np

from quire._shared.typing import Floats
from quire.optimize._datafit import Datafit
from quire.optimize._loop import descend
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._penalty import ElasticNetPenalty, Penalty
from quire.optimize._result import Callback, OptimizeResult

__all__ = ["proximal_gradient"]


def proximal_gradient(
    datafit: Datafit,
    penalty: Penalty | None = None,
    x0: Floats | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    callback: Callback | None = None,
    keep_steps: bool = False,
) -> OptimizeResult:
    r"""Gradient steps on the loss, then the proximal operator of the penalty, with momentum.

    .. math:: w_{t+1} = \operatorname{prox}_{s g}(v_t - s \nabla f(v_t)), \qquad
              v_{t+1} = w_{t+1} + \tfrac{\theta_t - 1}{\theta_{t+1}} (w_{t+1} - w_t)

    The step s is found by backtracking. The momentum begins anew when it points uphill (O'Donoghue
    and Candes 2015).

    Parameters
    ----------
    datafit : Datafit
        The loss; any.
    penalty : Penalty, default=None
        The penalty; none at all if not given.
    x0 : ndarray of shape (n_parameters,), default=None
        Where to start.
    tol : float, default=1e-6
        Norm of the smallest subgradient to reach.
    max_iter : int, default=10_000
        The most iterations.
    callback : callable, default=None
        Called with iteration, parameters and objective.
    keep_steps : bool, default=False
        Whether the result has ``steps``: the start and where every iteration led.

    Returns
    -------
    OptimizeResult
        Parameters, objective, and the record of the way.

    References
    ----------
    A. Beck and M. Teboulle, "A fast iterative shrinkage-thresholding algorithm for linear inverse
    problems", SIAM Journal on Imaging Sciences, 2009.

    Examples
    --------
    >>> from quire.optimize import ElasticNetPenalty, SquaredLoss, proximal_gradient
    >>> loss = SquaredLoss([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [1.0, 3.0, 5.0])
    >>> proximal_gradient(loss, ElasticNetPenalty(l1=0.1)).x.round(4)
    array([1.85, 0.  , 1.15])
    """
    objective = Objective(datafit, penalty or ElasticNetPenalty())
    start = objective.start(x0)
    momentum = _Momentum(objective, start)
    return descend("proximal_gradient", start, momentum.step, tol, max_iter, callback, keep_steps)


class _Momentum:
    """The state between iterations: where the gradient is taken, and how long steps are."""

    def __init__(self, objective: Objective, start: ObjectivePoint) -> None:
        self.objective = objective
        self.length = 1.0
        self.theta = 1.0
        self.v = start.x

    def step(self, point: ObjectivePoint) -> tuple[ObjectivePoint, float] | None:
        objective = self.objective
        found = self._proximal_step(self.v)
        uphill = found is None or float((self.v - found.x) @ (found.x - point.x)) > 0
        if uphill and self.theta > 1.0:
            self.theta = 1.0
            found = self._proximal_step(point.x)
        if found is None:
            return None
        if found.value > point.value + objective.slack(point.value):
            self.theta, self.v = 1.0, point.x
            found = self._proximal_step(point.x)
            if found is None:
                return None
        taken = self.length
        theta = (1 + np.sqrt(1 + 4 * self.theta**2)) / 2
        self.v = found.x + (self.theta - 1) / theta * (found.x - point.x)
        self.theta = theta
        self.length *= 1.1  # the next search may find that longer steps are good
        return found, taken

    def _proximal_step(self, v: Floats) -> ObjectivePoint | None:
        """Return prox(v - s * gradient) with a step s that is short enough."""
        objective, datafit = self.objective, self.objective.datafit
        loss = datafit.at(v)
        if not np.isfinite(loss.value):
            return None
        slack = objective.slack(loss.value)
        for _ in range(100):
            x = objective.prox(v - self.length * loss.gradient, self.length)
            change = x - v
            there = objective.at(x)
            bound = loss.value + loss.gradient @ change + change @ change / (2 * self.length)
            if there.loss.value <= bound + slack:
                return there
            self.length /= 2
        return None
