"""What the forests share: compact trees, and answers over all trees at once.

Fitting is scikit-learn's code, so that bootstrap samples, out-of-bag scores, warm starts and class
weights are its own; only the trees in it are ours, and they share what is made of the rows. Once
fitted, the trees are one set of arrays, of which ``estimators_`` makes tree objects when someone
asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from quire import _core
from quire._shared.threads import effective_threads
from quire._shared.trees.arrays import HasTrees, importances, leaf_sums, native, pack, unpack
from quire._shared.trees.categories import CategoryColumns
from quire._shared.trees.rows import GrowthData, as_rows

__all__ = ["PackedForest", "growth_of", "packed_shares", "packed_values"]

_OF_ONE_TREE = ("_arrays", "_tree", "_is_checked", "random_state")


@contextmanager
def growth_of(ensemble: Any, share: bool = True, **backend: str) -> Iterator[None]:
    """Within, the ensemble has data for the trees that it makes, and joblib has our threads.

    An error, or Ctrl-C, also ends the trees that other threads are growing.
    """
    growth = GrowthData()
    if share:
        ensemble._growth = growth
    try:
        with joblib.parallel_config(**backend, n_jobs=effective_threads(ensemble.n_jobs)):
            yield
    except BaseException:
        growth.stop()
        raise
    finally:
        vars(ensemble).pop("_growth", None)


def packed_shares(
    packed: dict[str, Any], X: Any, n_classes: int, hard: bool, n_jobs: int | None
) -> NDArray[np.float64]:
    """Return the mean class shares, or the shares of votes, of all trees for each row."""
    shares: NDArray[np.float64] = _core.trees.forest_shares(
        packed["nodes"].view(np.uint8),
        packed["begin"],
        *leaf_sums(packed),
        n_classes,
        hard,
        as_rows(X),
        effective_threads(n_jobs),
    )
    return shares


def packed_values(packed: dict[str, Any], X: Any, n_jobs: int | None) -> NDArray[np.float64]:
    """Return the mean value of all trees for each row."""
    values: NDArray[np.float64] = _core.trees.forest_values(
        packed["nodes"].view(np.uint8),
        packed["begin"],
        np.ascontiguousarray(packed["value"]).reshape(-1),
        as_rows(X),
        effective_threads(n_jobs),
    )
    return values


class PackedForest(CategoryColumns, HasTrees):
    """A mixin before scikit-learn's forests."""

    _tree_class: Any
    n_jobs: int | None
    n_features_in_: int
    n_outputs_: int
    n_classes_: Any
    _packed: dict[str, Any]
    _seeds: NDArray[np.int64]
    _tree_state: dict[str, Any]
    _trees: list[Any]
    _growth: GrowthData  # while it is fitted

    @property
    def estimator(self) -> Any:
        """A tree like those of the forest, before its parameters are set."""
        return self._tree_class()

    @estimator.setter
    def estimator(self, tree: Any) -> None:
        """Ours it remains: scikit-learn's constructor would put its own class here."""

    @property
    def estimators_(self) -> list[Any]:
        """The trees, as objects made from the arrays of the forest."""
        if "_trees" not in vars(self):
            if "_packed" not in vars(self):
                raise AttributeError(
                    f"{type(self).__name__} has no estimators_ before it is fitted"
                )
            self._trees = [self._make_tree(t) for t in range(len(self._seeds))]
        return self._trees

    @estimators_.setter
    def estimators_(self, trees: list[Any]) -> None:
        self._trees = trees

    def _make_tree(self, t: int) -> Any:
        tree = self._tree_class()
        vars(tree).update(self._tree_state)
        vars(tree).update(random_state=int(self._seeds[t]), _arrays=unpack(self._packed, t))
        return tree

    @property
    def engine_(self) -> str:
        """Whose code grew the trees: "quire" or "scikit-learn"."""
        check_is_fitted(self)
        return str(self._tree_state["engine_"])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The mean over the trees of the shares of the decrease of impurity; they sum to one."""
        check_is_fitted(self)
        n_classes = int(np.max(self.n_classes_)) if hasattr(self, "n_classes_") else 1
        total = np.zeros(self.n_features_in_)
        for t in range(len(self._seeds)):
            total += importances(unpack(self._packed, t), self.n_features_in_, n_classes)
        whole = total.sum()
        return total / whole if whole > 0 else total

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; read in single precision, as scikit-learn does. A dense one may have
            missing values (NaN).
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        goes_on = getattr(self, "warm_start", False) and "_packed" in vars(self)
        if not goes_on:
            vars(self).pop("_trees", None)
        # Trees that are there already know the categories by their codes.
        codes = self._encoded(X) if goes_on else None
        if codes is None:
            codes = self._learn_categories(X)
        with growth_of(self):
            super().fit(codes, y, sample_weight)  # type: ignore[misc]
        self._pack()
        self._keep_names(X)
        return self

    def _make_estimator(self, append: bool = True, random_state: Any = None) -> Any:
        tree = super()._make_estimator(append, random_state)  # type: ignore[misc]
        tree.categorical_features = self.categorical_features
        tree._categories = self._categories
        tree._growth = self._growth
        return tree

    def _pack(self) -> None:
        trees = self.estimators_
        self._packed = pack([tree._arrays for tree in trees])
        self._seeds = np.array([tree.random_state for tree in trees], dtype=np.int64)
        state = vars(trees[0])
        self._tree_state = {key: state[key] for key in state if key not in _OF_ONE_TREE}
        self._is_checked = True
        del self._trees

    def __getstate__(self) -> dict[str, Any]:
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        state.pop("_trees", None)
        state.pop("_is_checked", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        if "_packed" in state:
            self._packed = native(state["_packed"])

    def _tree_arrays(self) -> dict[str, Any]:
        """Return the arrays of the trees; those that came from a file are looked at once."""
        packed = self._packed
        if not vars(self).get("_is_checked"):
            nodes = packed["nodes"].view(np.uint8)
            _core.trees.forest_check(nodes, packed["begin"], self.n_features_in_)
            if "sum_begin" in packed:
                sums = leaf_sums(packed)
                _core.trees.forest_check_sums(nodes, packed["begin"], *sums, int(self.n_classes_))
            elif len(packed["value"]) != len(packed["nodes"]):
                raise ValueError("the arrays of the trees are damaged: values")
            self._is_checked = True
        return packed

    def _validate_X_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        codes = self._encoded(X)
        if codes is not None:
            return codes
        finite = True if sparse.issparse(X) else "allow-nan"
        return validate_data(
            self, X, dtype=np.float32, accept_sparse="csr", reset=False, ensure_all_finite=finite
        )

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf of each row in each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
            Numbers of nodes, within each tree.
        """
        X = self._validate_X_predict(X)
        packed = self._tree_arrays()
        leaves: NDArray[np.int32] = _core.trees.forest_leaves(
            packed["nodes"].view(np.uint8),
            packed["begin"],
            as_rows(X),
            effective_threads(self.n_jobs),
        )
        return leaves.astype(np.int64)
