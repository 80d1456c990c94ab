"""Gradient descent with a line search: the plainest solver."""

from __future__ import annotations

from typing import overload

from numpy.typing import ArrayLike

from quire.optimize._datafit import Datafit
from quire.optimize._function import Function, Vector, plain_function
from quire.optimize._loop import P, Surface, backtrack, descend, require_smooth
from quire.optimize._objective import Objective
from quire.optimize._penalty import Penalty, penalty_of_loss
from quire.optimize._result import Callback, OptimizeResult

__all__ = ["gradient_descent"]


@overload
def gradient_descent(
    datafit: Datafit,
    penalty: Penalty | None = None,
    x0: ArrayLike | None = None,
    *,
    tol: float = ...,
    max_iter: int = ...,
    callback: Callback | None = ...,
    keep_steps: bool = ...,
) -> OptimizeResult: ...


@overload
def gradient_descent(
    f: Function,
    grad: Vector,
    /,
    x0: ArrayLike,
    *,
    tol: float = ...,
    max_iter: int = ...,
    callback: Callback | None = ...,
    keep_steps: bool = ...,
) -> OptimizeResult: ...


def gradient_descent(
    datafit: Datafit | Function,
    penalty: Penalty | Vector | None = None,
    x0: ArrayLike | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    callback: Callback | None = None,
    keep_steps: bool = False,
) -> OptimizeResult:
    r"""Go downhill: :math:`w \leftarrow w - t \nabla F(w)`, until :math:`|\nabla F(w)| \le tol`.

    The step t is halved until the objective falls by :math:`10^{-4}\, t\, |\nabla F|^2` (Armijo's
    rule). The next search starts at twice the step that was taken, so that t can grow again.

    There are two forms: ``gradient_descent(datafit, penalty, x0)`` for the loss of a linear model,
    and ``gradient_descent(f, grad, x0)`` for any differentiable function of a vector.

    Parameters
    ----------
    datafit : Datafit or callable
        The loss; or a function f, from an array of shape (n,) to a number.
    penalty : Penalty or callable, default=None
        Must be smooth, such as ``ElasticNetPenalty(l2=1.0)``; none at all if not given. For a
        function, its gradient: from an array of shape (n,) to another.
    x0 : array-like of shape (n_parameters,), default=None
        Where to start; zeros if not given (for ordered outcomes with the thresholds of the shares).
        A function does not say how many numbers it takes, and needs it.
    tol : float, default=1e-6
        Norm of the gradient to reach.
    max_iter : int, default=10_000
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
    >>> from quire.optimize import SquaredLoss, gradient_descent
    >>> result = gradient_descent(SquaredLoss([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]))
    >>> result.converged, result.x.round(4)
    (True, array([2., 1.]))

    A bowl that is four times as steep one way as the other:

    >>> bowl = gradient_descent(
    ...     lambda x: (x[0] ** 2 + 4 * x[1] ** 2) / 2,
    ...     lambda x: [x[0], 4 * x[1]],
    ...     [4.0, 1.0],
    ...     keep_steps=True,
    ... )
    >>> bowl.path[:3]
    array([[ 4.,  1.],
           [ 2., -1.],
           [ 1.,  1.]])
    >>> bowl.converged, bowl.x.round(6) + 0.0
    (True, array([0., 0.]))
    """
    if isinstance(datafit, Datafit):
        objective = Objective(datafit, penalty_of_loss(penalty))
        require_smooth(objective, "gradient_descent")
        start = objective.start(x0)
        return _descend(objective, start, tol, max_iter, callback, keep_steps)
    function = plain_function("gradient_descent", datafit, penalty)
    return _descend(function, function.start(x0), tol, max_iter, callback, keep_steps)


def _descend(
    objective: Surface[P],
    start: P,
    tol: float,
    max_iter: int,
    callback: Callback | None,
    keep_steps: bool,
) -> OptimizeResult:
    last = 0.5

    def step(point: P) -> tuple[P, float] | None:
        nonlocal last
        found = backtrack(objective, point, -point.gradient, 2 * last)
        if found is not None:
            last = found[1]
        return found

    return descend("gradient_descent", start, step, tol, max_iter, callback, keep_steps)
