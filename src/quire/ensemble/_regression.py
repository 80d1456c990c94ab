"""Forests of regression trees."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from quire._shared.trees.categories import CONSTRAINT
from quire.ensemble._out_of_bag import out_of_bag
from quire.ensemble._packed_forest import PackedForest, packed_values
from quire.tree import DecisionTreeRegressor, ExtraTreeRegressor

__all__ = ["ExtraTreesRegressor", "RandomForestRegressor"]


class _MeanForest(PackedForest):
    """The mean over all trees."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the mean of the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predictions.
        """
        X = self._validate_X_predict(X)
        packed = self._packed_now()
        if self.n_outputs_ == 1:
            return packed_values(packed, X, self.n_jobs)
        total: NDArray[np.float64] = sum(
            tree.predict(X, check_input=False) for tree in self.estimators_
        )
        return total / len(self.estimators_)

    def _set_oob_score_and_attributes(self, X: Any, y: Any, scoring_function: Any = None) -> None:
        if self.n_outputs_ > 1:
            super()._set_oob_score_and_attributes(X, y, scoring_function)  # type: ignore[misc]
            return
        self.oob_prediction_ = out_of_bag(self, X, 0)[:, 0]
        self.oob_score_ = (scoring_function or r2_score)(y, self.oob_prediction_)


class RandomForestRegressor(_MeanForest, sklearn.ensemble.RandomForestRegressor):
    """Many trees on resampled rows, as :class:`sklearn.ensemble.RandomForestRegressor` has them.

    Each tree sees a bootstrap sample of the rows. Single trees change much with the data; their
    average does not.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        The error; "absolute_error" is grown by scikit-learn's code.
    max_depth : int, default=None
        The largest number of questions before an answer.
    min_samples_split : int or float, default=2
        The fewest samples a node is divided with; a float is a share of all.
    min_samples_leaf : int or float, default=1
        The fewest samples of a leaf; a float is a share of all.
    min_weight_fraction_leaf : float, default=0.0
        The smallest share of all weights at a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default=1.0
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
    ccp_alpha : float, default=0.0
        What a leaf costs in cost-complexity pruning.
    max_samples : int or float, default=None
        How many rows each tree draws; a float is a share; ``None`` means as many as there are.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        For each column 1, -1 or 0: whether predictions may only rise or only fall with it. Grown by
        scikit-learn's code.
    categorical_features : array-like of {bool, int, str}, "from_dtype" or None, default=None
        Columns of categories, which are divided by sets of these: a mask, column numbers, column
        names, or, for a data frame, "from_dtype" for those of a categorical type. At most 64
        categories in a column.

    Attributes
    ----------
    estimators_ : list of :class:`quire.tree.DecisionTreeRegressor`
        The trees, made from the arrays of the forest when they are asked for.
    feature_importances_ : ndarray of shape (n_features,)
        The mean over the trees of the shares of the decrease of impurity.
    oob_score_ : float
        The score of rows by trees that have not seen them; if `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,)
        Predictions for each row by trees that have not seen it; if `oob_score`.
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
    >>> from sklearn.datasets import load_diabetes
    >>> from quire.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(50, random_state=0, oob_score=True).fit(X, y)
    >>> f"{forest.oob_score_:.3f}"
    '0.397'
    """

    _tree_class = DecisionTreeRegressor
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.ensemble.RandomForestRegressor._parameter_constraints,
        "categorical_features": CONSTRAINT,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
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
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
        )
        self.categorical_features = categorical_features


class ExtraTreesRegressor(_MeanForest, sklearn.ensemble.ExtraTreesRegressor):
    """Trees with random thresholds, as :class:`sklearn.ensemble.ExtraTreesRegressor` has them.

    Each node looks at one random threshold for each column and takes the best.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        The error; "absolute_error" is grown by scikit-learn's code.
    max_depth : int, default=None
        The largest number of questions before an answer.
    min_samples_split : int or float, default=2
        The fewest samples a node is divided with; a float is a share of all.
    min_samples_leaf : int or float, default=1
        The fewest samples of a leaf; a float is a share of all.
    min_weight_fraction_leaf : float, default=0.0
        The smallest share of all weights at a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default=1.0
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
    ccp_alpha : float, default=0.0
        What a leaf costs in cost-complexity pruning.
    max_samples : int or float, default=None
        How many rows each tree draws; a float is a share; ``None`` means as many as there are.
    monotonic_cst : array-like of int of shape (n_features,), default=None
        For each column 1, -1 or 0: whether predictions may only rise or only fall with it. Grown by
        scikit-learn's code.
    categorical_features : array-like of {bool, int, str}, "from_dtype" or None, default=None
        Columns of categories, which are divided by sets of these: a mask, column numbers, column
        names, or, for a data frame, "from_dtype" for those of a categorical type. At most 64
        categories in a column.

    Attributes
    ----------
    estimators_ : list of :class:`quire.tree.ExtraTreeRegressor`
        The trees, made from the arrays of the forest when they are asked for.
    feature_importances_ : ndarray of shape (n_features,)
        The mean over the trees of the shares of the decrease of impurity.
    oob_score_ : float
        The score of rows by trees that have not seen them; if `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,)
        Predictions for each row by trees that have not seen it; if `oob_score`.
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
    >>> from sklearn.datasets import load_diabetes
    >>> from quire.ensemble import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ExtraTreesRegressor(50, random_state=0).fit(X, y)
    >>> f"{forest.score(X, y):.3f}"
    '1.000'
    """

    _tree_class = ExtraTreeRegressor
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.ensemble.ExtraTreesRegressor._parameter_constraints,
        "categorical_features": CONSTRAINT,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
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
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
        )
        self.categorical_features = categorical_features
