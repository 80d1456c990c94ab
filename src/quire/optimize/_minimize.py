"""One door to all solvers."""

from __future__ import annotations

from typing import Any

from quire._shared.typing import Floats
from quire.optimize._coordinate_descent import coordinate_descent
from quire.optimize._datafit import Datafit
from quire.optimize._gradient_descent import gradient_descent
from quire.optimize._lbfgs import lbfgs
from quire.optimize._loop import require_smooth
from quire.optimize._newton import newton, newton_direction
from quire.optimize._newton_cg import cg_direction, newton_cg
from quire.optimize._objective import Objective
from quire.optimize._penalty import ElasticNetPenalty, Penalty
from quire.optimize._prox_newton import prox_newton
from quire.optimize._proximal_gradient import proximal_gradient
from quire.optimize._result import OptimizeResult

__all__ = ["choose_solver", "minimize", "newton_step"]


SOLVERS: dict[str, Any] = {
    "coordinate_descent": coordinate_descent,
    "gradient_descent": gradient_descent,
    "lbfgs": lbfgs,
    "newton": newton,
    "newton_cg": newton_cg,
    "prox_newton": prox_newton,
    "proximal_gradient": proximal_gradient,
}

_FEW = 200  # parameters up to which the Hessian is made


def minimize(
    datafit: Datafit,
    penalty: Penalty | None = None,
    solver: str = "auto",
    x0: Floats | None = None,
    **options: Any,
) -> OptimizeResult:
    r"""Minimise the loss of a linear model plus a penalty.

    .. math:: F(w) = \frac{1}{S} \sum_i s_i\, \ell_i(w) + g(w)

    Parameters
    ----------
    datafit : Datafit
        The loss, with its data.
    penalty : Penalty, default=None
        The penalty; none at all if not given. Intercepts and thresholds are not penalised.
    solver : str, default="auto"
        Name of a solver. ``"auto"`` takes ``newton`` for up to 200 parameters and ``newton_cg`` for
        more; with a penalty that has kinks ``prox_newton``, and ``proximal_gradient`` where that
        does not apply.
    x0 : ndarray of shape (n_parameters,), default=None
        Where to start.
    **options : Any
        Keyword arguments of the solver, such as ``tol``, ``max_iter`` and ``callback``.

    Returns
    -------
    OptimizeResult
        Parameters, objective, and the record of the way.

    Examples
    --------
    >>> from quire.optimize import ElasticNetPenalty, SquaredLoss, minimize
    >>> loss = SquaredLoss([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> result = minimize(loss, ElasticNetPenalty(l2=1.0))
    >>> result.trace.solver, result.x.round(4)
    ('newton', array([0.8, 2.2]))
    """
    penalty = penalty or ElasticNetPenalty()
    name = choose_solver(datafit, penalty) if solver == "auto" else solver
    if name not in SOLVERS:
        raise ValueError(f"solver is {solver!r}; it must be 'auto' or one of {sorted(SOLVERS)}.")
    result: OptimizeResult = SOLVERS[name](datafit, penalty, x0, **options)
    return result


def choose_solver(datafit: Datafit, penalty: Penalty | None = None) -> str:
    """Return the name of the solver that suits a problem, as ``minimize`` takes it.

    Parameters
    ----------
    datafit : Datafit
        The loss, with its data.
    penalty : Penalty, default=None
        The penalty; none at all if not given.

    Examples
    --------
    >>> from quire.optimize import ElasticNetPenalty, SquaredLoss, choose_solver
    >>> loss = SquaredLoss([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> choose_solver(loss), choose_solver(loss, ElasticNetPenalty(l1=1.0))
    ('newton', 'prox_newton')
    """
    if penalty is not None and not penalty.is_smooth:
        simple = datafit.design.center is None and penalty.is_separable
        return "prox_newton" if simple else "proximal_gradient"
    return "newton" if datafit.size <= _FEW else "newton_cg"


def newton_step(datafit: Datafit, w: Floats, penalty: Penalty | None = None) -> Floats:
    r"""Return Newton's step d from a place, the solution of :math:`H d = -\nabla F`.

    At an optimum it is zero. Where it stays long although the gradient is small, there is none.

    Parameters
    ----------
    datafit : Datafit
        The loss, with its data.
    w : ndarray of shape (n_parameters,)
        The place.
    penalty : Penalty, default=None
        A smooth one; none at all if not given.

    Returns
    -------
    ndarray of shape (n_parameters,)
        Exact for up to 200 parameters; for more the residual is a tenth of the gradient.

    Examples
    --------
    >>> from quire.optimize import SquaredLoss, newton_step
    >>> loss = SquaredLoss([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> newton_step(loss, loss.start()).round(4)
    array([2., 1.])
    """
    objective = Objective(datafit, penalty or ElasticNetPenalty())
    require_smooth(objective, "newton_step")
    point = objective.at(w)
    if datafit.size <= _FEW:
        return newton_direction(point)
    return cg_direction(point, 0.1, 0.0, 200)
