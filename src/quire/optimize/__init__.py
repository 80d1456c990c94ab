"""Optimisers of linear models: losses, penalties and solvers as separate, readable parts."""

from quire.optimize._check import GradientCheck, check_gradient
from quire.optimize._coordinate_descent import coordinate_descent
from quire.optimize._datafit import Datafit, Point, Rows
from quire.optimize._gradient_descent import gradient_descent
from quire.optimize._lbfgs import lbfgs
from quire.optimize._logistic import LogisticLoss
from quire.optimize._minimize import minimize
from quire.optimize._multinomial import MultinomialLoss
from quire.optimize._newton import newton
from quire.optimize._newton_cg import newton_cg
from quire.optimize._ordinal import OrdinalLoss
from quire.optimize._penalty import ElasticNetPenalty
from quire.optimize._prox_newton import prox_newton
from quire.optimize._proximal_gradient import proximal_gradient
from quire.optimize._result import OptimizeResult, Trace
from quire.optimize._squared import SquaredLoss

__all__ = [
    "Datafit",
    "ElasticNetPenalty",
    "GradientCheck",
    "LogisticLoss",
    "MultinomialLoss",
    "OptimizeResult",
    "OrdinalLoss",
    "Point",
    "Rows",
    "SquaredLoss",
    "Trace",
    "check_gradient",
    "coordinate_descent",
    "gradient_descent",
    "lbfgs",
    "minimize",
    "newton",
    "newton_cg",
    "prox_newton",
    "proximal_gradient",
]
