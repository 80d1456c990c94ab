"""Topics together: which occur in the same documents, and which do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.page.charts import COLOURS, Chart, base, names, quantity
from quire._shared.page.sections import Section, section, titled
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.report._topics.topics import topic_label
from quire.topics import topic_correlations

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TopicPair", "correlations_of", "together_section"]

_MOST_DOCUMENTS = 50_000  # that correlations are computed from
_LARGEST_MATRIX = 40  # topics up to which all correlations are shown
_PAIRS = 20
_CELL = 22  # height of a row of the chart


@dataclass(frozen=True)
class TopicPair:
    """Two topics that occur in the same documents more, or less, than others do."""

    one: int
    other: int
    correlation: float


def correlations_of(theta: Floats) -> tuple[list[list[float]] | None, list[TopicPair]]:
    """Return the correlations of all topics, unless they are many, and the strongest pairs."""
    if len(theta) < 3 or theta.shape[1] < 2:
        return None, []
    correlations = topic_correlations(theta[:: -(-len(theta) // _MOST_DOCUMENTS)])
    one, other = np.triu_indices(len(correlations), 1)
    values = correlations[one, other]
    order = np.argsort(-np.abs(values), kind="stable")[:_PAIRS]
    pairs = [TopicPair(int(one[i]), int(other[i]), round(float(values[i]), 3)) for i in order]
    matrix = [[round(float(value), 3) for value in row] for row in correlations]
    return (matrix if len(correlations) <= _LARGEST_MATRIX else None), pairs


def together_section(report: TopicReportData) -> Section:
    """Return the correlations of topics, and the strongest pairs."""
    name, title = "together", "Topics together"
    if not report.pairs:
        return section(name, title)
    rows = [
        [
            topic_label(report, pair.one, 4),
            topic_label(report, pair.other, 4),
            f"{pair.correlation:+.2f}",
        ]
        for pair in report.pairs
    ]
    heads = ["Topic", "Topic", "Correlation"]
    pairs = titled("The strongest pairs", table(heads, rows, "The strongest pairs of topics"))
    chart = _correlation_chart(report)
    return section(name, title, *([] if chart is None else [chart]), pairs)


def _correlation_chart(report: TopicReportData) -> Chart | None:
    """Return a heat map of correlations; ``None`` if there are too many topics for one."""
    matrix = report.correlations
    if matrix is None:
        return None
    labels = [topic_label(report, topic.topic) for topic in report.topics]
    values = [
        {"one": labels[i], "other": labels[j], "value": value, "size": abs(value)}
        for i, row in enumerate(matrix)
        for j, value in enumerate(row)
        if i != j
    ]
    caption = (
        "Correlations of log-ratios of shares. Orange: more often in the same documents than "
        "other pairs; blue: less often."
    )
    size = len(matrix)
    spec = base(values, f"Correlations of topics. {caption}", _CELL * size + 20)
    order = {"domain": labels}
    across = {"labelLimit": 90, "labelAngle": -60 if size > 12 else 0}
    warm = {"test": "datum.value > 0", "value": COLOURS[1]}
    spec["mark"] = {"type": "rect", "cornerRadius": 2}
    spec["encoding"] = {
        "y": names("one", scale=order, axis={"labelLimit": 110}),
        "x": names("other", scale=order, axis=across),
        "fill": {"condition": warm, "value": COLOURS[0]},
        "fillOpacity": quantity(
            "size", "", scale={"domain": [0, 0.8], "range": [0.03, 1], "clamp": True}, legend=None
        ),
        "tooltip": [
            names("one") | {"title": "Topic"},
            names("other") | {"title": "Topic"},
            quantity("value", "Correlation", format="+.2f"),
        ],
    }
    rows: list[list[Any]] = [[label, *row] for label, row in zip(labels, matrix, strict=True)]
    heads = ["Topic", *labels]
    return Chart("chart-correlations", "Correlations", caption, spec, heads, rows, 180 + 30 * size)
