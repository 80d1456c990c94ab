"""The command line. One file for each command; each parses, calls public functions and shows.

A command is imported when it is asked for, typer where a command line is not plain
(:mod:`quire.cli._plain`), and what commands work with when they run: ``quire`` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quire._shared.terminal import marked_streams, visible
from quire.cli._commands import COMMANDS, command
from quire.cli._loading import own_process
from quire.cli._plain import values_of
from quire.cli._provenance import Running, running
from quire.cli._tell import INTERRUPTED, tell
from quire.cli._wording import in_options

if TYPE_CHECKING:
    from quire.cli._app import app

__all__ = ["app", "main"]

_COMPLETION = "_QUIRE_COMPLETE"  # a shell asks what could follow


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from quire.cli._app import app

    return app


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
    if arguments is None:
        own_process()
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
    import traceback

    print(visible("".join(traceback.format_exception(*defect))), end="", file=sys.stderr)


def _run(arguments: list[str]) -> int:
    """Run one command; turn what users can cause into one line on stderr and an exit code."""
    try:
        code = _done(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone, as in "quire terms ... | head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        code = INTERRUPTED
    except ModuleNotFoundError:  # a defect: a missing extra is an ImportError with its remedy
        raise
    except (OSError, ValueError, ImportError) as error:
        return _fail(str(error) or type(error).__name__)
    except Exception as error:
        # Typer brings its own copy of click or uses the installed one, depending on its version;
        # both mark the errors of the command line with these attributes.
        if _is_of_typer(error, "Abort"):
            return _fail("stopped", INTERRUPTED)
        if not hasattr(error, "format_message"):
            raise
        code = int(getattr(error, "exit_code", 2))
        return _fail(f"{error.format_message()} Try 'quire --help'.", code)
    if code == INTERRUPTED:  # some versions of typer return this instead of raising
        return _fail("stopped", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _done(arguments: list[str]) -> Any:
    """Read a command line and do it; return the exit code, or nothing."""
    values = None
    if arguments[0] in COMMANDS and _COMPLETION not in os.environ:
        run = command(arguments[0])
        values = values_of(run, arguments[1:])
    if values is None:
        from quire.cli._app import app

        return app(arguments, prog_name="quire", standalone_mode=False)
    try:
        return run(**values)
    except EOFError:  # as typer has it
        print(file=sys.stderr)
        return INTERRUPTED
    except RuntimeError as error:
        if not _is_of_typer(error, "Exit"):
            raise
        return error.exit_code  # type: ignore[attr-defined]


def _is_of_typer(error: Exception, name: str) -> bool:
    """Return whether this is an exception of typer, which was imported to raise it."""
    typer = sys.modules.get("typer")
    return typer is not None and isinstance(error, getattr(typer, name))


def _fail(message: str, code: int = 1) -> int:
    tell(in_options(" ".join(message.split())))
    return code
