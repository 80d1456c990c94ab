"""Reports: all that was found, in one HTML file that opens without a network.

Two kinds, on a comparison of models and on the topics of documents. Each has two layers:
:func:`summarise` and :func:`summarise_topics` make plain data, :func:`render` and
:func:`render_topics` turn the data into a page. :func:`report` and :func:`topic_report` do both.
"""

from quire.report._data import ReportData
from quire.report._render import render
from quire.report._report import Report, report
from quire.report._summarise import summarise
from quire.report._topics_data import TopicReportData
from quire.report._topics_render import render_topics
from quire.report._topics_report import TopicReport, topic_report
from quire.report._topics_summarise import summarise_topics

__all__ = [
    "Report",
    "ReportData",
    "TopicReport",
    "TopicReportData",
    "render",
    "render_topics",
    "report",
    "summarise",
    "summarise_topics",
    "topic_report",
]
