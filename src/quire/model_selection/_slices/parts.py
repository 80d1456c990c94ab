"""Documents parted by a column: its categories, numbers in bins of equal size, dates by period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.column_kinds import kind_of_column
from quire._shared.typing import Floats, Ints

__all__ = ["Parts", "parts_of", "parts_of_numbers"]

_FEW = 12  # different numbers that are a part each, and periods at most
_DATES = 0.95  # of the values of a column of strings that are dates
_MISSING, _OTHERS = "missing", "other values"


@dataclass(frozen=True)
class Parts:
    """A column, and the part of each document.

    Attributes
    ----------
    column : str
        What is parted by.
    names : list of str
        What the parts are called.
    codes : ndarray of shape (n_documents,)
        The number of the part of each document; -1 for none.
    """

    column: str
    names: list[str]
    codes: Ints


def parts_of(column: pl.Series, n_bins: int, most: int, least: int) -> Parts | None:
    """Return the parts of a column; ``None`` if it does not part documents in a useful way.

    Parameters
    ----------
    column : polars.Series
        Of any type.
    n_bins : int
        Bins of numbers.
    most : int
        Categories; the rest of them are one part.
    least : int
        Documents that a category must have to be a part.
    """
    kind = kind_of_column(column)
    if kind == "time":
        return _by_period(column)
    if kind in ("category", "names") and column.dtype == pl.String:
        dates = _as_dates(column)
        if dates is not None:
            return _by_period(dates)
    if kind == "category":
        return _by_category(column, most, least)
    if kind == "number":
        return parts_of_numbers(column.name, column.cast(pl.Float64).to_numpy(), n_bins)
    return None


def parts_of_numbers(name: str, values: Floats, n_bins: int, unit: str = "") -> Parts | None:
    """Return bins of numbers with about as many documents each; few numbers are a part each.

    Parameters
    ----------
    name : str
        What the numbers are.
    values : ndarray of shape (n_documents,)
        NaN where there is none.
    n_bins : int
        How many bins.
    unit : str, default=""
        What stands after the numbers in the names of the parts.
    """
    known = np.isfinite(values)
    codes = np.full(len(values), -1)
    different = np.unique(values[known])
    if len(different) < 2:
        return None
    if len(different) <= max(_FEW, n_bins) and not unit:
        codes[known] = np.searchsorted(different, values[known])
        names = [_written(value) for value in different]
    else:
        inner = np.quantile(values[known], np.arange(1, n_bins) / n_bins, method="lower")
        found = np.searchsorted(np.unique(inner), values[known])
        _, codes[known] = np.unique(found, return_inverse=True)
        names = []
        for k in range(int(codes.max()) + 1):
            low, high = values[codes == k].min(), values[codes == k].max()
            ends = _written(low) if low == high else f"{_written(low)} to {_written(high)}"
            names.append(f"{ends}{unit}")
    return _with_missing(Parts(name, names, codes), ~known)


def _written(value: float) -> str:
    """Return a number: whole ones in full, so that a year stays a year, others with 4 digits."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:.4g}"


def _with_missing(parts: Parts, missing: Any) -> Parts:
    if not missing.any():
        return parts
    codes = np.where(missing, len(parts.names), parts.codes)
    return Parts(parts.column, [*parts.names, _MISSING], codes)


def _by_category(column: pl.Series, most: int, least: int) -> Parts:
    values = column.cast(pl.String)
    counts = values.drop_nulls().alias("value").value_counts(name="n")
    counts = counts.filter(pl.col("n") >= least).sort("n", "value", descending=[True, False])
    names = counts["value"].head(most).to_list()
    places = {name: number for number, name in enumerate(names)}
    found = values.replace_strict(places, default=len(names), return_dtype=pl.Int64)
    missing = column.is_null().to_numpy()
    codes = np.where(missing, -1, found.fill_null(-1).to_numpy())
    if (codes == len(names)).any():
        names = [*names, _OTHERS]
    return _with_missing(Parts(column.name, names, codes), missing)


def _as_dates(column: pl.Series) -> pl.Series | None:
    """Return dates for strings that begin as ISO dates do; ``None`` if they are none."""
    text = column.drop_nulls().head(1000)
    if not len(text) or text.str.contains(r"^\d{4}-\d\d-\d\d").mean() < _DATES:  # type: ignore[operator]
        return None
    return column.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False).alias(column.name)


def _by_period(column: pl.Series) -> Parts | None:
    """Return the finest periods of which there are not too many."""
    if column.dtype not in (pl.Date, pl.Datetime):
        return None
    days = column.dt.strftime("%Y-%m-%d")
    missing = column.is_null().to_numpy()
    quarter = column.dt.year().cast(pl.String) + "-Q" + column.dt.quarter().cast(pl.String)
    year = days.str.slice(0, 4)
    periods = [days, days.str.slice(0, 7), quarter, year, year.str.slice(0, 3) + "0s"]
    periods.append(year.str.slice(0, 2) + "00s")
    for period in periods:
        names = sorted(period.drop_nulls().unique().to_list())
        if len(names) <= _FEW:
            break
    if len(names) < 2:
        return None
    places = {name: number for number, name in enumerate(names)}
    codes = period.replace_strict(places, default=-1, return_dtype=pl.Int64).fill_null(-1)
    return _with_missing(Parts(column.name, names, codes.to_numpy()), missing)
