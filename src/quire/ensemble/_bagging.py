"""Bagging: one model, fitted on many bootstrap samples, averaged or by majority vote."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, ClassVar, cast

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from quire._shared.labels import class_codes
from quire._shared.sklearn import StrOptions
from quire._shared.trees.arrays import pack, unpack
from quire._shared.trees.rows import GrowthData, check_places
from quire._shared.validation import validate_data
from quire.ensemble._packed_forest import (
    are_packed,
    growth_of,
    packed_shares,
    packed_values,
    parts_of,
)
from quire.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

__all__ = ["BaggingClassifier", "BaggingRegressor"]

_DERIVED = ("_packing", "_packed", "_parts")  # made from the trees; names of other versions, too
_TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)


class _BaggedTrees:
    """A mixin before scikit-learn's bagging, for which trees are a special case."""

    estimator: Any
    max_features: float
    bootstrap_features: bool
    estimators_: list[Any]
    estimators_features_: list[Any]
    n_jobs: int | None
    n_features_in_: int
    _packing: tuple[dict[str, Any], list[tuple[Any, Any]]]  # all trees, and what it was made from
    _growth: GrowthData  # while trees are fitted

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Any:
        """Fit a model on each bootstrap sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights that rows are drawn by.
        **fit_params : dict
            For the ``fit`` of the models, if metadata routing is on.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_places(X)
        vars(self).pop("_packing", None)
        # Other models, or trees of some columns, get a matrix of their own each.
        share = isinstance(self._get_estimator(), _TREES) and self._takes_all_columns()
        with growth_of(self, share, backend="threading"):
            super().fit(X, y, sample_weight, **fit_params)  # type: ignore[misc]
        packed = self._packed_trees()
        if packed is not None:
            for t, tree in enumerate(self.estimators_):
                tree._arrays = unpack(packed, t)
            self._packing = packed, parts_of(self.estimators_)
        return self

    def _takes_all_columns(self) -> bool:
        every = isinstance(self.max_features, float) and self.max_features == 1.0
        return every and not self.bootstrap_features

    def _get_estimator(self) -> Any:
        raise NotImplementedError

    def _make_estimator(self, append: bool = True, random_state: Any = None) -> Any:
        model = super()._make_estimator(append, random_state)  # type: ignore[misc]
        if "_growth" in vars(self):
            model._growth = self._growth
        return model

    def __getstate__(self) -> dict[str, Any]:
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        for name in _DERIVED:
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        for name in _DERIVED:
            vars(self).pop(name, None)

    def _packed_trees(self) -> dict[str, Any] | None:
        """Return the arrays of all trees, or None if some are something else or lack columns.

        They are kept together with what they were made from, so that threads which find them
        out of date at a time do each other no harm.
        """
        check_is_fitted(self)
        trees = self.estimators_
        packed, parts = vars(self).get("_packing") or (None, None)
        if packed is None or not are_packed(trees, parts):
            if len(trees) != len(self.estimators_features_) or not all(
                self._can_be_packed(tree, columns)
                for tree, columns in zip(trees, self.estimators_features_, strict=True)
            ):
                return None
            if len({"value" in tree._arrays for tree in trees}) != 1:
                return None
            packed = pack([tree._arrays for tree in trees])
            self._packing = packed, parts_of(trees)
        return packed

    def _can_be_packed(self, tree: Any, columns: Any) -> bool:
        """Whether a model is a tree of all columns and classes."""
        n_classes = getattr(self, "n_classes_", None)
        return (
            isinstance(tree, _TREES)
            and tree.n_outputs_ == 1
            and tree.n_features_in_ == self.n_features_in_
            and tree._category_mask() is None
            and np.array_equal(columns, np.arange(self.n_features_in_))
            and (
                n_classes is None
                or not hasattr(tree, "classes_")
                or np.array_equal(tree.classes_, np.arange(n_classes))
            )
        )

    def _rows(self, X: Any) -> Any:
        check_places(X)
        finite = True if sparse.issparse(X) else "allow-nan"
        return validate_data(
            self, X, dtype=np.float32, accept_sparse="csr", reset=False, ensure_all_finite=finite
        )


class BaggingClassifier(_BaggedTrees, sklearn.ensemble.BaggingClassifier):
    """Averaged classifiers, as :class:`sklearn.ensemble.BaggingClassifier` has them.

    Bootstrap aggregating: the model is fitted on many samples that are drawn from the rows with
    replacement, and what all of them say is averaged, or decided by majority vote.

    Parameters
    ----------
    estimator : estimator, default=None
        The model; ``None`` means :class:`quire.tree.DecisionTreeClassifier`.
    n_estimators : int, default=10
        How many are fitted.
    max_samples : int or float, default=None
        How many rows each one draws; a float is a share; ``None`` means as many as there are.
    max_features : int or float, default=1.0
        How many columns each one gets; a float is a share.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default=False
        Whether columns are.
    oob_score : bool, default=False
        Whether to score each row by the models that have not seen it.
    warm_start : bool, default=False
        Whether a further ``fit`` adds models to those that are there.
    n_jobs : int, default=None
        Threads; ``None`` means all cores.
    random_state : int, RandomState instance or None, default=None
        Draws rows and columns, and goes on to the models.
    verbose : int, default=0
        Whether to tell about progress.
    voting : {"soft", "hard"}, default="soft"
        Whether models give probabilities, which are averaged, or one vote each: the majority wins,
        and of classes with equally many votes the first in ``classes_``. With "hard",
        ``predict_proba`` has the shares of the votes. Models without probabilities vote always.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted models.
    estimators_features_ : list of ndarray
        The columns of each.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    oob_score_ : float
        The accuracy of models on rows they have not seen; if `oob_score`.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Class shares, or shares of votes, of each row by such models; if `oob_score`.

    Notes
    -----
    Trees share what is made of the rows and answer together in one kernel.

    References
    ----------
    L. Breiman, "Bagging predictors", Machine Learning 24, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.ensemble import BaggingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> BaggingClassifier(random_state=0).fit(X, y).predict(X[[0, 60, 120]])
    array([0, 1, 2])

    A majority vote of ten trees:

    >>> BaggingClassifier(voting="hard", random_state=0).fit(X, y).predict_proba(X[[70, 120]])
    array([[0. , 0.4, 0.6],
           [0. , 0. , 1. ]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **sklearn.ensemble.BaggingClassifier._parameter_constraints,
        "voting": [StrOptions({"soft", "hard"})],
    }

    voting: str = "soft"  # as in model files that were written before there was the parameter
    n_classes_: int

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float | None = None,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        voting: str = "soft",
    ) -> None:
        super().__init__(
            estimator=estimator,
            n_estimators=n_estimators,
            max_samples=max_samples,
            max_features=max_features,
            bootstrap=bootstrap,
            bootstrap_features=bootstrap_features,
            oob_score=oob_score,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.voting = voting

    def _validate_y(self, y: Any) -> NDArray[np.intp]:
        self.classes_, codes = class_codes(y)
        self.n_classes_ = len(self.classes_)
        return codes.astype(np.intp)

    def _get_estimator(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def predict_proba(self, X: Any, **params: Any) -> NDArray[np.float64]:
        """Return the mean class shares of the models, or the shares of their votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        **params : dict
            For the models, if metadata routing is on.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Shares, in the order of ``classes_``.
        """
        hard = self.voting == "hard"
        packed = None if params else self._packed_trees()
        if packed is not None and "sum_begin" in packed:
            return packed_shares(packed, self._rows(X), self.n_classes_, hard, self.n_jobs)
        if hard:
            self._refuse(params)
            check_is_fitted(self)
            X = validate_data(
                self,
                X,
                accept_sparse=["csr", "csc"],
                dtype=None,
                ensure_all_finite=False,
                reset=False,
            )
            every = np.ones(X.shape[0], dtype=bool)
            return self._votes(X, [every] * len(self.estimators_)) / len(self.estimators_)
        shares: NDArray[np.float64] = super().predict_proba(X, **params)
        return shares

    def _refuse(self, params: dict[str, Any]) -> None:
        if params:
            raise ValueError(
                f"voting='hard' passes nothing on to the models; got {', '.join(sorted(params))}."
            )

    def _votes(self, X: Any, asked: Iterable[NDArray[np.bool_]]) -> NDArray[np.float64]:
        """Return how many models vote for each class, of those that are asked about each row.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
            The rows.
        asked : iterable of ndarray of bool of shape (n_samples,)
            For each model, the rows that it is asked about.
        """
        found = np.zeros((X.shape[0], self.n_classes_))
        models = zip(self.estimators_, self.estimators_features_, asked, strict=True)
        for model, columns, mask in models:
            rows = np.flatnonzero(mask)
            if len(rows):
                # The models were fitted on numbers of classes.
                found[rows, model.predict(X[rows][:, columns]).astype(np.intp)] += 1
        return found

    def _set_oob_score(self, X: Any, y: Any) -> None:
        if self.voting == "soft":
            super()._set_oob_score(X, y)
            return
        n = len(y)
        unseen = [np.bincount(drawn, minlength=n) == 0 for drawn in self.estimators_samples_]
        votes = self._votes(X, unseen)
        n_votes = votes.sum(axis=1)
        if (n_votes == 0).any():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few estimators were "
                "used to compute any reliable oob estimates.",
                UserWarning,
                stacklevel=2,
            )
        with np.errstate(invalid="ignore"):
            self.oob_decision_function_ = votes / n_votes[:, None]
        self.oob_score_ = float(np.mean(votes.argmax(axis=1) == y))

    def predict_log_proba(self, X: Any, **params: Any) -> NDArray[np.float64]:
        """Return the logarithms of the mean class shares; a share of zero gives minus infinity.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        **params : dict
            For the models, if metadata routing is on.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms, in the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            if self.voting == "soft" and (params or self._packed_trees() is None):
                logs: NDArray[np.float64] = super().predict_log_proba(X, **params)
                return logs
            return np.asarray(np.log(self.predict_proba(X, **params)))


class BaggingRegressor(_BaggedTrees, sklearn.ensemble.BaggingRegressor):
    """Averaged regressors, as :class:`sklearn.ensemble.BaggingRegressor` has them.

    Parameters
    ----------
    estimator : estimator, default=None
        The model; ``None`` means :class:`quire.tree.DecisionTreeRegressor`.
    n_estimators, max_samples, max_features, bootstrap, bootstrap_features : optional
        As in :class:`BaggingClassifier`.
    oob_score, warm_start, n_jobs, random_state, verbose : optional
        The same.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted models.
    estimators_features_ : list of ndarray
        The columns of each.
    oob_score_ : float
        R² of models on rows they have not seen; if `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,)
        Predictions for each row by such models; if `oob_score`.

    References
    ----------
    L. Breiman, "Bagging predictors", Machine Learning 24, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from quire.ensemble import BaggingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BaggingRegressor(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> f"{model.oob_score_:.3f}"
    '0.401'
    """

    def _get_estimator(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def predict(self, X: Any, **params: Any) -> NDArray[np.float64]:
        """Return the mean of the models.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        **params : dict
            For the models, if metadata routing is on.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predictions.
        """
        packed = None if params else self._packed_trees()
        if packed is None:
            values: NDArray[np.float64] = super().predict(X, **params)
            return values
        return packed_values(packed, self._rows(X), self.n_jobs)
