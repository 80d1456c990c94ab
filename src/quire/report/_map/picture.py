"""The map itself: a canvas that ``map.js`` draws on and that answers, and what it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quire._shared.how_many import how_many
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.sections import Section, section, warning_box

if TYPE_CHECKING:
    from quire.report._map.report import MapReportData

__all__ = ["picture_data", "picture_section"]

_STEPS = 65_535  # places on a side that coordinates are rounded to
_WORDS = 5  # beside the map
_CANVAS = (
    '<div class="map-box" id="map-box"><canvas id="map-canvas" tabindex="0" '
    'role="application" aria-roledescription="map" aria-label="{label}" '
    'aria-describedby="map-keys"></canvas><div id="map-card" class="map-card" hidden></div></div>'
)


def picture_section(report: MapReportData) -> Section:
    """Return the map with its controls, its legend and the documents that a search finds."""
    keys = (
        "Arrow keys move the map, plus and minus zoom, 0 shows all; n and p go through the "
        "documents from left to right, Escape lets go."
    )
    legend = html('<div class="legend" id="map-legend" role="group" aria-label="Classes"></div>')
    body = html(
        "{controls}"
        '<p class="note js" id="map-found" role="status"></p>'
        '<div data-saved="Map"><div class="js map-parts">{picture}{legend}</div></div>'
        '<p class="hidden" role="status" id="map-said"></p>'
        '<ol id="map-hits" class="js map-hits" aria-label="Documents that were found"></ol>'
        '<p class="note" id="map-keys">Point at a document to read it, click to keep it. Drag to '
        "move; the wheel zooms once the map has the focus. {keys}</p>",
        controls=_controls(report),
        picture=_picture(report),
        legend=legend if report.colours else NOTHING,
        keys=keys,
    )
    return section("map", "Map", warning_box(report.notes), body)


def _controls(report: MapReportData) -> Html:
    search = chooser = NOTHING
    if report.index is not None:
        search = html(
            '<span class="control"><label for="map-search">Search</label> '
            '<input type="search" id="map-search" placeholder="a word" autocomplete="off" '
            'spellcheck="false" aria-describedby="map-found"></span>'
        )
    if len(report.colours) > 1:
        options = [
            html('<option value="{}">{}</option>', place, one.name)
            for place, one in enumerate(report.colours)
        ]
        chooser = html(
            '<span class="control"><label for="map-colour">Colour</label> '
            '<select id="map-colour">{}</select></span>',
            join(options),
        )
    names = NOTHING
    if report.regions:
        names = html(
            '<span class="control"><label for="map-names"><input type="checkbox" id="map-names" '
            "checked> Names</label></span>"
        )
    zoom = html(
        '<span class="control"><button type="button" id="map-in" aria-label="Zoom in">+</button> '
        '<button type="button" id="map-out" aria-label="Zoom out">−</button> '
        '<button type="button" id="map-all">Show all</button></span>'
    )
    return html('<div class="controls js">{}{}{}{}</div>', search, chooser, names, zoom)


def _picture(report: MapReportData) -> Html:
    label = f"Map of {how_many(len(report.rows), 'document')}"
    if not report.axes:
        canvas = html(_CANVAS, label=label)
        about = "Documents near each other are alike; directions and far distances mean little."
        return html('<div class="map-frame">{}<p class="end soft">{}</p></div>', canvas, about)
    across, up = report.axes
    return html(
        '<div class="map-frame"><p class="end">↑ {up}</p>'
        '{canvas}<p class="end across"><span>← {left}</span><span>{right} →</span></p>'
        '<p class="end">↓ {down}</p></div>',
        canvas=html(_CANVAS, label=label),
        up=_words(up.high),
        left=_words(across.low),
        right=_words(across.high),
        down=_words(up.low),
    )


def _words(terms: list[tuple[str, float]]) -> Html:
    return html('<bdi dir="auto">{}</bdi>', " ".join(term for term, _ in terms[:_WORDS]))


def picture_data(report: MapReportData) -> dict[str, Any]:
    """Return what the script reads, with coordinates as whole numbers of one scale."""
    x, y = report.x, report.y
    span = max(max(x) - min(x), max(y) - min(y)) or 1.0
    colours: list[dict[str, Any]] = []
    for one in report.colours:
        own: dict[str, Any] = {"name": one.name, "kind": one.kind}
        if one.kind == "groups":
            own |= {"groups": one.groups, "sizes": one.sizes, "codes": one.codes}
        else:
            own |= {"values": one.values, "low": one.low, "high": one.high}
        colours.append(own)
    index = report.index
    return {
        "x": _steps(x, span),
        "y": _steps(y, span),
        "span": span,
        "least": [min(x), min(y)],
        "zero": [-min(x) / span, -min(y) / span] if report.axes else None,
        "names": [
            {
                "words": one.words,
                "x": round((one.x - min(x)) / span, 5),
                "y": round((one.y - min(y)) / span, 5),
                "n": one.documents,
                "level": one.level,
            }
            for one in report.regions
        ],
        "rows": report.rows,
        "texts": report.texts,
        "colours": colours,
        "terms": [] if index is None else index.terms,
        "lengths": [] if index is None else index.lengths,
        "places": "" if index is None else index.places,
    }


def _steps(values: list[float], span: float) -> list[int]:
    least = min(values)
    return [round((value - least) / span * _STEPS) for value in values]
