"""Charts of a report on clusters: how many there should be, and convergence."""

from __future__ import annotations

from typing import Any

from quire.report._charts import COLOURS, Chart, base, quantity
from quire.report._clusters_data import ClusterReportData

__all__ = ["inertia_chart", "silhouette_chart", "trace_chart"]

_TABLE_POINTS = 40


def silhouette_chart(report: ClusterReportData) -> Chart | None:
    """Return the mean silhouette for each number of clusters; the one taken is marked."""
    known = [one for one in report.trials if one.silhouette is not None]
    if len(known) < 2:
        return None
    points = [(one.n_clusters, one.silhouette) for one in known]
    caption = (
        "Near 1: documents are far from other clusters. The largest value was taken, the large dot."
    )
    return _line(
        "chart-silhouette",
        "Silhouette",
        caption,
        points,
        ("Clusters", "Mean silhouette"),
        marked=len(report.clusters),
    )


def inertia_chart(report: ClusterReportData) -> Chart | None:
    """Return the inertia for each number of clusters."""
    if len(report.trials) < 2:
        return None
    points = [(one.n_clusters, one.inertia) for one in report.trials]
    caption = "It falls with every cluster; where it bends, more of them tell little."
    return _line(
        "chart-inertia",
        "Inertia",
        caption,
        points,
        ("Clusters", "Inertia"),
        marked=len(report.clusters),
    )


def trace_chart(report: ClusterReportData) -> Chart | None:
    """Return the inertia after each iteration."""
    if len(report.trace) < 2:
        return None
    points = list(enumerate(report.trace, start=1))
    caption = "The sum of squared distances to the centres; it can only fall."
    return _line("chart-trace", "Convergence", caption, points, ("Iteration", "Inertia"))


def _line(
    name: str,
    title: str,
    caption: str,
    points: list[tuple[int, Any]],
    axes: tuple[str, str],
    marked: int | None = None,
) -> Chart:
    values = [{"x": x, "y": y} for x, y in points]
    spec = base(values, f"{title}. {caption}", 240)
    whole = {"tickCount": 6, "tickMinStep": 1, "format": "d", "grid": False}
    place = {
        "x": quantity("x", axes[0], scale={"zero": False}, axis=whole),
        "y": quantity("y", axes[1], scale={"zero": False}, axis={"tickCount": 5}),
    }
    told = [quantity("x", axes[0]), quantity("y", axes[1], format=".4~g")]
    line = {"type": "line", "strokeWidth": 2, "color": COLOURS[0], "point": len(points) < 60}
    spec["layer"] = [{"mark": line, "encoding": {**place, "tooltip": told}}]
    if marked is not None:
        spec["layer"].append(
            {
                "transform": [{"filter": f"datum.x === {marked}"}],
                "mark": {"type": "point", "filled": True, "size": 160, "color": COLOURS[1]},
                "encoding": {**place, "tooltip": told},
            }
        )
    step = max(1, len(points) // _TABLE_POINTS)
    rows: list[list[Any]] = [[x, float(y)] for x, y in points[::step]]
    return Chart(name, title, caption, spec, list(axes), rows, 760)
