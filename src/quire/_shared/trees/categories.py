"""Columns of categories: which they are, and their values as small whole numbers.

Trees divide such a column by a set of its categories. They know them as codes below 64, and the
set is the 64 bits of a node. Missing values and categories that were not there in training have no
code; they are missing to the tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import OrdinalEncoder

from quire._shared.sklearn import StrOptions, check_feature_names, num_features, safe_indexing
from quire._shared.validation import check_array

__all__ = ["CONSTRAINT", "MOST_CATEGORIES", "Categories", "CategoryColumns"]

MOST_CATEGORIES = 64
CONSTRAINT = ["array-like", StrOptions({"from_dtype"}), None]


class Categories:
    """The columns of categories of one set of rows.

    Parameters
    ----------
    mask : ndarray of bool of shape (n_features,)
        The columns.
    X : array-like of shape (n_samples, n_features)
        The rows whose categories are learnt.
    names : ndarray of str, default=None
        Names of the columns, for messages.

    Raises
    ------
    ValueError
        If a column has more categories than a node can tell apart.
    """

    def __init__(self, mask: NDArray[np.bool_], X: Any, names: Any = None) -> None:
        self.mask = mask
        self._encoder = OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=np.nan, dtype=np.float32
        ).fit(_columns(X, mask))
        for j, values in zip(np.flatnonzero(mask), self._encoder.categories_, strict=True):
            n = np.count_nonzero(~_is_missing(values))
            if n > MOST_CATEGORIES:
                name = f"{j}" if names is None else f"{j} ({names[j]!r})"
                raise ValueError(
                    f"Column {name} has {n} categories; trees take at most {MOST_CATEGORIES}. Join "
                    "rare ones into one, or leave the column out of categorical_features and "
                    "encode it as numbers."
                )

    def codes(self, X: Any) -> NDArray[np.float32]:
        """Return the rows as numbers, with codes in place of categories."""
        mask = self.mask
        out = np.empty((X.shape[0], len(mask)), dtype=np.float32)
        out[:, mask] = self._encoder.transform(_columns(X, mask))
        if not mask.all():
            rest = safe_indexing(X, np.flatnonzero(~mask), axis=1)
            out[:, ~mask] = check_array(rest, dtype=np.float32, ensure_all_finite="allow-nan")
        return out

    def names(self, column: int) -> list[str]:
        """Return the categories of a column in the order of their codes."""
        values = self._encoder.categories_[int(np.count_nonzero(self.mask[:column]))]
        return [_text(value) for value in values[~_is_missing(values)]]

    def in_set(self, column: int, bits: int) -> tuple[list[str], list[str]]:
        """Return the categories that go left and those that go right."""
        names = self.names(column)
        left = [name for k, name in enumerate(names) if bits >> k & 1]
        return left, [name for k, name in enumerate(names) if not bits >> k & 1]


class CategoryColumns:
    """A mixin for estimators with ``categorical_features``."""

    categorical_features: Any
    n_features_in_: int
    _categories: Categories | None

    def _learn_categories(self, X: Any) -> Any:
        """Return the rows as numbers, and keep the categories; X itself, if there are none."""
        self._categories = None
        if self.categorical_features is None:
            return X
        self._validate_params()  # type: ignore[attr-defined]
        X = _as_table(X)
        mask = _mask(self.categorical_features, X)
        if not mask.any():
            return X
        check_feature_names(self, X, reset=True)
        self._categories = Categories(mask, X, getattr(self, "feature_names_in_", None))
        return self._categories.codes(X)

    def _keep_names(self, X: Any) -> None:
        """Remember the names of the columns, which the rows as numbers do not have."""
        if self._categories is not None:
            check_feature_names(self, X, reset=True)

    def _encoded(self, X: Any) -> Any:
        """Return rows to predict as numbers; None if there are no categories."""
        categories = vars(self).get("_categories")
        if categories is None:
            return None
        X = _as_table(X)
        check_feature_names(self, X, reset=False)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return categories.codes(X)


def _as_table(X: Any) -> Any:
    """Return a data frame as it is, anything else as an array."""
    if sparse.issparse(X):
        raise TypeError(
            "categorical_features takes dense rows; X is sparse. Use X.toarray(), or leave the "
            "categories as indicator columns and set categorical_features=None."
        )
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return X
    return check_array(X, dtype=None, ensure_all_finite=False)


def _mask(given: Any, X: Any) -> NDArray[np.bool_]:
    """Return which columns hold categories."""
    n_features = num_features(X)
    mask = np.zeros(n_features, dtype=bool)
    if isinstance(given, str):  # "from_dtype"
        kinds = [str(kind) for kind in getattr(X, "dtypes", [])] if hasattr(X, "columns") else []
        found = [kind.startswith(("category", "Categorical", "Enum")) for kind in kinds]
        mask[: len(found)] = found
        return mask
    given = np.asarray(given)
    if given.size == 0:
        return mask
    if given.dtype.kind == "b":
        if given.shape != (n_features,):
            raise ValueError(
                f"categorical_features is a mask of shape {given.shape}; X has {n_features} "
                "columns. Give one truth value for each."
            )
        mask[:] = given
        return mask
    if given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= n_features:
            wrong = given.min() if given.min() < 0 else given.max()
            raise ValueError(
                f"categorical_features has the column {wrong}; the columns of X are 0 to "
                f"{n_features - 1}."
            )
        mask[given] = True
        return mask
    return _mask_of_names(given, X, mask)


def _mask_of_names(given: NDArray[Any], X: Any, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if given.dtype.kind not in "UO" or not all(isinstance(name, str) for name in given.flat):
        raise ValueError(
            "categorical_features must be truth values, column numbers, column names or "
            f"'from_dtype'; its values are of type {given.dtype}."
        )
    if not hasattr(X, "columns"):
        raise ValueError(
            "categorical_features has names of columns, but X has none. Give column numbers, or "
            "fit on a data frame."
        )
    columns = list(X.columns)
    for name in given.ravel().tolist():
        if name not in columns:
            raise ValueError(f"categorical_features has the column {name!r}; X has {columns}.")
        mask[columns.index(name)] = True
    return mask


def _columns(X: Any, mask: NDArray[np.bool_]) -> Any:
    """Return some columns as an array: without names, which the estimator looks after."""
    if not hasattr(X, "columns"):
        return X[:, mask]
    columns = [_objects(safe_indexing(X, j, axis=1)) for j in np.flatnonzero(mask)]
    return np.stack(columns, axis=1)


def _objects(column: Any) -> NDArray[Any]:
    """Return a column of a data frame of pandas or of another kind."""
    if hasattr(column, "iloc"):
        values: NDArray[Any] = column.to_numpy(dtype=object, na_value=np.nan)
        return values
    return np.array(column.to_list(), dtype=object)


def _is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.array([value is None or value != value for value in values], dtype=bool)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (float, np.floating)) else str(value)
