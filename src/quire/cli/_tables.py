"""Tables that commands write: CSV, Parquet or NDJSON, by the ending of the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_table", "write_table"]

_ENDINGS = (".csv", ".parquet", ".ndjson", ".jsonl")


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


def write_table(table: pl.DataFrame, path: str) -> None:
    """Write a table, all of it or nothing.

    Parameters
    ----------
    table : polars.DataFrame
        What to write.
    path : str
        Where; its ending tells the format.
    """
    from quire._replaced_file import replaced_file

    suffix = Path(path).suffix.lower()
    with replaced_file(Path(path)) as stream:
        if suffix == ".parquet":
            table.write_parquet(stream)
        elif suffix == ".csv":
            from quire.cli.predict import flat

            flat(table).write_csv(stream)
        else:
            table.write_ndjson(stream)
