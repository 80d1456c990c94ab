"""The loop that the descent methods share: look, stop or step, record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.optimize._objective import Objective
from quire.optimize._result import Callback, OptimizeResult, Trace

__all__ = ["NO_DESCENT", "backtrack", "descend", "require_smooth"]


NO_DESCENT = "the objective can no longer be made smaller in this precision"


class Place(Protocol):
    """A function at one place, as the loop looks at it."""

    @property
    def x(self) -> Floats:
        """The place."""

    @property
    def value(self) -> float:
        """The function."""

    @property
    def gradient(self) -> Floats:
        """Its gradient."""

    @property
    def gradient_norm(self) -> float:
        """Norm of the gradient, or of the smallest subgradient."""


P = TypeVar("P", bound=Place)


P_co = TypeVar("P_co", bound=Place, covariant=True)


class Surface(Protocol[P_co]):
    """What is minimised, as a line search looks at it."""

    def at(self, x: Floats, /) -> P_co:
        """Return the function at a place."""

    def slack(self, value: float, /) -> float:
        """Return by how much two values can differ through rounding alone."""

    def longest_step(self, x: Floats, direction: Floats, /) -> float:
        """Return how far a line search may go, in units of `direction`."""


# Takes a point, returns the next one and the length of the step; None if there is none.
Step = Callable[[P], tuple[P, float] | None]


def descend(
    solver: str,
    point: P,
    step: Step[P],
    tol: float,
    max_iter: int,
    callback: Callback | None,
    keep_steps: bool = False,
) -> OptimizeResult:
    """Step until the norm of the gradient is at most `tol`.

    Parameters
    ----------
    solver : str
        Name for the record.
    point : Place
        Where to start.
    step : callable
        Makes one iteration.
    tol : float
        Norm of the gradient to reach.
    max_iter : int
        The most iterations.
    callback : callable or None
        Called with iteration, parameters and objective after every iteration.
    keep_steps : bool, default=False
        Whether to keep the parameters of every iteration.
    """
    trace = Trace(solver, steps=[] if keep_steps else None)
    trace.record(point.value, point.gradient_norm, point=point.x)
    n_iter, message = 0, ""
    while point.gradient_norm > tol and n_iter < max_iter:
        found = step(point)
        if found is None:
            message = NO_DESCENT
            break
        point, length = found
        n_iter += 1
        trace.record(point.value, point.gradient_norm, step=length, point=point.x)
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
    objective: Surface[P],
    point: P,
    direction: Floats,
    length: float = 1.0,
    *,
    slope: float | None = None,
) -> tuple[P, float] | None:
    """Halve the step until the objective falls by enough (Armijo's rule).

    Parameters
    ----------
    objective : Surface
        What is minimised.
    point : Place
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
    length = min(length, objective.longest_step(point.x, direction))
    for _ in range(60):
        x = point.x + length * direction
        if (x == point.x).all():
            return None
        there = objective.at(x)
        if there.value <= point.value + 1e-4 * length * slope:
            return there, length
        # Too close to see a difference in the objective; then the gradient must get smaller.
        is_close = abs(there.value - point.value) <= slack
        if is_close and there.gradient_norm < point.gradient_norm:
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
