"""A map of documents: one HTML file to look around in, and the numbers in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire.decomposition import DocumentMap
from quire.report._map_data import MapReportData
from quire.report._map_render import render_map
from quire.report._map_summarise import summarise_map
from quire.report._page import Page, kept

__all__ = ["MapReport", "map_report"]


@dataclass(frozen=True, eq=False, repr=False)
class MapReport(Page):
    """A map of documents, from :func:`map_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : MapReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    data: MapReportData
    html: str

    def _says(self) -> str:
        return f"{len(self.data.rows):,} of {self.data.n_documents:,} documents"


def map_report(
    found: DocumentMap,
    texts: Any = None,
    *,
    colours: Mapping[str, Any] | None = None,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    max_points: int = 20_000,
    n_characters: int | None = None,
    n_terms: int = 8,
    random_state: Any = 0,
    settings: Mapping[str, Any] | None = None,
) -> MapReport:
    """Make one HTML file with a map of documents; it opens without a network.

    Documents can be pointed at, searched for words and hidden by class; the map zooms and pans.

    Parameters
    ----------
    found : DocumentMap
        From :func:`quire.decomposition.map_documents`.
    texts : sequence of str, Series or DataFrame, default=None
        Its documents, in the same order. Without texts the map can not be searched.
    colours : mapping from str to array-like of shape (n_documents,), default=None
        What documents can be coloured by, the first at the start: words are classes, the largest 31
        of them; numbers and dates are a scale; ``None`` and NaN are missing.
    path : str or path, default=None
        Where to write it; nothing is written if ``None``.
    title : str, default=None
        The heading.
    max_points : int, default=20_000
        Documents that are drawn; of more, a random sample. 100,000 are fluent, in a larger file.
    n_characters : int or None, default=None
        Characters that are shown of a document; 0 leaves texts and words out of the file, but for
        the terms of the axes. ``None``: 300 of up to 2,000 documents, 120 of up to 20,000, and 60
        of more, so that the file stays small.
    n_terms : int, default=8
        Terms at each end of the axes.
    random_state : int or None, default=0
        Draws the sample.
    settings : mapping, default=None
        What else to write down, such as the command.

    Returns
    -------
    MapReport
        With ``html``, ``data`` and ``save(path)``.

    Raises
    ------
    ValueError
        If there are more or fewer texts or colours than documents.
    OSError
        If the file can not be written.

    See Also
    --------
    summarise_map : The numbers without the page.

    Examples
    --------
    >>> from quire.decomposition import map_documents
    >>> from quire.report import map_report
    >>> texts = ["a cat and a dog", "the dog barks", "votes in parliament", "parliament votes"]
    >>> found = map_documents(texts)
    >>> map_report(found, texts, colours={"about": ["pets", "pets", "votes", "votes"]})
    <MapReport 'Map of documents': 4 of 4 documents, 0.0 MB>
    """
    data = summarise_map(
        found,
        texts,
        colours=colours,
        title=title,
        max_points=max_points,
        n_characters=n_characters,
        n_terms=n_terms,
        random_state=random_state,
        settings=settings,
    )
    return kept(MapReport(data, render_map(data)), path)
