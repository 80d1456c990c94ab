"""All commands as typer has them: for help, for what is wrong, for completion in shells."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import cleandoc
from typing import Annotated, Any

import typer

from quire.cli._commands import COMMANDS, command
from quire.cli._typer import Parameter

__all__ = ["app", "of_typer"]

app = typer.Typer(
    name="quire",
    help="Machine learning for text: documents in, a model you can read out.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _paragraphs(docstring: str | None) -> str:
    """Join the lines of each paragraph, so that help folds where the terminal ends."""
    parts = cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in parts)


def of_typer(run: Callable[..., None]) -> Callable[..., None]:
    """Give a command options of typer in the place of what stands for them, and return it."""
    signature = inspect.signature(run)
    listed = [
        one.replace(annotation=_annotation(one.annotation)) for one in signature.parameters.values()
    ]
    run.__signature__ = signature.replace(parameters=listed)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in listed}
    return run


def _annotation(annotation: Any) -> Any:
    parameter = next(iter(getattr(annotation, "__metadata__", ())), None)
    if not isinstance(parameter, Parameter):
        return annotation
    return Annotated[annotation.__origin__, parameter.of_typer()]


for _name in COMMANDS:
    _run = command(_name)
    app.command(_name, help=_paragraphs(_run.__doc__))(of_typer(_run))


def _show_version(wanted: bool) -> None:
    if wanted:
        from quire import __version__

        print(f"quire {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    pass
