"""Showing results: tables on a terminal, plain lines elsewhere, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from quire._shared.progress import named

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["new_table", "percent", "show", "show_json", "working"]

_NO_WRAPPING = 100_000  # columns: wide enough that nothing is folded where there is no screen


def new_table() -> Table:
    """Return an empty table in the style that all commands share."""
    from rich import box
    from rich.table import Table

    return Table(
        box=box.SIMPLE_HEAD if sys.stdout.isatty() else None,
        header_style="bold",
        pad_edge=False,
    )


def show(*parts: RenderableType) -> None:
    """Print tables and lines, an empty line between them.

    They are fitted to a terminal; elsewhere they are neither folded nor coloured.
    """
    from rich.console import Console

    console = Console(highlight=False)
    if console.is_terminal:
        console.print(*parts, sep="\n")  # on a terminal tables bring their own empty lines
        return
    console = Console(highlight=False, width=_NO_WRAPPING, color_system=None)
    for number, part in enumerate(part for part in parts if part != ""):
        with console.capture() as captured:
            console.print(part)
        if number:
            print()
        for line in captured.get().splitlines():
            print(line.rstrip())


def show_json(value: Any) -> None:
    """Print a value as one JSON document."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


@contextmanager
def working(message: str) -> Iterator[None]:
    """Show what is being done while it is done, on a terminal only."""
    with named(message):
        yield


def percent(share: float) -> str:
    """Write a share as a percentage with one decimal."""
    return f"{100 * share:.1f}%"
