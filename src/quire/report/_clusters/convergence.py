"""Convergence: the inertia after each iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire._shared.page.charts import line_chart
from quire._shared.page.sections import Section, section

if TYPE_CHECKING:
    from quire.report._clusters.report import ClusterReportData

__all__ = ["convergence_section"]


def convergence_section(report: ClusterReportData) -> Section:
    """Return the trace of the iterations, if there were several."""
    name, title = "convergence", "Convergence"
    if len(report.trace) < 2:
        return section(name, title)
    points = list(enumerate(report.trace, start=1))
    caption = "The sum of squared distances to the centres; it can only fall."
    chart = line_chart("chart-trace", title, caption, points, ("Iteration", "Inertia"))
    return section(name, title, chart)
