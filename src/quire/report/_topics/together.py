"""Topics together: which occur in the same documents, and which do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.page.charts import COLOURS, Chart, Spec, base, names, quantity
from quire._shared.page.sections import Section, section, titled
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.report._topics.network import TopicNetwork, network_chart, network_of
from quire.report._topics.topics import topic_label
from quire.topics import topic_correlations

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TopicPair", "TopicsTogether", "together_of", "together_section"]

_MOST_DOCUMENTS = 50_000  # that correlations are computed from
_LARGEST_MATRIX = 40  # topics up to which all correlations are shown; of more, a network
_WITH_NUMBERS = 16  # topics up to which there is room for numbers
_PAIRS = 20
_CELL = 26  # height of a row of the chart


@dataclass(frozen=True)
class TopicPair:
    """Two topics that occur in the same documents more, or less, than others do."""

    one: int
    other: int
    correlation: float


@dataclass(frozen=True)
class TopicsTogether:
    """Correlations of topics: all, unless topics are many, and the strongest pairs.

    `order` puts topics that go together next to each other. `network` is there if `correlations`
    is not.
    """

    correlations: list[list[float]] | None
    order: list[int]
    pairs: list[TopicPair]
    network: TopicNetwork | None


def together_of(theta: Floats) -> TopicsTogether:
    """Return which topics occur in the same documents.

    Parameters
    ----------
    theta : ndarray of shape (n_documents, n_topics)
        Shares of topics, without documents that have no words.
    """
    if len(theta) < 3 or theta.shape[1] < 2:
        return TopicsTogether(None, list(range(theta.shape[1])), [], None)
    correlations = topic_correlations(theta[:: -(-len(theta) // _MOST_DOCUMENTS)])
    one, other = np.triu_indices(len(correlations), 1)
    values = correlations[one, other]
    order = np.argsort(-np.abs(values), kind="stable")[:_PAIRS]
    pairs = [TopicPair(int(one[i]), int(other[i]), round(float(values[i]), 3)) for i in order]
    if len(correlations) > _LARGEST_MATRIX:
        return TopicsTogether(None, _similar(correlations), pairs, network_of(correlations))
    matrix = [[round(float(value), 3) for value in row] for row in correlations]
    return TopicsTogether(matrix, _similar(correlations), pairs, None)


def _similar(correlations: Floats) -> list[int]:
    """Return topics in the order of the leaves of a tree that joins the most correlated first."""
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

    if len(correlations) < 3:
        return list(range(len(correlations)))
    distances = (1 - correlations)[np.triu_indices(len(correlations), 1)]
    tree = optimal_leaf_ordering(linkage(distances, "average"), distances)
    return [int(k) for k in leaves_list(tree)]


def together_section(report: TopicReportData) -> Section:
    """Return the correlations of topics, and the strongest pairs."""
    name, title = "together", "Topics together"
    together = report.together
    if not together.pairs:
        return section(name, title)
    rows = [
        [
            topic_label(report, pair.one, 4),
            topic_label(report, pair.other, 4),
            f"{pair.correlation:+.2f}",
        ]
        for pair in together.pairs
    ]
    heads = ["Topic", "Topic", "Correlation"]
    pairs = titled("The strongest pairs", table(heads, rows, "The strongest pairs of topics"))
    charts: list[Chart] = []
    if together.correlations is not None:
        charts.append(_correlation_chart(report, together.correlations))
    if together.network is not None:
        charts.append(network_chart(report, together.network))
    return section(name, title, *charts, pairs)


def _correlation_chart(report: TopicReportData, matrix: list[list[float]]) -> Chart:
    """Return a heat map of correlations, as strong as the strongest of them."""
    order = report.together.order
    labels = {k: topic_label(report, k, 3) for k in order}
    values: list[Spec] = [
        {
            "one": labels[i],
            "other": str(j),
            "label": labels[j],
            "value": matrix[i][j],
            "size": abs(matrix[i][j]),
        }
        for i in order
        for j in order
        if i != j
    ]
    strongest = max((value["size"] for value in values), default=0.0) or 1.0
    caption = (
        "Correlations of log-ratios of shares; topics that go together are next to each other. "
        "Orange: more often in the same documents than other pairs; blue, with a dashed edge: less "
        f"often. The fullest colour is {strongest:.2f}."
    )
    size = len(order)
    spec = base(values, f"Correlations of topics. {caption}", _CELL * size + 20)
    warm = {"test": "datum.value > 0", "value": COLOURS[1]}
    place: Spec = {
        "y": names("one", scale={"domain": list(labels.values())}, axis={"labelLimit": 200}),
        "x": names(
            "other",
            scale={"domain": [str(k) for k in order]},
            axis={"labelAngle": 0, "orient": "top", "labelOverlap": True},
        ),
    }
    cells: Spec = {
        "mark": {"type": "rect", "cornerRadius": 2, "strokeWidth": 1, "strokeDash": [2, 3]},
        "encoding": {
            "fill": {"condition": warm, "value": COLOURS[0]},
            "fillOpacity": quantity(
                "size",
                "",
                scale={"domain": [0, strongest], "range": [0.04, 0.95], "clamp": True},
                legend=None,
            ),
            "stroke": {
                "condition": {"test": "datum.value < 0", "value": COLOURS[0]},
                "value": None,
            },
            "strokeOpacity": {"value": 0.5},
            "tooltip": [
                names("one") | {"title": "Topic"},
                names("label") | {"title": "Topic"},
                quantity("value", "Correlation", format="+.2f"),
            ],
        },
    }
    spec["encoding"] = place
    spec["layer"] = [cells]
    if size <= _WITH_NUMBERS:
        dark = {"test": f"datum.size > {0.6 * strongest:.4f}", "value": "var(--paper)"}
        spec["layer"].append(
            {
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {
                    "text": quantity("value", "", format="+.2f"),
                    "fill": {"condition": dark, "value": "var(--ink)"},
                },
            }
        )
    rows: list[list[Any]] = [[labels[i], *(matrix[i][j] for j in order)] for i in order]
    heads = ["Topic", *map(str, order)]
    width = 240 + max(34 if size <= _WITH_NUMBERS else 24, 12) * size
    return Chart("chart-correlations", "Correlations", caption, spec, heads, rows, width)
