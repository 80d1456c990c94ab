"""Files that commands write beside what they print: where they go, and tables."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import polars as pl

    from quire.io import Corpus

from quire.exceptions import MissingExtraError

__all__ = [
    "check_escape",
    "check_places",
    "check_table",
    "dates_if_dates",
    "flat",
    "write_columns",
    "write_table",
]

_ENDINGS = (".csv", ".parquet", ".ndjson", ".jsonl")


def check_places(report: str | None, table: str | None, *paths: str | None) -> None:
    """Raise an error before the work is done, if its results could not be written.

    Parameters
    ----------
    report, table : str or None
        The HTML file, and the table of documents.
    *paths : str or None
        Other files.
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


def check_table(path: str | None, option: str) -> None:
    """Raise an error if the name of a file does not say what to write.

    Parameters
    ----------
    path : str or None
        The file.
    option : str
        The option that named it.
    """
    if path is not None and Path(path).suffix.lower() not in _ENDINGS:
        raise typer.BadParameter(
            f"{path!r} should end in {', '.join(_ENDINGS)}.", param_hint=option
        )


def check_escape(escape: bool, path: str | None) -> None:
    """Raise an error if formulas are to be escaped where nothing would make formulas of them.

    Parameters
    ----------
    escape : bool
        Whether to escape them.
    path : str or None
        The table that is to be written.
    """
    if escape and (path is None or Path(path).suffix.lower() in _ENDINGS[1:]):
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

    suffix = Path(path).suffix.lower()
    with replaced_file(Path(path)) as stream:
        if suffix == ".parquet":
            table.write_parquet(stream)
        elif suffix == ".csv":
            flat(table, escape=escape).write_csv(stream)
        else:
            table.write_ndjson(stream)
