"""Classification trees: yes-or-no questions about columns, class shares at the leaves."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import sklearn.tree

from quire._shared.decisions import largest
from quire._shared.trees.categories import CONSTRAINT
from quire.tree._fast_tree import FastTree

__all__ = ["DecisionTreeClassifier", "ExtraTreeClassifier"]


class _ShareTree(FastTree):
    """Class shares of the leaves."""

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Return the shares of the classes at the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to check them.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of such
            Shares, in the order of ``classes_``; a list for several outputs.
        """
        shares = self._answers(X, check_input)
        if self.n_outputs_ == 1:
            return shares[:, 0]
        return [shares[:, k, :n] for k, n in enumerate(self.n_classes_)]

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Any]:
        return largest(self.predict_proba(X))

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of :meth:`predict_proba`; a share of zero gives minus infinity.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of such
            Logarithms, in the order of ``classes_``.
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(part) for part in shares] if self.n_outputs_ > 1 else np.log(shares)


class DecisionTreeClassifier(_ShareTree, sklearn.tree.DecisionTreeClassifier):
    r"""A classification tree, as :class:`sklearn.tree.DecisionTreeClassifier` grows it.

    Every node asks whether one column is at most a threshold. The question is the one, of all
    columns and thresholds, that lowers the impurity of the two sides most. With :math:`p_k` the
    share of class :math:`k` at a node, the impurity is

    .. math:: 1 - \sum_k p_k^2 \quad\text{(gini)} \qquad -\sum_k p_k \log p_k \quad\text{(entropy)}

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity; "log_loss" is "entropy".
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
    class_weight : dict, list of dict or "balanced", default=None
        Weights of the classes; "balanced" makes them weigh the same.
    ccp_alpha : float, default=0.0
        What a leaf costs in cost-complexity pruning; see ``cost_complexity_pruning_path``.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        For each column 1, -1 or 0: whether the share of the second class may only rise or only
        fall with it. Grown by scikit-learn's code.
    categorical_features : array-like of {bool, int, str}, "from_dtype" or None, default=None
        Columns of categories, which are divided by sets of these: a mask, column numbers, column
        names, or, for a data frame, "from_dtype" for those of a categorical type. At most 64
        categories in a column.
    keep_steps : bool, default=False
        Whether to keep the divisions in the order of growth in ``steps_``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of such
        The classes.
    n_classes_ : int or ndarray of int
        How many there are.
    feature_importances_ : ndarray of shape (n_features,)
        Shares of the decrease of impurity that the columns brought.
    max_features_ : int
        How many columns a node looks at.
    n_leaves_ : int
        The number of leaves.
    tree_ : sklearn.tree._tree.Tree
        The nodes as scikit-learn has them, made from our arrays when it is asked for.
    engine_ : {"quire", "scikit-learn"}
        Whose code grew the tree; scikit-learn's does several outputs and monotonicity constraints.
    steps_ : list of SplitStep
        If `keep_steps`: the root, and the tree after each division, in the order of growth. Pruning
        comes after; nodes have the numbers of the whole tree. Copies and files do not hold it.
    n_features_in_, n_outputs_ : int
        Columns and outputs of the fitted data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if they are all strings.

    Notes
    -----
    Splits are exact and equal to scikit-learn's unless several are equally good. Of sparse rows
    only the stored values are looked at. Missing values (NaN, dense rows only) go to the side where
    they do less harm; where there were none in training, to the larger side.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> tree.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> tree.n_leaves_
    3
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.tree.DecisionTreeClassifier._parameter_constraints,
        "categorical_features": CONSTRAINT,
        "keep_steps": ["boolean"],
    }

    def __init__(
        self,
        *,
        criterion: Any = "gini",
        splitter: Any = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
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
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
        )
        self.categorical_features = categorical_features
        self.keep_steps = keep_steps


class ExtraTreeClassifier(_ShareTree, sklearn.tree.ExtraTreeClassifier):
    """A tree with random thresholds, as :class:`sklearn.tree.ExtraTreeClassifier` grows it.

    The best of one random threshold for each of the columns drawn. Made for forests
    (:class:`quire.ensemble.ExtraTreesClassifier`).

    Parameters
    ----------
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf : optional
        As in :class:`DecisionTreeClassifier`; ``splitter="random"`` is the default.
    min_weight_fraction_leaf, max_features, random_state, max_leaf_nodes : optional
        The same; ``max_features="sqrt"`` is the default.
    min_impurity_decrease, class_weight, ccp_alpha, monotonic_cst : optional
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
    >>> from sklearn.datasets import load_iris
    >>> from quire.tree import ExtraTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreeClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.tree.ExtraTreeClassifier._parameter_constraints,
        "categorical_features": CONSTRAINT,
        "keep_steps": ["boolean"],
    }

    def __init__(
        self,
        *,
        criterion: Any = "gini",
        splitter: Any = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
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
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
        )
        self.categorical_features = categorical_features
        self.keep_steps = keep_steps
