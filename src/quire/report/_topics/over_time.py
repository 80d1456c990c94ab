"""Topics over time: a small picture for each topic, those with the clearest trend first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from quire._shared.how_many import how_many
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count
from quire._shared.page.sections import Section, note, section
from quire._shared.page.tables import table
from quire.report._topics.topics import topic_label
from quire.topics import TopicsOverTime

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TimeOfTopic", "TopicsInTime", "over_time_of", "over_time_section"]

_SHOWN = 24  # topics; the others are below, folded
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 240.0, 110.0, 36.0, 8.0, 18.0
_WORDS = 4  # of a period


@dataclass(frozen=True)
class TimeOfTopic:
    """The shares of a topic by period, its trend, and its words in each period."""

    topic: int
    share: list[float]
    lower: list[float]
    upper: list[float]
    slope: float
    p_corrected: float
    words: list[list[str]]


@dataclass(frozen=True)
class TopicsInTime:
    """Topics by period: `places` are numbers along the line of time, from 0 to 1."""

    by: str
    unit: str
    confidence: float
    n_documents: int
    n_missing: int
    n_empty: int
    periods: list[str]
    places: list[float]
    sizes: list[int]
    topics: list[TimeOfTopic]


def over_time_of(found: TopicsOverTime) -> TopicsInTime:
    """Return what a report shows of topics over time."""
    parts = found.table.partition_by("topic", maintain_order=True)
    periods = parts[0]["period"]
    is_date = periods.dtype.is_temporal()
    numbers = (periods.cast(pl.Int32) if is_date else periods).cast(pl.Float64).to_list()
    low, span = numbers[0], (numbers[-1] - numbers[0]) or 1.0
    trends = {row["topic"]: row for row in found.trends.to_dicts()}
    words: dict[int, list[list[str]]] = {}
    if found.words is not None:
        for part in found.words.partition_by("topic", maintain_order=True):
            words[part["topic"][0]] = [own[:_WORDS] for own in part["words"].to_list()]
    by_topic = {int(part["topic"][0]): part for part in parts}
    return TopicsInTime(
        by=found.by,
        unit=found.unit,
        confidence=found.confidence,
        n_documents=found.n_documents,
        n_missing=found.n_missing,
        n_empty=found.n_empty,
        periods=[_shown(value) for value in periods.to_list()],
        places=[round((value - low) / span, 5) for value in numbers],
        sizes=parts[0]["n_documents"].to_list(),
        topics=[
            TimeOfTopic(
                topic,
                share=_numbers(by_topic[topic], "share"),
                lower=_numbers(by_topic[topic], "lower"),
                upper=_numbers(by_topic[topic], "upper"),
                slope=float(trends[topic]["estimate"]),
                p_corrected=float(trends[topic]["p_corrected"]),
                words=words.get(topic, []),
            )
            for topic in found.clearest()
        ],
    )


def _numbers(part: pl.DataFrame, name: str) -> list[float]:
    return [round(max(value, 0.0), 5) for value in part[name].to_list()]


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def over_time_section(report: TopicReportData) -> Section:
    """Return small pictures of all topics, and their numbers."""
    name, title = "time", "Topics over time"
    found = report.over_time
    if found is None:
        return section(name, title)
    missing = f" {count(found.n_missing)} without it are left out." if found.n_missing else ""
    if found.n_empty:
        missing += f" {count(found.n_empty)} without a word that the model knows are left out."
    intro = html(
        "<p>Mean shares of topics by <strong>{found.by}</strong> in {periods} periods, "
        "{documents}.{missing} The clearest trends come first.</p>",
        found=found,
        periods=len(found.periods),
        documents=how_many(found.n_documents, "document"),
        missing=missing,
    )
    about = note(
        f"Bands are intervals of {found.confidence:.0%}; each picture has its own scale, from 0 to "
        "the number at its top. The trend is the slope of a line through all documents, in points "
        f"per {found.unit}; its p-value is corrected for the number of topics (Holm). Point at a "
        "period for its numbers and words."
    )
    panels = [_panel(report, found, one) for one in found.topics]
    more = NOTHING
    if len(panels) > _SHOWN:
        more = html(
            "<details><summary>{n} more topics</summary>{grid}</details>",
            n=len(panels) - _SHOWN,
            grid=_grid(panels[_SHOWN:]),
        )
    rows = [
        [
            topic_label(report, one.topic, 3),
            found.periods[k],
            f"{one.share[k]:.1%}",
            f"{one.lower[k]:.1%}",
            f"{one.upper[k]:.1%}",
            found.sizes[k],
            " ".join(one.words[k]) if one.words else "",
        ]
        for one in found.topics
        for k in range(len(found.periods))
    ]
    heads = ["Topic", found.by, "Share", "Low", "High", "Documents", "Words"]
    data = html(
        "<details><summary>Data of these pictures</summary>{}</details>",
        table(heads, rows, "Topics over time", kind="data"),
    )
    return section(name, title, intro, _grid(panels[:_SHOWN]), about, more, data)


def _grid(panels: list[Html]) -> Html:
    return html('<div class="panels">{}</div>', join(panels))


def _panel(report: TopicReportData, found: TopicsInTime, one: TimeOfTopic) -> Html:
    """Return the picture of a topic."""
    top = max(*one.upper, 1e-9)
    width, height = _WIDTH - _LEFT - 8, _HEIGHT - _TOP - _BOTTOM

    def across(k: int) -> float:
        return _LEFT + found.places[k] * width

    def up(value: float) -> float:
        return _TOP + (1 - min(value, top) / top) * height

    order = range(len(found.periods))
    band = [(across(k), up(one.upper[k])) for k in order]
    band += [(across(k), up(one.lower[k])) for k in reversed(order)]
    line = " ".join(f"{across(k):.1f},{up(one.share[k]):.1f}" for k in order)
    dots = [
        html(
            '<g class="dot"><title>{about}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>'
            '<rect x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{high:.1f}"/></g>',
            about=_about(found, one, k),
            x=across(k),
            y=up(one.share[k]),
            left=across(k) - width / len(found.periods) / 2,
            top=_TOP,
            wide=width / len(found.periods),
            high=height,
        )
        for k in order
    ]
    points = 100 * one.slope
    p = "p < 0.001" if one.p_corrected < 0.001 else f"p {one.p_corrected:.2f}"
    trend = f"{'▲' if points > 0 else '▼'} {points:+.2g} per {found.unit}, {p}"
    label = topic_label(report, one.topic, 4)
    return html(
        '<figure class="panel">'
        '<h3><a href="#explore" data-pick="{topic}" dir="auto">{label}</a></h3>'
        '<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{about}">'
        '<path class="axis" d="M{left:g} {top:g}V{bottom:.1f}H{right:.1f}"/>'
        '<text x="{text:g}" y="{high:g}" class="end">{most:.1%}</text>'
        '<text x="{text:g}" y="{bottom:.1f}" class="end">0</text>'
        '<text x="{left:g}" y="{below:g}">{first}</text>'
        '<text x="{right:.1f}" y="{below:g}" class="end">{last}</text>'
        '<polygon points="{band}"/><polyline points="{line}"/>{dots}</svg>'
        '<figcaption class="{sure}">{trend}</figcaption></figure>',
        topic=one.topic,
        label=label,
        width=_WIDTH,
        height=_HEIGHT,
        about=f"Topic {label}: {one.share[0]:.1%} in {found.periods[0]}, {one.share[-1]:.1%} in "
        f"{found.periods[-1]}",
        left=_LEFT,
        top=_TOP,
        bottom=_TOP + height,
        right=_LEFT + width,
        text=_LEFT - 3,
        high=_TOP + 7,
        most=top,
        below=_HEIGHT - 4,
        first=found.periods[0],
        last=found.periods[-1],
        band=" ".join(f"{x:.1f},{y:.1f}" for x, y in band),
        line=line,
        dots=join(dots),
        sure="sure" if one.p_corrected < 1 - found.confidence else "",
        trend=trend,
    )


def _about(found: TopicsInTime, one: TimeOfTopic, k: int) -> str:
    words = f"; {' '.join(one.words[k])}" if one.words and one.words[k] else ""
    return (
        f"{found.periods[k]}: {one.share[k]:.1%} ({one.lower[k]:.1%} to {one.upper[k]:.1%}), "
        f"{how_many(int(found.sizes[k]), 'document')}{words}"
    )
