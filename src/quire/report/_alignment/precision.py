"""Precision: how often held-out words find their partner, by method and retrieval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire._shared.page.charts import COLOURS, Chart, base, names, quantity
from quire._shared.page.html import NOTHING, html, join
from quire._shared.page.sections import Section, note, section
from quire._shared.page.tables import boxed_table, column_head, sorted_cell, sorting_head
from quire.alignment import MapComparison

if TYPE_CHECKING:
    from quire.report._alignment.report import AlignmentReportData

__all__ = ["AlignmentScore", "method_name", "precision_section", "scores_of"]

_STEP = 34  # height of a row of the chart
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross"]


@dataclass(frozen=True)
class AlignmentScore:
    """Precision at every k of a method with a retrieval."""

    method: str
    retrieval: str
    precision: list[float]
    is_best: bool


def scores_of(comparison: MapComparison) -> list[AlignmentScore]:
    """Return the precision of every method and retrieval."""
    return [
        AlignmentScore(
            one.method, one.retrieval, list(one.precision.values()), one is comparison.best
        )
        for one in comparison.scores
    ]


def method_name(method: str) -> str:
    """Return what a method is called."""
    return method.replace("_", " ")


def precision_section(report: AlignmentReportData) -> Section:
    """Return the table and the chart of precision."""
    heads = [
        column_head("Method"),
        column_head("Retrieval"),
        *(sorting_head(f"At {k}") for k in report.ks),
    ]
    badge = html(' <span class="badge">best</span>')
    rows = [
        html(
            '<tr><th scope="row">{method}{badge}</th><td>{retrieval}</td>{cells}</tr>',
            method=method_name(one.method),
            badge=badge if one.is_best else NOTHING,
            retrieval=one.retrieval,
            cells=join(map(sorted_cell, one.precision)),
        )
        for one in report.scores
    ]
    table = boxed_table(heads, rows, "Precision of every method and retrieval", kind="sortable")
    about = note(
        "Precision at k: the share of held-out words with a right partner among "
        "the first k. CSLS takes from a cosine what both words have on average with their nearest "
        "neighbours, which holds back words that are near everything."
    )
    return section("precision", "Precision", table, about, _precision_chart(report))


def _precision_chart(report: AlignmentReportData) -> Chart:
    """Return a line for each method and retrieval, with a sign for each k."""
    values = [
        {"map": _name(one), "k": f"at {k}", "precision": value}
        for one in report.scores
        for k, value in zip(report.ks, one.precision, strict=True)
    ]
    caption = "The share of held-out words with a right partner among the first k."
    spec = base(values, f"Precision. {caption}", _STEP * len(report.scores))
    ranks = [f"at {k}" for k in report.ks]
    legend = {"orient": "bottom"}
    colours = {"domain": ranks, "range": [COLOURS[k % len(COLOURS)] for k in range(len(ranks))]}
    shapes = {"domain": ranks, "range": [_SHAPES[k % len(_SHAPES)] for k in range(len(ranks))]}
    spec["mark"] = {"type": "point", "filled": True, "size": 110, "opacity": 0.9}
    spec["encoding"] = {
        "y": names("map", axis={"grid": True}),
        "x": quantity("precision", "Precision", scale={"domain": [0, 1]}, axis={"tickCount": 5}),
        "color": names("k", scale=colours, legend=legend),
        "shape": names("k", scale=shapes, legend=legend),
        "tooltip": [
            names("map") | {"title": "Map"},
            names("k") | {"title": "Precision"},
            quantity("precision", "Share", format=".3f"),
        ],
    }
    rows: list[list[Any]] = [
        [_name(one), *(round(value, 4) for value in one.precision)] for one in report.scores
    ]
    heads = ["Map", *(f"At {k}" for k in report.ks)]
    return Chart("chart-precision", "Precision", caption, spec, heads, rows, 720)


def _name(one: AlignmentScore) -> str:
    return f"{method_name(one.method)}, {one.retrieval}"
