"""Coordinate descent on a working set, with a duality gap that says how far it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.design import Design
from quire._shared.typing import Floats
from quire.optimize._datafit import Datafit
from quire.optimize._logistic import LogisticLoss
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._penalty import Penalty
from quire.optimize._result import Callback, OptimizeResult, Trace
from quire.optimize._squared import SquaredLoss

__all__ = ["coordinate_descent", "duality_gap"]

Column = tuple[Any, Floats]  # rows and values


def coordinate_descent(
    datafit: Datafit,
    penalty: Penalty,
    x0: Floats | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    n_passes: int = 10,
    callback: Callback | None = None,
    keep_steps: bool = False,
) -> OptimizeResult:
    r"""Minimise in one coefficient at a time, for squared and logistic loss.

    With c the bound of the curvature of the loss (1, or 1/4 for logistic) and
    :math:`L_j = c \sum_i s_i x_{ij}^2 / S`,

    .. math:: w_j \leftarrow \operatorname{prox}_{g_j / L_j}
              \!\left(w_j - \tfrac{1}{L_j} \nabla_j f(w)\right).

    An iteration computes the gradient and the duality gap, takes the features that are in the model
    and those that want to be most, and makes some passes over them. This is plain Python, for
    reading and for small problems; :func:`prox_newton` has compiled passes.

    Parameters
    ----------
    datafit : SquaredLoss or LogisticLoss
        The loss.
    penalty : Penalty
        A separable one, and not nothing: without a penalty there is no finite gap.
    x0 : ndarray of shape (n_parameters,), default=None
        Where to start.
    tol : float, default=1e-6
        Duality gap to reach, as a share of the objective at the start. For penalties that do not
        know their conjugate, the norm of the smallest subgradient, as a share of the first.
    max_iter : int, default=1000
        The most iterations.
    n_passes : int, default=10
        Passes over the working set in one iteration.
    callback : callable, default=None
        Called with iteration, parameters and objective.
    keep_steps : bool, default=False
        Whether the result has ``steps``: the start and where every iteration led.

    Returns
    -------
    OptimizeResult
        Parameters, objective, gap, and the record of the way.

    Examples
    --------
    >>> from quire.optimize import ElasticNetPenalty, SquaredLoss, coordinate_descent
    >>> loss = SquaredLoss([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [1.0, 3.0, 5.0])
    >>> result = coordinate_descent(loss, ElasticNetPenalty(l1=0.1), tol=1e-9)
    >>> result.x.round(4), bool(result.gap < 1e-8)
    (array([1.85, 0.  , 1.15]), True)
    """
    if not isinstance(datafit, SquaredLoss | LogisticLoss):
        raise ValueError("coordinate_descent needs a SquaredLoss or a LogisticLoss.")
    if penalty.elastic_net() == (0.0, 0.0):
        raise ValueError("coordinate_descent needs a penalty; use newton or lbfgs without one.")
    if datafit.design.center is not None:
        raise ValueError("coordinate_descent needs X itself, not centred; fit an intercept.")
    objective = Objective(datafit, penalty)
    point = objective.start(x0)
    gap = duality_gap(point)
    has_gap = bool(np.isfinite(gap))

    def left(point: ObjectivePoint) -> float:
        return duality_gap(point) if has_gap else point.gradient_norm

    wanted = tol * (abs(point.value) if has_gap else point.gradient_norm)
    trace = Trace("coordinate_descent", steps=[] if keep_steps else None)
    excess = left(point)
    trace.record(point.value, point.gradient_norm, gap if has_gap else np.nan, point=point.x)
    curvature = datafit.curvature_bound * datafit.design.squared_norms(datafit.weights)
    n_iter = 0
    while excess > wanted and n_iter < max_iter:
        working = _working_set(point)
        x = _passes(datafit, penalty, point.x, working, curvature, n_passes)
        step = float(np.linalg.norm(x - point.x))
        point = objective.at(x)
        excess = left(point)
        n_iter += 1
        known = excess if has_gap else np.nan
        trace.record(point.value, point.gradient_norm, known, step, point.x)
        if callback is not None:
            callback(n_iter, point.x, point.value)
        if step == 0:
            break
    converged = excess <= wanted
    measure = "duality gap" if has_gap else "norm of the smallest subgradient"
    if converged:
        message = f"the {measure} is {excess:.3g}, at most {wanted:.3g}"
    else:
        message = f"stopped after {n_iter} iterations with a {measure} of {excess:.3g}"
    return OptimizeResult(
        point.x,
        point.value,
        point.gradient_norm,
        excess if has_gap else None,
        n_iter,
        converged,
        message,
        trace,
    )


def duality_gap(point: ObjectivePoint) -> float:
    r"""Return a bound of how far the objective is above its minimum, for squared and logistic loss.

    .. math:: F(w) - D(u) \ge F(w) - F(w^*), \qquad
              D(u) = -\sum_i \tilde s_i\, \phi_i^*(u_i) - g^*(-\sum_i \tilde s_i u_i x_i)

    for every u that the dual allows; here the slopes of the rows at w, scaled until they are.
    """
    datafit, penalty = point.loss.datafit, point.objective.penalty
    assert isinstance(datafit, SquaredLoss | LogisticLoss)
    weights = datafit.weights
    slope = point.loss.rows.slope[:, 0]
    u = np.divide(slope, weights, out=np.zeros_like(slope), where=weights > 0)
    u = datafit.dual_rows(u)
    z = datafit.design.t_dot(weights * u)
    scale = penalty.dual_scale(z)
    dual = -float(weights @ datafit.conjugate(scale * u)) - penalty.conjugate(scale * z)
    return max(point.value - dual, 0.0)


def _working_set(point: ObjectivePoint) -> NDArray[np.intp]:
    k = point.objective.n_coefficients
    w = point.x[:k]
    wants = np.abs(point.objective.penalty.least_subgradient(w, point.loss.gradient[:k]))
    wants[w != 0] = np.inf
    size = max(10, 2 * int(np.count_nonzero(w)))
    order = np.argsort(-wants, kind="stable")[:size]
    return np.sort(order[wants[order] > 0])


def _passes(
    datafit: SquaredLoss | LogisticLoss,
    penalty: Penalty,
    x: Floats,
    working: NDArray[np.intp],
    curvature: Floats,
    n_passes: int,
) -> Floats:
    """Return the parameters after some passes over the working set."""
    x = x.copy()
    coefficients, intercept = datafit.split(x)  # views of x
    w = coefficients[:, 0]
    eta = datafit.design.dot(w) + intercept.sum()
    columns = [(j, penalty.at([j]), *_column(datafit.design, j)) for j in working.tolist()]
    smallest = np.finfo(float).eps * curvature.max(initial=1.0)  # empty columns have none
    for _ in range(n_passes):
        for j, own, rows, values in columns:
            L = max(float(curvature[j]), smallest)
            step = values @ datafit.slope_of(eta, rows) / L
            new = own.prox(w[j : j + 1] - step, 1.0 / L)[0]
            if new != w[j]:
                eta[rows] += (new - w[j]) * values
                w[j] = new
        if datafit.fit_intercept:
            step = -datafit.slope_of(eta, slice(None)).sum() / datafit.curvature_bound
            intercept += step
            eta += step
    return x


def _column(design: Design, j: int) -> Column:
    if not design.is_sparse:
        return slice(None), np.asarray(design.X[:, j], dtype=np.float64)
    data, indices, indptr, _ = design.columns
    stored = slice(indptr[j], indptr[j + 1])
    return indices[stored], data[stored].astype(np.float64)
