"""What documents of a map are coloured by: groups, numbers or dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.typing import Ints

__all__ = ["MapColour", "map_colour"]

_MOST_GROUPS = 31  # eight colours times four shapes, less one for the rest
_FEW_NUMBERS = 8  # different whole numbers that are taken for groups
_ENDS = (0.02, 0.98)  # quantiles at the ends of a scale, so that single values do not take it all


@dataclass(frozen=True)
class MapColour:
    """What documents can be coloured by, with a value for each that is drawn.

    Of `kind` "groups", `codes` are numbers in `groups`, -1 where there is none, and `sizes` count
    the documents that are drawn. Of "numbers" and "dates", `values` are numbers, of dates days
    since 1970, ``None`` where there is none; `low` and `high` are the ends of the scale.
    """

    name: str
    kind: str
    groups: list[str]
    sizes: list[int]
    codes: list[int]
    values: list[float | None]
    low: float
    high: float


def map_colour(name: str, values: Any, rows: Ints, n_documents: int) -> MapColour:
    """Return how documents are coloured by a column.

    Parameters
    ----------
    name : str
        Of the column.
    values : array-like of shape (n_documents,)
        Words, truth values, numbers or dates; ``None`` or NaN where there is none. Numbers with few
        different values are groups, too.
    rows : ndarray of int
        The documents that are drawn.
    n_documents : int
        How many there are in all.
    """
    column = _column(values)
    if len(column) != n_documents:
        raise ValueError(
            f"The colour {name!r} has {len(column):,} values; there are {n_documents:,} documents."
        )
    drawn = column[rows]
    if column.dtype.is_temporal() and column.dtype != pl.Duration and column.dtype != pl.Time:
        days = drawn.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 86_400e6
        return _scale(name, "dates", days)
    if column.dtype.is_numeric() and column.n_unique() > _FEW_NUMBERS:
        return _scale(name, "numbers", drawn.cast(pl.Float64))
    return _groups(name, drawn)


def _column(values: Any) -> pl.Series:
    if isinstance(values, pl.Series):
        column = values
    elif isinstance(values, np.ndarray):
        column = pl.Series(values.tolist(), strict=False)
    else:
        column = pl.Series(list(values), strict=False)
    return column.fill_nan(None) if column.dtype.is_float() else column


def _scale(name: str, kind: str, values: pl.Series) -> MapColour:
    known = values.drop_nulls().to_numpy()
    known = known[np.isfinite(known)]
    low, high = np.quantile(known, _ENDS).tolist() if len(known) else (0.0, 1.0)
    digits = [None if v is None or not np.isfinite(v) else float(f"{v:.7g}") for v in values]
    return MapColour(name, kind, [], [], [], digits, float(low), float(high))


def _groups(name: str, drawn: pl.Series) -> MapColour:
    """Return groups, the largest first; of numbers in their order; of many, the rest as one."""
    words = drawn.cast(pl.String)
    counts = words.drop_nulls().value_counts(sort=True, name="documents")
    counts = counts.sort(["documents", words.name], descending=[True, False])
    listed = counts[words.name].to_list()
    groups = listed[:_MOST_GROUPS]
    if drawn.dtype.is_numeric():
        groups = sorted(groups, key=float)
    if len(listed) == _MOST_GROUPS + 1:
        groups = listed
    place = {value: number for number, value in enumerate(groups)}
    rest = len(listed) - len(groups)
    other = len(groups) if rest else -1
    codes = [-1 if value is None else place.get(value, other) for value in words.to_list()]
    names = [*groups, f"{rest} others"] if rest else groups
    sizes = np.bincount([code for code in codes if code >= 0], minlength=len(names)).tolist()
    return MapColour(name, "groups", names, sizes, codes, [], 0.0, 0.0)
