"""A loss plus a penalty: what the solvers minimise."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from quire._shared.typing import Floats
from quire._shared.vectors import norm
from quire.optimize._datafit import Datafit
from quire.optimize._penalty import Penalty

__all__ = ["Objective", "ObjectivePoint"]


class Objective:
    """F(w) = loss + penalty of the coefficients.

    Parameters
    ----------
    datafit : Datafit
        The loss.
    penalty : Penalty
        The penalty.
    """

    def __init__(self, datafit: Datafit, penalty: Penalty) -> None:
        self.datafit = datafit
        self.penalty = penalty
        self.n_coefficients = int(datafit.penalized.sum())

    def start(self, x0: ArrayLike | None) -> ObjectivePoint:
        """Return the first point; `x0`, or where the loss begins."""
        x = self.datafit.start() if x0 is None else np.array(x0, dtype=np.float64)
        point = self.at(x)
        if not np.isfinite(point.value):
            raise ValueError(
                f"the objective is {point.value} at the start. X and y must be finite, and "
                "thresholds of an ordered outcome must rise."
            )
        return point

    def at(self, x: Floats) -> ObjectivePoint:
        """Return the objective at a place."""
        return ObjectivePoint(self, x)

    def prox(self, x: Floats, step: float) -> Floats:
        """Apply the proximal operator of the penalty to the coefficients."""
        moved = x.copy()
        k = self.n_coefficients
        moved[:k] = self.penalty.prox(x[:k], step)
        return moved

    def longest_step(self, x: Floats, direction: Floats) -> float:
        """Return how far a line search may go, in units of `direction`."""
        return self.datafit.longest_step(x, direction)

    def slack(self, value: float) -> float:
        """Return by how much two values can differ through rounding alone."""
        eps = float(np.finfo(self.datafit.design.X.dtype).eps)
        return 10 * eps * max(abs(value), 1e-10)


class ObjectivePoint:
    """The objective at one place.

    Parameters
    ----------
    objective : Objective
        Loss and penalty.
    x : ndarray of shape (n_parameters,)
        The place.
    """

    def __init__(self, objective: Objective, x: Floats) -> None:
        self.objective = objective
        self.x = x
        self.loss = objective.datafit.at(x)
        coefficients = x[: objective.n_coefficients]
        self.value = self.loss.value + objective.penalty.value(coefficients)

    @cached_property
    def gradient(self) -> Floats:
        """Gradient of the smooth part: the loss and what the penalty has of it."""
        k = self.objective.n_coefficients
        gradient = self.loss.gradient.copy()
        gradient[:k] += self.objective.penalty.smooth_gradient(self.x[:k])
        return gradient

    @cached_property
    def penalty_curvature(self) -> Floats:
        """Second derivatives of the smooth part of the penalty, one for each parameter."""
        k = self.objective.n_coefficients
        curvature = np.zeros_like(self.x)
        curvature[:k] = self.objective.penalty.smooth_curvature(self.x[:k])
        return curvature

    @cached_property
    def gradient_norm(self) -> float:
        """Euclidean norm of the gradient; where there is none, of the smallest subgradient."""
        k, penalty = self.objective.n_coefficients, self.objective.penalty
        if penalty.is_smooth:
            return norm(self.gradient)
        least = penalty.least_subgradient(self.x[:k], self.loss.gradient[:k])
        return float(np.hypot(norm(least), norm(self.loss.gradient[k:])))

    def hessian_product(self, v: Floats) -> Floats:
        """Return second derivatives of the smooth part times a vector."""
        return self.loss.hessian_product(v) + self.penalty_curvature * v
