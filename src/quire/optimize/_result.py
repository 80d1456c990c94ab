"""What a solver returns, and the record it keeps on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.plot import line_style, new_axes, whole_numbers
from quire._shared.typing import Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Callback", "DescentStep", "OptimizeResult", "Trace"]

Callback = Callable[[int, Floats, float], Any]


@dataclass(frozen=True, eq=False)
class DescentStep:
    """Where an optimiser stood, at the start or after an iteration.

    Attributes
    ----------
    point : ndarray
        The parameters.
    value : float
        The objective there.
    gradient_norm : float
        Norm of its gradient, or of its smallest subgradient.
    step_size : float
        Length of the step that led here, in units of the solver's direction; NaN at the start.

    Examples
    --------
    >>> from quire.optimize import gradient_descent
    >>> result = gradient_descent(lambda x: x @ x, lambda x: 2 * x, [1.0], keep_steps=True)
    >>> [(step.point.tolist(), float(step.value)) for step in result.steps]
    [([1.0], 1.0), ([0.0], 0.0)]
    """

    point: Floats
    value: float
    gradient_norm: float
    step_size: float


@dataclass
class Trace(ShownInNotebooks):
    """The record of a solver: one entry for each iteration, the start being number 0.

    Attributes
    ----------
    solver : str
        Name of the solver.
    iteration : list of int
        Numbers of the iterations.
    value : list of float
        The objective.
    gradient_norm : list of float
        Norm of the (smallest sub-) gradient; NaN where a solver does not know it.
    gap : list of float
        Duality gap; NaN where a solver does not know it.
    step : list of float
        Length of the step that led here, in units of the solver; NaN at the start.
    seconds : list of float
        Time since the start.
    steps : list of DescentStep or None
        The same with the parameters of every iteration, if they were asked for.

    Examples
    --------
    >>> from quire.optimize import SquaredLoss, gradient_descent
    >>> result = gradient_descent(SquaredLoss([[0.0], [1.0]], [0.0, 1.0]), tol=0.1)
    >>> result.trace.to_frame().columns
    ['iteration', 'value', 'gradient_norm', 'gap', 'step', 'seconds']
    """

    solver: str = ""
    iteration: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    gradient_norm: list[float] = field(default_factory=list)
    gap: list[float] = field(default_factory=list)
    step: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    steps: list[DescentStep] | None = field(default=None, repr=False)
    _began: float = field(default_factory=time.perf_counter, repr=False)

    def __len__(self) -> int:
        return len(self.iteration)

    def record(
        self,
        value: float,
        gradient_norm: float = np.nan,
        gap: float = np.nan,
        step: float = np.nan,
        point: Floats | None = None,
    ) -> None:
        """Add an entry, and a step if these are kept and `point` is given."""
        if self.steps is not None and point is not None:
            kept = np.array(point, dtype=np.float64)
            self.steps.append(DescentStep(kept, float(value), float(gradient_norm), float(step)))
        self.iteration.append(len(self.iteration))
        self.value.append(float(value))
        self.gradient_norm.append(float(gradient_norm))
        self.gap.append(float(gap))
        self.step.append(float(step))
        self.seconds.append(time.perf_counter() - self._began)

    def to_frame(self) -> pl.DataFrame:
        """Return the record as a polars DataFrame."""
        import polars as pl

        names = ("iteration", "value", "gradient_norm", "gap", "step", "seconds")
        return pl.DataFrame({name: getattr(self, name) for name in names})

    def plot(self, ax: Any = None, *, best: float | None = None, number: int = 0) -> Any:
        """Draw how far the objective is above its lowest value, by iteration.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if not given.
        best : float, default=None
            The value to compare with: the lowest of this record if not given. Give the lowest of
            all when several solvers are drawn together.
        number : int, default=0
            Number of the line, which decides how it looks.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = new_axes(ax)
        lowest = min(self.value) if best is None else best
        above = np.maximum(np.array(self.value) - lowest, 0.0)
        above[above == 0] = np.nan  # a logarithmic axis has no zero
        ax.plot(self.iteration, above, label=self.solver, **line_style(number))
        ax.set_yscale("log")
        ax.set_xlabel("iteration")
        whole_numbers(ax.xaxis)
        ax.set_ylabel("objective above its minimum")
        ax.legend()
        return ax


@dataclass(frozen=True, eq=False)
class OptimizeResult(ShownInNotebooks):
    """What a solver found.

    Attributes
    ----------
    x : ndarray of shape (n_parameters,)
        The parameters.
    value : float
        The objective there.
    gradient_norm : float
        Norm of its gradient, or of its smallest subgradient.
    gap : float or None
        Duality gap: the objective is at most this much above its minimum. None if not known.
    n_iter : int
        Iterations made.
    converged : bool
        Whether the tolerance was reached.
    message : str
        Why the solver stopped.
    trace : Trace
        The record.
    """

    x: Floats
    value: float
    gradient_norm: float
    gap: float | None
    n_iter: int
    converged: bool
    message: str
    trace: Trace = field(repr=False)

    @property
    def steps(self) -> list[DescentStep]:
        """The start and every iteration, kept with ``keep_steps=True``."""
        if self.trace.steps is None:
            raise AttributeError("the steps were not kept; call the solver with keep_steps=True.")
        return self.trace.steps

    @property
    def path(self) -> Floats:
        """The parameters of all steps, of shape (n_iter + 1, n_parameters)."""
        return np.array([step.point for step in self.steps])
