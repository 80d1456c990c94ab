"""The way to the minimum of a logistic regression, iteration by iteration, on request.

All values are those of the summed objective, ``sum of losses + penalty / C``, and a point is what
``coef_`` and ``intercept_`` would be: a row for each vector of weights, the intercept last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.typing import Codes, Floats
from quire._shared.vectors import norm
from quire.optimize import (
    Datafit,
    DescentStep,
    ElasticNetPenalty,
    LogisticLoss,
    MultinomialLoss,
    OptimizeResult,
)

__all__ = ["StepRecord", "of_mean_objective", "sparse_step", "weights_as_point"]


def weights_as_point(coef: Floats, intercept: Floats, fit_intercept: bool) -> Floats:
    """Return weights as the point of a step.

    Parameters
    ----------
    coef : ndarray of shape (n_features, width)
        Weights.
    intercept : ndarray of shape (width,)
        Intercepts.
    fit_intercept : bool
        Whether they are part of the model.
    """
    rows = [coef, intercept[None, :]] if fit_intercept else [coef]
    return np.ascontiguousarray(np.concatenate(rows).T)


class StepRecord:
    """Takes the iterations of Newton's method down.

    Parameters
    ----------
    fit_intercept : bool
        Whether the last row of W is a part of the model.
    """

    def __init__(self, fit_intercept: bool) -> None:
        self.fit_intercept = fit_intercept
        self.steps: list[DescentStep] = []

    def add(self, W: Floats, objective: float, gradient: Floats, step: float) -> None:
        """Add where the iterations stand.

        Parameters
        ----------
        W, gradient : ndarray of shape (n_features + 1, width)
            Weights, and the derivatives by them.
        objective : float
            The objective.
        step : float
            Length of the step that led here.
        """
        point = weights_as_point(W[:-1], W[-1], self.fit_intercept)
        self.steps.append(DescentStep(point, float(objective), norm(gradient), float(step)))


def of_mean_objective(loss: Datafit, found: OptimizeResult, total: float) -> list[DescentStep]:
    """Return the steps of a solver that minimised the mean objective as those of the sum.

    Parameters
    ----------
    loss : Datafit
        The loss.
    found : OptimizeResult
        What the solver found, with its steps.
    total : float
        The sum of the weights of the samples.
    """
    steps = []
    for step in found.steps:
        W, b = loss.split(step.point)
        point = weights_as_point(W, b, bool(loss.n_extra))
        # the gradient of the sum is longer, so a step of the same length is a smaller part of it
        is_gradient = found.trace.solver == "gradient_descent"
        size = step.step_size / total if is_gradient else step.step_size
        steps.append(DescentStep(point, step.value * total, step.gradient_norm * total, size))
    return steps


def sparse_step(
    X: Any,
    codes: Codes,
    n_classes: int,
    sample_weight: Floats | None,
    fit_intercept: bool,
    penalty: tuple[float, float],
    coef: Floats,
    intercept: Floats,
) -> DescentStep:
    """Return where the working-set solver stands.

    Parameters
    ----------
    X, codes, n_classes, sample_weight, fit_intercept
        As in :func:`sparse_logistic`.
    penalty : (float, float)
        The weights of absolute values and of squares, for the summed loss.
    coef, intercept : ndarray of shape (n_features, width) and (width,)
        The weights.
    """
    kind = LogisticLoss if n_classes == 2 else MultinomialLoss
    loss: Datafit = kind(X, codes, sample_weight, fit_intercept)
    total = float(len(codes) if sample_weight is None else sample_weight.sum())
    net = ElasticNetPenalty(penalty[0] / total, penalty[1] / total)
    w = coef.ravel()
    at = loss.at(np.concatenate([w, intercept[: loss.n_extra]]))
    least = net.least_subgradient(w, at.gradient[: len(w)])
    size = float(np.hypot(norm(least), norm(at.gradient[len(w) :])))
    value = (at.value + net.value(w)) * total
    return DescentStep(
        weights_as_point(coef, intercept, fit_intercept), value, size * total, np.nan
    )
