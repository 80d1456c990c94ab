r"""Tables of numbers and categories as the columns of a matrix.

A category becomes a column of zeros and ones for each of its values, a number :math:`x` becomes
:math:`(x - m) / s` with the mean and standard deviation of the training rows. A number that is
missing is replaced by the median of those that are there, and a column of zeros and ones says where
that was; a category that is missing is a value of its own. Trees and naive Bayes need less of this:
the parameter ``form`` leaves it out.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import (
    Interval,
    StrOptions,
    check_feature_names,
    check_n_features,
    fit_context,
)
from quire._shared.typing import Floats
from quire._shared.validation import validate_data

__all__ = ["TableEncoder"]

_OTHER = "(other)"


class TableEncoder(TransformerMixin, BaseEstimator):
    r"""Numbers and categories of a table, as models want them.

    Parameters
    ----------
    form : {"scaled", "plain", "table"}, default="scaled"
        What to make of the columns:

        - ``"scaled"``: numbers with mean 0 and standard deviation 1, missing ones replaced by the
          median, with a column more that says where; categories as columns of zeros and ones. For
          linear models, discriminants, support vector machines and neighbours.
        - ``"plain"``: numbers as they are, NaN where they are missing; categories as above. For
          trees, to which scales are all the same and which send missing values to a side.
        - ``"table"``: a polars table in which numbers are numbers, categories are categories and
          missing values are missing. For :class:`~quire.naive_bayes.MixedNB`.
    max_categories : int, default=50
        The most frequent categories of a column; all others share one column of zeros and ones,
        with those that were not there in training. ``"table"`` keeps all.

    Attributes
    ----------
    kinds_ : list of {"number", "category"}
        What each column holds: a type of numbers makes it a number, any other a category.
    categories_ : list of list of str
        The categories of each column, the most frequent first; empty for numbers.
    has_other_ : list of bool
        Whether a column has more of them.
    has_missing_ : list of bool
        Whether values were missing in training.
    median_, mean_, scale_ : ndarray of shape (n_features_in_,)
        Of the numbers, mean and scale with the median in the place of missing ones; NaN for
        categories.
    n_features_in_ : int
        Number of columns in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, for a data frame.

    See Also
    --------
    quire.model_selection.compare : Encodes tables so, inside each fold.

    Notes
    -----
    Arrays hold numbers only. Truth values, strings and all other types of a data frame are
    categories, known by their text; an empty string is missing. Columns of a data frame are found
    by name, in any order.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.feature_extraction.table import TableEncoder
    >>> cards = pl.DataFrame({"home": ["own", "rent", "own"], "income": [30.0, None, 50.0]})
    >>> encoder = TableEncoder().fit(cards)
    >>> encoder.get_feature_names_out()
    array(['home=own', 'home=rent', 'income', 'income is missing'],
          dtype=object)
    >>> encoder.transform(cards).round(2)
    array([[ 1.  ,  0.  , -1.22,  0.  ],
           [ 0.  ,  1.  ,  0.  ,  1.  ],
           [ 1.  ,  0.  ,  1.22,  0.  ]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "form": [StrOptions({"scaled", "plain", "table"})],
        "max_categories": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, form: str = "scaled", *, max_categories: int = 50) -> None:
        self.form = form
        self.max_categories = max_categories

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn categories, medians, means and scales.

        Parameters
        ----------
        X : data frame of polars or pandas, or array-like of shape (n_samples, n_features)
            The rows.
        y : object, default=None
            Not used.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        table = self._read(X, reset=True)
        n = table.width
        self.kinds_ = [_kind(column) for column in table.iter_columns()]
        self.categories_: list[list[str]] = [[] for _ in range(n)]
        self.has_other_ = [False] * n
        self.has_missing_ = [False] * n
        self.median_, self.mean_, self.scale_ = (np.full(n, np.nan) for _ in range(3))
        for j, column in enumerate(table.iter_columns()):
            if self.kinds_[j] == "category":
                self._learn_category(j, column)
            else:
                self._learn_number(j, column)
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns in the form that was asked for.

        Parameters
        ----------
        X : data frame of polars or pandas, or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_columns), or polars.DataFrame
            A table if ``form="table"``.
        """
        check_is_fitted(self)
        table = self._read(X, reset=False)
        columns = [self._typed(j, column) for j, column in enumerate(table.iter_columns())]
        if self.form == "table":
            return pl.DataFrame(
                [
                    column if self.kinds_[j] == "number" else self._as_enum(j, column)
                    for j, column in enumerate(columns)
                ]
            )
        parts = [
            self._indicators(j, column)
            if self.kinds_[j] == "category"
            else self._numbers(j, column)
            for j, column in enumerate(columns)
        ]
        return np.concatenate(parts, axis=1)

    def output_scales(self) -> tuple[Floats, Floats]:
        """Return what every column that comes out must be multiplied with, and what added, to read.

        Returns
        -------
        scale, mean : ndarray of shape (n_columns,)
            ``X * scale + mean`` has the numbers of the table; 1 and 0 for zeros and ones.

        Examples
        --------
        >>> from quire.feature_extraction.table import TableEncoder
        >>> encoder = TableEncoder().fit([[1.0], [5.0]])
        >>> scale, mean = encoder.output_scales()
        >>> encoder.transform([[4.0]]) * scale + mean
        array([[4.]])
        """
        check_is_fitted(self)
        scales, means = [], []
        for j, kind in enumerate(self.kinds_):
            marks = int(self._marks_missing(j))
            if kind == "category":
                width = len(self.categories_[j]) + self.has_other_[j] + marks
                scales += [1.0] * (1 if self.form == "table" else width)
                means += [0.0] * (1 if self.form == "table" else width)
                continue
            is_scaled = self.form == "scaled"
            scales += [float(self.scale_[j]) if is_scaled else 1.0, *[1.0] * marks]
            means += [float(self.mean_[j]) if is_scaled else 0.0, *[0.0] * marks]
        return np.array(scales), np.array(means)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that come out.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns, where `fit` was given an array.

        Returns
        -------
        ndarray of str
            ``"column"`` for numbers, ``"column=category"``, ``"column is missing"``.
        """
        check_is_fitted(self)
        given = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            names = [str(name) for name in input_features]
            if len(names) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(names)}"
                )
            if given is not None and names != list(given):
                raise ValueError("input_features is not equal to feature_names_in_")
        else:
            names = [f"x{j}" for j in range(self.n_features_in_)] if given is None else list(given)
        if self.form == "table":
            return np.array(names, dtype=object)
        made: list[str] = []
        for j, name in enumerate(names):
            if self.kinds_[j] == "category":
                made += [f"{name}={category}" for category in self.categories_[j]]
                made += [f"{name}={_OTHER}"] * self.has_other_[j]
            else:
                made.append(name)
            if self._marks_missing(j):
                made.append(f"{name} is missing")
        return np.array(made, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _read(self, X: Any, *, reset: bool) -> pl.DataFrame:
        """Return the rows as a table whose columns are those of the fit."""
        if not hasattr(X, "columns"):
            rows = validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
            )
            return pl.DataFrame(rows, schema=[f"x{j}" for j in range(rows.shape[1])])
        table = X if isinstance(X, pl.DataFrame) else _from_pandas(X)
        names = getattr(self, "feature_names_in_", None)
        if not reset and names is not None:
            missing = [name for name in names if name not in table.columns]
            if missing:
                raise ValueError(
                    f"columns are missing: {missing}. X has {table.columns}; this encoder was "
                    "fitted with these columns and needs them by name."
                )
            return table.select(names.tolist())
        for n, what in zip(table.shape, ("sample", "feature"), strict=True):
            if n == 0:
                raise ValueError(
                    f"Found array with 0 {what}(s) (shape={table.shape}) while a minimum of 1 is "
                    f"required by {type(self).__name__}."
                )
        check_feature_names(self, X, reset=reset)
        check_n_features(self, X, reset=reset)
        return table

    def _learn_category(self, j: int, column: pl.Series) -> None:
        texts = _as_texts(column).alias("category")
        self.has_missing_[j] = texts.has_nulls()
        counts = texts.drop_nulls().value_counts(name="rows")
        counts = counts.sort("rows", "category", descending=[True, False])
        found = counts["category"].to_list()
        most = len(found) if self.form == "table" else self.max_categories
        self.categories_[j], self.has_other_[j] = found[:most], len(found) > most

    def _learn_number(self, j: int, column: pl.Series) -> None:
        values = _as_numbers(column)
        is_there = ~np.isnan(values)
        self.has_missing_[j] = not bool(is_there.all())
        self.median_[j] = np.median(values[is_there]) if is_there.any() else 0.0
        filled = np.where(is_there, values, self.median_[j])
        self.mean_[j] = filled.mean()
        spread = float(filled.std())
        is_flat = spread <= 10 * np.finfo(np.float64).eps * max(1.0, abs(float(self.mean_[j])))
        self.scale_[j] = 1.0 if is_flat else spread

    def _typed(self, j: int, column: pl.Series) -> pl.Series:
        """Return a column as numbers or as the texts of its categories, null where missing."""
        if self.kinds_[j] == "category":
            return _as_texts(column)
        return pl.Series(column.name, _as_numbers(column)).fill_nan(None)

    def _as_enum(self, j: int, texts: pl.Series) -> pl.Series:
        known = self.categories_[j]
        return texts.set(~texts.is_in(known), None).cast(pl.Enum(known))

    def _indicators(self, j: int, texts: pl.Series) -> Floats:
        known = self.categories_[j]
        width = len(known) + self.has_other_[j] + self._marks_missing(j)
        codes = np.full(len(texts), width)  # one past the end: no column
        if known:
            numbers = pl.Series(np.arange(len(known), dtype=np.int64))
            other = len(known) if self.has_other_[j] else width
            codes = (
                texts.replace_strict(
                    pl.Series(known), numbers, default=other, return_dtype=pl.Int64
                )
                .to_numpy()
                .copy()
            )
        codes[texts.is_null().to_numpy()] = width - 1 if self._marks_missing(j) else width
        made = np.zeros((len(texts), width + 1))
        made[np.arange(len(texts)), codes] = 1.0
        return made[:, :width]

    def _numbers(self, j: int, column: pl.Series) -> Floats:
        values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
        if self.form == "plain":
            return values[:, None]
        is_missing = np.isnan(values)
        scaled = (np.where(is_missing, self.median_[j], values) - self.mean_[j]) / self.scale_[j]
        parts = [scaled, is_missing.astype(np.float64)] if self._marks_missing(j) else [scaled]
        return np.stack(parts, axis=1)

    def _marks_missing(self, j: int) -> bool:
        """Return whether a column of zeros and ones says where values are missing."""
        return self.has_missing_[j] and (self.kinds_[j] == "category" or self.form == "scaled")


