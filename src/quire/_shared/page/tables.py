"""Tables: of values, and of cells that are HTML, in boxes that scroll; columns that sort."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count, number, score

__all__ = ["boxed_table", "cell", "column_head", "sorted_cell", "sorting_head", "table"]

_TALL = 25  # rows from which on a table scrolls in its box
_NOT_KNOWN = html('<span class="none" title="not known">–</span>')
_RIGHT = html(' class="n"')  # columns of numbers
_NUMBER = re.compile(r"(< )?[-–−+]?[\d.,/∞]*\s?(%|ms|s|MB|GB)?$")


def cell(value: Any) -> Html:
    """Return what a table shows of a value."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return _NOT_KNOWN
    if isinstance(value, bool):
        return html("yes") if value else html("no")
    if isinstance(value, int):
        return html("{}", count(value))
    if isinstance(value, float):
        return html("{}", number(value))
    return html("{}", value)


def table(
    heads: Sequence[str], rows: Sequence[Sequence[Any]], caption: str, *, kind: str = ""
) -> Html:
    """Return a table in a box that scrolls when it is too wide.

    Parameters
    ----------
    heads : sequence of str
        Heads of the columns.
    rows : sequence of sequences
        The cells; the first of each row is its head. Columns after it that hold numbers are set
        right.
    caption : str
        What the table is, for people who do not see it.
    kind : str, default=""
        A CSS class.
    """
    right = [k > 0 and _is_numeric([row[k] for row in rows]) for k in range(len(heads))]
    align = [_RIGHT if is_right else NOTHING for is_right in right]
    head = [
        html('<th scope="col"{}>{}</th>', mark, name)
        for name, mark in zip(heads, align, strict=True)
    ]
    body = []
    for row in rows:
        rest = [
            html("<td{}{}>{}</td>", mark, _exact(value), cell(value))
            for value, mark in zip(row[1:], align[1:], strict=True)
        ]
        first = html('<th scope="row" dir="auto"{}>{}</th>', _exact(row[0]), cell(row[0]))
        body.append(html("<tr>{}{}</tr>", first, join(rest)))
    return boxed_table(head, body, caption, kind=kind, is_tall=len(rows) > _TALL)


def _exact(value: Any) -> Html:
    """Return the attribute with a number as programs read it, where it is shown in another way."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NOTHING
    if not math.isfinite(value):
        return html(' data-exact=""')
    exact = f"{value:d}" if isinstance(value, int) else f"{value:.10g}"
    return NOTHING if exact == str(cell(value)) else html(' data-exact="{}"', exact)


def _is_numeric(values: list[Any]) -> bool:
    return all(
        value is None or isinstance(value, int | float) or _NUMBER.match(str(value))
        for value in values
    )


def boxed_table(
    heads: Iterable[Html],
    rows: Iterable[Html],
    caption: str,
    *,
    label: str | None = None,
    kind: str = "",
    is_tall: bool = False,
) -> Html:
    """Return a table of cells that are HTML already, in a box that scrolls.

    Parameters
    ----------
    heads : iterable of Html
        The cells of the head.
    rows : iterable of Html
        Whole rows.
    caption : str
        What the table is.
    label : str, default=None
        The name of the box; the caption if ``None``.
    kind : str, default=""
        CSS classes; a table that is ``sortable`` has heads from :func:`sorting_head`.
    is_tall : bool, default=False
        Whether it scrolls up and down as well.
    """
    return html(
        '<div class="box{tall}" tabindex="0" role="region" aria-label="{label}">'
        '<table class="{kind}"><caption class="hidden">{caption}</caption>'
        "<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
        tall=" tall" if is_tall else "",
        label=caption if label is None else label,
        kind=kind,
        caption=caption,
        heads=join(heads),
        rows=join(rows),
    )


def column_head(name: str) -> Html:
    """Return the head of a column."""
    return html('<th scope="col">{}</th>', name)


def sorting_head(name: str, *, is_number: bool = True) -> Html:
    """Return the head of a column that sorts its table."""
    align = _RIGHT if is_number else NOTHING
    return html('<th scope="col"{}><button type="button">{}</button></th>', align, name)


def sorted_cell(value: float | None, shown: str | None = None) -> Html:
    """Return a cell that is sorted by a number, and shows it as a score if nothing else."""
    inside = html("{}", shown) if shown is not None else _NOT_KNOWN
    if shown is None and value is not None:
        inside = html("{}", score(value))
    return html('<td class="n" data-value="{}">{}</td>', "" if value is None else value, inside)
