"""A report on nearest documents: its data, its page, and both in one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quire._shared.how_many import how_many
from quire._shared.page.numbers import to_plain
from quire._shared.page.page import Page, saved
from quire._shared.page.shell import asset
from quire.neighbors import TextMatches, TextSearch
from quire.report._neighbors.how_many import NeighborCurve, curve_of, how_many_section
from quire.report._neighbors.queries import NeighborQuery, query_of, query_sections
from quire.report._neighbors.short import short_section
from quire.report._page.provenance import installed_versions, now, with_data
from quire.report._page.whole_page import whole_page

__all__ = [
    "NeighborsReport",
    "NeighborsReportData",
    "neighbors_report",
    "render_neighbors",
    "summarise_neighbors",
]

_QUERIES = 25  # that are shown


@dataclass(frozen=True)
class NeighborsReportData:
    """All that a report on nearest documents says.

    `n_queries` counts all queries, of which `queries` has those that are shown.
    """

    title: str
    created: str
    n_documents: int
    n_terms: int
    metric: str
    n_neighbors: int
    n_queries: int
    queries: list[NeighborQuery]
    curve: NeighborCurve | None
    notes: list[str]
    settings: dict[str, Any]
    versions: dict[str, str]


class NeighborsReport(Page[NeighborsReportData]):
    """A report on nearest documents, from :func:`neighbors_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : NeighborsReportData
        All that it says, as plain data.
    html : str
        The page.
    """

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
    data = summarise_neighbors(
        search, queries, n_neighbors=n_neighbors, curve=curve, title=title, settings=settings
    )
    return saved(NeighborsReport(data, render_neighbors(data)), path)


def summarise_neighbors(
    search: TextSearch,
    queries: str | TextMatches | Iterable[str | TextMatches],
    *,
    n_neighbors: int | None = None,
    curve: bool = True,
    title: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> NeighborsReportData:
    """Say all that a report on nearest documents says, as plain data.

    Parameters
    ----------
    search, queries, n_neighbors, curve, title, settings
        As for :func:`neighbors_report`.

    Returns
    -------
    NeighborsReportData
        Numbers, strings and lists of them.

    Examples
    --------
    >>> from quire.neighbors import TextSearch
    >>> from quire.report import summarise_neighbors
    >>> search = TextSearch().fit(["a good film", "rain tomorrow", "sun and rain"])
    >>> data = summarise_neighbors(search, "rain")
    >>> [(one.row, one.terms[0].term) for one in data.queries[0].neighbors]
    [(1, 'rain'), (2, 'rain')]
    """
    given = [queries] if isinstance(queries, str | TextMatches) else list(queries)
    shown = [
        one if isinstance(one, TextMatches) else search.search(one, n_neighbors)
        for one in given[:_QUERIES]
    ]
    notes: list[str] = []
    if len(given) > len(shown):
        notes.append(f"Of {len(given):,} queries the first {len(shown)} are shown.")
    return NeighborsReportData(
        title=title or "Nearest documents",
        created=now(),
        n_documents=len(search.texts_),
        n_terms=search.n_features_in_,
        metric=str(search.metric),
        n_neighbors=search.n_neighbors if n_neighbors is None else n_neighbors,
        n_queries=len(given),
        queries=[query_of(search, one) for one in shown],
        curve=curve_of(search, notes) if curve else None,
        notes=notes,
        settings=to_plain(with_data(settings, texts=search.texts_, labels=search.labels_)),
        versions=installed_versions(),
    )


def render_neighbors(data: NeighborsReportData) -> str:
    """Return a report on nearest documents as HTML.

    Parameters
    ----------
    data : NeighborsReportData
        From :func:`summarise_neighbors`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed; the message names the command that installs it.
    """
    asked = how_many(data.n_queries, "query")
    page = whole_page(
        data,
        f"{asked} in {how_many(data.n_documents, 'document')}",
        [short_section(data), *query_sections(data), how_many_section(data)],
        styles=[asset("quire.report._neighbors", "neighbors.css")],
    )
    return str(page)