def _from_pandas(X: Any) -> pl.DataFrame:
    columns = [str(name) for name in X.columns]
    if len(set(columns)) < len(columns):
        raise ValueError(f"two columns have the same name: {columns}.")
    return pl.DataFrame(
        {name: _from_series(X[given]) for name, given in zip(columns, X.columns, strict=True)}
    )


def _from_series(column: Any) -> Any:
    """Return a column of another library: numbers as numbers, the rest as texts."""
    if not hasattr(column, "iloc"):  # Arrow
        return pl.Series(column.to_pylist() if hasattr(column, "to_pylist") else list(column))
    if getattr(column.dtype, "kind", "O") in "iuf" and not hasattr(column, "cat"):
        return pl.Series(column.to_numpy(dtype=np.float64, na_value=np.nan)).fill_nan(None)
    values = column.tolist()
    present = [value for value in values if isinstance(value, str) or value == value]
    if present and all(isinstance(v, int | float) and not isinstance(v, bool) for v in present):
        return [v if isinstance(v, int | float) and v == v else None for v in values]
    missing = column.isna().tolist()
    return [None if gone else str(v) for v, gone in zip(values, missing, strict=True)]


def _kind(column: pl.Series) -> str:
    return "number" if column.dtype.is_numeric() else "category"


def _as_texts(column: pl.Series) -> pl.Series:
    """Return the values as texts, null where there is none."""
    if column.dtype.is_nested() or column.dtype == pl.Object:
        raise ValueError(
            f"Column {column.name!r} holds {column.dtype}; expected numbers or categories, one "
            "value in a row. Leave it out."
        )
    texts = column.cast(pl.String)
    return texts.set(texts.str.strip_chars() == "", None)


def _as_numbers(column: pl.Series) -> Floats:
    """Return the values as float64, NaN where there is none."""
    if column.dtype == pl.String:
        column = _as_texts(column)
    numbers = column.cast(pl.Float64, strict=False)
    lost = (numbers.is_null() & column.is_not_null()).arg_true()
    if len(lost):
        raise ValueError(
            f"Column {column.name!r} holds numbers, and row {int(lost[0])} (from 0) has "
            f"{column[int(lost[0])]!r}. Write a number, or leave the field empty."
        )
    values: Floats = numbers.fill_null(np.nan).to_numpy()
    if np.isinf(values).any():
        raise ValueError(f"Input X contains infinity in column {column.name!r}.")
    return values
