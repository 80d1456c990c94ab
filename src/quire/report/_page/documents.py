"""The documents of a report as one column of strings, whatever they were given as."""

from __future__ import annotations

from typing import Any

import polars as pl

__all__ = ["as_column"]


def as_column(texts: Any, n_documents: int, columns: Any = None) -> pl.Series:
    """Return texts as a column of strings; of a table, its columns of texts joined.

    Parameters
    ----------
    texts : sequence of str, Series or DataFrame
        The documents that were compared. ``None`` and NaN are missing texts.
    n_documents : int
        How many there must be.
    columns : sequence of str, default=None
        Columns of a table that are texts; all columns of strings if ``None`` or empty.

    Returns
    -------
    polars.Series
        One string or null for each document.

    Raises
    ------
    TypeError
        If `texts` is one string, or not made of strings.
    ValueError
        If there are more or fewer than were compared.
    """
    if isinstance(texts, str | bytes):
        raise TypeError("texts is one string; expected a list of them, or a column of a table.")
    column = _joined(texts, columns) if _is_table(texts) else _strings(texts)
    if len(column) != n_documents:
        raise ValueError(
            f"texts has {len(column):,} documents; the comparison has {n_documents:,}. "
            "Give the documents that were compared, in the same order."
        )
    return column


def _is_table(texts: Any) -> bool:
    return hasattr(texts, "columns") and hasattr(texts, "dtypes")


def _joined(table: Any, wanted: Any) -> pl.Series:
    names = list(table.columns)
    columns = []
    for name in [name for name in wanted or () if name in names] or names:
        try:
            columns.append(_strings(table[name]))
        except TypeError:
            continue  # a column of numbers
    if not columns:
        raise TypeError(f"texts is a table without a column of strings; its columns are: {names}.")
    if len(columns) == 1:
        return columns[0]
    frame = pl.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)])
    return frame.select(pl.concat_str(pl.all(), separator=" ", ignore_nulls=True)).to_series()


def _strings(texts: Any) -> pl.Series:
    if isinstance(texts, pl.Series):
        column = texts
    else:
        values = texts.tolist() if hasattr(texts, "tolist") else list(texts)
        column = _from_list(values)
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype == pl.Null:
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        raise TypeError(f"texts has values of type {column.dtype}; expected strings.")
    return column


def _from_list(values: list[Any]) -> pl.Series:
    clean = [
        value if isinstance(value, str) or not _is_missing(value) else None for value in values
    ]
    for row, value in enumerate(clean):
        if value is not None and not isinstance(value, str):
            raise TypeError(
                f"texts has {type(value).__name__} at row {row}; expected strings, or None where a "
                "text is missing."
            )
    try:
        return pl.Series(clean, dtype=pl.String)
    except UnicodeEncodeError:  # lone surrogates, which UTF-8 does not know
        safe = [value and value.encode("utf-8", "replace").decode("utf-8") for value in clean]
        return pl.Series(safe, dtype=pl.String)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA does not say
        return True
