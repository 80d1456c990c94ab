"""``quire lesson``: a method on one page, step by step."""

from __future__ import annotations

import difflib
import inspect
from pathlib import Path
from typing import Annotated, Any

from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._show import new_table, show, show_json, working
from quire.cli._tables import check_places
from quire.cli._tell import tell_written

__all__ = ["lesson"]


def lesson(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Which one, or all; without it, a list of them."),
    ] = None,
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="Your own data, where the lesson takes some."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="The HTML file, or for all a folder; NAME.html."
        ),
    ] = None,
    text: given.Text = None,
    label: given.Label = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column with numbers; repeat for a second."),
    ] = None,
    document: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Text that the lesson classifies.")
    ] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser when it is written.")
    ] = False,
    as_json: given.Json = False,
) -> None:
    """Write a lesson: one method on one page, step by step, that opens without a network.

    A page has the idea, the formula, a small data set or your own file, the states that the
    estimator goes through, and settings to change. Without a name, list all lessons.
    """
    from quire import lessons

    if name is None:
        _list(lessons.LESSONS, as_json)
        return
    asked = {"file": file, "text": text, "label": label, "columns": column, "document": document}
    options = {key: value for key, value in asked.items() if value}
    if name == "all":
        _refuse("all", list(options))
        with working("Writing lessons"):
            written = lessons.write_all(output or "lessons")
        target = written[-1]
    else:
        make = getattr(lessons, _known(name, lessons.LESSONS).replace("-", "_"))
        taken = inspect.signature(make).parameters
        _refuse(name, [option for option in options if option not in taken])
        path = output or f"{name}.html"
        check_places(None, None, path)
        with working(f"Writing {path}"):
            made = make(**options)
            target = made.save(path)
        written = [target]
        if as_json:
            show_json({"page": str(target), **made.to_dict()})
    if as_json and name == "all":
        show_json({"pages": [str(path) for path in written]})
    tell_written(*map(str, written))
    if open_page:
        typer.launch(Path(target).resolve().as_uri())


def _list(known: dict[str, str], as_json: bool) -> None:
    names = {name.replace("_", "-"): about for name, about in known.items()}
    if as_json:
        show_json([{"name": name, "about": about} for name, about in names.items()])
        return
    table = new_table()
    table.add_column("lesson", no_wrap=True)
    table.add_column("what it shows")
    for row in names.items():
        table.add_row(*row)
    show(
        table, "quire lesson NAME --open writes one and shows it; quire lesson all writes them all."
    )


def _known(name: str, known: dict[str, Any]) -> str:
    names = [one.replace("_", "-") for one in known]
    wanted = name.replace("_", "-")
    if wanted in names:
        return wanted
    close = difflib.get_close_matches(wanted, names, 1)
    hint = f" Did you mean {close[0]}?" if close else " quire lesson lists them."
    raise typer.BadParameter(f"there is no lesson {name!r}.{hint}", param_hint="NAME")


def _refuse(name: str, options: list[str]) -> None:
    """Raise an error if a lesson does not take what was given."""
    words = {"file": "a file of yours", "columns": "--column"}
    if options:
        what = ", ".join(words.get(option, f"--{option}") for option in options)
        raise typer.BadParameter(f"the lesson {name} does not take {what}.", param_hint="NAME")
