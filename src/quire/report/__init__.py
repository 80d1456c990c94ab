"""Reports: all that was found, in one HTML file that opens without a network.

There are reports on a comparison of models, on the topics of documents, on nearest documents and on
maps between word vectors. Each has two layers: functions such as :func:`summarise` and
:func:`summarise_topics` make plain data, :func:`render` and :func:`render_topics` turn the data
into a page. :func:`report` and :func:`topic_report` do both.
"""

from quire.report._alignment_data import AlignmentReportData
from quire.report._alignment_render import render_alignment
from quire.report._alignment_report import AlignmentReport, alignment_report
from quire.report._alignment_summarise import summarise_alignment
from quire.report._data import ReportData
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
    "NeighborsReport",
    "NeighborsReportData",
    "Report",
    "ReportData",
    "TopicReport",
    "TopicReportData",
    "alignment_report",
    "neighbors_report",
    "render",
    "render_alignment",
    "render_neighbors",
    "render_topics",
    "report",
    "summarise",
    "summarise_alignment",
    "summarise_neighbors",
    "summarise_topics",
    "topic_report",
]
