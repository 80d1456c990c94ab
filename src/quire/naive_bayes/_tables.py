"""Tables as columns: arrays and data frames, and what their values are to a model.

Every column is read in one vectorised step: as numbers with NaN for what is missing, as categories
with numbers for them, or as documents.
"""

from __future__ import annotations

import datetime
import sys
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.sklearn import get_feature_names
from quire._shared.texts import is_missing
from quire._shared.validation import check_array

__all__ = [
    "Table",
    "declared_categories",
    "documents_of",
    "factorize",
    "kind_of",
    "numbers_of",
    "read_table",
    "table_of",
]

_SEEN = 10_000  # rows that are looked at to tell text from categories
_TIMES = (datetime.date, datetime.time, datetime.timedelta)
_ROUGH = {"f2": np.float32, "f16": np.float64}  # types that polars does not have


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and columns of a checked input.

    Parameters
    ----------
    data : ndarray, CSR matrix, pandas or polars DataFrame
        Two-dimensional, with at least one row and column.
    names : list of str or None
        Of the columns, if it is a data frame and all of them are strings.
    """

    data: Any
    names: list[str] | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.data.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.data.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether it is a sparse matrix."""
        return bool(sparse.issparse(self.data))

    def column(self, j: int) -> Any:
        """Return a column: an array, or a Series of the library of the data frame."""
        if isinstance(self.data, pl.DataFrame):
            return self.data.to_series(j)
        return self.data.iloc[:, j] if _is_pandas(self.data) else self.data[:, j]

    def label(self, j: int) -> str:
        """Return what a column is called, here and in messages."""
        return f"x{j}" if self.names is None else self.names[j]


def read_table(X: Any, estimator: Any) -> Table:
    """Check the input of a model and return it as a table.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Data frames of pandas and polars are taken as they are, Arrow tables through polars.
    estimator : object
        Named in messages.
    """
    if not _is_pandas(X) and hasattr(X, "__arrow_c_stream__") and hasattr(X, "schema"):
        X = pl.DataFrame(X)
    if not (isinstance(X, pl.DataFrame) or _is_pandas(X)):
        if isinstance(X, list | tuple):
            X = _array_of_rows(X)
        checked = check_array(
            X, accept_sparse="csr", dtype=None, ensure_all_finite="allow-nan",
            estimator=estimator, input_name="X",
        )  # fmt: skip
        return Table(checked, None)
    for n, what in zip(X.shape, ("sample", "feature"), strict=True):
        if n == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required "
                f"by {type(estimator).__name__}."
            )
    names = get_feature_names(X)
    return Table(X, None if names is None else names.tolist())


def table_of(columns: dict[int, Any], names: Any, n_columns: int, n_rows: int) -> Any:
    """Return values of columns as a table.

    Parameters
    ----------
    columns : dict of int to sequence
        Values by the number of the column; some columns may not be there.
    names : sequence of str or None
        Of all columns, if they have names.
    n_columns, n_rows : int
        Of the table.

    Returns
    -------
    polars.DataFrame or ndarray
        The columns that are there, by name; or an array of all, numbers if all values are, with
        missing values for the others.
    """
    if names is not None:
        there = sorted(columns)
        return pl.DataFrame({names[j]: pl.Series(list(columns[j]), strict=False) for j in there})
    is_number = all(np.asarray(values).dtype.kind in "biuf" for values in columns.values())
    array: NDArray[Any] = np.full((n_rows, n_columns), np.nan)
    if not is_number:
        array = np.full((n_rows, n_columns), None, dtype=object)
    for j, values in columns.items():
        array[:, j] = values
    return array


def numbers_of(column: Any, label: str, kind: str) -> NDArray[np.float64]:
    """Return a column as float64, NaN where it is missing.

    Parameters
    ----------
    column : ndarray or Series
        Numbers, booleans, or strings that are numbers.
    label, kind : str
        Of the column, for messages.
    """
    try:
        numbers = _as_float64(column)
    except (ValueError, pl.exceptions.PolarsError) as error:
        raise ValueError(
            f"Column {label!r} is {kind}, and not all of its values are numbers: {error}. Name it "
            "under another kind in columns."
        ) from error
    if np.isinf(numbers).any():
        raise ValueError(f"Input X contains infinity in column {label!r}, which is {kind}.")
    return numbers


