"""SciPy's L-BFGS, behind the same door as the other solvers."""

from __future__ import annotations

import numpy as np
from scipy import optimize

from quire._shared.typing import Floats
from quire.optimize._datafit import Datafit
from quire.optimize._loop import require_smooth
from quire.optimize._objective import Objective
from quire.optimize._penalty import ElasticNetPenalty, Penalty
from quire.optimize._result import Callback, OptimizeResult, Trace

__all__ = ["lbfgs"]


def lbfgs(
    datafit: Datafit,
    penalty: Penalty | None = None,
    x0: Floats | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    memory: int = 10,
    callback: Callback | None = None,
    keep_steps: bool = False,
) -> OptimizeResult:
    """Minimise with ``scipy.optimize.minimize(method="L-BFGS-B")``.

    Steps out of the domain of the loss (thresholds that do not rise) are shown to SciPy as a value
    above the start, so that its line search turns back.

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
    max_iter : int, default=1000
        The most iterations.
    memory : int, default=10
        How many past steps describe the curvature.
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
    >>> from quire.optimize import LogisticLoss, lbfgs
    >>> result = lbfgs(LogisticLoss([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> result.x.round(4)
    array([ 0.9082, -1.3623])
    """
    objective = Objective(datafit, penalty or ElasticNetPenalty())
    require_smooth(objective, "lbfgs")
    start = objective.start(x0)
    trace = Trace("lbfgs", steps=[] if keep_steps else None)
    trace.record(start.value, start.gradient_norm, point=start.x)
    outside = start.value + 1.0
    last = start

    def fun(x: Floats) -> tuple[float, Floats]:
        nonlocal last
        point = objective.at(x.copy())
        if not np.isfinite(point.value):
            return outside, np.zeros_like(x)
        last = point
        return point.value, point.gradient

    def after(x: Floats) -> None:
        point = last if np.array_equal(last.x, x) else objective.at(x.copy())
        step = float(np.linalg.norm(x - previous))
        previous[:] = x
        trace.record(point.value, point.gradient_norm, step=step, point=x)
        if callback is not None:
            callback(len(trace) - 1, point.x, point.value)
        if point.gradient_norm <= tol:
            raise StopIteration

    previous = start.x.copy()
    message = ""
    if start.gradient_norm > tol:
        # SciPy looks at the largest component; `after` stops at the norm.
        largest = tol / np.sqrt(datafit.size)
        options = {
            "maxiter": max_iter,
            "maxfun": 20 * max_iter + 20,
            "maxcor": memory,
            "maxls": 60,
            "ftol": 0.0,
            "gtol": largest,
        }
        found = optimize.minimize(
            fun, start.x, jac=True, method="L-BFGS-B", options=options, callback=after
        )
        message = str(found.message)
        last = objective.at(np.array(found.x))
    converged = last.gradient_norm <= tol
    if converged:
        message = f"the norm of the gradient is {last.gradient_norm:.3g}, at most {tol:.3g}"
    n_iter = len(trace) - 1
    return OptimizeResult(
        last.x, last.value, last.gradient_norm, None, n_iter, converged, message, trace
    )
