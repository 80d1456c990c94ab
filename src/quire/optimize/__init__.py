"""Optimisers of linear models: losses, penalties and solvers as separate, readable parts.

They are for reading, and for losses and penalties of one's own: a datafit, a penalty and a solver
know of each other only through values, gradients, proximal steps and products with the Hessian. The
compiled engines of :mod:`quire.linear_model` are the fast forms of :func:`newton_cg` and
:func:`coordinate_descent`; tests hold them to the same optimum.
"""

from quire.optimize._check import GradientCheck, check_gradient
from quire.optimize._coordinate_descent import coordinate_descent
from quire.optimize._datafit import Datafit, Point, Rows
from quire.optimize._gradient_descent import gradient_descent
from quire.optimize._lbfgs import lbfgs
from quire.optimize._logistic import LogisticLoss
from quire.optimize._minimize import choose_solver, minimize, newton_step
from quire.optimize._multinomial import MultinomialLoss
from quire.optimize._newton import newton
from quire.optimize._newton_cg import newton_cg
from quire.optimize._ordinal import OrdinalLoss
from quire.optimize._penalty import ElasticNetPenalty, Penalty
from quire.optimize._prox_newton import prox_newton
from quire.optimize._proximal_gradient import proximal_gradient
from quire.optimize._result import DescentStep, OptimizeResult, Trace
from quire.optimize._squared import SquaredLoss

__all__ = [
    "Datafit",
    "DescentStep",
    "ElasticNetPenalty",
    "GradientCheck",
    "LogisticLoss",
    "MultinomialLoss",
    "OptimizeResult",
    "OrdinalLoss",
    "Penalty",
    "Point",
    "Rows",
    "SquaredLoss",
    "Trace",
    "check_gradient",
    "choose_solver",
    "coordinate_descent",
    "gradient_descent",
    "lbfgs",
    "minimize",
    "newton",
    "newton_cg",
    "newton_step",
    "prox_newton",
    "proximal_gradient",
]
