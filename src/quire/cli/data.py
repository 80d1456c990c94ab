"""``quire data``: data that come with quire, as files to try things on."""

from __future__ import annotations

from typing import Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _typer as typer
from quire.cli._arguments import Json
from quire.cli._show import new_table, show, show_json, working
from quire.cli._tables import check_places, check_table, write_table
from quire.cli._tell import tell_written

__all__ = ["data"]


def _part(text: str) -> tuple[int, int]:
    """Read "2/5" as the second of five parts.

    Examples
    --------
    >>> _part("2/5")
    (2, 5)
    """
    number, slash, n = text.partition("/")
    if not slash or not number.isdigit() or not n.isdigit() or not 1 <= int(number) <= int(n):
        raise typer.BadParameter(f"expected a part of several, such as 2/5; got {text!r}.")
    return int(number), int(n)


def data(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which; without one they are listed.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="Where to; NAME.csv in this folder by default."
        ),
    ] = None,
    part: Annotated[
        Any,
        typer.Option(
            parser=_part,
            metavar="K/N",
            help="One of N parts, drawn at random: 1/4, 2/4 ... have no row in common.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write data that come with quire to a file: CSV, TSV, Parquet, NDJSON, JSON or Excel.

    They are made up or written for quire, or read from what is installed; nothing is downloaded.
    """
    with working("Loading"):
        from quire.datasets import load_table, table_names
    if name is None:
        names = table_names()
        if as_json:
            show_json(names)
            return
        table = new_table()
        table.add_column("name", no_wrap=True)
        table.add_column("what it is", overflow="fold")
        for one, about in names.items():
            table.add_row(one, about)
        show(table)
        return
    path = f"{name}.csv" if output is None else output
    check_table(path, "--output")
    found = load_table(name)
    check_places(None, None, path)
    if part is not None:
        number, n = part
        found = found.sample(fraction=1.0, shuffle=True, seed=0)
        ends = [round(k * found.height / n) for k in (number - 1, number)]
        found = found[ends[0] : ends[1]]
    write_table(found, path)
    if as_json:
        show_json({"file": path, "rows": found.height, "columns": found.columns})
        return
    tell_written(path)
    show(f"{how_many(found.height, 'row')}; columns {', '.join(found.columns)}")
