"""Decisions of trees and forests in parts: what each question on the way to a leaf changed.

The share of a class, or a predicted number, is that of all training rows at first. Each question
divides the rows, and the answer changes from that of the node to that of the side the document
goes to. The change belongs to the column that was asked about. Changes add up to the prediction,
and those of a forest are the mean over its trees (see `quire._shared.trees.paths`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.ensemble
import sklearn.tree
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier

from quire._shared.evidence import DocumentParts, class_number
from quire._shared.sklearn import safe_indexing
from quire._shared.term_weights import TermWeight, plain
from quire._shared.trees.arrays import Arrays, HasTrees, from_sklearn, pack, unpack
from quire._shared.trees.paths import ForestPaths
from quire._shared.validation import validate_data
from quire.inspection._choices import output_number
from quire.kinds import kind_of_class

__all__ = ["TreeEvidence", "asked_columns", "is_of_trees", "top_importances"]

_BLOCK = 64  # documents
_TREES = (sklearn.tree.DecisionTreeClassifier, sklearn.tree.DecisionTreeRegressor)
_BAGGING = (sklearn.ensemble.BaggingClassifier, sklearn.ensemble.BaggingRegressor)


class TreeEvidence:
    """The parts of class shares or numbers that trees predict, for some documents.

    Parameters
    ----------
    model : tree, forest, or bagging of trees
        Fitted; quire's or scikit-learn's.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        The documents.

    Examples
    --------
    >>> from quire.inspection import TreeEvidence
    >>> from quire.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> tree = tree.fit([[0, 1], [0, 0], [1, 1], [1, 0]], ["a", "a", "a", "b"])
    >>> parts = TreeEvidence(tree, [[1, 0]]).parts(0)
    >>> parts.target, parts.score, parts.offset
    ('b', 1.0, 0.25)
    >>> parts.columns.tolist(), float(parts.contributions.sum())
    ([0, 1], 0.75)
    """

    def __init__(self, model: Any, X: Any) -> None:
        self.classes: Any = None
        self.n_outputs = int(getattr(model, "n_outputs_", 1))
        if is_classifier(model):
            if self.n_outputs > 1:
                raise TypeError(
                    f"{type(model).__name__} with {self.n_outputs} outputs cannot be explained: "
                    "its parts would be shares of the classes of each. Fit a model for one output."
                )
            self.classes = np.asarray(model.classes_)
        self._model = model
        self._given = X
        self._X = _rows(model, X)
        self._block: tuple[int, Any] = (-1, None)  # the leaves of some rows, from the first on
        self._categories: Any = getattr(model, "_categories", None)  # of categorical_features
        self._is_category = np.zeros(self._X.shape[1], dtype=bool)
        if self._categories is not None:
            self._is_category[:] = self._categories.mask
        self._votes = getattr(model, "voting", "soft") == "hard"
        n_classes = 1 if self.classes is None else len(self.classes)
        self._paths = ForestPaths(_packed(model), n_classes, self._votes)

    def __len__(self) -> int:
        return int(self._X.shape[0])

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return the parts of one prediction.

        Parameters
        ----------
        row : int
            Number of the document.
        target : object, default=None
            The class whose share is explained; that with the largest one if ``None``. For numbers,
            the output; the first if ``None``.
        against : object, default=None
            A class whose share is taken off that of the target; none if ``None``.

        Returns
        -------
        DocumentParts
            They add up to the share, the difference of two shares, or the number. Columns are those
            that were asked about, in the document or not.
        """
        row = range(len(self))[row]
        values, leaves = self._row(row), self._leaves(row)
        left: Any = None
        right: Any = None
        if self.classes is None:
            output = output_number(self.n_outputs, target, against)
            root, columns, changes = self._paths.changes(leaves, output)
            left = output if self.n_outputs > 1 else None
        else:
            first, second = self._pair(row, target, against)
            root, columns, changes = self._paths.changes(leaves, first)
            left = plain(self.classes[first])
            if second is not None:  # the same paths, so the same columns
                other, _, less = self._paths.changes(leaves, second)
                root, changes = root - other, changes - less
                right = plain(self.classes[second])
        score = root + float(changes.sum())
        seen = values[columns].astype(np.float64)
        is_known = self._is_category[columns] & ~np.isnan(seen)
        seen[is_known] = 1.0  # the category is there: see part_names
        return DocumentParts(left, right, score, root, columns.astype(np.intp), seen, changes)

    def is_count(self, column: int) -> bool:
        """Return whether rows are sparse: those of texts are, and tables of measurements are not.

        Columns of categories count, too: the one that a row has is there once.

        Parameters
        ----------
        column : int
            Number of the feature.
        """
        return bool(sparse.issparse(self._X)) or bool(self._is_category[column])

    def part_names(self, row: int, parts: DocumentParts, names: NDArray[Any]) -> NDArray[Any]:
        """Return what the parts are called: columns, and of categories also which one it is.

        Parameters
        ----------
        row : int
            Number of the document.
        parts : DocumentParts
            From :meth:`parts`.
        names : ndarray of shape (n_parts,)
            Names or numbers of the columns.
        """
        named = np.array(names, dtype=object)
        codes = self._row(row)
        for place in np.flatnonzero(self._is_category[parts.columns]):
            column = int(parts.columns[place])
            if not np.isnan(codes[column]):
                what = self._categories.names(column)[int(codes[column])]
                said = f"column {names[place]}" if isinstance(names[place], int) else names[place]
                named[place] = f"{said}: {what}"
        return named

    def is_share(self, parts: DocumentParts) -> bool:
        """Return whether the parts add up to the share of one class.

        Parameters
        ----------
        parts : DocumentParts
            From :meth:`parts`.
        """
        return self.classes is not None and parts.against is None

    def names_of(self, row: int, parts: DocumentParts, names: NDArray[Any]) -> NDArray[Any]:
        """Return the same as :meth:`part_names`, for :func:`~quire.inspection.explain`.

        Parameters
        ----------
        row : int
            Number of the document.
        parts : DocumentParts
            From :meth:`parts`.
        names : ndarray of shape (n_parts,)
            Names or numbers of the columns.
        """
        return self.part_names(row, parts, names)

    def headline(self, parts: DocumentParts) -> str | None:
        """Return what the parts add up to, where it is the share of one class.

        Parameters
        ----------
        parts : DocumentParts
            From :meth:`parts`.
        """
        if not self.is_share(parts):
            return None
        return f"share of {'votes for ' if self._votes else ''}{parts.target}"

    def _row(self, row: int) -> NDArray[np.float32]:
        if not sparse.issparse(self._X):
            found: NDArray[np.float32] = self._X[row]
            return found
        values = np.zeros(self._X.shape[1], dtype=np.float32)
        place = slice(self._X.indptr[row], self._X.indptr[row + 1])
        np.add.at(values, self._X.indices[place], self._X.data[place])
        return values

    def _leaves(self, row: int) -> NDArray[np.int64]:
        """Return the leaf of a document in each tree; a block of documents is asked for at once."""
        first = row - row % _BLOCK
        if self._block[0] != first:
            rows = np.arange(first, min(first + _BLOCK, len(self)))
            self._block = first, _leaves(self._model, safe_indexing(self._given, rows))
        found: NDArray[np.int64] = self._block[1][row - first]
        return found

    def _pair(self, row: int, target: Any, against: Any) -> tuple[int, int | None]:
        second = None if against is None else class_number(self.classes, against)
        if target is not None:
            return class_number(self.classes, target), second
        shares = self._model.predict_proba(safe_indexing(self._given, [row]))[0]
        ranked = [int(code) for code in np.argsort(-shares, kind="stable") if code != second]
        if not ranked:
            raise ValueError("This model knows one class only: leave `against` out.")
        return ranked[0], second


