"""A map of documents: its data, its page, and both in one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.excerpts import cut
from quire._shared.how_many import how_many
from quire._shared.page.numbers import count, to_plain
from quire._shared.page.page import Page, saved
from quire._shared.page.sections import Section, facts, section, time_fact, without_terms
from quire._shared.page.shell import asset, controls, script_with_data
from quire._shared.typing import Floats, Ints
from quire.decomposition import DocumentMap
from quire.report._map.axes import MapAxisData, axes_of, axes_section, ends_section
from quire.report._map.colours import MapColour, map_colour
from quire.report._map.index import MapIndex, term_index
from quire.report._map.picture import picture_data, picture_section
from quire.report._map.places import MapPlace, place_colour, places_of, places_section
from quire.report._page.documents import as_column
from quire.report._page.provenance import (
    changed_parameters,
    installed_versions,
    now,
    with_data,
)
from quire.report._page.whole_page import whole_page

__all__ = ["MapReport", "MapReportData", "map_report", "render_map", "summarise_map"]

_CHARACTERS = ((2_000, 300), (20_000, 120), (float("inf"), 60))  # of each, by documents drawn
_LITTLE = 0.02  # share of variance below which places say little


@dataclass(frozen=True)
class MapReportData:
    """All that a map of documents says; `rows`, `x`, `y` and `texts` are of those drawn."""

    title: str
    created: str
    n_documents: int
    n_empty: int
    n_terms: int
    layout: str
    axes: list[MapAxisData]
    regions: list[MapPlace]
    rows: list[int]
    x: list[float]
    y: list[float]
    texts: list[str]
    colours: list[MapColour]
    index: MapIndex | None
    notes: list[str]
    settings: dict[str, Any]
    versions: dict[str, str]


class MapReport(Page[MapReportData]):
    """A map of documents, from :func:`map_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : MapReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    def _says(self) -> str:
        return f"{len(self.data.rows):,} of {how_many(self.data.n_documents, 'document')}"


def map_report(
    document_map: DocumentMap,
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

    Documents can be pointed at, searched for words and hidden by class; the map zooms and pans,
    and names what is where.

    Parameters
    ----------
    document_map : DocumentMap
        From :func:`quire.decomposition.map_documents`; with ``layout="tsne"`` groups show.
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
    >>> document_map = map_documents(texts)
    >>> map_report(document_map, texts, colours={"about": ["pets", "pets", "votes", "votes"]})
    <MapReport 'Map of documents': 4 of 4 documents, ... MB>
    """
    data = summarise_map(
        document_map,
        texts,
        colours=colours,
        title=title,
        max_points=max_points,
        n_characters=n_characters,
        n_terms=n_terms,
        random_state=random_state,
        settings=settings,
    )
    return saved(MapReport(data, render_map(data)), path)


def summarise_map(
    document_map: DocumentMap,
    texts: Any = None,
    *,
    colours: Mapping[str, Any] | None = None,
    title: str | None = None,
    max_points: int = 20_000,
    n_characters: int | None = None,
    n_terms: int = 8,
    random_state: Any = 0,
    settings: Mapping[str, Any] | None = None,
) -> MapReportData:
    """Say all that a map of documents says, as plain data.

    Parameters
    ----------
    document_map, texts, colours, title, max_points, n_characters, n_terms, random_state, settings
        As for :func:`map_report`.

    Returns
    -------
    MapReportData
        Numbers, strings and lists of them.

    Examples
    --------
    >>> from quire.decomposition import map_documents
    >>> from quire.report import summarise_map
    >>> texts = ["a cat and a dog", "the dog barks", "votes in parliament", "parliament votes", ""]
    >>> data = summarise_map(map_documents(texts), texts)
    >>> data.n_documents, data.n_empty, data.rows
    (5, 1, [0, 1, 2, 3])
    """
    if not max_points >= 1:
        raise ValueError(f"max_points is {max_points}; expected at least 1.")
    n_documents = len(document_map.points)
    column = None if texts is None else as_column(texts, n_documents)
    rows = _drawn(document_map.points, int(max_points), random_state)
    names = document_map.vectorizer.get_feature_names_out()
    shown, X = _texts(document_map, column, rows, n_characters)
    index = None if X is None else term_index(X, names)
    points = document_map.points[rows]
    places, codes = ([], rows) if X is None else places_of(points, X, names, random_state)
    drawn_colours = [
        map_colour(str(name), values, rows, n_documents) for name, values in (colours or {}).items()
    ]
    if places and not any(one.name == "place" for one in drawn_colours):
        drawn_colours.append(place_colour(places, codes))
    return MapReportData(
        title=title or "Map of documents",
        created=now(),
        n_documents=n_documents,
        n_empty=document_map.n_empty,
        n_terms=len(names),
        layout=document_map.layout,
        axes=axes_of(document_map, n_terms) if document_map.layout == "pca" else [],
        regions=places,
        rows=rows.tolist(),
        x=[float(f"{value:.5g}") for value in points[:, 0]],
        y=[float(f"{value:.5g}") for value in points[:, 1]],
        texts=shown,
        colours=drawn_colours,
        index=index,
        notes=_notes(document_map, len(rows), index),
        settings=to_plain(
            {
                **with_data(settings, texts=column, columns=colours),
                "components": changed_parameters(document_map.pca),
                "vectorizer": changed_parameters(document_map.vectorizer),
            }
        ),
        versions=installed_versions(),
    )


def _drawn(points: Floats, most: int, random_state: Any) -> Ints:
    """Return the documents that have a place, or a sample of them, in their order."""
    rows = np.flatnonzero(~np.isnan(points[:, 0]))
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(random_state).choice(rows, most, replace=False))
    return rows


def _texts(
    document_map: DocumentMap,
    column: pl.Series | None,
    rows: Ints,
    n_characters: int | None,
) -> tuple[list[str], Any]:
    """Return the starts of the documents that are drawn, and their weights of terms."""
    if n_characters is None:
        n_characters = next(n for most, n in _CHARACTERS if len(rows) <= most)
    if column is None or n_characters < 1:
        return [], None
    drawn = column[rows].fill_null("")
    X = document_map.vectorizer.transform(drawn)
    return [cut(text, n_characters) for text in drawn], X


def _notes(document_map: DocumentMap, n_drawn: int, index: MapIndex | None) -> list[str]:
    """Say what to be careful about."""
    notes = []
    n_placed = len(document_map.points) - document_map.n_empty
    if n_drawn < n_placed:
        notes.append(
            f"A random sample of {n_drawn:,} of {how_many(n_placed, 'document')} is drawn; "
            "places come from all of them."
        )
    notes += without_terms(document_map.n_empty, "place")
    share = float(document_map.pca.explained_variance_ratio_.sum())
    if document_map.layout == "pca" and share < _LITTLE:
        notes.append(
            f"The two axes hold {share:.1%} of the variance, as is usual for texts: documents far "
            "apart here differ, documents near each other need not be alike. A map by neighbours "
            "(layout tsne) shows groups."
        )
    if index is not None and index.left_out:
        notes.append(f"The search does not know {how_many(index.left_out, 'rare term')}.")
    return notes


def render_map(data: MapReportData) -> str:
    """Return a map of documents as HTML.

    Parameters
    ----------
    data : MapReportData
        From :func:`summarise_map`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.
    """
    script = asset("quire.report._map", "map.js")
    page = whole_page(
        data,
        how_many(data.n_documents, "document"),
        [make(data) for make in _SECTIONS],
        styles=[controls(), asset("quire.report._map", "map.css")],
        scripts=[script_with_data(script, "map-data", picture_data(data))],
    )
    return str(page)


def _numbers_section(data: MapReportData) -> Section:
    shown = [
        ("Documents", count(data.n_documents)),
        ("Drawn", count(len(data.rows))),
        ("Without words", count(data.n_empty)),
        ("Distinct terms", count(data.n_terms)),
    ]
    if data.axes:
        shown.append(("Variance shown", f"{sum(axis.share for axis in data.axes):.2%}"))
    else:
        shown.append(("Layout", "t-SNE"))
    return section("short", "In numbers", facts([*shown, *time_fact(data.settings)]))


_SECTIONS = (picture_section, places_section, axes_section, ends_section, _numbers_section)
