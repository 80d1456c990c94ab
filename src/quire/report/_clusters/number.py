"""How many clusters: the numbers that were tried, and how well they did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire._shared.page.charts import Chart, line_chart
from quire._shared.page.html import html
from quire._shared.page.numbers import number, score
from quire._shared.page.sections import Section, SideBySide, section
from quire._shared.page.tables import table
from quire.cluster import DocumentClusters

if TYPE_CHECKING:
    from quire.report._clusters.report import ClusterReportData

__all__ = ["ClusterTrialRow", "number_section", "trials_of"]


@dataclass(frozen=True)
class ClusterTrialRow:
    """One number of clusters that was tried."""

    n_clusters: int
    inertia: float
    silhouette: float | None
    smallest: int
    n_iter: int


def trials_of(clusters: DocumentClusters) -> list[ClusterTrialRow]:
    """Return the numbers of clusters that were tried."""
    return [
        ClusterTrialRow(one.n_clusters, one.inertia, one.silhouette, one.smallest, one.n_iter)
        for one in clusters.trials
    ]


def number_section(report: ClusterReportData) -> Section:
    """Return silhouettes and inertia by the number of clusters, if several were tried."""
    name, title = "number", "How many clusters"
    if len(report.trials) < 2:
        return section(name, title)
    intro = html(
        "<p>Of the numbers that were tried, <strong>{}</strong> has the largest "
        "mean silhouette. Silhouettes of texts are small, and differences between neighbours say "
        "little: read the clusters before you settle for a number.</p>",
        len(report.clusters),
    )
    heads = ["Clusters", "Inertia", "Mean silhouette", "Smallest cluster", "Iterations"]
    rows = [
        [one.n_clusters, number(one.inertia), score(one.silhouette), one.smallest, one.n_iter]
        for one in report.trials
    ]
    tried = table(heads, rows, "Numbers of clusters that were tried")
    return section(name, title, intro, SideBySide(_charts(report)), tried)


def _charts(report: ClusterReportData) -> list[Chart]:
    """Return silhouettes, where at least two are known, and inertia; the number taken is marked."""
    charts = []
    taken = len(report.clusters)
    known = [
        (one.n_clusters, one.silhouette) for one in report.trials if one.silhouette is not None
    ]
    if len(known) > 1:
        caption = (
            "Near 1: documents are far from other clusters. The largest value was taken, the large "
            "dot."
        )
        axes = ("Clusters", "Mean silhouette")
        charts.append(line_chart("chart-silhouette", "Silhouette", caption, known, axes, taken))
    points = [(one.n_clusters, one.inertia) for one in report.trials]
    caption = "It falls with every cluster; where it bends, more of them tell little."
    axes = ("Clusters", "Inertia")
    charts.append(line_chart("chart-inertia", "Inertia", caption, points, axes, taken))
    return charts
