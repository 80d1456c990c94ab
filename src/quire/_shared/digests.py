"""What identifies data: SHA-256 of the bytes of files, and of rows whatever file they came from.

The digest of a column is that of its values and their order. It does not depend on the format of
a file, on how memory is laid out, or on the width of numbers: texts are their UTF-8, whole numbers
64 bits, other numbers 64 bits of floating point, dates are texts as ISO 8601 writes them, and each
value that is missing is marked. Texts go through in pieces that fit a cache; they are never copied
as a whole.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["column_digest", "file_digest", "files_digest", "rows_digest"]

_PIECE = 2**18  # bytes of text that are hashed at a time
_ROWS = 2**16  # values that are hashed at a time
_MISSING = -1  # in the place of the length of a text


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits.

    Parameters
    ----------
    path : str or path
        A file; it is read once, piece by piece.
    """
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_digest(files: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256 of several files: of their names and digests, in the order of the names.

    Parameters
    ----------
    files : iterable of (str, str)
        Names and digests.

    Examples
    --------
    >>> one, two = ("a.txt", "00"), ("b.txt", "11")
    >>> files_digest([one, two]) == files_digest([two, one])
    True
    """
    whole = hashlib.sha256(b"files\n")
    for name, digest in sorted(files):
        raw = os.fsencode(name)
        whole.update(b"%d %s %s\n" % (len(raw), raw, digest.encode("ascii")))
    return whole.hexdigest()


def rows_digest(
    *,
    texts: Any = None,
    labels: Any = None,
    columns: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what identifies rows: their number, and digests of all of it and of each column.

    Parameters
    ----------
    texts, labels : sequence, default=None
        One for each row: a Series, an array or a list.
    columns : mapping, default=None
        Other columns by their names, in an order that counts.

    Returns
    -------
    dict
        ``n``, ``texts``, ``labels`` (``None`` where there are none), ``columns`` (digests by name)
        and ``sha256``, that of all of them.

    Examples
    --------
    >>> import polars as pl
    >>> one = rows_digest(texts=["good", "bad"], labels=[1, 0])
    >>> small = pl.Series([1, 0], dtype=pl.Int8)
    >>> rows_digest(texts=pl.Series(["good", "bad"]), labels=small) == one
    True
    >>> rows_digest(texts=["bad", "good"], labels=[1, 0]) == one
    False
    """
    parts = {"texts": texts, "labels": labels}
    series = {name: _series(part) for name, part in parts.items() if part is not None}
    others = {name: _series(part) for name, part in (columns or {}).items()}
    n = max((len(one) for one in (*series.values(), *others.values())), default=0)
    found = {name: column_digest(one) for name, one in series.items()}
    by_name = {name: column_digest(one) for name, one in others.items()}
    whole = hashlib.sha256(b"rows %d\n" % n)
    for name in parts:
        whole.update(found.get(name, "none").encode("ascii") + b"\n")
    for name, digest in by_name.items():
        raw = name.encode("utf-8", "surrogatepass")
        whole.update(b"%d %s %s\n" % (len(raw), raw, digest.encode("ascii")))
    return {
        "n": n,
        "texts": found.get("texts"),
        "labels": found.get("labels"),
        "columns": by_name,
        "sha256": whole.hexdigest(),
    }


def column_digest(column: pl.Series) -> str:
    """Return the SHA-256 of the values of a column, in their order.

    Parameters
    ----------
    column : polars.Series
        Of any type.
    """
    kind, pieces = _canonical(column)
    whole = hashlib.sha256(b"%s %d\n" % (kind, len(column)))
    for piece in pieces:
        whole.update(piece)
    return whole.hexdigest()


def _series(values: Any) -> pl.Series:
    """Return values of any kind as a column; sequences of tuples become lists."""
    import polars as pl

    if isinstance(values, pl.Series):
        return values
    if hasattr(values, "to_list"):  # pandas
        values = values.to_list()
    elif hasattr(values, "tolist"):
        values = values.tolist()
    values = [list(one) if isinstance(one, tuple | frozenset | set) else one for one in values]
    values = [None if isinstance(one, float) and one != one else one for one in values]
    try:
        return pl.Series(values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series([None if one is None else _as_text(one) for one in values])


def _as_text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _canonical(column: pl.Series) -> tuple[bytes, Iterator[bytes]]:
    """Return the kind of a column, and its values as bytes that do not depend on its type."""
    import polars as pl

    dtype = column.dtype
    if dtype == pl.Null:
        return b"nothing", iter(())
    if dtype == pl.Boolean:
        return b"truth", _numbers(column.cast(pl.Int64))
    if dtype.is_integer() and dtype not in (pl.UInt64, pl.Int128):
        return b"whole", _numbers(column.cast(pl.Int64))
    if dtype.is_float():
        numbers = column.cast(pl.Float64)
        return b"number", _numbers(numbers.fill_nan(None))
    if isinstance(dtype, pl.List | pl.Array):
        lists = column.cast(pl.List(dtype.inner))
        return b"lists", _lists(lists)
    if isinstance(dtype, pl.Binary):
        column = column.bin.encode("hex")
    elif dtype != pl.String:
        column = _written(column)
    return b"text", _texts(column)


def _written(column: pl.Series) -> pl.Series:
    """Return a column as texts: dates as ISO 8601 has them, anything else as Python writes it."""
    import polars as pl

    if column.dtype == pl.Datetime:
        return column.dt.to_string("iso:strict")
    if isinstance(column.dtype, pl.Object | pl.Struct | pl.Duration):
        values = column.to_list()
        return pl.Series(
            [None if one is None else _as_text(one) for one in values], dtype=pl.String
        )
    return column.cast(pl.String)


def _pieces(column: pl.Series, n_rows: int) -> Iterator[pl.Series]:
    for start in range(0, len(column), n_rows):
        yield column.slice(start, n_rows)


def _numbers(column: pl.Series) -> Iterator[bytes]:
    """Yield numbers, and a bit for each that is missing."""
    for piece in _pieces(column, _ROWS):
        missing = piece.is_null()
        yield b"\1" if missing.any() else b"\0"
        if missing.any():
            yield missing.to_numpy().tobytes()
        yield _little(piece.fill_null(0).to_numpy())


def _texts(column: pl.Series) -> Iterator[bytes]:
    """Yield lengths and then the texts in UTF-8."""
    import polars as pl

    lengths = column.str.len_bytes()
    for piece in _pieces(lengths, _ROWS):
        yield _little(piece.cast(pl.Int64).fill_null(_MISSING).to_numpy())
    mean = int(lengths.sum() or 0) // max(len(column), 1)
    for piece in _pieces(column, max(1, _PIECE // max(mean, 1))):
        yield piece.str.join("", ignore_nulls=True).item().encode("utf-8")


def _lists(column: pl.Series) -> Iterator[bytes]:
    """Yield how long each list is, and the digest of what is in them."""
    import polars as pl

    lengths = column.list.len().cast(pl.Int64).fill_null(_MISSING)
    yield column_digest(lengths).encode("ascii")
    inner = column.filter(lengths > 0).explode()
    yield column_digest(inner).encode("ascii")


def _little(values: Any) -> bytes:
    """Return numbers as bytes, the lowest first, on any machine."""
    return bytes(values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes())
