"""Classification and regression trees.

The classes are scikit-learn's, with the same parameters, attributes and errors. Trees are grown by
kernels of our own, for dense and for sparse rows; what these do not know is scikit-learn's code.
"""

from quire.tree._classification import DecisionTreeClassifier, ExtraTreeClassifier
from quire.tree._picture import TreePicture, tree_picture
from quire.tree._regression import DecisionTreeRegressor, ExtraTreeRegressor
from quire.tree._text import export_text

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "TreePicture",
    "export_text",
    "tree_picture",
]
