"""What the axes mean: the heaviest words at both ends, and the documents there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire._shared.page.html import Html, html, join
from quire._shared.page.numbers import count
from quire._shared.page.sections import Section, bar_items, paragraph, section, titled
from quire._shared.page.tables import table
from quire.decomposition import DocumentMap

if TYPE_CHECKING:
    from quire.report._map.report import MapReportData

__all__ = ["MapAxisData", "axes_of", "axes_section", "ends_section"]

_ENDS = (("left", "right"), ("lower", "upper"))
_NAMES = ("Horizontal axis", "Vertical axis")
_EXTREMES = 3  # documents at each end of an axis


@dataclass(frozen=True)
class MapAxisData:
    """One axis: its share of the variance, and terms with their weights at both ends."""

    share: float
    low: list[tuple[str, float]]
    high: list[tuple[str, float]]


def axes_of(document_map: DocumentMap, n: int) -> list[MapAxisData]:
    """Return both axes, with `n` terms at each end."""
    return [
        MapAxisData(
            axis.share,
            [(str(one.term), round(one.weight, 4)) for one in axis.low],
            [(str(one.term), round(one.weight, 4)) for one in axis.high],
        )
        for axis in document_map.axes(n)
    ]


def axes_section(report: MapReportData) -> Section:
    """Return the words at the ends of both axes; a map by neighbours has none."""
    if not report.axes:
        return section("axes", "What the axes mean")
    intro = paragraph(
        "Each axis is a weighted sum of the words of a document, chosen so that documents "
        "differ as much as they can along the first, and as much as is left along the second. The "
        "heaviest words at both ends say what it is about."
    )
    axes = [
        titled(f"{name}: {axis.share:.2%} of the variance", _end_terms(axis, ends))
        for name, ends, axis in zip(_NAMES, _ENDS, report.axes, strict=True)
    ]
    return section("axes", "What the axes mean", intro, *axes)


def _end_terms(axis: MapAxisData, ends: tuple[str, str]) -> Html:
    largest = max((abs(weight) for _, weight in (*axis.low, *axis.high)), default=1.0)
    cards = []
    for end, terms in zip(ends, (axis.low, axis.high), strict=True):
        items = bar_items(terms, "{:+.3f}".format, largest=largest)
        cards.append(
            html(
                '<div class="card"><h4>{} end</h4><ol class="terms">{}</ol></div>',
                end,
                items or html('<li class="soft">no words</li>'),
            )
        )
    return html('<div class="cards">{}</div>', join(cards))


def ends_section(report: MapReportData) -> Section:
    """Return the documents at the ends of both axes."""
    name, title = "ends", "Documents at the ends"
    if not report.texts or not report.axes:
        return section(name, title)
    rows: list[list[Any]] = []
    for ends, values in zip(_ENDS, (report.x, report.y), strict=True):
        order = sorted(range(len(values)), key=values.__getitem__)
        for end, places in zip(ends, (order[:_EXTREMES], order[::-1][:_EXTREMES]), strict=True):
            rows += [[end, report.texts[i], count(report.rows[i])] for i in places]
    return section(name, title, table(["End", "Document", "Row"], rows, title))
