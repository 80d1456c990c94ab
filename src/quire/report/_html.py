"""Small pieces of HTML: escaped text, numbers in words, tables and figures.

Plain functions that return strings are all the templates there are. Everything that comes from data
goes through :func:`esc`; control characters, which HTML does not allow, become a sign for them.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from typing import Any

from quire.report._charts import Chart

__all__ = [
    "bar_item",
    "boxed_table",
    "cell",
    "count",
    "duration",
    "esc",
    "figure",
    "megabytes",
    "metric_name",
    "number",
    "score",
    "section",
    "sorted_cell",
    "sorting_head",
    "table",
]

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_TALL = 25  # rows from which on a table scrolls in its box
_NONE = '<span class="none" title="not known">–</span>'


def esc(text: Any) -> str:
    """Return text that is safe between tags and in quoted attributes.

    Examples
    --------
    >>> esc("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return html.escape(_CONTROL.sub("\ufffd", str(text)), quote=True)


def count(value: int) -> str:
    """Return a whole number with separators of thousands."""
    return f"{value:,}"


def number(value: float | None) -> str:
    """Return a number with three significant digits and separators of thousands.

    Examples
    --------
    >>> number(1234567.8), number(0.012345), number(12), number(None)
    ('1,234,568', '0.0123', '12', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def score(value: float | None) -> str:
    """Return a score with three decimals, or four digits if it is large."""
    if value is None or not math.isfinite(value):
        return "–"
    return (
        f"{value:.3f}"
        if abs(value) < 10
        else f"{value:,.4g}"
        if abs(value) < 1e4
        else f"{value:,.0f}"
    )


def metric_name(metric: str) -> str:
    """Return the name of a score in words.

    Examples
    --------
    >>> metric_name("neg_mean_absolute_error"), metric_name("f1_macro")
    ('negative mean absolute error', 'f1 macro')
    """
    words = metric.removeprefix("neg_").replace("_", " ")
    return f"negative {words}" if metric.startswith("neg_") else words


def duration(seconds: float | None) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> duration(0.0123), duration(2.5), duration(125), duration(7260)
    ('12 ms', '2.5 s', '2 min 5 s', '2 h 1 min')
    """
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if seconds < 1:
        if seconds < 0.0005:
            return "< 1 ms"
        return f"{seconds * 1000:.2g} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def megabytes(value: float | None) -> str:
    """Return an amount of memory."""
    if value is None:
        return "–"
    return f"{value / 1000:.3g} GB" if value >= 1000 else f"{value:.3g} MB"


def cell(value: Any) -> str:
    """Return what a table shows of a value, escaped."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return _NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return number(value)
    return esc(value)


def table(
    heads: Sequence[str], rows: Sequence[Sequence[Any]], caption: str, *, kind: str = ""
) -> str:
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
    right = [_is_numeric([row[k] for row in rows]) for k in range(len(heads))]
    align = [' class="n"' if k and right[k] else "" for k in range(len(heads))]
    head = "".join(
        f'<th scope="col"{mark}>{esc(name)}</th>' for name, mark in zip(heads, align, strict=True)
    )
    body = []
    for row in rows:
        first = f'<th scope="row" dir="auto">{cell(row[0])}</th>'
        rest = "".join(
            f"<td{mark}>{cell(value)}</td>" for value, mark in zip(row[1:], align[1:], strict=True)
        )
        body.append(f"<tr>{first}{rest}</tr>")
    return boxed_table(head, body, caption, kind=kind, is_tall=len(rows) > _TALL)


def boxed_table(
    head: str, rows: Sequence[str], caption: str, *, kind: str = "", is_tall: bool = False
) -> str:
    """Return a table of cells that are HTML already, in a box that scrolls.

    Parameters
    ----------
    head : str
        The cells of the head.
    rows : sequence of str
        Whole rows.
    caption : str
        What the table is, not yet escaped.
    kind : str, default=""
        CSS classes; a table that is ``sortable`` has heads from :func:`sorting_head`.
    is_tall : bool, default=False
        Whether it scrolls up and down as well.
    """
    tall = " tall" if is_tall else ""
    return (
        f'<div class="box{tall}" tabindex="0" role="region" aria-label="{esc(caption)}">'
        f'<table class="{esc(kind)}"><caption class="hidden">{esc(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def sorting_head(name: str, *, is_number: bool = True) -> str:
    """Return the head of a column that sorts its table."""
    align = ' class="n"' if is_number else ""
    return f'<th scope="col"{align}><button type="button">{esc(name)}</button></th>'


def sorted_cell(value: float | None, shown: str | None = None) -> str:
    """Return a cell that is sorted by a number; what it shows is HTML, or the number as a score."""
    if shown is None:
        shown = _NONE if value is None else score(value)
    return f'<td class="n" data-value="{"" if value is None else value}">{shown}</td>'


def bar_item(name: str, share: float, shown: str) -> str:
    """Return an item of a list: a name, a bar of a length from 0 to 1, and HTML after it."""
    return (
        f'<li><span dir="auto">{esc(name)}</span>'
        f'<span class="bar" style="--w:{share:.3f}" aria-hidden="true"></span>'
        f'<span class="n">{shown}</span></li>'
    )


def _is_numeric(values: list[Any]) -> bool:
    shapes = re.compile(r"(< )?[-–+]?[\d.,]*\s?(%|ms|s|MB|GB)?$")
    return all(
        value is None or isinstance(value, int | float) or shapes.match(str(value))
        for value in values
    )


def figure(chart: Chart) -> str:
    """Return the place of a chart, its caption and the table of its data."""
    name = esc(chart.name)
    wide = "" if chart.max_width is None else f' style="max-width:{chart.max_width}px"'
    data = table(chart.columns, chart.rows, f"Data: {chart.title}", kind="data")
    return (
        f'<figure id="{name}" aria-labelledby="{name}-title">'
        f'<h3 id="{name}-title" dir="auto">{esc(chart.title)}</h3>'
        f'<div class="chart" data-chart="{name}"{wide}></div>'
        f'<figcaption dir="auto">{esc(chart.caption)}</figcaption>'
        f"<details><summary>Data of this chart</summary>{data}</details></figure>"
    )


def section(name: str, title: str, *parts: str) -> str:
    """Return a section with its heading; empty if there is nothing in it."""
    inside = "\n".join(part for part in parts if part)
    if not inside:
        return ""
    return (
        f'<section id="{esc(name)}" aria-labelledby="{esc(name)}-title">'
        f'<h2 id="{esc(name)}-title">{esc(title)}</h2>\n{inside}\n</section>'
    )