def is_of_trees(model: Any) -> bool:
    """Return whether a fitted model is a tree, a forest, or bagging of trees."""
    if kind_of_class(type(model)).evidence != "trees":
        return False
    return not isinstance(model, _BAGGING) or all(
        isinstance(tree, _TREES) for tree in model.estimators_
    )


def asked_columns(model: Any) -> NDArray[Any] | None:
    """Return the columns that the trees ask about; ``None`` if there are other models inside."""
    if not is_of_trees(model):
        return None
    features = _packed(model)["nodes"]["feature"]
    return np.unique(features[features >= 0])


def top_importances(model: Any, n_terms: int, names: NDArray[Any] | None) -> list[TermWeight]:
    """Return the columns that lowered impurity most, with their shares of the decrease.

    Parameters
    ----------
    model : tree, forest, or bagging of trees
        Fitted.
    n_terms : int
        How many; fewer if fewer were asked about.
    names : ndarray of shape (n_features,) or None
        Names of the columns.
    """
    shares = _importances(model)
    order = np.argsort(-shares, kind="stable")[:n_terms]
    return [
        TermWeight(int(i) if names is None else plain(names[i]), float(shares[i]))
        for i in order
        if shares[i] > 0
    ]


def _importances(model: Any) -> NDArray[np.float64]:
    if not isinstance(model, _BAGGING):
        return np.asarray(model.feature_importances_)
    total = np.zeros(model.n_features_in_)
    for tree, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        np.add.at(total, columns, tree.feature_importances_)
    whole = total.sum()
    return total / whole if whole > 0 else total


