"""Showing results: tables on a terminal, plain lines elsewhere, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from quire._shared.progress import named
from quire._shared.terminal import console, escaped_json, formatted, is_terminal, visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from quire.decomposition import MapAxis
    from quire.kinds import AxisCard

__all__ = ["as_text", "axis_table", "new_table", "percent", "show", "show_json", "working"]

_AXES = (("x", "left", "right"), ("y", "lower", "upper"))
_NO_WRAPPING = 100_000  # columns: wide enough that nothing is folded where there is no screen


def new_table() -> Table:
    """Return an empty table in the style that all commands share."""
    from rich import box
    from rich.table import Table

    return Table(
        box=box.SIMPLE_HEAD if is_terminal() else None,
        header_style="bold",
        pad_edge=False,
    )


def as_text(value: object, *, style: str = "", one_line: bool = True) -> Text:
    """Return data as text to show: no markup, marks for what a terminal would obey.

    Parameters
    ----------
    value : object
        A label, a term, a text, a name.
    style : str, default=""
        How to show it.
    one_line : bool, default=True
        Whether line breaks and tabs in it become marks, too.
    """
    from rich.text import Text

    return Text(visible(str(value), one_line=one_line), style=style)


def show(*parts: RenderableType) -> None:
    """Print tables and lines, an empty line between them.

    They are fitted to a terminal; elsewhere they are neither folded nor coloured.
    """
    if is_terminal():
        console().print(*parts, sep="\n")  # on a terminal tables bring their own empty lines
        return
    for number, part in enumerate(part for part in parts if part != ""):
        if number:
            print()
        for line in formatted(part, columns=_NO_WRAPPING):
            print(line)


def show_json(value: Any) -> None:
    """Print a value as one JSON document."""
    print(escaped_json(json.dumps(value, indent=2, ensure_ascii=False, default=str)))


def axis_table(axes: Sequence[MapAxis | AxisCard]) -> Table:
    """Return a table of the axes of a map: a line for each end, with its terms.

    Parameters
    ----------
    axes : sequence of MapAxis or AxisCard
        One or two of them.
    """
    table = new_table()
    table.add_column("axis", no_wrap=True)
    table.add_column("variance", justify="right", no_wrap=True)
    table.add_column("end", no_wrap=True)
    table.add_column("terms", overflow="fold")
    for axis, (name, low, high) in zip(axes, _AXES, strict=False):
        for number, (end, terms) in enumerate(((low, axis.low), (high, axis.high))):
            listed = as_text(" ".join(str(one.term) for one in terms))
            first = (name, f"{axis.share:.2%}") if number == 0 else ("", "")
            table.add_row(*first, end, listed)
    return table


@contextmanager
def working(message: str) -> Iterator[None]:
    """Show what is being done while it is done, on a terminal only."""
    with named(message):
        yield


def percent(share: float) -> str:
    """Write a share as a percentage with one decimal."""
    return f"{100 * share:.1f}%"
