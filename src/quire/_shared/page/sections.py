"""Sections of a page and what they are made of: figures, facts, warnings, lists of bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from quire._shared.how_many import how_many
from quire._shared.page.charts import Chart
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import duration
from quire._shared.page.tables import table

__all__ = [
    "Section",
    "SideBySide",
    "bar_item",
    "bar_items",
    "facts",
    "note",
    "paragraph",
    "section",
    "time_fact",
    "titled",
    "warning_box",
    "without_terms",
]

_NEW_LINE = html("\n")


@dataclass(frozen=True)
class Section:
    """A section, and the charts that have a place in it.

    Attributes
    ----------
    name, title : str
        Its id and its heading.
    body : Html
        All of it, heading included; nothing if it is left out of the page.
    charts : tuple of Chart
        In the order of their places.
    """

    name: str
    title: str
    body: Html
    charts: tuple[Chart, ...]


class SideBySide(tuple[Chart, ...]):
    """Charts that stand beside each other where there is room."""

    __slots__ = ()


def section(name: str, title: str, *parts: Html | Chart | SideBySide) -> Section:
    """Return a section with its heading; one with nothing in it is left out of the page.

    Parameters
    ----------
    name, title : str
        Its id and its heading.
    *parts : Html, Chart or SideBySide
        What is in it, in order. Charts get a figure with their caption and the table of their data.
    """
    charts: list[Chart] = []
    pieces = []
    for part in parts:
        if isinstance(part, Chart):
            charts.append(part)
            pieces.append(_figure(part))
        elif isinstance(part, SideBySide):
            charts.extend(part)
            pieces.append(html('<div class="pair">{}</div>', join(map(_figure, part))))
        else:
            pieces.append(part)
    inside = join([piece for piece in pieces if piece], _NEW_LINE)
    body = html(
        '<section id="{name}" aria-labelledby="{name}-title">'
        '<h2 id="{name}-title">{title}</h2>\n{inside}\n</section>',
        name=name,
        title=title,
        inside=inside,
    )
    return Section(name, title, body if inside else NOTHING, tuple(charts))


def _figure(chart: Chart) -> Html:
    """Return the place of a chart, its caption and the table of its data."""
    width = NOTHING
    if chart.max_width is not None:
        width = html(' style="max-width:{:d}px"', chart.max_width)
    return html(
        '<figure id="{name}" aria-labelledby="{name}-title">'
        '<h3 id="{name}-title" dir="auto">{title}</h3>'
        '<div class="chart" data-chart="{name}"{width}></div>'
        '<figcaption dir="auto">{caption}</figcaption>'
        '<div class="below"><details><summary>Data of this chart</summary>{data}</details></div>'
        "</figure>",
        name=chart.name,
        title=chart.title,
        width=width,
        caption=chart.caption,
        data=table(chart.columns, chart.rows, f"Data: {chart.title}", kind="data"),
    )


def titled(title: str, *parts: Html) -> Html:
    """Return parts of a section under a heading of their own."""
    return html("<h3>{}</h3>{}", title, join(parts))


def paragraph(text: str) -> Html:
    """Return a paragraph of plain text."""
    return html("<p>{}</p>", text)


def note(text: str) -> Html:
    """Return a remark in small print."""
    return html('<p class="note">{}</p>', text)


def facts(shown: Iterable[tuple[str, str]]) -> Html:
    """Return names and numbers, each in a small box."""
    items = [html("<div><dt>{}</dt><dd>{}</dd></div>", name, value) for name, value in shown]
    return html('<dl class="facts">{}</dl>', join(items))


def time_fact(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Return how long the work took, for :func:`facts`, if the settings say so."""
    seconds = settings.get("seconds")
    return [("Time", duration(seconds))] if isinstance(seconds, float) else []


def warning_box(sentences: Sequence[str]) -> Html:
    """Return what to be careful about; nothing if there is nothing."""
    if not sentences:
        return NOTHING
    items = join(html("<li>{}</li>", text) for text in sentences)
    return html('<div class="warn"><h3>Careful</h3><ul>{}</ul></div>', items)


def without_terms(n_documents: int, what: str) -> list[str]:
    """Return a sentence for :func:`warning_box` on documents that have no `what`, if there are."""
    if not n_documents:
        return []
    has = "has" if n_documents == 1 else "have"
    return [f"{how_many(n_documents, 'document')} {has} no term that counts, and so no {what}."]


def bar_item(name: str, share: float, shown: str | Html) -> Html:
    """Return an item of a list: a name, a bar of a length from 0 to 1, and what stands after it."""
    return html(
        '<li><span dir="auto">{}</span>'
        '<span class="bar" style="--w:{:.3f}" aria-hidden="true"></span>'
        '<span class="n">{}</span></li>',
        name,
        share,
        shown,
    )


def bar_items(
    weights: Iterable[tuple[str, float]],
    show: Callable[[float], str],
    *,
    largest: float | None = None,
) -> Html:
    """Return terms and their weights as items of a list, with bars.

    Parameters
    ----------
    weights : iterable of (str, float)
        Terms and weights.
    show : callable
        Writes a weight down.
    largest : float, default=None
        The size of a weight whose bar is full; the largest of these if ``None``.
    """
    weights = list(weights)
    if largest is None:
        largest = max((abs(weight) for _, weight in weights), default=1.0)
    return join(
        bar_item(term, abs(weight) / (largest or 1.0), show(weight)) for term, weight in weights
    )
