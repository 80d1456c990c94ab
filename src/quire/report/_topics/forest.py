"""Differences of shares as a forest: a point and an interval for each topic, sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from quire._shared.page.charts import COLOURS, Chart, Spec, base, names, quantity
from quire._shared.page.html import NOTHING, Html, html, join
from quire.report._topics.topics import topic_label

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["Difference", "differences_of", "forest_chart", "forest_chooser"]

_TOPICS = 30  # of a comparison, the clearest
_COMPARISONS = 60
_ROW = 22  # height of a row


@dataclass(frozen=True)
class Difference:
    """A difference of the shares of a topic, with its interval and p-values."""

    topic: int
    difference: str
    estimate: float
    lower: float
    upper: float
    p: float
    p_corrected: float


def differences_of(contrasts: pl.DataFrame) -> list[Difference]:
    """Return the differences of a table, for each comparison the clearest.

    Parameters
    ----------
    contrasts : DataFrame
        With the columns of :attr:`quire.topics.Prevalence.contrasts`.
    """
    wanted = ["topic", "difference", "estimate", "lower", "upper", "p", "p_corrected"]
    kept = contrasts["difference"].unique(maintain_order=True).head(_COMPARISONS)
    table = (
        contrasts.filter(pl.col("difference").is_in(kept.implode()))
        .sort("p", maintain_order=True)
        .group_by("difference", maintain_order=True)
        .head(_TOPICS)
        .select(wanted)
    )
    return [
        Difference(int(topic), str(name), *(float(f"{value:.4g}") for value in values))
        for topic, name, *values in table.rows()
    ]


def forest_chooser(name: str, differences: Sequence[Difference]) -> Html:
    """Return the list from which a comparison is chosen; nothing if there is one."""
    comparisons = _comparisons(differences)
    if len(comparisons) < 2:
        return NOTHING
    options = [html("<option>{}</option>", one) for one in comparisons]
    return html(
        '<span class="control js"><label for="{name}-choice">Difference</label> '
        '<select id="{name}-choice" class="forest-choice" data-of="{name}">{options}</select>'
        "</span>",
        name=name,
        options=join(options),
    )


def _comparisons(differences: Sequence[Difference]) -> list[str]:
    return sorted({one.difference for one in differences})


def forest_chart(
    name: str, title: str, report: TopicReportData, differences: Sequence[Difference], level: float
) -> Chart:
    """Return points with intervals, sorted; full points where the corrected p-value is small.

    Parameters
    ----------
    name, title : str
        As those of a :class:`Chart`.
    report : TopicReportData
        For the words of topics.
    differences : sequence of Difference
        All comparisons; the page shows one at a time.
    level : float
        The probability of the intervals.
    """
    sure = 1 - level
    values: list[Spec] = [
        {
            "topic": topic_label(report, one.topic, 4),
            "comparison": one.difference,
            "estimate": one.estimate,
            "lower": one.lower,
            "upper": one.upper,
            "p": one.p_corrected,
            "sure": one.p_corrected < sure,
        }
        for one in differences
    ]
    comparisons = _comparisons(differences)
    rows_shown = max(sum(one.difference == name for one in differences) for name in comparisons)
    caption = (
        f"Points are estimates, lines intervals of {level:.0%}. Full points have a p-value below "
        f"{sure:.2g} that is corrected for all topics and comparisons (Holm)."
    )
    if len(comparisons) == 1:
        title += f": {comparisons[0]}"
    if rows_shown < len(report.topics):
        caption += f" The {rows_shown} clearest of {len(report.topics)} topics."
    spec = base(values, f"{title}. {caption}", _ROW * rows_shown + 10)
    spec["params"] = [{"name": "comparison", "value": comparisons[0]}]
    spec["transform"] = [{"filter": "datum.comparison == comparison"}]
    order = {"field": "estimate", "op": "min", "order": "descending"}
    place = names("topic", axis={"labelLimit": 260}) | {"sort": order}
    axis = {"format": "+.1%", "tickCount": 5}
    tooltip: list[Spec] = [
        names("topic") | {"title": "Topic"},
        names("comparison") | {"title": "Difference"},
        *(quantity(one, one, format="+.2%") for one in ("estimate", "lower", "upper")),
        quantity("p", "p corrected", format=".3~g"),
    ]
    spec["encoding"] = {"y": place, "tooltip": tooltip}
    spec["layer"] = [
        {
            "mark": {"type": "rule", "color": "var(--soft)", "strokeDash": [3, 3]},
            "encoding": {"x": {"datum": 0, "type": "quantitative"}, "y": None, "tooltip": None},
        },
        {
            "mark": {"type": "rule", "color": COLOURS[0], "strokeWidth": 2},
            "encoding": {
                "x": quantity("lower", "Difference of shares", axis=axis),
                "x2": {"field": "upper"},
            },
        },
        {
            "mark": {
                "type": "point",
                "filled": True,
                "stroke": COLOURS[0],
                "strokeWidth": 1.5,
                "size": 60,
                "opacity": 1,
            },
            "encoding": {
                "x": quantity("estimate", "Difference of shares", axis=axis),
                "fill": {
                    "condition": {"test": "datum.sure", "value": COLOURS[0]},
                    "value": "var(--paper)",
                },
            },
        },
    ]
    rows: list[list[Any]] = [
        [
            one["topic"],
            one["comparison"],
            *(f"{one[key]:+.3f}" for key in ("estimate", "lower", "upper")),
            "< 0.001" if one["p"] < 0.001 else f"{one['p']:.3f}",
        ]
        for one in values
    ]
    heads = ["Topic", "Difference", "Estimate", "Low", "High", "p corrected"]
    return Chart(name, title, caption, spec, heads, rows)
