"""The commands by their names, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from quire.cli._groups import expanded

__all__ = ["COMMANDS", "command"]

COMMANDS: dict[str, str] = {  # the function in the module of this name; in the order of the help
    "demo": "demo",
    "data": "data",
    "check": "check",
    "audit": "audit",
    "compare": "compare",
    "curve": "curve",
    "fit": "fit",
    "predict": "predict",
    "evaluate": "evaluate",
    "update": "update",
    "verify": "verify",
    "explain": "explain",
    "inspect": "inspect",
    "report": "report",
    "export": "export",
    "terms": "terms",
    "topics": "topics",
    "cluster": "cluster",
    "map": "map_documents",
    "neighbors": "neighbors",
    "align": "align",
    "lesson": "lesson",
}


def command(name: str) -> Callable[..., None]:
    """Return a command, with the options of its groups in their places.

    Parameters
    ----------
    name : str
        One of :data:`COMMANDS`.
    """
    return expanded(getattr(import_module(f"quire.cli.{name}"), COMMANDS[name]))
