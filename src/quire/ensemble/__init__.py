"""Ensembles: random forests, extremely randomised trees, bagging, and averages of linear models.

An average of linear models (:class:`AveragedClassifier`) is a linear model over the features of
all of them. The other classes are scikit-learn's, with the same parameters, attributes and errors,
around trees that our kernels grow and keep in a few compact arrays.

An ensemble makes its data for growing once for each fit (``_shared/trees/rows.py``) and hands it to
the trees of that fit. An error or Ctrl-C ends the trees of all its threads.

Answers (``forest_predict``): Sixteen dense rows walk down a tree side by side, without a branch. Of
sparse rows, 64 at a time walk as a set: a row of zeros has one way down from every node, these ways
lie in memory as chains, and the set of the rows that have an entry in a column says whether any of
them leaves the chain there.
"""

from quire.ensemble._averaged import AveragedClassifier
from quire.ensemble._bagging import BaggingClassifier, BaggingRegressor
from quire.ensemble._classification import ExtraTreesClassifier, RandomForestClassifier
from quire.ensemble._regression import ExtraTreesRegressor, RandomForestRegressor

__all__ = [
    "AveragedClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
