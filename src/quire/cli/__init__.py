"""The command line. One file for each command; each parses, calls public functions and shows.

Only typer and the standard library are imported here, so that ``quire --help`` answers at once;
the commands import what they need when they run.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from inspect import cleandoc
from typing import Annotated, Any

import typer

from quire._shared.terminal import marked_streams, visible
from quire.cli._groups import expanded
from quire.cli._provenance import Running, running
from quire.cli._tell import INTERRUPTED, tell
from quire.cli._wording import in_options
from quire.cli.align import align
from quire.cli.audit import audit
from quire.cli.check import check
from quire.cli.cluster import cluster
from quire.cli.compare import compare
from quire.cli.curve import curve
from quire.cli.data import data
from quire.cli.demo import demo
from quire.cli.evaluate import evaluate
from quire.cli.explain import explain
from quire.cli.export import export
from quire.cli.fit import fit
from quire.cli.inspect import inspect as inspect_model
from quire.cli.lesson import lesson
from quire.cli.map import map_documents
from quire.cli.neighbors import neighbors
from quire.cli.predict import predict
from quire.cli.report import report
from quire.cli.terms import terms
from quire.cli.topics import topics
from quire.cli.update import update
from quire.cli.verify import verify

__all__ = ["app", "main"]

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


_COMMANDS: dict[str, Callable[..., None]] = {  # in the order of the help
    "demo": demo,
    "data": data,
    "check": check,
    "audit": audit,
    "compare": compare,
    "curve": curve,
    "fit": fit,
    "predict": predict,
    "evaluate": evaluate,
    "update": update,
    "verify": verify,
    "explain": explain,
    "inspect": inspect_model,
    "report": report,
    "export": export,
    "terms": terms,
    "topics": topics,
    "cluster": cluster,
    "map": map_documents,
    "neighbors": neighbors,
    "align": align,
    "lesson": lesson,
}
for _name, _command in _COMMANDS.items():
    app.command(_name, help=_paragraphs(_command.__doc__))(expanded(_command))


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 it could not be done, 2 wrong use.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; taken from the process by default.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a letter is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    with marked_streams():
        try:
            with running(Running(given)):
                code = _run(given or ["--help"])
        except Exception:
            sys.excepthook = _show_defect  # what was read may stand in a traceback
            raise
    sys.exit(code)


def _show_defect(*defect: Any) -> None:
    print(visible("".join(traceback.format_exception(*defect))), end="", file=sys.stderr)


def _run(arguments: list[str]) -> int:
    """Run one command; turn what users can cause into one line on stderr and an exit code."""
    try:
        code = app(arguments, prog_name="quire", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone, as in "quire terms ... | head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except ModuleNotFoundError:  # a defect: a missing extra is an ImportError with its remedy
        raise
    except (OSError, ValueError, ImportError) as error:
        return _fail(str(error) or type(error).__name__)
    except Exception as error:
        # Typer brings its own copy of click or uses the installed one, depending on its version;
        # both mark the errors of the command line with these attributes.
        if not hasattr(error, "format_message"):
            raise
        code = int(getattr(error, "exit_code", 2))
        return _fail(f"{error.format_message()} Try 'quire --help'.", code)
    if code == INTERRUPTED:  # some versions of typer return this instead of raising
        return _fail("stopped", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int = 1) -> int:
    tell(in_options(" ".join(message.split())))
    return code
