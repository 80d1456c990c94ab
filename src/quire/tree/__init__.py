"""Classification and regression trees.

The classes are scikit-learn's, with the same parameters, attributes and errors. Trees are grown by
kernels of our own, for dense and for sparse rows; what these do not know is scikit-learn's code.

Growing (``tree_grow``): Splits are exact. Dense columns become ranks once for all trees of a
forest; a small subtree of many rows copies its own (``RankBlock``). On sparse rows zeros are one
block, and a node looks at the columns it drew or at its own rows, whichever is less; the entries of
a subtree that fits into the cache are put by column once (``ColumnBlock``). What limits the speed
is memory: where entries are takes two bytes, values lie apart, and the next ones are asked for in
advance. A node draws its columns and thresholds by its way from the root, so that neither the order
of growing nor the way to look at entries changes a tree, and dense and sparse rows give the same
one (but for the rounding of sums of numbers). A bootstrap sample is a vector of weights.
Nodes have 24 bytes, and class sums are kept at leaves alone, which is why model files are small;
``tree_`` makes scikit-learn's own object from them when someone asks for it. What the kernels do
not know (several outputs, absolute errors, monotonic constraints) scikit-learn grows; ``engine_``
says so.
"""

from quire.tree._classification import DecisionTreeClassifier, ExtraTreeClassifier
from quire.tree._picture import TreePicture, tree_picture
from quire.tree._regression import DecisionTreeRegressor, ExtraTreeRegressor
from quire.tree._steps import SplitStep
from quire.tree._text import export_text

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "SplitStep",
    "TreePicture",
    "export_text",
    "tree_picture",
]
