"""A network of many topics: each is tied to those it occurs with most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.page.charts import COLOURS, Chart, Spec, base, names, quantity
from quire._shared.typing import Floats, Ints
from quire.report._topics.topics import topic_label

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TopicNetwork", "network_chart", "network_of"]

_TIES = 2  # of each topic
_LEAST = 0.05  # correlation of a tie
_STEPS = 300
_SHOWN = 40  # ties in the table below the chart


@dataclass(frozen=True)
class TopicNetwork:
    """Places of topics, and their ties: two topics and their correlation."""

    x: list[float]
    y: list[float]
    ties: list[tuple[int, int, float]]


def network_of(correlations: Floats) -> TopicNetwork:
    """Return a network in which each topic is tied to the two that it occurs with most.

    Parameters
    ----------
    correlations : ndarray of shape (n_topics, n_topics)
        Of shares.
    """
    values = correlations.copy()
    np.fill_diagonal(values, -1.0)
    best = np.argsort(-values, axis=1, kind="stable")[:, :_TIES]
    pairs = {
        (min(k, int(j)), max(k, int(j)))
        for k, row in enumerate(best)
        for j in row
        if values[k, j] > _LEAST
    }
    ties = [(i, j, round(float(values[i, j]), 3)) for i, j in sorted(pairs)]
    ends = np.array([(i, j) for i, j, _ in ties], dtype=np.int64).reshape(-1, 2)
    points = _places(len(values), ends)
    return TopicNetwork(
        [round(float(x), 3) for x in points[:, 0]], [round(float(y), 3) for y in points[:, 1]], ties
    )


def _places(n: int, ends: Ints) -> Floats:
    """Return places: all push each other apart, ties pull (Fruchterman and Reingold 1991)."""
    turns = np.arange(n) * 2.399963  # a spiral, the same each time
    ring = np.column_stack([np.cos(turns), np.sin(turns)])
    points: Floats = np.sqrt(np.arange(1, n + 1))[:, None] * ring
    one, other = ends.T
    for step in range(_STEPS):
        apart = points[:, None] - points[None]
        squares = (apart**2).sum(axis=2) + 1e-6
        moves = (apart * (1.6 / squares)[:, :, None]).sum(axis=1)
        along = points[other] - points[one]
        pulls = along * np.sqrt((along**2).sum(axis=1))[:, None] / 3
        np.add.at(moves, one, pulls)
        np.add.at(moves, other, -pulls)
        moves -= 0.06 * points  # towards the middle, so that parts without ties do not drift away
        lengths = np.sqrt((moves**2).sum(axis=1, keepdims=True)) + 1e-9
        most = 1.0 * (1 - step / _STEPS)
        points = points + moves / lengths * np.minimum(lengths, most)
    return points


def network_chart(report: TopicReportData, network: TopicNetwork) -> Chart:
    """Return the network as a chart."""
    caption = (
        "Each topic is tied to the two with which it occurs most in the same documents, beyond "
        "what its share lets expect; the stronger the line, the more. Areas are shares of all "
        "words. Places have no other meaning."
    )
    labels = [topic_label(report, topic.topic, 5) for topic in report.topics]
    nodes: list[Spec] = [
        {"x": x, "y": y, "label": label, "topic": str(one.topic), "share": one.share}
        for x, y, label, one in zip(network.x, network.y, labels, report.topics, strict=True)
    ]
    ties: list[Spec] = [
        {
            "x": network.x[i],
            "y": network.y[i],
            "x2": network.x[j],
            "y2": network.y[j],
            "label": f"{labels[i]} – {labels[j]}",
            "value": value,
        }
        for i, j, value in network.ties
    ]
    spec = base(nodes, f"Network of topics. {caption}", 560)
    hidden = {"axis": None, "scale": {"zero": False, "nice": False, "padding": 24}}
    strongest = max((value for _, _, value in network.ties), default=1.0)
    place: Spec = {"x": quantity("x", "", **hidden), "y": quantity("y", "", **hidden)}
    spec["layer"] = [
        {
            "data": {"values": ties},
            "mark": {"type": "rule", "color": COLOURS[0]},
            "encoding": place
            | {
                "x2": {"field": "x2"},
                "y2": {"field": "y2"},
                "strokeWidth": quantity(
                    "value", "", scale={"domain": [0, strongest], "range": [0.5, 5]}, legend=None
                ),
                "opacity": {"value": 0.55},
                "tooltip": [
                    names("label") | {"title": "Topics"},
                    quantity("value", "Correlation", format="+.2f"),
                ],
            },
        },
        {
            "mark": {
                "type": "circle",
                "color": "var(--panel)",
                "stroke": COLOURS[0],
                "strokeWidth": 1.5,
                "opacity": 1,
            },
            "encoding": place
            | {
                "size": quantity("share", "", scale={"range": [260, 1500]}, legend=None),
                "tooltip": [
                    names("label") | {"title": "Topic"},
                    quantity("share", "Share", format=".1%"),
                ],
            },
        },
        {
            "mark": {"type": "text", "color": "var(--ink)", "fontSize": 11},
            "encoding": place | {"text": names("topic")},
        },
    ]
    strong = sorted(network.ties, key=lambda tie: -tie[2])[:_SHOWN]
    rows: list[list[Any]] = [[labels[i], labels[j], value] for i, j, value in strong]
    return Chart(
        "chart-network",
        "Topics that occur together",
        caption,
        spec,
        ["Topic", "Topic", "Correlation"],
        rows,
    )
