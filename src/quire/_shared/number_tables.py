"""Small tables of results, as aligned text and as HTML."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

__all__ = ["aligned", "html_table", "number"]

_NUMBER = re.compile(r"[<+\-−]?[\d.,]+(e[+-]?\d+)?( ?%| s)?( (±|to) [+\-−]?[\d.,]+)?|nan|inf")


def aligned(rows: Sequence[Sequence[str]], *, left: int = 0) -> list[str]:
    """Return one line of text for each row, with columns of equal width.

    Parameters
    ----------
    rows : sequence of sequences of str
        Cells; all rows have the same number.
    left : int, default=0
        How many of the first columns start at the left; the others end at the right.

    Examples
    --------
    >>> aligned([["a", "10"], ["bcd", "2"]], left=1)
    ['a    10', 'bcd   2']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def html_table(caption: str, rows: Sequence[Sequence[str]]) -> str:
    """Return a ``table`` element that needs nothing from elsewhere.

    Parameters
    ----------
    caption : str
        What the table shows.
    rows : sequence of sequences of str
        The head and the body; the first cell of each row names it. All text is escaped.

    Examples
    --------
    >>> html_table("a < b", [["part", "mean"], ["bias", "1"]])[:48]
    '<table><caption style="text-align:left">a &lt; b'
    """
    body, n_columns = rows[1:], len(rows[0])
    right = [all(_is_number(row[place]) for row in body) for place in range(n_columns)]
    sides = ["right" if is_right and body else "left" for is_right in right]
    head = "".join(_html_cell("th", "col", *cell) for cell in zip(sides, rows[0], strict=True))
    lines = []
    for row in body:
        first, *others = zip(sides, row, strict=True)
        cells = "".join(_html_cell("td", "", *cell) for cell in others)
        lines.append(f"<tr>{_html_cell('th', 'row', *first)}{cells}</tr>")
    return (
        f'<table><caption style="text-align:left">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _html_cell(tag: str, scope: str, side: str, text: str) -> str:
    named = f' scope="{scope}"' if scope else ""
    return f'<{tag}{named} style="text-align:{side};vertical-align:top">{escape(text)}</{tag}>'


def _is_number(text: str) -> bool:
    """Return whether a cell is a number, an interval, or nothing: what is read from the right."""
    return not text or _NUMBER.fullmatch(text) is not None


def number(value: float, like: float | None = None) -> str:
    """Return a number with as many places as make sense beside another one.

    Parameters
    ----------
    value : float
        What to show.
    like : float, default=None
        The largest number it stands with, which gets three to four digits; ``None`` is itself.

    Examples
    --------
    >>> number(0.25), number(2.5e-6), number(-1234567)
    ('0.250', '2.50e-06', '-1.23e+06')
    >>> number(0.0004, like=0.25), number(31.42, like=5678)
    ('0.000', '31')
    """
    size = abs(value if like is None else like)
    if size == 0 or not math.isfinite(size):
        return f"{value:.3f}"
    power = math.floor(math.log10(size))
    if not -4 <= power < 6:
        return f"{value:.2e}"
    places = min(3, max(0, 3 - power)) if power >= -1 else 2 - power
    shown = f"{value:.{places}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown
