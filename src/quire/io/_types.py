"""Types of columns: inferred where a format has none, and kept the same from batch to batch."""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl
from polars.exceptions import PanicException, PolarsError

from quire.exceptions import CorpusError
from quire.io._json_shape import is_too_sparse, table_too_sparse
from quire.io._options import DataType, Notes, listing

# What polars raises where it cannot read: a panic of Rust is no `Exception`.
FAILURES = (PolarsError, PanicException)

# Numbers are read as numbers only if nothing is lost by it: 007 and 20-digit identifiers stay text.
_INTEGER = r"^-?(0|[1-9][0-9]*)$"
_FLOAT = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]*)?([eE][+-]?[0-9]+)?$"
_BOOLEAN = r"^(true|false|True|False|TRUE|FALSE)$"
_PATTERNS: tuple[tuple[str, DataType], ...] = (
    (_INTEGER, pl.Int64()),
    (_FLOAT, pl.Float64()),
    (_BOOLEAN, pl.Boolean()),
)


# What programs write where a number is missing.
_MARKERS = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?", ".", "-")


def infer_type(values: pl.Series) -> DataType:
    """Tell whether all strings of a column are integers, numbers or truth values.

    Among numbers, ``NA`` and the like are missing values; a column of words keeps them.

    Examples
    --------
    >>> infer_type(pl.Series(["1", None, "-20"]))
    Int64
    >>> infer_type(pl.Series(["007", "008"]))
    String
    >>> infer_type(pl.Series(["1.5", "NA"]))
    Float64
    """
    values = values.drop_nulls()
    if values.head(100).str.contains(_FLOAT).any():
        values = values.filter(~values.is_in(_MARKERS))
    for pattern, dtype in _PATTERNS:
        if (
            len(values)
            and values.head(100).str.contains(pattern).all()
            and values.str.contains(pattern).all()
            and not _convert(values, dtype).has_nulls()
        ):
            return dtype
    return pl.String()


def without_markers(
    frame: pl.DataFrame, schema: Mapping[str, DataType], notes: Notes
) -> pl.DataFrame:
    """Make null of ``NA`` and the like where a column is read as numbers, and note it."""
    columns = []
    known = dict(frame.schema)  # once: a table may have thousands of columns
    for column, dtype in schema.items():
        if known.get(column) != pl.String:
            continue
        if dtype not in (pl.Int64, pl.Float64):
            continue
        is_marker = frame[column].is_in(_MARKERS).fill_null(False)
        if is_marker.any():
            found = frame[column].filter(is_marker)[0]
            notes.add(f"{found!r} is a missing number in column {column!r}")
            columns.append(frame[column].set(is_marker, None))
    return frame.with_columns(columns) if columns else frame


def typed(
    frame: pl.DataFrame, schema: Mapping[str, DataType], first_row: int, name: str
) -> pl.DataFrame:
    """Convert the columns of ``frame`` that ``schema`` names.

    Raises
    ------
    CorpusError
        If a value does not fit: the message has the column, the row and the value.
    """
    columns = []
    known = dict(frame.schema)
    for column, dtype in schema.items():
        if column not in known or known[column] == dtype:
            continue
        values = frame[column]
        try:
            converted = _convert(values, dtype)
        except FAILURES as error:
            raise CorpusError(
                f"{name}: column {column!r} ({values.dtype}) cannot be read as {dtype} ({error})"
            ) from error
        lost = (converted.is_null() & values.is_not_null()).arg_true()
        if len(lost):
            row = int(lost[0])
            raise CorpusError(
                f"{name}: column {column!r} is read as {dtype}, and row {first_row + row:,} (from "
                f"0) holds {values[row]!r}. Pass schema_overrides={{{column!r}: polars.String}} "
                "to read it as text."
            )
        columns.append(converted)
    return frame.with_columns(columns) if columns else frame


def joined(frames: Iterable[pl.DataFrame], name: str) -> pl.DataFrame | None:
    """Put frames below each other; a column missing from some is null there."""
    parts = list(frames)
    if len(parts) < 2:
        return parts[0] if parts else None
    columns = set().union(*(part.columns for part in parts))
    n_cells = sum(part.height for part in parts) * len(columns)
    if is_too_sparse(n_cells, sum(part.height * part.width for part in parts)):
        raise CorpusError(table_too_sparse(name, sum(p.height for p in parts), len(columns)))
    try:
        same = all(part.schema == parts[0].schema for part in parts)
        return pl.concat(parts, how="vertical" if same else "diagonal_relaxed", rechunk=True)
    except FAILURES as error:
        raise CorpusError(
            f"{name}: a column holds values of types that do not go together ({error}). Pass "
            "schema_overrides={column: polars.String} to read it as text."
        ) from error


def rebatched(frames: Iterable[pl.DataFrame], size: int, name: str) -> Iterator[pl.DataFrame]:
    """Cut and join frames so that each but the last has ``size`` rows."""
    parts: list[pl.DataFrame] = []
    height = 0
    for frame in frames:
        start = 0
        while height + frame.height - start >= size:
            stop = start + size - height
            parts.append(frame[start:stop])
            batch = joined(parts, name)
            parts, height, start = [], 0, stop
            if batch is not None:
                yield batch
        if start < frame.height or not frame.height:  # a table without rows has columns
            parts.append(frame[start:])
            height += frame.height - start
    last = joined(parts, name)
    if last is not None:
        yield last


def conformed(
    frame: pl.DataFrame, schema: Mapping[str, DataType], first_row: int, notes: Notes
) -> pl.DataFrame:
    """Give a later batch the columns and types of the first one.

    Columns that the first batch does not have are left out with a note; nested columns keep the
    type that they have in their own batch.
    """
    new = [column for column in frame.columns if column not in schema]
    if new:
        notes.add(f"columns that the first batch does not have are left out: {listing(new)}")
    columns = []
    known = dict(frame.schema)
    for column, dtype in schema.items():
        if column not in known:
            columns.append(pl.lit(None, dtype=dtype).alias(column))
            continue
        found = known[column]
        widens = found == pl.Null or (found.is_integer() and dtype == pl.Float64)
        if found != dtype and not widens and not found.is_nested():
            raise CorpusError(
                f"{notes.source}: column {column!r} is {dtype} in the first batch and {found} in "
                f"the batch from row {first_row:,} (from 0) on. Pass "
                f"schema_overrides={{{column!r}: polars.String}}, or another type that fits all."
            )
        columns.append(pl.col(column).cast(dtype) if widens else pl.col(column))
    return frame.select(columns)


def _convert(values: pl.Series, dtype: DataType) -> pl.Series:
    if values.dtype == pl.String and dtype == pl.Boolean:
        lower = values.str.to_lowercase()
        known = lower.is_in(["true", "false"])
        return (lower == "true").set(~known, None)
    return values.cast(dtype, strict=False)
