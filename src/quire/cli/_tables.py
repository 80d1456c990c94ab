"""Files that commands write beside what they print: where they go, and tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from quire.io import Corpus

from quire.cli import _typer as typer
from quire.exceptions import MissingExtraError

__all__ = [
    "ENDINGS",
    "check_escape",
    "check_is_other",
    "check_places",
    "check_table",
    "dates_if_dates",
    "encode",
    "ending",
    "flat",
    "write_columns",
    "write_parts",
    "write_table",
]

ENDINGS = (".csv", ".tsv", ".parquet", ".ndjson", ".jsonl", ".json", ".xlsx")
_FOR_SHEETS = (".csv", ".tsv")  # what a spreadsheet takes formulas from


def check_places(
    report: str | None, table: str | None, *paths: str | None, inputs: Sequence[str | None] = ()
) -> None:
    """Raise an error before the work is done, if its results could not be written.

    Parameters
    ----------
    report, table : str or None
        The HTML file, and the table of documents.
    *paths : str or None
        Other files.
    inputs : sequence of str or None
        Files that are read, which none of them may replace.
    """
    if report is not None and find_spec("vl_convert") is None:
        raise MissingExtraError(
            "Reports need vl-convert-python, which is not installed: pip install 'quire[report]'"
        )
    check_table(table, "--documents-out")
    for path in (report, table, *paths):
        if path is None:
            continue
        if Path(path).is_dir():
            raise IsADirectoryError(f"{path} is a folder; name a file in it.")
        if not Path(path).expanduser().parent.is_dir():
            raise FileNotFoundError(f"{Path(path).parent}, the folder of {path}, is not there.")
        check_is_other(path, *inputs)


def check_is_other(output: str, *inputs: str | None) -> None:
    """Raise an error if what is written would replace what is read.

    Parameters
    ----------
    output : str
        What is written.
    *inputs : str or None
        What is read; "-" is standard input.
    """
    for path in inputs:
        if path is None or path == "-" or not Path(output).is_file() or not Path(path).is_file():
            continue
        if Path(output).samefile(path):
            raise ValueError(f"{output} is read, and would be replaced. Name another file.")


def check_table(path: str | None, option: str) -> None:
    """Raise an error if the name of a file does not say what to write.

    Parameters
    ----------
    path : str or None
        The file.
    option : str
        The option that named it.
    """
    if path is not None and Path(path).suffix.lower() not in ENDINGS:
        raise typer.BadParameter(f"{path!r} should end in {', '.join(ENDINGS)}.", param_hint=option)


def check_escape(escape: bool, path: str | None) -> None:
    """Raise an error if formulas are to be escaped where nothing would make formulas of them.

    Parameters
    ----------
    escape : bool
        Whether to escape them.
    path : str or None
        The table that is to be written.
    """
    suffix = "" if path is None else Path(path).suffix.lower()
    if escape and (path is None or (suffix in ENDINGS and suffix not in _FOR_SHEETS)):
        what = "no table is written" if path is None else f"{path!r} is no CSV file"
        raise typer.BadParameter(f"{what}.", param_hint="--escape-formulas")


def dates_if_dates(column: pl.Series) -> pl.Series:
    """Return a column of words as dates, if all of them are; any other column as it is."""
    import polars as pl

    if column.dtype != pl.String:
        return column
    known = column.drop_nulls()
    for convert in ("to_date", "to_datetime"):
        try:
            dates = getattr(known.str, convert)(strict=False)
        except pl.exceptions.ComputeError:  # no format could be inferred
            continue
        if len(known) and not dates.null_count():
            return getattr(column.str, convert)(strict=False)  # type: ignore[no-any-return]
    return column


def write_columns(
    corpus: Corpus, added: dict[str, Any], path: str, *, escape: bool = False
) -> None:
    """Write a row for each document: its number in the source, all columns but texts, new ones.

    Parameters
    ----------
    corpus : Corpus
        Documents.
    added : dict from str to array
        New columns; a name that is taken gets an underscore.
    path : str
        A CSV, Parquet or NDJSON file, by its ending.
    escape : bool, default=False
        As for `write_table`.
    """
    import polars as pl

    from quire._shared.tables import with_columns

    others = corpus.frame.drop(corpus.text_columns)
    table = with_columns(others, {"row": corpus.rows, **added})
    first = table.columns[others.width]  # "row", or "row_" where the file has a "row"
    write_table(table.select(first, pl.exclude(first)), path, escape=escape)


def flat(part: pl.DataFrame, *, escape: bool = False) -> pl.DataFrame:
    """Return a table that CSV can hold: lists and structures as JSON, and no formulas if asked."""
    import polars as pl

    if escape:
        from quire.prediction import escape_formulas

        part = escape_formulas(part)
    nested = [name for name, dtype in part.schema.items() if dtype.is_nested()]
    return part.with_columns(
        pl.Series(name, [_as_json(value) for value in part[name].to_list()], dtype=pl.String)
        for name in nested
    )


def _as_json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def write_table(table: pl.DataFrame, path: str, *, escape: bool = False) -> None:
    """Write a table, all of it or nothing.

    Parameters
    ----------
    table : polars.DataFrame
        What to write.
    path : str
        Where; its ending tells the format.
    escape : bool, default=False
        Whether to keep texts in CSV from being formulas of a spreadsheet.
    """
    from quire._shared.replaced_file import replaced_file

    with replaced_file(Path(path)) as stream:
        if Path(path).suffix.lower() == ".parquet":
            table.write_parquet(stream)
        else:
            write_parts(iter([table]), stream, Path(path).suffix.lower(), escape=escape)


def write_parts(
    parts: Iterator[pl.DataFrame], stream: Any, suffix: str, *, escape: bool = False
) -> int:
    """Write the parts of a table one after the other; return how many rows there were.

    Parameters
    ----------
    parts : iterator of polars.DataFrame
        Tables with the same columns.
    stream : file
        Binary.
    suffix : str
        What to write: one of `ENDINGS` but Parquet.
    escape : bool, default=False
        As for `write_table`.
    """
    if suffix == ".xlsx":
        from quire._shared.workbook import write_workbook

        return write_workbook((flat(part) for part in parts), stream)
    n_rows = 0
    for number, part in enumerate(parts):
        n_rows += part.height
        encode(part, stream, suffix, is_first=number == 0, escape=escape)
    stream.write(ending(suffix, n_rows))
    return n_rows


def encode(
    part: pl.DataFrame, stream: Any, suffix: str, *, is_first: bool, escape: bool = False
) -> None:
    """Write one part of a table as text: CSV, TSV, or JSON in lines or in one array."""
    if suffix in (".ndjson", ".jsonl"):
        part.write_ndjson(stream)
    elif suffix == ".json":
        lines = part.write_ndjson().encode("utf-8").rstrip(b"\n")
        if lines:
            stream.write((b"[\n" if is_first else b",\n") + lines.replace(b"\n", b",\n"))
    else:
        separator = "\t" if suffix == ".tsv" else ","
        flat(part, escape=escape).write_csv(stream, include_header=is_first, separator=separator)


def ending(suffix: str, n_rows: int) -> bytes:
    """Return what stands behind the last part."""
    if suffix != ".json":
        return b""
    return b"\n]\n" if n_rows else b"[]\n"
