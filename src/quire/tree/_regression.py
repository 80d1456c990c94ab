"""Regression trees: the mean of the target at every leaf."""

from __future__ import annotations

from typing import Any, ClassVar

import sklearn.tree

from quire._shared.trees.categories import CONSTRAINT
from quire.tree._fast_tree import FastTree

__all__ = ["DecisionTreeRegressor", "ExtraTreeRegressor"]


class DecisionTreeRegressor(FastTree, sklearn.tree.DecisionTreeRegressor):
    r"""A regression tree, as :class:`sklearn.tree.DecisionTreeRegressor` grows it.

    Every node asks whether one column is at most a threshold. The question is the one that lowers
    the error of the two sides most: with :math:`\bar y` the mean of a node, the squared error is

    .. math:: \frac{1}{N} \sum_i (y_i - \bar y)^2

    and the Poisson deviance :math:`\frac{1}{N} \sum_i y_i \log (y_i / \bar y)`.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        The error. "absolute_error" puts the median at the leaves and is grown by scikit-learn.
    splitter : {"best", "random"}, default="best"
        The best threshold of each column, or one at random.
    max_depth : int, default=None
        The largest number of questions before an answer.
    min_samples_split : int or float, default=2
        The fewest samples a node is divided with; a float is a share of all.
    min_samples_leaf : int or float, default=1
        The fewest samples of a leaf; a float is a share of all.
    min_weight_fraction_leaf : float, default=0.0
        The smallest share of all weights at a leaf.
    max_features : int, float or {"sqrt", "log2"}, default=None
        How many columns, drawn at random, a node looks at; ``None`` means all.
    random_state : int, RandomState instance or None, default=None
        Decides between columns that are equally good, and draws columns and thresholds.
    max_leaf_nodes : int, default=None
        The most leaves. Nodes are then divided in the order of what that gains.
    min_impurity_decrease : float, default=0.0
        The smallest gain that a node is divided for.
    ccp_alpha : float, default=0.0
        What a leaf costs in cost-complexity pruning; see ``cost_complexity_pruning_path``.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        For each column 1, -1 or 0: whether the prediction may only rise or only fall with it.
        Grown by scikit-learn's code.
    categorical_features : array-like of {bool, int, str}, "from_dtype" or None, default=None
        Columns of categories, which are divided by sets of these: a mask, column numbers, column
        names, or, for a data frame, "from_dtype" for those of a categorical type. At most 64
        categories in a column.
    keep_steps : bool, default=False
        Whether to keep the divisions in the order of growth in ``steps_``.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the decrease of the error that the columns brought.
    max_features_ : int
        How many columns a node looks at.
    n_leaves_ : int
        The number of leaves.
    tree_ : sklearn.tree._tree.Tree
        The nodes as scikit-learn has them, made from our arrays when it is asked for.
    engine_ : {"quire", "scikit-learn"}
        Whose code grew the tree; scikit-learn's does several outputs, absolute errors and
        monotonicity constraints.
    steps_ : list of SplitStep
        If `keep_steps`: the root, and the tree after each division, in the order of growth. Pruning
        comes after; nodes have the numbers of the whole tree. Copies and files do not hold it.
    n_features_in_, n_outputs_ : int
        Columns and outputs of the fitted data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if they are all strings.

    Notes
    -----
    As for :class:`DecisionTreeClassifier`: exact splits, sparse rows, missing values.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.tree import DecisionTreeRegressor
    >>> X = np.arange(8.0).reshape(-1, 1)
    >>> y = [1, 1, 1, 5, 5, 5, 9, 9]
    >>> tree = DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)
    >>> tree.predict([[0.0], [4.0], [7.0]])
    array([1., 5., 9.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.tree.DecisionTreeRegressor._parameter_constraints,
        "categorical_features": CONSTRAINT,
        "keep_steps": ["boolean"],
    }

    def __init__(
        self,
        *,
        criterion: Any = "squared_error",
        splitter: Any = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        keep_steps: bool = False,
    ) -> None:
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
        )
        self.categorical_features = categorical_features
        self.keep_steps = keep_steps


class ExtraTreeRegressor(FastTree, sklearn.tree.ExtraTreeRegressor):
    """A tree with random thresholds, as :class:`sklearn.tree.ExtraTreeRegressor` grows it.

    The best of one random threshold for each column. Made for forests
    (:class:`quire.ensemble.ExtraTreesRegressor`).

    Parameters
    ----------
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf : optional
        As in :class:`DecisionTreeRegressor`; ``splitter="random"`` is the default.
    min_weight_fraction_leaf, max_features, random_state, min_impurity_decrease : optional
        The same; ``max_features=1.0`` is the default.
    max_leaf_nodes, ccp_alpha, monotonic_cst : optional
        The same.
    categorical_features : optional
        The same; a random set of them at each node.
    keep_steps : optional
        The same.

    References
    ----------
    P. Geurts, D. Ernst and L. Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from quire.tree import ExtraTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreeRegressor(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.tree.ExtraTreeRegressor._parameter_constraints,
        "categorical_features": CONSTRAINT,
        "keep_steps": ["boolean"],
    }

    def __init__(
        self,
        *,
        criterion: Any = "squared_error",
        splitter: Any = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        keep_steps: bool = False,
    ) -> None:
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
        )
        self.categorical_features = categorical_features
        self.keep_steps = keep_steps
