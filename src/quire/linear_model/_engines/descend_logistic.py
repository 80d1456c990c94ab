"""Logistic regression by gradient descent, as textbooks begin: the same minimum, the slow way."""

from __future__ import annotations

import numpy as np

from quire._shared.typing import Floats
from quire.linear_model._engines.logistic_problem import LogisticProblem
from quire.linear_model._engines.logistic_steps import StepRecord, of_mean_objective
from quire.linear_model._engines.smooth_logistic import SmoothResult
from quire.optimize import (
    Datafit,
    ElasticNetPenalty,
    LogisticLoss,
    MultinomialLoss,
    gradient_descent,
)

__all__ = ["descend_logistic"]


def descend_logistic(
    problem: LogisticProblem,
    *,
    l2: float,
    intercept_l2: float = 0.0,
    coef: Floats | None = None,
    intercept: Floats | None = None,
    tol: float = 1e-4,
    gap_tol: float | None = None,
    certain: bool = True,
    max_iter: int = 100,
    record: StepRecord | None = None,
) -> SmoothResult:
    """Minimise as `smooth_logistic` does, by steps along the gradient.

    It has converged when the norm of the gradient of the mean objective is at most `tol`.

    Parameters
    ----------
    problem : LogisticProblem
        The data.
    l2 : float
        Penalty of W.
    intercept_l2, gap_tol, certain
        Not used: the intercept is free, and the gradient alone decides.
    coef, intercept, tol, max_iter, record
        As there.
    """
    weights = problem.weights if len(problem.weights) else None
    kind = LogisticLoss if problem.width == 1 else MultinomialLoss
    loss: Datafit = kind(problem.design, problem.codes, weights, problem.fit_intercept)
    start = None
    if coef is not None:
        b = np.zeros(problem.width) if intercept is None else intercept
        start = np.concatenate([coef.ravel(), b[: loss.n_extra]])
    penalty = ElasticNetPenalty(l2=l2 / problem.total)
    keep_steps = record is not None
    found = gradient_descent(
        loss, penalty, start, tol=tol, max_iter=max_iter, keep_steps=keep_steps
    )
    if record is not None:
        record.steps = of_mean_objective(loss, found, problem.total)
    W, extra = loss.split(found.x)
    b = extra if problem.fit_intercept else np.zeros(problem.width)
    gradient = found.gradient_norm
    Z = problem.scores(np.vstack([W, b]))
    return SmoothResult(
        coef=W,
        intercept=b,
        objective=found.value * problem.total,
        scores=Z,
        gap=problem.total * gradient**2 / (2 * penalty.l2) if l2 > 0 else np.inf,
        gradient=gradient,
        n_iter=found.n_iter,
        n_products=0,
        converged=found.converged,
        separable=bool(l2 == 0 and problem.is_separated(Z)),
    )
