"""Linear models: least squares, ridge, lasso, logistic regression, ordered outcomes."""

from quire.linear_model._summary import Equation, Summary

__all__ = ["Equation", "Summary"]
