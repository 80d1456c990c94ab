"""Linear models: least squares, ridge, lasso, logistic regression, ordered outcomes.

The solvers are in ``_engines``, which says how they work. Ordered outcomes are written with
:mod:`quire.optimize` alone, and are the proof that its parts suffice: a loss gives value, slope and
curvature by rows, and any solver takes it; interval probabilities are never differences of numbers
near one. Summaries (``_summary``) need the data again, since models do not keep it, and check that
it is the data of the fit: a gradient that is not zero is an error. What has no valid standard
errors (penalties, separation, collinear columns) is refused with the reason.
"""

from quire.linear_model._lasso import ElasticNet, Lasso
from quire.linear_model._lasso_cv import ElasticNetCV, LassoCV
from quire.linear_model._least_squares_classifier import LeastSquaresClassifier
from quire.linear_model._linear_regression import LinearRegression
from quire.linear_model._logistic import LogisticRegression
from quire.linear_model._logistic_cv import LogisticRegressionCV
from quire.linear_model._nb_logistic import NBLogistic
from quire.linear_model._odds import logit, odds, sigmoid
from quire.linear_model._ordinal import OrdinalRegression
from quire.linear_model._paths import enet_path, lasso_path
from quire.linear_model._ridge import Ridge
from quire.linear_model._ridge_cv import RidgeCV
from quire.linear_model._summary.summary import Equation, Summary

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "Equation",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "NBLogistic",
    "OrdinalRegression",
    "Ridge",
    "RidgeCV",
    "Summary",
    "enet_path",
    "lasso_path",
    "logit",
    "odds",
    "sigmoid",
]
