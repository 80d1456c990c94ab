"""What the forests share: compact trees, and answers over all trees at once.

Fitting is scikit-learn's code, so that bootstrap samples, out-of-bag scores, warm starts and class
weights are its own; only the trees in it are ours, and they share what is made of the rows. Once
fitted, the trees are one set of arrays, of which ``estimators_`` makes tree objects when someone
asks. Whoever changes that list, or a tree in it, changes the forest: the arrays are made anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, cast

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from quire import _core
from quire._shared.threads import effective_threads
from quire._shared.trees.arrays import (
    HasTrees,
    check_trees,
    importances,
    leaf_sums,
    native,
    pack,
    unpack,
    with_values,
)
from quire._shared.trees.categories import CategoryColumns
from quire._shared.trees.rows import GrowthData, as_rows, check_places
from quire._shared.validation import validate_data

__all__ = ["PackedForest", "are_packed", "growth_of", "packed_shares", "packed_values", "parts_of"]

_OF_ONE_TREE = ("_arrays", "_tree", "random_state")
_Parts = list[tuple[Any, Any]]


def parts_of(trees: list[Any]) -> _Parts:
    """Return what arrays are packed from: by this it is seen whether they still hold."""
    return [(tree, vars(tree).get("_arrays")) for tree in trees]


def are_packed(trees: list[Any], parts: _Parts | None) -> bool:
    """Whether these are the trees, with the arrays, that were packed."""
    return (
        parts is not None
        and len(trees) == len(parts)
        and all(
            tree is before and vars(tree).get("_arrays") is arrays
            for tree, (before, arrays) in zip(trees, parts, strict=True)
        )
    )


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
    _parts: _Parts | None  # of the arrays, once there are tree objects
    _mismatch: str  # if the trees cannot answer together: why
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
            trees = [self._make_tree(t) for t in range(len(self._seeds))]
            self._parts = parts_of(trees)
            self._trees = trees
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
        self._packed_now()
        return str(self._tree_state["engine_"])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The mean over the trees of the shares of the decrease of impurity; they sum to one."""
        check_is_fitted(self)
        n_classes = int(np.max(self.n_classes_)) if hasattr(self, "n_classes_") else 1
        packed = self._packed_now()
        total = np.zeros(self.n_features_in_)
        for t in range(len(self._seeds)):
            total += importances(unpack(packed, t), self.n_features_in_, n_classes)
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
        check_places(X)
        before = dict(vars(self))
        try:
            return self._fit_trees(X, y, sample_weight)
        except BaseException:  # Ctrl-C, too
            vars(self).clear()
            vars(self).update(before)
            raise

    def _fit_trees(self, X: Any, y: Any, sample_weight: Any) -> Any:
        goes_on = getattr(self, "warm_start", False) and "_packed" in vars(self)
        if goes_on:
            self._trees = list(self.estimators_)
        else:
            vars(self).pop("_trees", None)
        # Trees that are there already know the categories by their codes.
        codes = self._encoded(X) if goes_on else None
        if codes is None:
            codes = self._learn_categories(X)
        with growth_of(self):
            super().fit(codes, y, sample_weight)  # type: ignore[misc]
        self._pack(self.estimators_)
        if "_mismatch" not in vars(self):
            del self._trees
        self._keep_names(X)
        return self

    def _make_estimator(self, append: bool = True, random_state: Any = None) -> Any:
        tree = super()._make_estimator(append, random_state)  # type: ignore[misc]
        tree.categorical_features = self.categorical_features
        tree._categories = self._categories
        tree._growth = self._growth
        return tree

    def _pack(self, trees: list[Any]) -> None:
        """Make the arrays of the forest from its trees, if they can answer together."""
        vars(self).pop("_mismatch", None)
        if not trees:
            raise ValueError(f"estimators_ of {type(self).__name__} is empty: there is no tree.")
        mismatch = self._differences(trees)
        if mismatch is not None:
            self._mismatch = mismatch
            return
        arrays = [tree._arrays for tree in trees]
        if len({"value" in one for one in arrays}) == 2:  # grown by our code and by scikit-learn's
            arrays = [with_values(one, int(np.max(self.n_classes_))) for one in arrays]
        seeds = [tree.random_state for tree in trees]
        state = vars(trees[0])
        self._packed = pack(arrays)
        self._seeds = np.array([s if isinstance(s, Integral) else 0 for s in seeds], dtype=np.int64)
        self._tree_state = {key: state[key] for key in state if key not in _OF_ONE_TREE}
        self._parts = parts_of(trees)

    def _differences(self, trees: list[Any]) -> str | None:
        """Return how trees differ from the forest in what they were grown on."""
        for tree in trees:
            if not isinstance(tree, self._tree_class):
                raise TypeError(
                    f"estimators_ of {type(self).__name__} holds {self._tree_class.__name__} "
                    f"of quire.tree; there is a {type(tree).__module__}.{type(tree).__name__}."
                )
            check_is_fitted(tree)
            if tree.n_features_in_ != self.n_features_in_:
                return (
                    f"X has {self.n_features_in_} features, but {type(tree).__name__} is expecting "
                    f"{tree.n_features_in_} features as input. The trees were grown on different "
                    "columns; fit with warm_start=False."
                )
            ours, its = (getattr(one, "n_classes_", 1) for one in (self, tree))
            if tree.n_outputs_ != self.n_outputs_ or not np.array_equal(
                np.atleast_1d(ours), np.atleast_1d(its)
            ):
                return (
                    "operands could not be broadcast together: the trees were grown on different "
                    f"classes or outputs, {its} in one tree and {ours} in the last fit. Fit with "
                    "warm_start=False, or on the same classes."
                )
        return None

    def _packed_now(self) -> dict[str, Any]:
        """Return the arrays of the trees that ``estimators_`` has now.

        They are as good as whoever made them: kernels look at what they read.
        """
        trees = vars(self).get("_trees")
        if (
            trees is not None
            and "_mismatch" not in vars(self)
            and not are_packed(trees, vars(self).get("_parts"))
        ):
            self._pack(trees)
        if "_mismatch" in vars(self):
            raise ValueError(self._mismatch)
        return self._packed

    def __getstate__(self) -> dict[str, Any]:
        if "_packed" in vars(self) and "_mismatch" not in vars(self):
            self._packed_now()
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        state.pop("_trees", None)
        state.pop("_parts", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        for name in ("_trees", "_parts"):  # made from the arrays
            vars(self).pop(name, None)
        if "_packed" in state:
            self._packed = native(state["_packed"])

    def _tree_arrays(self) -> dict[str, Any]:
        packed = self._packed_now()
        n_classes = int(np.max(self.n_classes_)) if hasattr(self, "n_classes_") else 1
        check_trees(packed, self.n_features_in_, n_classes)
        return packed

    def _validate_X_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        self._packed_now()
        codes = self._encoded(X)
        if codes is not None:
            return codes
        check_places(X)
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
        packed = self._packed_now()
        leaves: NDArray[np.int32] = _core.trees.forest_leaves(
            packed["nodes"].view(np.uint8),
            packed["begin"],
            as_rows(X),
            effective_threads(self.n_jobs),
        )
        return leaves.astype(np.int64)
