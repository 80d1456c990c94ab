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

from quire.report._alignment_data import AlignmentReportData
from quire.report._alignment_render import render_alignment
from quire.report._alignment_report import AlignmentReport, alignment_report
from quire.report._alignment_summarise import summarise_alignment
from quire.report._clusters_data import ClusterReportData
from quire.report._clusters_render import render_clusters
from quire.report._clusters_report import ClusterReport, cluster_report
from quire.report._clusters_summarise import summarise_clusters
from quire.report._data import ReportData
from quire.report._map_data import MapReportData
from quire.report._map_render import render_map
from quire.report._map_report import MapReport, map_report
from quire.report._map_summarise import summarise_map
from quire.report._neighbors_data import NeighborsReportData
from quire.report._neighbors_render import render_neighbors
from quire.report._neighbors_report import NeighborsReport, neighbors_report
from quire.report._neighbors_summarise import summarise_neighbors
from quire.report._render import render
from quire.report._report import Report, report
from quire.report._summarise import summarise
from quire.report._topics_data import TopicReportData
from quire.report._topics_render import render_topics
from quire.report._topics_report import TopicReport, topic_report
from quire.report._topics_summarise import summarise_topics

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
    "TopicReport",
    "TopicReportData",
    "alignment_report",
    "cluster_report",
    "map_report",
    "neighbors_report",
    "render",
    "render_alignment",
    "render_clusters",
    "render_map",
    "render_neighbors",
    "render_topics",
    "report",
    "summarise",
    "summarise_alignment",
    "summarise_clusters",
    "summarise_map",
    "summarise_neighbors",
    "summarise_topics",
    "topic_report",
]


class _Verb(ModuleType):
    """The package as a function, so that ``quire.report`` is a verb like ``quire.compare``."""

    __call__ = staticmethod(report)


sys.modules[__name__].__class__ = _Verb
