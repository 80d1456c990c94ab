"""Ensembles of trees: random forests, extremely randomised trees and bagging.

The classes are scikit-learn's, with the same parameters, attributes and errors, around trees that
our kernels grow and keep in a few compact arrays.
"""

from quire.ensemble._bagging import BaggingClassifier, BaggingRegressor
from quire.ensemble._classification import ExtraTreesClassifier, RandomForestClassifier
from quire.ensemble._regression import ExtraTreesRegressor, RandomForestRegressor

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