def factorize(column: Any, label: str) -> tuple[list[Any], NDArray[Any]]:
    """Return the distinct values of a column, and for each row the number of its value.

    Parameters
    ----------
    column : ndarray or Series
        Values of any type that can be hashed.
    label : str
        Of the column, for messages.

    Returns
    -------
    values : list
        Python objects, in no particular order.
    codes : ndarray of int of shape (n_samples,)
        -1 where a value is missing.
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        column = pl.Series(column.astype(_ROUGH.get(column.dtype.str[1:], column.dtype)))
    if isinstance(column, pl.Series) and column.dtype != pl.Object:
        if column.dtype.is_float():
            column = column.fill_nan(None)
        elif isinstance(column.dtype, pl.Enum | pl.Categorical):
            column = column.cast(pl.String)
        distinct = column.drop_nulls().unique(maintain_order=True)
        number = pl.Series(np.arange(len(distinct), dtype=np.int32))
        codes = column.replace_strict(distinct, number, default=-1, return_dtype=pl.Int32)
        return distinct.to_list(), codes.fill_null(-1).to_numpy()
    try:
        if hasattr(column, "factorize"):  # pandas
            codes, distinct = column.factorize()
            return distinct.tolist(), codes
        values = column.to_list() if isinstance(column, pl.Series) else column.tolist()
        known = {value: code for code, value in enumerate(_present(set(values)))}
    except TypeError as error:
        raise TypeError(
            f"Column {label!r} is categorical, and not all of its values can be: {error}."
        ) from error
    return list(known), np.fromiter(map(known.get, values, repeat(-1)), np.int64, len(values))


def declared_categories(column: Any) -> list[Any]:
    """Return the categories that the type of a column declares; none for most types."""
    if isinstance(column, pl.Series):
        dtype = column.dtype
        return dtype.categories.to_list() if isinstance(dtype, pl.Enum) else []
    return list(column.cat.categories.tolist()) if hasattr(column, "cat") else []


def documents_of(column: Any) -> tuple[NDArray[np.intp], Any]:
    """Return which rows of a column of texts are not missing, and their texts."""
    if isinstance(column, pl.Series):
        if isinstance(column.dtype, pl.Enum | pl.Categorical):
            column = column.cast(pl.String)
        rows = column.is_not_null().to_numpy().nonzero()[0]
        return rows, column.drop_nulls() if column.has_nulls() else column
    if hasattr(column, "notna"):  # pandas
        present = column.notna().to_numpy()
        return present.nonzero()[0], column if present.all() else column[present]
    values = column.tolist()
    missing = np.fromiter(map(is_missing, values), bool, len(values))
    if missing.any():
        values = column[~missing].tolist()
    return np.flatnonzero(~missing), values


def kind_of(column: Any, label: str) -> str:
    """Return the kind that a column is taken for if nobody says it.

    Parameters
    ----------
    column : ndarray or Series
        Floats and integers are continuous; booleans and types of categories are categorical.
        Strings are text if more than half of them are distinct and more than half of these contain
        blanks; otherwise they are categorical.
    label : str
        Of the column, for messages.
    """
    by_type = _kind_by_type(column)
    if by_type is not None:
        return by_type
    head = column[:_SEEN]
    values = _present(head.to_list() if isinstance(head, pl.Series) else head.tolist())
    if all(isinstance(value, bool | np.bool_) for value in values):
        return "categorical"
    if getattr(column.dtype, "kind", "?") in "mM" or any(isinstance(v, _TIMES) for v in values):
        raise ValueError(
            f"Column {label!r} holds dates or times, for which columns='auto' knows no kind. Turn "
            "it into a number or a category, or leave it out by naming the others."
        )
    if not any(isinstance(value, str) for value in values):
        return "continuous"
    distinct = {value for value in values if isinstance(value, str)}
    wordy = sum(len(value.split(None, 2)) > 1 for value in distinct)
    return (
        "text" if 2 * len(distinct) > len(values) and 2 * wordy > len(distinct) else "categorical"
    )


def _kind_by_type(column: Any) -> str | None:
    """Return the kind if the type of the column settles it."""
    dtype: Any = column.dtype
    if isinstance(column, pl.Series):
        if dtype.is_numeric():
            return "continuous"
        return "categorical" if dtype in (pl.Boolean, pl.Enum, pl.Categorical, pl.Null) else None
    if hasattr(column, "cat") or dtype.kind == "b":
        return "categorical"
    return "continuous" if dtype.kind in "iuf" else None


def _as_float64(column: Any) -> NDArray[np.float64]:
    if isinstance(column, pl.Series):
        if isinstance(column.dtype, pl.Enum | pl.Categorical):
            column = column.cast(pl.String)
        return np.asarray(column.cast(pl.Float64).to_numpy(), dtype=np.float64)
    if isinstance(column, np.ndarray):
        try:
            return np.asarray(column.astype(np.float64))
        except TypeError:  # pandas' NA is not a number to NumPy
            if column.dtype != object:
                raise
            return np.array([np.nan if is_missing(v) else v for v in column], dtype=np.float64)
    numbers: NDArray[np.float64] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def _present(values: Any) -> list[Any]:
    return [value for value in values if not is_missing(value)]


def _array_of_rows(rows: Any) -> Any:
    """Return nested lists as an array, in which numbers beside strings stay numbers."""
    array = np.asarray(rows)
    return np.asarray(rows, dtype=object) if array.dtype.kind in "US" else array


def _is_pandas(X: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)
