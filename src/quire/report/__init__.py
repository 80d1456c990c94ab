"""Reports: all that was found, in one HTML file that opens without a network.

There are reports on a comparison of models, on topics, on clusters, on the nearest documents, on
maps between word vectors, and a map of documents. Each has two layers: :func:`summarise`,
:func:`summarise_topics` and so on make plain data, :func:`render`, :func:`render_topics` and so on
turn the data into a page. :func:`report`, :func:`topic_report`, :func:`cluster_report`,
:func:`map_report`, :func:`neighbors_report` and :func:`alignment_report` do both.

The package can be called itself: ``quire.report(...)`` is :func:`report`.
"""

import sys
from types import ModuleType

from quire.report._alignment.report import (
    AlignmentReport,
    AlignmentReportData,
    alignment_report,
    render_alignment,
    summarise_alignment,
)
from quire.report._clusters.report import (
    ClusterReport,
    ClusterReportData,
    cluster_report,
    render_clusters,
    summarise_clusters,
)
from quire.report._comparison.report import Report, ReportData, render, report, summarise
from quire.report._export import export
from quire.report._map.report import (
    MapReport,
    MapReportData,
    map_report,
    render_map,
    summarise_map,
)
from quire.report._neighbors.report import (
    NeighborsReport,
    NeighborsReportData,
    neighbors_report,
    render_neighbors,
    summarise_neighbors,
)
from quire.report._page.saved_page import SavedPage, read_page
from quire.report._topics.report import (
    TopicReport,
    TopicReportData,
    render_topics,
    summarise_topics,
    topic_report,
)
from quire.report._verify import Verification, rows_in_words, verify

__all__ = [
    "AlignmentReport",
    "AlignmentReportData",
    "ClusterReport",
    "ClusterReportData",
    "MapReport",
    "MapReportData",
    "NeighborsReport",
    "NeighborsReportData",
    "Report",
    "ReportData",
    "SavedPage",
    "TopicReport",
    "TopicReportData",
    "Verification",
    "alignment_report",
    "cluster_report",
    "export",
    "map_report",
    "neighbors_report",
    "read_page",
    "render",
    "render_alignment",
    "render_clusters",
    "render_map",
    "render_neighbors",
    "render_topics",
    "report",
    "rows_in_words",
    "summarise",
    "summarise_alignment",
    "summarise_clusters",
    "summarise_map",
    "summarise_neighbors",
    "summarise_topics",
    "topic_report",
    "verify",
]


class _Verb(ModuleType):
    """The package as a function, so that ``quire.report`` is a verb like ``quire.compare``."""

    __call__ = staticmethod(report)


sys.modules[__name__].__class__ = _Verb
