"""From documents with places to the data of a map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.decomposition import DocumentMap
from quire.report._data import to_plain
from quire.report._documents import as_column
from quire.report._excerpts import cut
from quire.report._map_colours import map_colour
from quire.report._map_data import MapAxisData, MapIndex, MapReportData
from quire.report._map_index import term_index
from quire.report._provenance import changed_parameters, installed_versions, now

__all__ = ["summarise_map"]

_CHARACTERS = ((2_000, 300), (20_000, 120), (float("inf"), 60))  # of each, by documents drawn
_LITTLE = 0.02  # share of variance below which places say little


def summarise_map(
    found: DocumentMap,
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
    found, texts, colours, title, max_points, n_characters, n_terms, random_state, settings
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
    >>> found = summarise_map(map_documents(texts), texts)
    >>> found.n_documents, found.n_empty, found.rows
    (5, 1, [0, 1, 2, 3])
    """
    if not max_points >= 1:
        raise ValueError(f"max_points is {max_points}; expected at least 1.")
    n_documents = len(found.points)
    column = None if texts is None else as_column(texts, n_documents)
    rows = _drawn(found.points, int(max_points), random_state)
    names = found.vectorizer.get_feature_names_out()
    shown, index = _texts(found, column, rows, names, n_characters)
    return MapReportData(
        title=title or "Map of documents",
        created=now(),
        n_documents=n_documents,
        n_empty=found.n_empty,
        n_terms=len(names),
        axes=_axes(found, n_terms),
        rows=rows.tolist(),
        x=[float(f"{value:.5g}") for value in found.points[rows, 0]],
        y=[float(f"{value:.5g}") for value in found.points[rows, 1]],
        texts=shown,
        colours=[
            map_colour(str(name), values, rows, n_documents)
            for name, values in (colours or {}).items()
        ],
        index=index,
        notes=_notes(found, len(rows), index),
        settings=to_plain(
            {
                **(settings or {}),
                "components": changed_parameters(found.pca),
                "vectorizer": changed_parameters(found.vectorizer),
            }
        ),
        versions=installed_versions(),
    )


def _drawn(points: NDArray[np.float64], most: int, random_state: Any) -> NDArray[np.int64]:
    """Return the documents that have a place, or a sample of them, in their order."""
    rows = np.flatnonzero(~np.isnan(points[:, 0]))
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(random_state).choice(rows, most, replace=False))
    return rows


def _texts(
    found: DocumentMap,
    column: pl.Series | None,
    rows: NDArray[np.int64],
    names: NDArray[Any],
    n_characters: int | None,
) -> tuple[list[str], MapIndex | None]:
    """Return the starts of the documents that are drawn, and an index of their words."""
    if n_characters is None:
        n_characters = next(n for most, n in _CHARACTERS if len(rows) <= most)
    if column is None or n_characters < 1:
        return [], None
    drawn = column[rows].fill_null("")
    index = term_index(found.vectorizer.transform(drawn), names)
    return [cut(text, n_characters) for text in drawn], index


def _axes(found: DocumentMap, n: int) -> list[MapAxisData]:
    return [
        MapAxisData(
            axis.share,
            [(str(one.term), round(one.weight, 4)) for one in axis.low],
            [(str(one.term), round(one.weight, 4)) for one in axis.high],
        )
        for axis in found.axes(n)
    ]


def _notes(found: DocumentMap, n_drawn: int, index: MapIndex | None) -> list[str]:
    """Say what to be careful about."""
    notes = []
    n_placed = len(found.points) - found.n_empty
    if n_drawn < n_placed:
        notes.append(
            f"A random sample of {n_drawn:,} of {n_placed:,} documents is drawn; the axes come "
            "from all of them."
        )
    if found.n_empty:
        what = "1 document has" if found.n_empty == 1 else f"{found.n_empty:,} documents have"
        notes.append(f"{what} no term that counts, and so no place.")
    share = float(found.pca.explained_variance_ratio_.sum())
    if share < _LITTLE:
        notes.append(
            f"The two axes hold {share:.1%} of the variance, as is usual for texts: documents far "
            "apart here differ, documents near each other need not be alike."
        )
    if index is not None and index.left_out:
        notes.append(f"The search does not know {index.left_out:,} rare terms.")
    return notes