def _rows(model: Any, X: Any) -> Any:
    """Return documents as trees read them: single precision, codes in place of categories."""
    if isinstance(model, _TREES):
        return model._validate_X_predict(X, True)
    if not isinstance(model, _BAGGING):
        return model._validate_X_predict(X)
    return validate_data(
        model, X, dtype=np.float32, accept_sparse="csr", reset=False, ensure_all_finite=False
    )


def _leaves(model: Any, X: Any) -> NDArray[np.int64]:
    """Return the number of the leaf of each row in each tree."""
    if not isinstance(model, _BAGGING):
        found = np.asarray(model.apply(X), dtype=np.int64)
        return found[:, None] if found.ndim == 1 else found
    X = validate_data(
        model, X, dtype=None, accept_sparse="csr", reset=False, ensure_all_finite=False
    )
    pairs = zip(model.estimators_, model.estimators_features_, strict=True)
    return np.stack([tree.apply(X[:, columns]) for tree, columns in pairs], axis=1)


def _packed(model: Any) -> Arrays:
    """Return the arrays of all trees; columns are those of the model."""
    if isinstance(model, HasTrees):
        return model._tree_arrays()
    if not isinstance(model, _BAGGING):
        return pack([_arrays(tree) for tree in getattr(model, "estimators_", [model])])
    if not is_of_trees(model):
        inside = type(model.estimators_[0]).__name__
        raise TypeError(
            f"{type(model).__name__} of {inside} cannot be explained by parts; only that of trees "
            "can. Explain one of its estimators_, or fit one model."
        )
    pairs = zip(model.estimators_, model.estimators_features_, strict=True)
    return pack([_with_columns(_arrays(tree), columns) for tree, columns in pairs])


def _arrays(tree: Any) -> Arrays:
    if isinstance(tree, HasTrees):
        return unpack(tree._tree_arrays(), 0)
    return from_sklearn(tree.tree_, str(tree.criterion))


def _with_columns(arrays: Arrays, columns: NDArray[np.intp]) -> Arrays:
    """Return the arrays of a tree of some columns with their numbers among all of them."""
    nodes = arrays["nodes"].copy()
    inner = nodes["left"] >= 0
    nodes["feature"][inner] = np.asarray(columns)[nodes["feature"][inner]]
    return {**arrays, "nodes": nodes}
