"""``quire explain``: why a saved model labels a text as it does."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

from quire._shared.how_many import how_many
from quire._shared.terminal import is_terminal
from quire.cli import _typer as typer
from quire.cli._arguments import Json, read_text
from quire.cli._loading import loading
from quire.cli._show import show, show_json

__all__ = ["explain"]


def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A .quire file.")],
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="The text, or a row of a table as JSON; - or nothing reads it from stdin.",
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Read the text, or the table, from this file."),
    ] = None,
    row: Annotated[
        int, typer.Option(min=0, metavar="N", help="Which row of a table in --file, from 0.")
    ] = 0,
    target: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="Explain this class; else the predicted one."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Compare with this class; else the next.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Number of terms to show.")] = 10,
    as_json: Json = False,
) -> None:
    """Show what every word of a text says for a class and against another.

    Contributions add up exactly to the decision of the model. For a model of a table without texts,
    give a row as JSON, such as '{"age": 54, "home": "own"}', or a table with --file and --row.
    """
    if file is not None and text is not None:
        raise typer.BadParameter("give a TEXT or a --file, not both.")
    with loading():
        from quire.inspection import explain as explain_text
        from quire.kinds import takes_of
        from quire.scoring import load_model
    loaded, _ = load_model(model)
    takes = takes_of(loaded)
    document: Any = text
    if file is not None and takes.what == "table":
        document = _row_of(file, row, takes.columns)
    elif file is not None:
        document = read_text(file)
    elif text is None or text == "-":
        document = sys.stdin.read()
    if takes.what == "table" and isinstance(document, str):
        document = _row_from_json(document, takes.columns)
    try:
        explanation = explain_text(
            loaded,
            document,
            target=_label(loaded, target),
            against=_label(loaded, against),
            n_terms=top,
        )
    except TypeError as error:  # a model that predicts nothing, such as a search
        raise ValueError(f"{model}: {error}") from error
    if as_json:
        show_json(explanation.to_dict())
    elif is_terminal():
        show(explanation.to_rich())
    else:
        print(explanation)


def _row_from_json(text: str, columns: tuple[str, ...]) -> dict[str, Any]:
    """Return a row that is written as JSON; columns that are not named are missing."""
    try:
        row = json.loads(text)
    except json.JSONDecodeError:
        row = None
    if not isinstance(row, dict):
        raise ValueError(
            f"The model takes rows of a table with the columns {', '.join(columns)}. Give one as "
            f"JSON, such as '{{\"{columns[0]}\": ...}}', or a table with --file and --row."
        )
    unknown = [name for name in row if name not in columns]
    if unknown:
        raise ValueError(f"The model has no column {unknown[0]!r}; it has: {', '.join(columns)}.")
    return {name: row.get(name) for name in columns}


def _row_of(file: str, row: int, columns: tuple[str, ...]) -> dict[str, Any]:
    """Return one row of a table in a file."""
    from quire.io import read_batches

    options: dict[str, Any] = {"batch_size": row + 1, "default_columns": columns, "label": False}
    corpus = next(read_batches(file, **options))
    missing = [name for name in columns if name not in corpus.frame.columns]
    if missing:
        raise ValueError(
            f"The model was fitted on a column {missing[0]!r}, which {file} does not have; it has: "
            f"{', '.join(corpus.frame.columns)}."
        )
    if row >= len(corpus):
        raise ValueError(
            f"{file} has {how_many(len(corpus), 'row')}; there is no row {row} (from 0)."
        )
    return corpus.frame.select(columns).row(row, named=True)


def _label(model: object, given: str | None) -> object:
    """Return the class that is written so: labels of a model may be numbers."""
    if given is None:
        return None
    from quire.kinds import classes_of

    classes = classes_of(model)
    by_name = {} if classes is None else {str(label): label for label in classes.tolist()}
    return by_name.get(given, given)
