"""What is where on a map: places in several sizes, each with the words that set it apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from quire._shared.page.html import Html, html, join
from quire._shared.page.numbers import count
from quire._shared.page.sections import Section, note, section
from quire._shared.typing import AnyArray, Floats, Ints
from quire.cluster import KMeans
from quire.report._map.colours import MapColour

if TYPE_CHECKING:
    from quire.report._map.report import MapReportData

__all__ = ["MapPlace", "place_colour", "places_of", "places_section"]

_LEAST = 12  # documents of a place
_LARGEST = (4, 20)  # how many of the largest places there are
_FINER = 4  # times as many places of the next size
_LEVELS = 3
_WORDS = 3
_LONGEST = 40  # characters of a name


@dataclass(frozen=True)
class MapPlace:
    """A part of the map: its words, its middle, its documents; level 0 are the largest places."""

    words: str
    x: float
    y: float
    documents: int
    level: int


def places_of(
    points: Floats, rows: Any, names: AnyArray, random_state: Any
) -> tuple[list[MapPlace], Ints]:
    """Divide a map into places of several sizes, and name each by its words.

    Parameters
    ----------
    points : ndarray of shape (n_drawn, 2)
        Where documents are.
    rows : sparse matrix of shape (n_drawn, n_terms)
        Their weights of terms.
    names : ndarray of str
        The terms.
    random_state : int, RandomState instance or None
        Starts of the search for places.

    Returns
    -------
    places : list of MapPlace
        The largest first, level by level; none if there are too few documents.
    codes : ndarray of shape (n_drawn,)
        The place of level 0 of each document.
    """
    n = len(points)
    codes = np.zeros(n, dtype=np.int64)
    found: list[MapPlace] = []
    if n < _LEAST * 2:
        return found, codes
    first = int(np.clip(round(np.sqrt(n) / 7), *_LARGEST))
    X = sparse.csr_array(rows)
    overall = np.asarray(X.mean(axis=0)).ravel()
    for level in range(_LEVELS):
        k = first * _FINER**level
        if n < _LEAST * k and level:
            break
        model = KMeans(max(2, min(k, n // _LEAST)), n_init=3 if level == 0 else 1, n_jobs=1)
        labels = model.set_params(random_state=random_state).fit(points).labels_
        places, order = _named(points, X, overall, labels, names, level)
        found += places
        if level == 0:
            codes = order[labels]
    return found, codes


def _named(
    points: Floats, X: Any, overall: Floats, labels: Ints, names: AnyArray, level: int
) -> tuple[list[MapPlace], Ints]:
    """Return places, the largest first, and the number of each label among them."""
    sizes = np.bincount(labels)
    kept = np.flatnonzero(sizes)
    kept = kept[np.argsort(-sizes[kept], kind="stable")]
    number = np.zeros(len(sizes), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    member = sparse.csr_array(
        (1.0 / sizes[labels], (number[labels], np.arange(len(labels)))), (len(kept), len(labels))
    )
    means = sparse.csr_array(member @ X)
    places = []
    for place, label in enumerate(kept.tolist()):
        part = slice(means.indptr[place], means.indptr[place + 1])
        columns = means.indices[part]
        own = means.data[part] - overall[columns]
        best = columns[np.lexsort((columns, -own))][:_WORDS]
        x, y = np.median(points[labels == label], axis=0)
        words = " ".join(str(names[column]) for column in best)
        short = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
        places.append(
            MapPlace(short, float(f"{x:.5g}"), float(f"{y:.5g}"), int(sizes[label]), level)
        )
    return places, number


def place_colour(places: list[MapPlace], codes: Ints) -> MapColour:
    """Return the largest places as something to colour by."""
    own = [place for place in places if place.level == 0]
    return MapColour(
        "place",
        "groups",
        [place.words for place in own],
        [place.documents for place in own],
        codes.tolist(),
        [],
        0.0,
        0.0,
    )


def places_section(report: MapReportData) -> Section:
    """Return the places in a list, which leads to them on the map."""
    name, title = "places", "What is where"
    own = [(k, place) for k, place in enumerate(report.regions) if place.level <= 1]
    if not own:
        return section(name, title)
    inner = [(k, place) for k, place in own if place.level == 0]
    items = [
        html(
            '<li><button type="button" class="place" data-place="{number}" dir="auto">{words}'
            '</button> <span class="n">{documents}</span></li>',
            number=k,
            words=place.words,
            documents=count(place.documents),
        )
        for k, place in inner
    ]
    about = note(
        "The map is divided by k-means of its points. The words of a place are those whose mean "
        "weight in its documents is most above that in all. Nearer views have names of smaller "
        "places."
    )
    return section(name, title, _list(items), about)


def _list(items: list[Html]) -> Html:
    return html('<ol class="places">{}</ol>', join(items))
