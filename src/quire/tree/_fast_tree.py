"""What the tree estimators share: growing and answering by our kernels.

The classes derive from scikit-learn's, so that parameters, checks and messages are its own. Our
kernels grow trees of one output by the Gini index, entropy, squared error and Poisson deviance.
Several outputs, absolute errors, monotonicity constraints and criteria or splitters that are
objects are grown by scikit-learn's builder; ``engine_`` says which it was.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from quire import _core
from quire._shared.labels import class_codes
from quire._shared.sklearn import Criterion, Splitter, check_sample_weight, fit_context
from quire._shared.threads import effective_threads
from quire._shared.trees.arrays import (
    HasTrees,
    check_trees,
    check_values,
    class_arrays,
    from_sklearn,
    importances,
    leaf_sums,
    native,
    pack,
    to_sklearn,
    value_arrays,
)
from quire._shared.trees.categories import CategoryColumns
from quire._shared.trees.rows import GrowthData, as_rows, check_places
from quire._shared.trees.ways import ways_to
from quire._shared.validation import validate_data
from quire.tree._limits import growth_limits, n_candidates
from quire.tree._steps import SplitStep, split_steps

__all__ = ["CRITERIA", "FastTree"]

CRITERIA = {"gini": 0, "entropy": 1, "log_loss": 1, "squared_error": 2, "poisson": 3}
_WORTH_A_THREAD = 4096  # rows


class FastTree(CategoryColumns, HasTrees):
    """A mixin before scikit-learn's trees."""

    criterion: Any
    splitter: Any
    class_weight: Any
    max_features: Any
    monotonic_cst: Any
    random_state: Any
    ccp_alpha: float
    keep_steps: bool = False  # as in model files that were written before there was the parameter
    steps_: list[SplitStep]
    n_features_in_: int
    n_outputs_: int
    max_features_: int
    n_classes_: Any
    classes_: Any
    engine_: str
    _arrays: dict[str, Any]
    _tree: Any
    _growth: GrowthData  # while an ensemble grows the tree: what it shares with the others

    # The fitted tree ----------------------------------------------------------------------------

    @property
    def tree_(self) -> Any:
        """The nodes as scikit-learn's ``Tree``, made from our arrays when it is asked for."""
        if vars(self).get("_tree") is None:
            if "_arrays" not in vars(self):
                raise AttributeError(f"{type(self).__name__} has no tree_ before it is fitted")
            self._tree = to_sklearn(
                self._arrays, self.n_features_in_, self._class_numbers(), self.n_outputs_
            )
        return self._tree

    @tree_.setter
    def tree_(self, tree: Any) -> None:
        self._tree = tree

    @property
    def n_leaves_(self) -> int:
        """The number of leaves, the measure of a tree's complexity."""
        check_is_fitted(self)
        return int(np.count_nonzero(self._arrays["nodes"]["left"] < 0))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The shares of the decrease of impurity that the columns brought."""
        check_is_fitted(self)
        return importances(self._arrays, self.n_features_in_, int(self._class_numbers()[0]))

    def get_depth(self) -> int:
        """Return the largest number of divisions between the root and a leaf."""
        check_is_fitted(self)
        return int(self._arrays["depth"])

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self.n_leaves_

    def __getstate__(self) -> dict[str, Any]:
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        for name in ("_tree", "_growth", "steps_"):
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        vars(self).pop("_tree", None)  # made from the arrays
        if "_arrays" in state:
            self._arrays = native(state["_arrays"])

    def _class_numbers(self) -> NDArray[np.intp]:
        if is_classifier(self):
            return np.atleast_1d(np.asarray(self.n_classes_, dtype=np.intp))
        return np.ones(self.n_outputs_, dtype=np.intp)

    # Growing ------------------------------------------------------------------------------------

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; read in single precision, as scikit-learn does. A dense one may have
            missing values (NaN).
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; samples of weight zero take no part.
        check_input : bool, default=True
            Whether to check the rows.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_places(X)
        codes = self._learn_categories(X)
        self._fit(codes, y, sample_weight=sample_weight, check_input=check_input)
        self._keep_names(X)
        return self

    def _other_engine(self, y: NDArray[Any]) -> bool:
        """Whether scikit-learn's builder has to grow the tree."""
        return (
            isinstance(self.criterion, Criterion)
            or isinstance(self.splitter, Splitter)
            or self.criterion not in CRITERIA
            or self.monotonic_cst is not None
            or (y.ndim == 2 and y.shape[1] > 1)
        )

    def _category_mask(self) -> NDArray[np.bool_] | None:
        categories = vars(self).get("_categories")
        return None if categories is None else categories.mask

    def _refuse_categories(self) -> None:
        if self._category_mask() is not None:
            raise ValueError(
                "categorical_features needs one output, no monotonic_cst, and one of the criteria "
                f"{', '.join(sorted(CRITERIA))}. Encode the categories as numbers instead, for "
                "example with sklearn.preprocessing.OneHotEncoder."
            )

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        check_input: bool = True,
        missing_values_in_feature_mask: Any = None,
    ) -> Any:
        vars(self).pop("steps_", None)
        given = X, y  # the same objects for all trees of an ensemble
        growth = vars(self).pop("_growth", None) or GrowthData()
        if check_input:
            X, y = self._check_rows(X, y)
        y = np.atleast_1d(y)
        if self._other_engine(y):
            self._refuse_categories()
            return self._fit_elsewhere(X, y, sample_weight, missing_values_in_feature_mask)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        target, weights = self._read_target(y, given[1], growth, X.shape[0], sample_weight)
        self.n_features_in_ = X.shape[1]
        self.n_outputs_ = 1
        self.max_features_ = n_candidates(self.max_features, self.n_features_in_)
        weight = float(X.shape[0]) if weights is None else float(weights.sum())
        limits = growth_limits(self, X.shape[0], weight)
        weighing = np.empty(0) if weights is None else weights
        how = (CRITERIA[self.criterion], self.splitter == "random", seed, limits)
        with growth.rows(given[0], X, self._category_mask()) as rows:
            if is_classifier(self):
                grown = rows.grow_class_tree(target, int(self.n_classes_), weighing, *how)
                self._arrays = class_arrays(grown, self.criterion)
            else:
                grown = rows.grow_value_tree(target, weighing, *how)
                self._arrays = value_arrays(grown, self.criterion)
        self.engine_ = "quire"
        self._tree = None
        self._cut_back()
        return self

    def _check_rows(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Check as scikit-learn does, with its messages."""
        rows = {"dtype": np.float32, "accept_sparse": "csr", "ensure_all_finite": False}
        targets = {"ensure_2d": False, "dtype": None}
        X, y = validate_data(self, X, y, validate_separately=(rows, targets))
        self._compute_missing_values_in_feature_mask(X)  # type: ignore[attr-defined]
        if self.criterion == "poisson":
            if np.any(y < 0):
                raise ValueError(
                    "Some value(s) of y are negative which is not allowed for Poisson regression."
                )
            if np.sum(y) <= 0:
                raise ValueError(
                    "Sum of y is not positive which is necessary for Poisson regression."
                )
        return X, y

    def _read_target(
        self,
        y: NDArray[Any],
        given: Any,
        growth: GrowthData,
        n_samples: int,
        sample_weight: Any,
    ) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        """Return codes or numbers, and weights, if there are any."""
        y = y.reshape(len(y))
        if len(y) != n_samples:
            raise ValueError(
                f"Number of labels={len(y)} does not match number of samples={n_samples}"
            )
        factor = None
        if is_classifier(self):
            self.classes_, target = growth.labels(given, lambda: class_codes(y))
            self.n_classes_ = len(self.classes_)
            if self.class_weight is not None:
                factor = compute_sample_weight(self.class_weight, y.reshape(-1, 1))
        else:
            target = np.ascontiguousarray(y, dtype=np.float64)
        if sample_weight is not None:
            # The rows are only asked for their number.
            sample_weight = check_sample_weight(sample_weight, y, dtype=np.float64)
            factor = sample_weight if factor is None else sample_weight * factor
        if factor is not None:
            factor = np.ascontiguousarray(factor, dtype=np.float64)
            if not factor.any():
                raise ValueError(
                    "All sample weights are zero, so that there is nothing to learn from. Give "
                    "some samples a positive weight."
                )
        return target, factor

    def _fit_elsewhere(self, X: Any, y: Any, sample_weight: Any, missing: Any) -> Any:
        """Let scikit-learn grow the tree and keep its arrays."""
        if sparse.issparse(X):
            X = X.tocsc()
            X.sort_indices()
        elif missing is None:
            missing = self._compute_missing_values_in_feature_mask(X)  # type: ignore[attr-defined]
        super()._fit(X, y, sample_weight, False, missing)  # type: ignore[misc]
        self._arrays = from_sklearn(self._tree, str(self.criterion))
        self.engine_ = "scikit-learn"
        self._tree = None
        return self

    def _cut_back(self) -> None:
        """Keep the steps, if asked, and prune: scikit-learn's code, on its form of the tree."""
        if self.ccp_alpha > 0.0 or self.keep_steps:
            shape = self.n_features_in_, self._class_numbers(), self.n_outputs_
            self._tree = to_sklearn(self._arrays, *shape, keep_sets=True)
            self._prune_tree()
            if self.ccp_alpha > 0.0:
                self._arrays = from_sklearn(self._tree, self.criterion, self._category_mask())
            self._tree = None

    def _prune_tree(self) -> None:
        """Keep the steps of growing before scikit-learn cuts back; it calls this in its own fits.

        ``_tree`` is the whole tree here.
        """
        if self.keep_steps:
            self.steps_ = split_steps(self._tree, self._category_mask())
        super()._prune_tree()  # type: ignore[misc]

    # Answers ------------------------------------------------------------------------------------

    def _tree_arrays(self) -> dict[str, Any]:
        packed = pack([self._arrays])
        check_trees(packed, self.n_features_in_, int(self._class_numbers()[0]))
        return packed

    def _validate_X_predict(self, X: Any, check_input: bool) -> Any:
        if not check_input:
            return super()._validate_X_predict(X, False)  # type: ignore[misc]
        codes = self._encoded(X)
        if codes is not None:
            return codes
        check_places(X)
        finite = True if sparse.issparse(X) else "allow-nan"
        return validate_data(
            self, X, dtype=np.float32, accept_sparse="csr", reset=False, ensure_all_finite=finite
        )

    def _forest(self, X: Any) -> tuple[tuple[Any, Any], tuple[Any, ...], int]:
        """Return the arguments of the kernels: nodes and where they begin, rows, threads."""
        nodes = self._arrays["nodes"]
        begin = np.array([0, len(nodes)], dtype=np.int64)
        n_threads = effective_threads(None) if X.shape[0] >= _WORTH_A_THREAD else 1
        return (nodes.view(np.uint8), begin), as_rows(X), n_threads

    def _answers(self, X: Any, check_input: bool) -> NDArray[np.float64]:
        """Return the value of the leaf of each row: shape (n_samples, n_outputs, n_classes)."""
        check_is_fitted(self)
        X = self._validate_X_predict(X, check_input)
        forest, rows, n_threads = self._forest(X)
        arrays = self._arrays
        if "value" in arrays:
            check_values(arrays)
            leaves = _core.trees.forest_leaves(*forest, rows, n_threads)[:, 0]
            values: NDArray[np.float64] = arrays["value"][leaves]
            return values.reshape(len(leaves), self.n_outputs_, -1)
        shares: NDArray[np.float64] = _core.trees.forest_shares(
            *forest, *leaf_sums(arrays), int(self.n_classes_), False, rows, n_threads
        )
        return shares[:, None, :]

    def predict(self, X: Any, check_input: bool = True) -> Any:
        """Predict the class with the largest share, or the mean, of the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to check them.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Classes or numbers.
        """
        values = self._answers(X, check_input)
        if not is_classifier(self):
            return values[:, 0, 0] if self.n_outputs_ == 1 else values[:, :, 0]
        if self.n_outputs_ == 1:
            return self.classes_.take(np.argmax(values[:, 0], axis=1))
        columns = [
            classes.take(np.argmax(values[:, k], axis=1)) for k, classes in enumerate(self.classes_)
        ]
        return np.stack(columns, axis=1).astype(self.classes_[0].dtype, copy=False)

    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.int64]:
        """Return the number of the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to check them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of nodes.
        """
        check_is_fitted(self)
        X = self._validate_X_predict(X, check_input)
        forest, rows, n_threads = self._forest(X)
        leaves: NDArray[np.int32] = _core.trees.forest_leaves(*forest, rows, n_threads)[:, 0]
        return leaves.astype(np.int64)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to check them.

        Returns
        -------
        sparse matrix of shape (n_samples, n_nodes)
            Ones at the nodes of the path.
        """
        leaves = self.apply(X, check_input)
        return ways_to(self._tree_arrays()["nodes"], leaves)
