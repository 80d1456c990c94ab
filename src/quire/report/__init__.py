"""Reports: all that a comparison of models found, in one HTML file that opens without a network.

Two layers: :func:`summarise` turns a comparison into plain data, and :func:`render` turns the data
into a page. :func:`report` does both.
"""

from quire.report._data import ReportData
from quire.report._render import render
from quire.report._report import Report, report
from quire.report._summarise import summarise

__all__ = ["Report", "ReportData", "render", "report", "summarise"]
