"""Prevalence: the shares of topics by a column, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from quire._shared.how_many import how_many
from quire._shared.page.charts import COLOURS, Chart, Spec, base, names, quantity, series
from quire._shared.page.html import html
from quire._shared.page.sections import Section, section
from quire.report._topics.explorer import topic_chooser
from quire.report._topics.forest import (
    Difference,
    differences_of,
    forest_chart,
    forest_chooser,
)
from quire.report._topics.topics import topic_label, topics_by_size
from quire.topics import Prevalence, prevalence

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TopicSeries", "TopicsByColumn", "prevalence_by", "prevalence_section"]

_MOST_VALUES = 40  # groups
_LINES = 6
_CROWDED = 12  # groups


@dataclass(frozen=True)
class TopicSeries:
    """The share of a topic for each value of a column, with its interval."""

    topic: int
    share: list[float]
    lower: list[float]
    upper: list[float]


@dataclass(frozen=True)
class TopicsByColumn:
    """Shares of topics by a column, and the differences between its groups or ends."""

    by: str
    kind: str
    confidence: float
    n_documents: int
    n_missing: int
    n_empty: int
    values: list[Any]
    is_date: bool
    left_out: int
    series: list[TopicSeries]
    contrasts: list[Difference]


def prevalence_by(
    model: Any, by: Any, data: Any, lengths: Callable[[], Any]
) -> TopicsByColumn | None:
    """Return the shares of topics by a column.

    Parameters
    ----------
    model : fitted model or ndarray
        As :func:`quire.topics.prevalence` takes it.
    by : str, array-like, Prevalence or None
        The column, or its prevalence.
    data : DataFrame or None
        The table of the column.
    lengths : callable
        Returns the words of documents, for shares that do not come from a model of quire.
    """
    if by is None:
        return None
    if isinstance(by, Prevalence):
        shares = by
    else:
        known = lengths() if isinstance(model, np.ndarray) else None
        shares = prevalence(model, by, data=data, lengths=known)
    table, left_out = _largest_groups(shares)
    of_each = table.partition_by("topic", maintain_order=True)
    series = [
        TopicSeries(
            int(part["topic"][0]),
            *[[round(float(v), 5) for v in part[name]] for name in ("share", "lower", "upper")],
        )
        for part in of_each
    ]
    values = of_each[0]["value"]
    is_date = values.dtype.is_temporal()
    return TopicsByColumn(
        by=shares.by,
        kind=shares.kind,
        confidence=shares.confidence,
        n_documents=shares.n_documents,
        n_missing=shares.n_missing,
        n_empty=shares.n_empty,
        values=[_plain(value, shares.kind) for value in values.to_list()],
        is_date=is_date,
        left_out=left_out,
        series=series,
        contrasts=differences_of(shares.contrasts),
    )


def _largest_groups(shares: Prevalence) -> tuple[pl.DataFrame, int]:
    table = shares.table
    if shares.kind != "categorical":
        return table, 0
    sizes = table.filter(pl.col("topic") == table["topic"][0])
    if len(sizes) <= _MOST_VALUES:
        return table, 0
    largest = sizes.sort("n_documents", descending=True, maintain_order=True)["value"]
    shown = table.filter(pl.col("value").is_in(largest.head(_MOST_VALUES).implode()))
    return shown, len(sizes) - _MOST_VALUES


def _plain(value: Any, kind: str) -> Any:
    if kind == "categorical":
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else float(value)


def prevalence_section(report: TopicReportData) -> Section:
    """Return the shares of the topic that is chosen, and those that differ most clearly."""
    name, title = "prevalence", "Prevalence"
    by_column = report.prevalence
    if by_column is None:
        return section(name, title)
    missing = f"{how_many(by_column.n_missing, 'document')} without it left out. "
    empty = f"{how_many(by_column.n_empty, 'document')} without a known word left out, too. "
    more = f"The largest groups are shown; {by_column.left_out} more are left out. "
    intro = html(
        "<p>Shares of topics by <strong>{column.by}</strong>, in {documents}. "
        "{missing}{empty}{more}Intervals are for one topic at a time; p-values are "
        "corrected for all of them.</p>",
        column=by_column,
        documents=how_many(by_column.n_documents, "document"),
        empty=empty if by_column.n_empty else "",
        missing=missing if by_column.n_missing else "",
        more=more if by_column.left_out else "",
    )
    return section(
        name,
        title,
        intro,
        forest_chooser("chart-forest", by_column.contrasts),
        forest_chart(
            "chart-forest",
            f"Differences by {by_column.by}",
            report,
            by_column.contrasts,
            by_column.confidence,
        ),
        topic_chooser(report, "prevalence"),
        _selected_chart(by_column, topics_by_size(report)[0].topic),
        *([] if _is_crowded(by_column) else [_clearest_chart(report, by_column)]),
    )


def _selected_chart(by_column: TopicsByColumn, topic: int) -> Chart:
    """Return the shares of the topic that is chosen on the page, with their intervals."""
    values = [
        {"topic": one.topic, **row} for one in by_column.series for row in _points(by_column, one)
    ]
    caption = f"The line or bar is the interval of {by_column.confidence:.0%}."
    spec = base(
        values, f"Share of the chosen topic by {by_column.by}. {caption}", _height(by_column)
    )
    spec["params"] = [{"name": "topic", "value": topic}]
    spec["transform"] = [{"filter": "datum.topic == topic"}]
    x, share = _axes(by_column)
    band: Spec = {
        "mark": {"type": "rule", "color": COLOURS[0], "strokeWidth": 2},
        "encoding": _interval(by_column),
    }
    line: Spec = {
        "mark": {"type": "point", "filled": True, "color": COLOURS[1], "size": 60, "opacity": 1},
        "encoding": share,
    }
    if by_column.kind in ("linear", "smooth"):
        band["mark"] = {"type": "area", "color": COLOURS[0], "opacity": 0.25}
        line["mark"] = {"type": "line", "color": COLOURS[0], "strokeWidth": 2}
    spec["encoding"] = {**x, "tooltip": _tooltip(by_column)}
    spec["layer"] = [band, line]
    first = next(one for one in by_column.series if one.topic == topic)
    rows = [
        [row["value"], row["share"], row["lower"], row["upper"]]
        for row in _points(by_column, first)
    ]
    title = f"The chosen topic by {by_column.by}"
    heads = [by_column.by, f"Share of topic {topic}", "Low", "High"]
    return Chart("chart-selected", title, caption, spec, heads, rows)


def _is_crowded(by_column: TopicsByColumn) -> bool:
    """Return whether there are too many groups to show several topics at once."""
    return by_column.kind == "categorical" and len(by_column.values) > _CROWDED


def _clearest_chart(report: TopicReportData, by_column: TopicsByColumn) -> Chart:
    """Return the topics that go with the column most clearly."""
    clear = sorted(by_column.contrasts, key=lambda one: one.p)
    order = list(dict.fromkeys(one.topic for one in clear))[:_LINES]
    clearest = [one for topic in order for one in by_column.series if one.topic == topic]
    labels = {one.topic: topic_label(report, one.topic, 3) for one in clearest}
    values = [
        {"topic": labels[one.topic], **row} for one in clearest for row in _points(by_column, one)
    ]
    caption = f"The topics that differ most clearly, {len(clearest)} of {len(by_column.series)}."
    spec = base(values, f"Topics by {by_column.by}. {caption}", _height(by_column))
    by_topic = series("topic", list(labels.values()))
    x, share = _axes(by_column)
    if by_column.kind == "categorical":
        spec["mark"] = {"type": "point", "filled": True, "size": 70, "opacity": 0.9}
        shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
        scale = {"domain": list(labels.values()), "range": shapes[: len(labels)]}
        legend: Spec = {"orient": "bottom"}
        shape = names("topic", scale=scale, legend=legend)
        by_topic = {"color": by_topic["color"] | {"legend": legend}, "shape": shape}
    else:
        spec["mark"] = {"type": "line", "strokeWidth": 2, "point": len(by_column.values) < 30}
    tooltip = [names("topic") | {"title": "Topic"}, *_tooltip(by_column)]
    spec["encoding"] = {**x, **share, **by_topic, "tooltip": tooltip}
    rows = [[v["topic"], v["value"], v["share"], v["lower"], v["upper"]] for v in values]
    heads = ["Topic", by_column.by, "Share", "Low", "High"]
    return Chart("chart-clearest", f"Topics by {by_column.by}", caption, spec, heads, rows)


def _points(by_column: TopicsByColumn, one: TopicSeries) -> list[Spec]:
    return [
        {"value": value, "share": share, "lower": max(lower, 0.0), "upper": upper}
        for value, share, lower, upper in zip(
            by_column.values, one.share, one.lower, one.upper, strict=True
        )
    ]


def _height(by_column: TopicsByColumn) -> int:
    return 26 * len(by_column.values) + 10 if by_column.kind == "categorical" else 260


def _axes(by_column: TopicsByColumn) -> tuple[Spec, Spec]:
    """Return the encodings of the column and of the shares; groups go down the page."""
    shares = quantity("share", "Share", axis={"format": "%", "tickCount": 5})
    if by_column.kind == "categorical":
        return {"y": names("value")}, {"x": shares}
    kind = "temporal" if by_column.is_date else "quantitative"
    axis = {"tickCount": 6, "grid": False}
    scale: Spec = {"nice": False, "padding": 8}
    if not by_column.is_date:
        scale["zero"] = False
    column = {"field": "value", "type": kind, "title": by_column.by, "axis": axis, "scale": scale}
    return {"x": column}, {"y": shares}


def _interval(by_column: TopicsByColumn) -> Spec:
    axis = "x" if by_column.kind == "categorical" else "y"
    ends = quantity("lower", "Share", axis={"format": "%", "tickCount": 5})
    return {axis: ends, f"{axis}2": {"field": "upper"}}


def _tooltip(by_column: TopicsByColumn) -> list[Spec]:
    value: Spec = {"field": "value", "type": "nominal", "title": by_column.by}
    if by_column.is_date:
        value = {"field": "value", "type": "temporal", "title": by_column.by}
    numbers = [quantity(name, name, format=".2%") for name in ("share", "lower", "upper")]
    return [value, *numbers]
