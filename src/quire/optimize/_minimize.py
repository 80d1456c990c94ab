"""One door to all solvers."""

from __future__ import annotations

from typing import Any

from quire._shared.typing import Floats
from quire.optimize._coordinate_descent import coordinate_descent
from quire.optimize._datafit import Datafit
from quire.optimize._gradient_descent import gradient_descent
from quire.optimize._lbfgs import lbfgs
from quire.optimize._newton import newton
from quire.optimize._newton_cg import newton_cg
from quire.optimize._penalty import ElasticNetPenalty
from quire.optimize._prox_newton import prox_newton
from quire.optimize._proximal_gradient import proximal_gradient
from quire.optimize._result import OptimizeResult

__all__ = ["FEW", "choose_solver", "minimize"]


SOLVERS: dict[str, Any] = {
    "coordinate_descent": coordinate_descent,
    "gradient_descent": gradient_descent,
    "lbfgs": lbfgs,
    "newton": newton,
    "newton_cg": newton_cg,
    "prox_newton": prox_newton,
    "proximal_gradient": proximal_gradient,
}

FEW = 200  # parameters up to which the Hessian is made


def minimize(
    datafit: Datafit,
    penalty: ElasticNetPenalty | None = None,
    solver: str = "auto",
    x0: Floats | None = None,
    **options: Any,
) -> OptimizeResult:
    r"""Minimise the loss of a linear model plus a penalty.

    .. math:: F(w) = \frac{1}{S} \sum_i s_i\, \ell_i(w)
              + \lambda_1 \|w\|_1 + \frac{\lambda_2}{2} \|w\|^2

    Parameters
    ----------
    datafit : Datafit
        The loss, with its data.
    penalty : ElasticNetPenalty, default=None
        The penalty; none at all if not given. Intercepts and thresholds are not penalised.
    solver : str, default="auto"
        Name of a solver. ``"auto"`` takes ``newton`` for up to 200 parameters and ``newton_cg`` for
        more; with absolute values ``prox_newton``, and ``proximal_gradient`` where that does not
        apply.
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


def choose_solver(datafit: Datafit, penalty: ElasticNetPenalty) -> str:
    """Return the name of the solver that suits a problem."""
    if not penalty.is_smooth:
        simple = datafit.n_outputs == 1 and datafit.design.center is None
        return "prox_newton" if simple else "proximal_gradient"
    return "newton" if datafit.size <= FEW else "newton_cg"
