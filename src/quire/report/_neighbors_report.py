"""A report on nearest documents: one HTML file with queries, neighbours and what they share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quire.neighbors import TextMatches, TextSearch
from quire.report._neighbors_data import NeighborsReportData
from quire.report._neighbors_render import render_neighbors
from quire.report._neighbors_summarise import summarise_neighbors
from quire.report._page import Page, kept

__all__ = ["NeighborsReport", "neighbors_report"]


@dataclass(frozen=True, eq=False, repr=False)
class NeighborsReport(Page):
    """A report on nearest documents, from :func:`neighbors_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : NeighborsReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    data: NeighborsReportData
    html: str

    def _says(self) -> str:
        return f"n_queries={self.data.n_queries}, n_documents={self.data.n_documents}"


def neighbors_report(
    search: TextSearch,
    queries: str | TextMatches | Iterable[str | TextMatches],
    *,
    n_neighbors: int | None = None,
    curve: bool = True,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> NeighborsReport:
    """Make one HTML file of the documents nearest to some texts; it opens without a network.

    It has the queries, their neighbours with shared terms marked, what each term adds to the
    similarity, the vote of labels, and the leave-one-out error by the number of neighbours. Needs
    vl-convert-python: ``pip install 'quire[report]'``.

    Parameters
    ----------
    search : TextSearch
        Fitted to a corpus.
    queries : str, TextMatches, or iterable of them
        What to look for, or what was found already. The first 25 are shown.
    n_neighbors : int, default=None
        How many documents for each text; ``None`` means the parameter of `search`.
    curve : bool, default=True
        Whether to measure the vote for k up to 50, if the corpus has labels. Of more than 20,000
        documents so many are drawn.
    path : str or path, default=None
        Where to write it; nothing is written if ``None``.
    title : str, default=None
        The heading.
    settings : mapping, default=None
        What else to write down, such as the command.

    Returns
    -------
    NeighborsReport
        With ``html``, ``data`` and ``save(path)``.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed.
    OSError
        If the file can not be written.

    See Also
    --------
    summarise_neighbors : The numbers without the page.

    Examples
    --------
    >>> from quire.neighbors import TextSearch
    >>> from quire.report import neighbors_report
    >>> search = TextSearch().fit(["a good film", "rain tomorrow", "sun and rain"])
    >>> neighbors_report(search, "rain", title="Rain")
    <NeighborsReport 'Rain': n_queries=1, n_documents=3, ... MB>
    """
    found = summarise_neighbors(
        search, queries, n_neighbors=n_neighbors, curve=curve, title=title, settings=settings
    )
    return kept(NeighborsReport(found, render_neighbors(found)), path)
