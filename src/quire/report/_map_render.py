"""From the data of a map to one HTML file that needs nothing else.

The picture is a canvas that ``map.js`` draws on and that answers; what the axes mean, and the
documents at their ends, are there without it.
"""

from __future__ import annotations

from typing import Any

from quire.report._html import bar_item, count, esc, section, table
from quire.report._map_data import MapAxisData, MapReportData
from quire.report._page_parts import facts, repeat_section, time_fact, warning_box
from quire.report._render import asset, script_with_data, whole_page

__all__ = ["render_map"]

_ENDS = (("left", "right"), ("lower", "upper"))
_NAMES = ("Horizontal axis", "Vertical axis")
_STEPS = 65_535  # places on a side that coordinates are rounded to
_EXTREMES = 3  # documents at each end of an axis
_WORDS = 5  # beside the map


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
    sections = [
        ("map", "Map", _map(data)),
        ("axes", "What the axes mean", _axes(data)),
        ("ends", "Documents at the ends", _ends(data)),
        ("short", "In numbers", _in_short(data)),
        ("repeat", "To repeat it", repeat_section(data.settings, data.versions)),
    ]
    about = f"{count(data.n_documents)} documents. {data.created}."
    scripts = script_with_data("map.js", "map-data", _script_data(data))
    style = asset("controls.css") + asset("map.css")
    return whole_page(data.title, esc(about), sections, [], style=style, scripts=scripts)


def _map(data: MapReportData) -> str:
    across, up = data.axes
    search = ""
    if data.index is not None:
        search = (
            '<span class="control"><label for="map-search">Search</label> '
            '<input type="search" id="map-search" placeholder="a word" autocomplete="off" '
            'spellcheck="false" aria-describedby="map-found"></span>'
        )
    options = "".join(
        f'<option value="{number}">{esc(one.name)}</option>'
        for number, one in enumerate(data.colours)
    )
    chooser = (
        '<span class="control"><label for="map-colour">Colour</label> '
        f'<select id="map-colour">{options}</select></span>'
        if len(data.colours) > 1
        else ""
    )
    zoom = (
        '<span class="control"><button type="button" id="map-in" aria-label="Zoom in">+</button> '
        '<button type="button" id="map-out" aria-label="Zoom out">−</button> '
        '<button type="button" id="map-all">Show all</button></span>'
    )
    keys = (
        "Arrow keys move the map, plus and minus zoom, 0 shows all; n and p go through the "
        "documents from left to right, Escape lets go."
    )
    label = f"Map of {count(len(data.rows))} documents"
    hint = (
        '<p class="note" id="map-keys">Point at a document to read it, click to keep it. Drag to '
        f"move; the wheel zooms once the map has the focus. {keys}</p>"
    )
    picture = (
        f'<div class="map-frame"><p class="end">↑ {_words(up.high)}</p>'
        '<div class="map-box" id="map-box"><canvas id="map-canvas" tabindex="0" '
        f'role="application" aria-roledescription="map" aria-label="{label}" '
        'aria-describedby="map-keys"></canvas><div id="map-card" class="map-card" hidden></div>'
        f'</div><p class="end across"><span>← {_words(across.low)}</span>'
        f"<span>{_words(across.high)} →</span></p>"
        f'<p class="end">↓ {_words(up.low)}</p></div>'
    )
    legend = (
        '<div class="legend" id="map-legend" role="group" aria-label="Classes"></div>'
        if data.colours
        else ""
    )
    return section(
        "map",
        "Map",
        warning_box(data.notes),
        f'<div class="controls js">{search}{chooser}{zoom}</div>'
        '<p class="note js" id="map-found" role="status"></p>'
        f'<div class="js map-parts">{picture}{legend}</div>'
        '<p class="hidden" role="status" id="map-said"></p>'
        f'<ol id="map-hits" class="js map-hits" aria-label="Documents that were found"></ol>{hint}',
    )


def _words(terms: list[tuple[str, float]]) -> str:
    return f'<bdi dir="auto">{esc(" ".join(term for term, _ in terms[:_WORDS]))}</bdi>'


def _axes(data: MapReportData) -> str:
    parts = [
        "<p>Each axis is a weighted sum of the words of a document, chosen so that documents "
        "differ as much as they can along the first, and as much as is left along the second. The "
        "heaviest words at both ends say what it is about.</p>"
    ]
    for name, ends, axis in zip(_NAMES, _ENDS, data.axes, strict=True):
        parts.append(f"<h3>{name}: {axis.share:.2%} of the variance</h3>" + _end_terms(axis, ends))
    return section("axes", "What the axes mean", *parts)


def _end_terms(axis: MapAxisData, ends: tuple[str, str]) -> str:
    most = max((abs(weight) for _, weight in (*axis.low, *axis.high)), default=1.0) or 1.0
    cards = []
    for end, terms in zip(ends, (axis.low, axis.high), strict=True):
        items = "".join(
            bar_item(term, abs(weight) / most, f"{weight:+.3f}") for term, weight in terms
        )
        items = items or '<li class="soft">no words</li>'
        cards.append(f'<div class="card"><h4>{end} end</h4><ol class="terms">{items}</ol></div>')
    return f'<div class="cards">{"".join(cards)}</div>'


def _ends(data: MapReportData) -> str:
    if not data.texts:
        return ""
    rows: list[list[Any]] = []
    for ends, values in zip(_ENDS, (data.x, data.y), strict=True):
        order = sorted(range(len(values)), key=values.__getitem__)
        for end, chosen in zip(ends, (order[:_EXTREMES], order[::-1][:_EXTREMES]), strict=True):
            rows += [[end, data.texts[i], count(data.rows[i])] for i in chosen]
    heads = ["End", "Document", "Row"]
    return section("ends", "Documents at the ends", table(heads, rows, "Documents at the ends"))


def _in_short(data: MapReportData) -> str:
    share = sum(axis.share for axis in data.axes)
    shown = [
        ("Documents", count(data.n_documents)),
        ("Drawn", count(len(data.rows))),
        ("Without words", count(data.n_empty)),
        ("Distinct terms", count(data.n_terms)),
        ("Variance shown", f"{share:.2%}"),
    ]
    return section("short", "In numbers", facts(shown + time_fact(data.settings)))


def _script_data(data: MapReportData) -> dict[str, Any]:
    """Return what the script reads, with coordinates as whole numbers of one scale."""
    x, y = data.x, data.y
    span = max(max(x) - min(x), max(y) - min(y)) or 1.0
    colours: list[dict[str, Any]] = []
    for one in data.colours:
        own: dict[str, Any] = {"name": one.name, "kind": one.kind}
        if one.kind == "groups":
            own |= {"groups": one.groups, "sizes": one.sizes, "codes": one.codes}
        else:
            own |= {"values": one.values, "low": one.low, "high": one.high}
        colours.append(own)
    index = data.index
    return {
        "x": _steps(x, span),
        "y": _steps(y, span),
        "zero": [-min(x) / span, -min(y) / span],
        "rows": data.rows,
        "texts": data.texts,
        "colours": colours,
        "terms": [] if index is None else index.terms,
        "lengths": [] if index is None else index.lengths,
        "places": "" if index is None else index.places,
    }


def _steps(values: list[float], span: float) -> list[int]:
    least = min(values)
    return [round((value - least) / span * _STEPS) for value in values]
