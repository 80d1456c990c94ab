"""``quire explain``: why a saved model labels a text as it does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from quire.cli._arguments import Json
from quire.cli._show import show, show_json, working

__all__ = ["explain"]


def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A .quire file.")],
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="The text; - or nothing reads it from stdin."),
    ] = None,
    file: Annotated[
        str | None, typer.Option(metavar="PATH", help="Read the text from this file.")
    ] = None,
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

    Contributions add up exactly to the decision of the model.
    """
    if file is not None and text is not None:
        raise typer.BadParameter("give a TEXT or a --file, not both.")
    with working("Loading"):
        import quire
        from quire.inspection import explain as explain_text
    loaded = quire.load(model)
    if file is not None:
        text = Path(file).read_text(encoding="utf-8")
    elif text is None or text == "-":
        text = sys.stdin.read()
    try:
        explanation = explain_text(
            loaded,
            text,
            target=_label(loaded, target),
            against=_label(loaded, against),
            n_terms=top,
        )
    except TypeError as error:  # a model that predicts nothing, such as a search
        raise ValueError(f"{model}: {error}") from error
    if as_json:
        show_json(explanation.to_dict())
    elif sys.stdout.isatty():
        show(explanation.to_rich())
    else:
        print(explanation)


def _label(model: object, given: str | None) -> object:
    """Return the class that is written so: labels of a model may be numbers."""
    if given is None:
        return None
    from quire.kinds import classes_of

    classes = classes_of(model)
    by_name = {} if classes is None else {str(label): label for label in classes.tolist()}
    return by_name.get(given, given)
