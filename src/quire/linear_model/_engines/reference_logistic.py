r"""Softmax with one class's weights fixed at zero, fitted as such.

.. math:: \min_{W, b} \sum_i s_i \left[\log \sum_k e^{w_k'x_i + b_k} - w_{y_i}'x_i - b_{y_i}\right]
          + \lambda_1 \|W\|_1 + \tfrac{\lambda_2}{2} \|W\|^2
          \qquad \text{with } w_r = 0,\; b_r = 0

By the solvers of :mod:`quire.optimize`, which ask a loss for nothing but its rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from quire._shared.design import Design
from quire._shared.typing import Codes, Floats
from quire.linear_model._engines.logistic_steps import weights_as_point
from quire.optimize import (
    DescentStep,
    ElasticNetPenalty,
    MultinomialLoss,
    gradient_descent,
    newton,
    newton_cg,
    prox_newton,
)

__all__ = ["ReferenceResult", "reference_logistic"]

_PRECISELY = 1e-4  # of tol, for Newton's method: a step or two more


@dataclass(frozen=True)
class ReferenceResult:
    """Where the iterations ended.

    Attributes
    ----------
    coef, intercept : ndarray of shape (n_features, n_classes) and (n_classes,)
        Weights; those of the reference are zero.
    gap : float
        How far the objective is above its minimum at most; infinite where no bound is known.
    gradient, wanted : float
        Norm of the (smallest sub-) gradient of the mean objective, and what it was to be.
    n_iter : int
        Iterations.
    solver : str
        What ran.
    converged, separable : bool
        Whether the goal was reached, and whether there is no minimum.
    steps : list of DescentStep or None
        The way, if it was to be kept.
    """

    coef: Floats
    intercept: Floats
    gap: float
    gradient: float
    wanted: float
    n_iter: int
    solver: str
    converged: bool
    separable: bool
    steps: list[DescentStep] | None


def reference_logistic(
    design: Design,
    codes: Codes,
    n_classes: int,
    reference: int,
    sample_weight: Floats | None,
    fit_intercept: bool,
    *,
    l1: float,
    l2: float,
    solver: str,
    start: tuple[Floats, Floats] | None,
    tol: float,
    max_iter: int,
    keep_steps: bool,
) -> ReferenceResult:
    """Minimise with the weights of a class at zero.

    Parameters
    ----------
    design : Design
        The samples.
    codes : ndarray of int32 of shape (n_samples,)
        Their classes, as numbers.
    n_classes : int
        How many there are.
    reference : int
        The class whose weights are zero.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the samples.
    fit_intercept : bool
        Whether there are intercepts.
    l1, l2 : float
        Penalties, for the summed loss.
    solver : str
        "gradient-descent" and "newton" are taken at their word; all others leave the choice.
    start : (coef, intercept) or None
        Where to start: weights of all classes, of which differences count.
    tol : float
        Norm of the gradient of the mean objective to reach; Newton's method goes on to a
        ten-thousandth of that, which takes a step or two.
    max_iter : int
        Iterations at most.
    keep_steps : bool
        Whether to keep the way.
    """
    loss = MultinomialLoss(design, codes, sample_weight, fit_intercept, n_classes, reference)
    total = float(len(codes) if sample_weight is None else sample_weight.sum())
    penalty = ElasticNetPenalty(l1 / total, l2 / total)
    if l1 > 0:
        name, run, wanted = "prox-newton", prox_newton, 0.01 * tol
    elif solver == "gradient-descent":
        name, run, wanted = solver, partial(gradient_descent), tol
    else:
        name, run = ("newton", partial(newton)) if solver == "newton" else ("newton-cg", newton_cg)
        wanted = _PRECISELY * tol
    x0 = None
    if start is not None:
        coef, intercept = (w.T - w.T[reference] for w in (start[0], start[1][None, :]))
        x0 = np.concatenate([coef[loss.free].T.ravel(), intercept[loss.free, 0][: loss.n_extra]])
    found = run(loss, penalty, x0=x0, tol=wanted, max_iter=max_iter, keep_steps=keep_steps)

    def whole(x: Floats) -> tuple[Floats, Floats]:
        W, b = loss.split(x)
        coef, intercept = np.zeros((len(W), n_classes)), np.zeros(n_classes)
        coef[:, loss.free] = W + 0.0  # no negative zeros
        if loss.n_extra:
            intercept[loss.free] = b
        return coef, intercept

    steps = None
    if keep_steps:
        length = total if name == "gradient-descent" else 1.0  # of the gradient of the sum
        steps = [
            DescentStep(
                weights_as_point(*whole(step.point), fit_intercept),
                step.value * total,
                step.gradient_norm * total,
                step.step_size / length,
            )
            for step in found.steps
        ]
    coef, intercept = whole(found.x)
    gap = total * found.gradient_norm**2 / (2 * penalty.l2) if l2 > 0 else np.inf
    # Rounding may stop Newton's method a little above what was wanted.
    converged = found.converged or (l1 == 0 and found.gradient_norm <= tol)
    n_iter = found.n_iter
    separable = l1 == l2 == 0 and _is_separated(design.dot(coef) + intercept, codes, sample_weight)
    return ReferenceResult(
        coef, intercept, gap, found.gradient_norm, wanted, n_iter, name, converged, separable, steps
    )


def _is_separated(scores: Floats, codes: Codes, sample_weight: Floats | None) -> bool:
    """Return whether every sample that counts has its own class on top, alone."""
    every = np.arange(len(codes))
    own = scores[every, codes]
    scores[every, codes] = -np.inf
    margins = own - scores.max(axis=1)
    return bool((margins if sample_weight is None else margins[sample_weight > 0]).min() > 0)
