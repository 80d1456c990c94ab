"""Effects of several columns on the shares of topics: forests and curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from quire._shared.how_many import how_many
from quire._shared.page.charts import COLOURS, Chart, Spec, base, quantity
from quire._shared.page.html import Html, html
from quire._shared.page.numbers import count
from quire._shared.page.sections import Section, section
from quire.report._topics.explorer import topic_chooser
from quire.report._topics.forest import Difference, differences_of, forest_chart, forest_chooser
from quire.report._topics.topics import topics_by_size
from quire.topics import TopicEffects

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["ColumnEffects", "EffectsByColumns", "effects_by", "effects_section"]


@dataclass(frozen=True)
class ColumnEffects:
    """Effects of one column: differences, and for numbers the curve of each topic.

    `curves` has for each topic the share, and the ends of its interval, at each of `values`.
    """

    column: str
    differences: list[Difference]
    values: list[Any]
    is_date: bool
    curves: list[list[tuple[float, float, float]]]


@dataclass(frozen=True)
class EffectsByColumns:
    """Effects of the columns of a formula."""

    formula: str
    confidence: float
    n_documents: int
    n_missing: int
    n_empty: int
    columns: list[ColumnEffects]


def effects_by(effects: TopicEffects) -> EffectsByColumns:
    """Return what a report shows of effects."""
    return EffectsByColumns(
        formula=effects.formula,
        confidence=effects.confidence,
        n_documents=effects.n_documents,
        n_missing=effects.n_missing,
        n_empty=effects.n_empty,
        columns=[_column(effects, name) for name in effects.columns],
    )


def _column(effects: TopicEffects, name: str) -> ColumnEffects:
    differences = differences_of(effects.contrasts(name))
    if effects.levels(name):
        return ColumnEffects(name, differences, [], False, [])
    table = effects.marginal(name)
    parts = table.partition_by("topic", maintain_order=True)
    values = parts[0]["value"]
    is_date = values.dtype.is_temporal()
    return ColumnEffects(
        name,
        differences,
        [value.isoformat() if is_date else float(value) for value in values.to_list()],
        is_date,
        [[tuple(round(v, 5) for v in row) for row in part.select(_CURVE).rows()] for part in parts],
    )


_CURVE = [pl.col("share"), pl.col("lower"), pl.col("upper")]


def effects_section(report: TopicReportData) -> Section:
    """Return a forest for each column, and for numbers a curve of the chosen topic."""
    name, title = "effects", "Effects of several columns"
    effects = report.effects
    if effects is None:
        return section(name, title)
    left_out = ""
    if effects.n_missing:
        left_out += f" {count(effects.n_missing)} with missing values are left out."
    if effects.n_empty:
        left_out += f" {count(effects.n_empty)} without a word that the model knows are left out."
    intro = html(
        "<p>Shares of topics by <strong>{formula}</strong> together, in {documents}.{left_out} "
        "Each difference sets one column to two values for all documents, and leaves the others as "
        "they are.</p>",
        formula=effects.formula,
        documents=how_many(effects.n_documents, "document"),
        left_out=left_out,
    )
    parts: list[Html | Chart] = [intro]
    for number, one in enumerate(effects.columns):
        place = f"chart-effects-{number}"
        parts.append(forest_chooser(place, one.differences))
        parts.append(
            forest_chart(
                place, f"Differences by {one.column}", report, one.differences, effects.confidence
            )
        )
        if one.curves:
            parts.append(topic_chooser(report, f"effects-{number}"))
            parts.append(_curve_chart(report, effects, one, number))
    return section(name, title, *parts)


def _curve_chart(
    report: TopicReportData, effects: EffectsByColumns, one: ColumnEffects, number: int
) -> Chart:
    """Return the share of the chosen topic over a column, the others being what they are."""
    values: list[Spec] = [
        {"topic": topic, "value": value, "share": share, "lower": max(low, 0.0), "upper": high}
        for topic, curve in enumerate(one.curves)
        for value, (share, low, high) in zip(one.values, curve, strict=True)
    ]
    caption = f"The band is the interval of {effects.confidence:.0%}."
    spec = base(values, f"Share of the chosen topic over {one.column}. {caption}", 240)
    first = topics_by_size(report)[0].topic
    spec["params"] = [{"name": "topic", "value": first}]
    spec["transform"] = [{"filter": "datum.topic == topic"}]
    x: Spec = {
        "field": "value",
        "type": "temporal" if one.is_date else "quantitative",
        "title": one.column,
        "axis": {"tickCount": 6, "grid": False} | ({} if one.is_date else {"format": "~g"}),
        "scale": {"nice": False} | ({} if one.is_date else {"zero": False}),
    }
    axis = {"format": "%", "tickCount": 5}
    spec["encoding"] = {
        "x": x,
        "tooltip": [
            {"field": "value", "type": x["type"], "title": one.column},
            *(quantity(key, key, format=".2%") for key in ("share", "lower", "upper")),
        ],
    }
    spec["layer"] = [
        {
            "mark": {"type": "area", "color": COLOURS[0], "opacity": 0.22},
            "encoding": {
                "y": quantity("lower", "Share", axis=axis),
                "y2": {"field": "upper"},
            },
        },
        {
            "mark": {"type": "line", "color": COLOURS[0], "strokeWidth": 2},
            "encoding": {"y": quantity("share", "Share", axis=axis)},
        },
    ]
    rows: list[list[Any]] = [
        [value, *curve] for value, curve in zip(one.values, one.curves[first], strict=True)
    ]
    heads = [one.column, f"Share of topic {first}", "Low", "High"]
    title = f"The chosen topic over {one.column}"
    return Chart(f"chart-curve-{number}", title, caption, spec, heads, rows)
