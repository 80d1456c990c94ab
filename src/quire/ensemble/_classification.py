"""Forests of classification trees."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score

from quire._shared.decisions import largest
from quire._shared.labels import class_codes
from quire._shared.sklearn import StrOptions
from quire._shared.trees.categories import CONSTRAINT
from quire.ensemble._out_of_bag import out_of_bag, votes
from quire.ensemble._packed_forest import PackedForest, packed_shares
from quire.tree import DecisionTreeClassifier, ExtraTreeClassifier

__all__ = ["ExtraTreesClassifier", "RandomForestClassifier"]


class _ShareForest(PackedForest):
    """Class shares over all trees."""

    voting: str
    class_weight: Any
    classes_: Any

    def predict_proba(self, X: Any) -> Any:
        """Return the mean class shares of the trees, or the shares of their votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of such
            Shares, in the order of ``classes_``; a list for several outputs.
        """
        X = self._validate_X_predict(X)
        packed = self._packed_now()
        hard = self.voting == "hard"
        if "sum_begin" in packed:
            return packed_shares(packed, X, int(self.n_classes_), hard, self.n_jobs)
        total: Any = 0
        for tree in self.estimators_:
            shares = tree.predict_proba(X, check_input=False)
            parts = shares if isinstance(shares, list) else [shares]
            parts = [votes(part) if hard else part for part in parts]
            total = [a + b for a, b in zip(total, parts, strict=True)] if total else parts
        means = [part / len(self.estimators_) for part in total]
        return means[0] if len(means) == 1 else means

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

    def _validate_y_class_weight(self, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        if self.n_outputs_ > 1 or self.class_weight is not None:
            return super()._validate_y_class_weight(y, sample_weight)  # type: ignore[misc,no-any-return]
        classes, codes = class_codes(y[:, 0])
        self.classes_, self.n_classes_ = [classes], [len(classes)]
        return codes.astype(np.intp).reshape(-1, 1), None

    def _set_oob_score_and_attributes(self, X: Any, y: Any, scoring_function: Any = None) -> None:
        if not all("sum_begin" in tree._arrays for tree in self.estimators_):
            super()._set_oob_score_and_attributes(X, y, scoring_function)  # type: ignore[misc]
            return
        shares = out_of_bag(self, X, int(self.n_classes_[0]), self.voting == "hard")
        self.oob_decision_function_ = shares
        self.oob_score_ = (scoring_function or accuracy_score)(y, np.argmax(shares, axis=1))

    def _get_oob_predictions(self, tree: Any, X: Any) -> NDArray[np.float64]:
        found: NDArray[np.float64] = super()._get_oob_predictions(tree, X)  # type: ignore[misc]
        if self.voting == "soft":
            return found
        return np.stack([votes(found[:, :, k]) for k in range(found.shape[2])], axis=2)


class RandomForestClassifier(_ShareForest, sklearn.ensemble.RandomForestClassifier):
    """Many trees on resampled rows, as :class:`sklearn.ensemble.RandomForestClassifier` has them.

    Each tree sees a bootstrap sample of the rows, and each of its nodes a few of the columns.
    Single trees change much with the data; their average does not.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity; "log_loss" is "entropy".
    max_depth : int, default=None
        The largest number of questions before an answer.
    min_samples_split : int or float, default=2
        The fewest samples a node is divided with; a float is a share of all.
    min_samples_leaf : int or float, default=1
        The fewest samples of a leaf; a float is a share of all.
    min_weight_fraction_leaf : float, default=0.0
        The smallest share of all weights at a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        How many columns, drawn at random, a node looks at; ``None`` means all.
    max_leaf_nodes : int, default=None
        The most leaves of a tree. Nodes are then divided in the order of what that gains.
    min_impurity_decrease : float, default=0.0
        The smallest gain that a node is divided for.
    bootstrap : bool, default=True
        Whether each tree sees rows drawn with replacement, or all of them.
    oob_score : bool or callable, default=False
        Whether to score each row by the trees that have not seen it; a callable is the score.
    n_jobs : int, default=None
        Threads; ``None`` means all cores. The trees do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws rows, columns and thresholds.
    verbose : int, default=0
        Whether to tell about progress.
    warm_start : bool, default=False
        Whether a further ``fit`` adds trees to those that are there.
    class_weight : {"balanced", "balanced_subsample"}, dict or list of dict, default=None
        Weights of the classes; "balanced" makes them weigh the same, "balanced_subsample" among the
        rows that each tree sees.
    ccp_alpha : float, default=0.0
        What a leaf costs in cost-complexity pruning.
    max_samples : int or float, default=None
        How many rows each tree draws; a float is a share; ``None`` means as many as there are.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        For each column 1, -1 or 0: whether predictions may only rise or only fall with it. Grown by
        scikit-learn's code.
    voting : {"soft", "hard"}, default="soft"
        Whether trees give the class shares of their leaves, or one vote each. With "hard",
        ``predict_proba`` has the shares of the votes.
    categorical_features : array-like of {bool, int, str}, "from_dtype" or None, default=None
        Columns of categories, which are divided by sets of these: a mask, column numbers, column
        names, or, for a data frame, "from_dtype" for those of a categorical type. At most 64
        categories in a column.

    Attributes
    ----------
    estimators_ : list of :class:`quire.tree.DecisionTreeClassifier`
        The trees, made from the arrays of the forest when they are asked for.
    classes_ : ndarray of shape (n_classes,), or list of such
        The classes.
    n_classes_ : int or list of int
        How many there are.
    feature_importances_ : ndarray of shape (n_features,)
        The mean over the trees of the shares of the decrease of impurity.
    oob_score_ : float
        The score of rows by trees that have not seen them; if `oob_score`.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Class shares of each row by trees that have not seen it; if `oob_score`.
    engine_ : {"quire", "scikit-learn"}
        Whose code grew the trees.
    n_features_in_, n_outputs_ : int
        Columns and outputs of the fitted data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if they are all strings.

    Notes
    -----
    Bootstrap samples are those of scikit-learn for the same `random_state`; the columns drawn at
    the nodes are not, so that forests agree in quality and not tree by tree. The same
    `random_state` gives the same bits with any `n_jobs`.

    References
    ----------
    L. Breiman, "Random forests", Machine Learning 45, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0, oob_score=True).fit(X, y)
    >>> forest.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> f"{forest.oob_score_:.3f}"
    '0.940'
    """

    _tree_class = DecisionTreeClassifier
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.ensemble.RandomForestClassifier._parameter_constraints,
        "voting": [StrOptions({"soft", "hard"})],
        "categorical_features": CONSTRAINT,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        voting: str = "soft",
        categorical_features: Any = None,
    ) -> None:
        super().__init__(
            n_estimators=n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
        )
        self.voting = voting
        self.categorical_features = categorical_features


class ExtraTreesClassifier(_ShareForest, sklearn.ensemble.ExtraTreesClassifier):
    """Trees with random thresholds, as :class:`sklearn.ensemble.ExtraTreesClassifier` has them.

    Each node looks at one random threshold for each of a few columns and takes the best.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity; "log_loss" is "entropy".
    max_depth : int, default=None
        The largest number of questions before an answer.
    min_samples_split : int or float, default=2
        The fewest samples a node is divided with; a float is a share of all.
    min_samples_leaf : int or float, default=1
        The fewest samples of a leaf; a float is a share of all.
    min_weight_fraction_leaf : float, default=0.0
        The smallest share of all weights at a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        How many columns, drawn at random, a node looks at; ``None`` means all.
    max_leaf_nodes : int, default=None
        The most leaves of a tree. Nodes are then divided in the order of what that gains.
    min_impurity_decrease : float, default=0.0
        The smallest gain that a node is divided for.
    bootstrap : bool, default=False
        Whether each tree sees rows drawn with replacement, or all of them.
    oob_score : bool or callable, default=False
        Whether to score each row by the trees that have not seen it; a callable is the score.
    n_jobs : int, default=None
        Threads; ``None`` means all cores. The trees do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws rows, columns and thresholds.
    verbose : int, default=0
        Whether to tell about progress.
    warm_start : bool, default=False
        Whether a further ``fit`` adds trees to those that are there.
    class_weight : {"balanced", "balanced_subsample"}, dict or list of dict, default=None
        Weights of the classes; "balanced" makes them weigh the same, "balanced_subsample" among the
        rows that each tree sees.
    ccp_alpha : float, default=0.0
        What a leaf costs in cost-complexity pruning.
    max_samples : int or float, default=None
        How many rows each tree draws; a float is a share; ``None`` means as many as there are.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        For each column 1, -1 or 0: whether predictions may only rise or only fall with it. Grown by
        scikit-learn's code.
    voting : {"soft", "hard"}, default="soft"
        Whether trees give the class shares of their leaves, or one vote each. With "hard",
        ``predict_proba`` has the shares of the votes.
    categorical_features : array-like of {bool, int, str}, "from_dtype" or None, default=None
        Columns of categories, which are divided by sets of these: a mask, column numbers, column
        names, or, for a data frame, "from_dtype" for those of a categorical type. At most 64
        categories in a column.

    Attributes
    ----------
    estimators_ : list of :class:`quire.tree.ExtraTreeClassifier`
        The trees, made from the arrays of the forest when they are asked for.
    classes_ : ndarray of shape (n_classes,), or list of such
        The classes.
    n_classes_ : int or list of int
        How many there are.
    feature_importances_ : ndarray of shape (n_features,)
        The mean over the trees of the shares of the decrease of impurity.
    oob_score_ : float
        The score of rows by trees that have not seen them; if `oob_score`.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Class shares of each row by trees that have not seen it; if `oob_score`.
    engine_ : {"quire", "scikit-learn"}
        Whose code grew the trees.
    n_features_in_, n_outputs_ : int
        Columns and outputs of the fitted data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if they are all strings.

    Notes
    -----
    Bootstrap samples are those of scikit-learn for the same `random_state`; the columns drawn at
    the nodes are not, so that forests agree in quality and not tree by tree. The same
    `random_state` gives the same bits with any `n_jobs`.

    References
    ----------
    P. Geurts, D. Ernst and L. Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.ensemble import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ExtraTreesClassifier(50, random_state=0).fit(X, y)
    >>> forest.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    _tree_class = ExtraTreeClassifier
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.ensemble.ExtraTreesClassifier._parameter_constraints,
        "voting": [StrOptions({"soft", "hard"})],
        "categorical_features": CONSTRAINT,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        voting: str = "soft",
        categorical_features: Any = None,
    ) -> None:
        super().__init__(
            n_estimators=n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
        )
        self.voting = voting
        self.categorical_features = categorical_features
