"""Linear models: least squares, ridge, lasso, logistic regression, ordered outcomes."""

from quire.linear_model._least_squares_classifier import LeastSquaresClassifier
from quire.linear_model._linear_regression import LinearRegression
from quire.linear_model._ordinal import OrdinalRegression
from quire.linear_model._ridge import Ridge
from quire.linear_model._ridge_cv import RidgeCV
from quire.linear_model._summary import Equation, Summary

__all__ = [
    "Equation",
    "LeastSquaresClassifier",
    "LinearRegression",
    "OrdinalRegression",
    "Ridge",
    "RidgeCV",
    "Summary",
]
