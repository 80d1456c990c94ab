"""The loop that the descent methods share: look, stop or step, record."""

from __future__ import annotations

from collections.abc import Callable

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._result import Callback, OptimizeResult, Trace

__all__ = ["NO_DESCENT", "backtrack", "descend", "require_smooth"]


NO_DESCENT = "the objective can no longer be made smaller in this precision"

# Takes a point, returns the next one and the length of the step; None if there is none.
Step = Callable[[ObjectivePoint], tuple[ObjectivePoint, float] | None]


def descend(
    solver: str,
    point: ObjectivePoint,
    step: Step,
    tol: float,
    max_iter: int,
    callback: Callback | None,
) -> OptimizeResult:
    """Step until the norm of the gradient is at most `tol`.

    Parameters
    ----------
    solver : str
        Name for the record.
    point : ObjectivePoint
        Where to start.
    step : callable
        Makes one iteration.
    tol : float
        Norm of the gradient to reach.
    max_iter : int
        The most iterations.
    callback : callable or None
        Called with iteration, parameters and objective after every iteration.
    """
    trace = Trace(solver)
    trace.record(point.value, point.gradient_norm)
    n_iter, message = 0, ""
    while point.gradient_norm > tol and n_iter < max_iter:
        found = step(point)
        if found is None:
            message = NO_DESCENT
            break
        point, length = found
        n_iter += 1
        trace.record(point.value, point.gradient_norm, step=length)
        if callback is not None:
            callback(n_iter, point.x, point.value)
    converged = point.gradient_norm <= tol
    if converged:
        message = f"the norm of the gradient is {point.gradient_norm:.3g}, at most {tol:.3g}"
    elif not message:
        message = f"stopped after {max_iter} iterations"
    return OptimizeResult(
        point.x, point.value, point.gradient_norm, None, n_iter, converged, message, trace
    )


def backtrack(
    objective: Objective,
    point: ObjectivePoint,
    direction: Floats,
    length: float = 1.0,
    *,
    slope: float | None = None,
) -> tuple[ObjectivePoint, float] | None:
    """Halve the step until the objective falls by enough (Armijo's rule).

    Parameters
    ----------
    objective : Objective
        What is minimised.
    point : ObjectivePoint
        Where we are.
    direction : ndarray of shape (n_parameters,)
        Where to go; downhill.
    length : float, default=1.0
        The first step to try, in units of `direction`.
    slope : float, default=None
        How fast the objective is expected to fall along `direction`; ``None`` asks the gradient.
    """
    if slope is None:
        slope = inner(point.gradient, direction)
    slack = objective.slack(point.value)
    length = min(length, objective.datafit.longest_step(point.x, direction))
    for _ in range(60):
        x = point.x + length * direction
        if (x == point.x).all():
            return None
        there = objective.at(x)
        if there.value <= point.value + 1e-4 * length * slope:
            return there, length
        # Too close to see a difference in the objective; then the gradient must get smaller.
        if there.value <= point.value + slack and there.gradient_norm < point.gradient_norm:
            return there, length
        length /= 2
    return None


def require_smooth(objective: Objective, solver: str) -> None:
    """Refuse a penalty that has kinks."""
    if not objective.penalty.is_smooth:
        raise ValueError(
            f"{solver} needs a gradient everywhere, and {objective.penalty!r} has kinks. Use "
            "proximal_gradient, prox_newton or coordinate_descent."
        )
