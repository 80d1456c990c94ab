"""The columns of a table without texts: what is in each, and its rows as something to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from quire._shared.page.html import Html
from quire._shared.page.numbers import number
from quire._shared.page.tables import table
from quire.io import Corpus

__all__ = [
    "ColumnSummary",
    "columns_table",
    "is_of_table",
    "rows_as_texts",
    "rows_of",
    "summarise_columns",
]

_MOST_VALUES = 4  # categories that are named


@dataclass(frozen=True)
class ColumnSummary:
    """A column: its name and kind, values that are missing, different ones, and what they are."""

    name: str
    kind: str
    missing: int
    distinct: int
    values: str


def is_of_table(settings: dict[str, Any]) -> bool:
    """Return whether a comparison was on numbers and categories alone.

    Parameters
    ----------
    settings : dict
        Of the comparison.
    """
    return not settings.get("texts") and bool(settings.get("numbers") or settings.get("categories"))


def rows_of(rows: Any, settings: dict[str, Any]) -> pl.DataFrame:
    """Return the columns that were learned from.

    Parameters
    ----------
    rows : Corpus or DataFrame
        As given.
    settings : dict
        Of the comparison.

    Raises
    ------
    TypeError
        If it is no table with these columns.
    """
    frame = rows.frame if isinstance(rows, Corpus) else rows
    wanted = [*settings["numbers"], *settings["categories"]]
    names = [str(name) for name in getattr(frame, "columns", ())]
    missing = [name for name in wanted if name not in names]
    if missing:
        raise TypeError(
            f"The comparison was on a table with a column {missing[0]!r}, which was not given. "
            "Give the same table, or the corpus it was read as."
        )
    if not isinstance(frame, pl.DataFrame):
        frame = pl.DataFrame(frame)
    return frame.select(name for name in names if name in wanted)


def rows_as_texts(rows: pl.DataFrame) -> pl.Series:
    """Return each row in words: its columns and their values.

    Parameters
    ----------
    rows : polars.DataFrame
        The columns that were learned from.

    Examples
    --------
    >>> import polars as pl
    >>> rows_as_texts(pl.DataFrame({"age": [31, None], "home": ["own", "rent"]})).to_list()
    ['age 31, home own', 'age missing, home rent']
    """
    parts = [
        pl.concat_str(pl.lit(f"{name} "), pl.col(name).cast(pl.String).fill_null("missing"))
        for name in rows.columns
    ]
    return rows.select(pl.concat_str(parts, separator=", ").alias("row")).to_series()


def summarise_columns(rows: pl.DataFrame) -> list[ColumnSummary]:
    """Return what is in each column.

    Parameters
    ----------
    rows : polars.DataFrame
        The columns that were learned from.
    """
    return [_summary(column) for column in rows.iter_columns()]


def _summary(column: pl.Series) -> ColumnSummary:
    there = column.drop_nulls()
    if column.dtype.is_float():
        there = there.drop_nans()
    missing, distinct = len(column) - len(there), there.n_unique()
    if column.dtype.is_numeric():
        values = "no value"
        if len(there):
            ends = (number(float(there.min())), number(float(there.max())))  # type: ignore[arg-type]
            middle = number(float(there.median()))  # type: ignore[arg-type]
            values = f"{ends[0]} to {ends[1]}, median {middle}"
        return ColumnSummary(column.name, "number", missing, distinct, values)
    counts = there.cast(pl.String).alias("value").value_counts(name="rows")
    counts = counts.sort("rows", "value", descending=[True, False])
    shown = [f"{value} ({n:,})" for value, n in counts.head(_MOST_VALUES).iter_rows()]
    if counts.height > _MOST_VALUES:
        shown.append(f"{counts.height - _MOST_VALUES:,} more")
    return ColumnSummary(column.name, "category", missing, distinct, ", ".join(shown))


def columns_table(columns: list[ColumnSummary]) -> Html:
    """Return the columns as a table of a page.

    Parameters
    ----------
    columns : list of ColumnSummary
        From `summarise_columns`.
    """
    heads = ["Column", "Values", "Missing"]
    rows: list[list[Any]] = [[one.name, one.values, one.missing] for one in columns]
    return table(heads, rows, "Columns that were learned from")
