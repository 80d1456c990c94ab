"""Newton's method with the whole Hessian: few iterations, for few parameters."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.optimize._datafit import Datafit
from quire.optimize._function import Function, Matrix, PlainPoint, Vector, plain_function
from quire.optimize._loop import backtrack, descend, require_smooth
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._penalty import Penalty, penalty_of_loss
from quire.optimize._result import Callback, OptimizeResult

__all__ = ["newton", "newton_direction"]


@overload
def newton(
    datafit: Datafit,
    penalty: Penalty | None = None,
    hess: ArrayLike | None = None,  # x0, as the third
    *,
    x0: ArrayLike | None = None,
    tol: float = ...,
    max_iter: int = ...,
    callback: Callback | None = ...,
    keep_steps: bool = ...,
) -> OptimizeResult: ...


@overload
def newton(
    f: Function,
    grad: Vector,
    hess: Matrix,
    /,
    x0: ArrayLike,
    *,
    tol: float = ...,
    max_iter: int = ...,
    callback: Callback | None = ...,
    keep_steps: bool = ...,
) -> OptimizeResult: ...


def newton(
    datafit: Datafit | Function,
    penalty: Penalty | Vector | None = None,
    hess: Any = None,
    x0: ArrayLike | None = None,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    callback: Callback | None = None,
    keep_steps: bool = False,
) -> OptimizeResult:
    r"""Minimise a quadratic model again and again: :math:`w \leftarrow w - t H^{-1} \nabla F(w)`.

    For the logistic loss this is iteratively reweighted least squares. H is factorised by Cholesky;
    where it is singular (collinear columns, softmax) the shortest of the steps is taken. One
    iteration costs :math:`O(n p^2 + p^3)` and :math:`O(p^2)` memory.

    There are two forms: ``newton(datafit, penalty, x0)`` for the loss of a linear model, and
    ``newton(f, grad, hess, x0)`` for any function of a vector that can be differentiated twice.
    Where such a function is curved downwards and H leads uphill, the step follows the gradient.

    Parameters
    ----------
    datafit : Datafit or callable
        The loss; or a function f, from an array of shape (n,) to a number.
    penalty : Penalty or callable, default=None
        Must be smooth, such as ``ElasticNetPenalty(l2=1.0)``; none at all if not given. For a
        function, its gradient: from an array of shape (n,) to another.
    hess : callable, default=None
        For a function, its second derivatives: from an array of shape (n,) to one of shape (n, n).
        A loss knows its own, and has `x0` in this place.
    x0 : array-like of shape (n_parameters,), default=None
        Where to start.
    tol : float, default=1e-8
        Norm of the gradient to reach.
    max_iter : int, default=100
        The most iterations.
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
    >>> from quire.optimize import LogisticLoss, newton
    >>> result = newton(LogisticLoss([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> result.n_iter, result.x.round(4)
    (4, array([ 0.9082, -1.3623]))

    A parabola is its own model, and one step ends at its lowest point:

    >>> bowl = newton(
    ...     lambda x: (x[0] ** 2 + 4 * x[1] ** 2) / 2,
    ...     lambda x: [x[0], 4 * x[1]],
    ...     lambda x: [[1, 0], [0, 4]],
    ...     [4.0, 1.0],
    ...     keep_steps=True,
    ... )
    >>> bowl.path
    array([[4., 1.],
           [0., 0.]])
    """
    if not isinstance(datafit, Datafit):
        if not callable(hess):
            raise TypeError(f"newton(f, grad, hess, x0): hess must be callable, got {hess!r}.")
        function = plain_function("newton", datafit, penalty, hess)

        def plain_step(point: PlainPoint) -> tuple[PlainPoint, float] | None:
            direction = _solution(point.hessian(), point.gradient)
            if inner(direction, point.gradient) >= 0:
                direction = -point.gradient
            return backtrack(function, point, direction)

        first = function.start(x0)
        return descend("newton", first, plain_step, tol, max_iter, callback, keep_steps)

    if hess is not None:
        if x0 is not None:
            raise TypeError("a loss knows its own second derivatives: newton(datafit, penalty, x0)")
        x0 = hess
    objective = Objective(datafit, penalty_of_loss(penalty))
    require_smooth(objective, "newton")

    def step(point: ObjectivePoint) -> tuple[ObjectivePoint, float] | None:
        return backtrack(objective, point, newton_direction(point))

    return descend("newton", objective.start(x0), step, tol, max_iter, callback, keep_steps)


def newton_direction(point: ObjectivePoint) -> Floats:
    """Return the solution d of H d = -gradient, the shortest if there are several."""
    H = point.loss.hessian()
    H[np.diag_indices_from(H)] += point.penalty_curvature
    return _solution(H, point.gradient)


def _solution(H: Floats, gradient: Floats) -> Floats:
    """Return the solution d of H d = -gradient; H is overwritten."""
    # Parameters in units of their curvature: columns of very different size do no harm.
    diagonal = np.diag(H)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    H *= scale[:, None] * scale
    slope = -gradient * scale
    try:
        factor = linalg.cho_factor(H)
        is_regular = np.diag(factor[0]).min() > 1e-7
    except linalg.LinAlgError:
        is_regular = False
    direction: Floats
    if is_regular:
        direction = linalg.cho_solve(factor, slope)
    else:
        direction = linalg.lstsq(H, slope, cond=1e-12)[0]
    return direction * scale
