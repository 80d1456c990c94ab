"""A column of metadata, read as groups, as numbers or as dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.texts import is_missing, python_objects
from quire._shared.typing import Bools, Floats, Ints

__all__ = [
    "Covariate",
    "Groups",
    "covariate_of",
    "grouped",
    "period_of",
    "read_covariate",
    "values_of",
]


_DAYS_OF_YEAR = 365.2425
_PERIODS = (("1d", 1), ("1w", 7), ("1mo", 30), ("1q", 91), ("1y", 365), ("10y", 3652))
_MOST_PERIODS = 40


@dataclass(frozen=True, eq=False)
class Covariate:
    """A column without its missing values.

    Attributes
    ----------
    name : str
        What it is called.
    column : polars.Series
        The values that are there.
    rows : ndarray of shape (n_kept,)
        The documents that have them.
    what : {"words", "numbers", "dates"}
        What the values are.
    """

    name: str
    column: pl.Series
    rows: Ints
    what: str

    def where(self, chosen: Bools) -> Covariate:
        """Return the column without the documents that are not chosen.

        Parameters
        ----------
        chosen : ndarray of bool of shape (n_documents,)
            A value for each document of the model.

        Raises
        ------
        ValueError
            If one value is left, or none.
        """
        kept = chosen[self.rows]
        if kept.all():
            return self
        column = self.column.filter(pl.Series(kept))
        if column.n_unique() < 2:
            raise ValueError(
                f"{self.name} has one value in the documents with words that the model knows; "
                "expected two different values or more to compare."
            )
        return Covariate(self.name, column, self.rows[kept], self.what)

    def numbers(self) -> Floats:
        """Return the values as numbers; dates are years since 1970."""
        if self.what == "dates":
            days = self.column.cast(pl.Datetime("us")).to_physical().to_numpy() / 86_400e6
            return np.asarray(days / _DAYS_OF_YEAR, dtype=np.float64)
        return self.column.cast(pl.Float64).to_numpy()

    def values(self, numbers: Floats) -> pl.Series:
        """Return numbers as values of the column: numbers again, or dates."""
        if self.what != "dates":
            return pl.Series(self.name, numbers)
        return pl.Series(self.name, np.round(numbers * _DAYS_OF_YEAR).astype(np.int32)).cast(
            pl.Date
        )


@dataclass(frozen=True, eq=False)
class Groups:
    """Documents in groups.

    Attributes
    ----------
    labels : polars.Series
        The groups, in order.
    codes : ndarray of shape (n_documents,)
        The group of each document.
    """

    labels: pl.Series
    codes: Ints


def read_covariate(by: Any, data: Any, n_documents: int) -> Covariate:
    """Return a column that has a value for each document.

    Parameters
    ----------
    by : str or array-like of shape (n_documents,)
        The name of a column of `data`, or the column itself.
    data : DataFrame, mapping or None
        The table.
    n_documents : int
        How many values there must be.

    Returns
    -------
    Covariate
        Its values that are not missing.

    Raises
    ------
    ValueError
        If the column is not there, has another length, or fewer than two different values.
    TypeError
        If the values are neither words, numbers nor dates.
    """
    n_columns = _n_columns(by, data)
    if n_columns > 1:
        raise ValueError(
            f"by has {n_columns} columns; prevalence relates shares to one. "
            "quire.topics.topic_effects takes several, with a formula such as 'party * s(year)'."
        )
    column = values_of(by, data, n_documents)
    kept = column.is_not_null().to_numpy()
    return covariate_of(column.drop_nulls(), np.flatnonzero(kept))


def values_of(by: Any, data: Any, n_documents: int, unnamed: str = "group") -> pl.Series:
    """Return a column with a value, or null, for each document."""
    column = _series(by, data, unnamed)
    if len(column) != n_documents:
        raise ValueError(
            f"{column.name} has {len(column)} values; expected {n_documents}, one for each "
            "document of the model."
        )
    if column.dtype == pl.Categorical:
        column = column.cast(pl.String)
    return column.fill_nan(None) if column.dtype.is_float() else column


def covariate_of(column: pl.Series, rows: Ints) -> Covariate:
    """Return values without nulls, with what they are.

    Parameters
    ----------
    column : Series
        The values.
    rows : ndarray of int
        Their documents.
    """
    if column.n_unique() < 2:
        shown = f"only {column[0]!r}" if len(column) else "no value"
        raise ValueError(
            f"{column.name} has {shown}; expected two different values or more to compare."
        )
    what = _what(column)
    if what == "numbers" and not np.isfinite(column.cast(pl.Float64).to_numpy()).all():
        raise ValueError(f"{column.name} has infinite values; expected finite numbers or null.")
    return Covariate(column.name, column, rows, what)


def grouped(covariate: Covariate, *, bins: bool, n_bins: int, every: str | None) -> Groups:
    """Divide documents by the values of a column, or by ranges of them.

    Parameters
    ----------
    covariate : Covariate
        The column.
    bins : bool
        Whether to make ranges, of numbers with about as many documents in each, of dates by the
        calendar.
    n_bins : int
        How many ranges of numbers.
    every : str or None
        How long a period of dates is, such as "1mo"; ``None`` chooses it by their span.

    Returns
    -------
    Groups
        Groups that have documents. Ranges of numbers have their mean for a label.
    """
    column = covariate.column
    if not bins:
        return _by_value(column)
    if covariate.what == "dates":
        dates = column.cast(pl.Datetime("us"))
        chosen = every or period_of(dates)
        try:
            return _by_value(dates.dt.truncate(chosen).cast(pl.Date).alias(column.name))
        except pl.exceptions.PolarsError as error:
            raise ValueError(
                f"every is {every!r}; expected a period such as '1w', '1mo', '1q' or '1y'."
            ) from error
    if covariate.what == "words":
        raise ValueError(
            f"{column.name} has words, which cannot be binned; use kind='categorical'."
        )
    numbers = covariate.numbers()
    edges = np.unique(np.quantile(numbers, np.linspace(0, 1, n_bins + 1)[1:-1]))
    _, codes = np.unique(np.searchsorted(edges, numbers, side="left"), return_inverse=True)
    means = np.bincount(codes, weights=numbers) / np.bincount(codes)
    if len(means) < 2:  # one value that most documents have
        return _by_value(column.cast(pl.Float64))
    return Groups(pl.Series(column.name, means), codes.astype(np.int64))


def _by_value(column: pl.Series) -> Groups:
    if isinstance(column.dtype, pl.Enum):
        order = column.dtype.categories.to_list()
        present = set(column.unique().to_list())
        labels = pl.Series(column.name, [label for label in order if label in present])
        column = column.cast(pl.String)
    else:
        if column.dtype == pl.Categorical:
            column = column.cast(pl.String)
        labels = column.unique().sort()
    number_of = {label: number for number, label in enumerate(labels.to_list())}
    codes = np.array([number_of[value] for value in column.to_list()], dtype=np.int64)
    return Groups(labels.alias(column.name), codes)


def period_of(dates: pl.Series) -> str:
    """Return the shortest period of which the span of dates has not too many."""
    first, last = dates.min(), dates.max()
    days = (last - first).total_seconds() / 86_400  # type: ignore[operator, union-attr]
    for name, length in _PERIODS:
        if days / length <= _MOST_PERIODS:
            return name
    return "100y"


def _n_columns(by: Any, data: Any) -> int:
    """Return how many columns a table, an array or a list of names of columns has."""
    if data is not None and isinstance(by, list | tuple):
        return len(by)
    shape = getattr(by, "shape", None)
    if shape is not None:
        return int(shape[1]) if len(shape) > 1 else 1
    first = next(iter(by), None) if isinstance(by, list | tuple) else None
    return len(first) if isinstance(first, list | tuple) else 1


def _series(by: Any, data: Any, name: str = "group") -> pl.Series:
    if isinstance(by, str):
        name = by
        if data is None:
            raise ValueError(f"by is {by!r}, the name of a column; pass its table as data=.")
        known = list(getattr(data, "columns", data))
        if by not in known:
            shown = ", ".join(map(repr, known[:12]))
            raise ValueError(f"data has no column {by!r}; it has {shown}.")
        by = data[by]
    if isinstance(by, pl.Series):
        return by.alias(by.name or name)
    name = str(getattr(by, "name", None) or name)
    dtype: Any = getattr(by, "dtype", None)
    if hasattr(dtype, "categories") and hasattr(by, "to_list"):  # pandas
        words = [None if is_missing(value) else str(value) for value in by.to_list()]
        order = pl.Enum([str(category) for category in dtype.categories])
        return pl.Series(name, words, dtype=order if dtype.ordered else pl.String)
    values = by if isinstance(by, np.ndarray) else python_objects(by)
    if not isinstance(values, np.ndarray) or values.dtype == object:
        values = [None if is_missing(value) else value for value in values]
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise TypeError(
            f"the values of {name} are not of one kind ({reason}); expected words, numbers or "
            "dates."
        ) from error


def _what(column: pl.Series) -> str:
    dtype = column.dtype
    if dtype in (pl.String, pl.Categorical, pl.Enum, pl.Boolean):
        return "words"
    if dtype.is_numeric():
        return "numbers"
    if dtype in (pl.Date, pl.Datetime):
        return "dates"
    raise TypeError(f"{column.name} has the type {dtype}; expected words, numbers or dates.")
