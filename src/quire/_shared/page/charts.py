"""Charts as Vega-Lite specifications: plain dictionaries with their data inside.

Colours are CSS variables of the page, such as ``var(--c1)``: they follow its light and dark scheme
and the printer's without being drawn again. Series differ in dashes as well as in colour. What only
one section draws is in the file of that section; here is what they are made of. How much room names
have beside an axis and in a legend is not said here: the page measures them (``charts.js``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.typing import Floats

__all__ = [
    "COLOURS",
    "Chart",
    "Histogram",
    "Spec",
    "base",
    "histogram",
    "histogram_chart",
    "line_chart",
    "names",
    "quantity",
    "series",
]

Spec = dict[str, Any]
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 4], [1, 3], [6, 2, 1, 2]]
COLOURS = [f"var(--c{number})" for number in range(1, 9)]
_TABLE_POINTS = 40  # of a line in the table below its chart
_BINS = 30


@dataclass(frozen=True)
class Chart:
    """A chart and its text alternative.

    Attributes
    ----------
    name : str
        The id of its figure.
    title, caption : str
        What it is, and what there is to see.
    spec : dict
        The Vega-Lite specification.
    columns : list of str
        Heads of the table of its data.
    rows : list of list
        The table.
    max_width : int or None
        How wide it may be, in pixels; as wide as the page if ``None``.
    """

    name: str
    title: str
    caption: str
    spec: Spec
    columns: list[str]
    rows: list[list[Any]]
    max_width: int | None = None


@dataclass(frozen=True)
class Histogram:
    """Counts between edges; `above` values are larger than the last edge."""

    edges: list[float]
    counts: list[int]
    above: int = 0


def base(values: list[Spec], description: str, height: int = 260) -> Spec:
    """Return what all charts have: their data, and the width of their place on the page."""
    return {
        "description": description,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": values},
    }


def quantity(field: str, title: str, **more: Any) -> Spec:
    """Return the encoding of a number."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def names(field: str, **more: Any) -> Spec:
    """Return the encoding of names, in the order of the data."""
    return {"field": field, "type": "nominal", "title": None, "sort": None, **more}


def series(field: str, values: list[str]) -> Spec:
    """Return encodings that tell series apart by colour and by dashes."""
    legend: Spec = {"orient": "bottom", "symbolType": "stroke", "symbolOpacity": 1}
    legend |= {"symbolSize": 300, "symbolStrokeWidth": 2}
    shared = {"field": field, "type": "nominal", "title": None, "legend": legend, "sort": None}
    colours = [COLOURS[k % len(COLOURS)] for k in range(len(values))]
    dashes = [_DASHES[k % len(_DASHES)] for k in range(len(values))]
    return {
        "color": {**shared, "scale": {"domain": values, "range": colours}},
        "strokeDash": {**shared, "scale": {"domain": values, "range": dashes}},
    }


def histogram(values: Floats) -> Histogram:
    """Return counts in bins of equal width; numbers that are not finite are left out."""
    values = values[np.isfinite(values)]
    if not values.size:
        return Histogram([0.0, 1.0], [0])
    low, high = float(values.min()), float(values.max())
    if high <= low:
        low, high = low - 0.5, low + 0.5
    counts, edges = np.histogram(values, bins=_BINS, range=(low, high))
    return Histogram(edges.tolist(), counts.tolist())


def histogram_chart(
    name: str, title: str, caption: str, bins: Histogram, what: str, counted: str = "Documents"
) -> Chart:
    """Return bars between edges."""
    edges = bins.edges
    values = [
        {"from": low, "to": high, "count": count}
        for low, high, count in zip(edges[:-1], edges[1:], bins.counts, strict=True)
    ]
    spec = base(values, f"{title}. {caption}", 200)
    spec["mark"] = {"type": "bar", "color": COLOURS[0], "binSpacing": 1}
    spec["encoding"] = {
        "x": quantity("from", what, bin={"binned": True}, axis={"grid": False, "tickCount": 6}),
        "x2": {"field": "to"},
        "y": quantity("count", counted, axis={"tickCount": 4}),
        "tooltip": [quantity("from", "From"), quantity("to", "To"), quantity("count", counted)],
    }
    rows: list[list[Any]] = [[item["from"], item["to"], item["count"]] for item in values]
    if bins.above:
        rows.append([edges[-1], "more", bins.above])
    return Chart(name, title, caption, spec, ["From", "To", counted], rows)


def line_chart(
    name: str,
    title: str,
    caption: str,
    points: list[tuple[int, Any]],
    axes: tuple[str, str],
    marked: int | None = None,
) -> Chart:
    """Return a line over whole numbers.

    Parameters
    ----------
    name, title, caption : str
        As those of a :class:`Chart`.
    points : list of (int, number)
        Places along the line.
    axes : (str, str)
        What goes across, and what goes up.
    marked : int, default=None
        The number whose point is drawn large.
    """
    values = [{"x": x, "y": y} for x, y in points]
    spec = base(values, f"{title}. {caption}", 240)
    whole = {"tickCount": 6, "tickMinStep": 1, "format": "d", "grid": False}
    place = {
        "x": quantity("x", axes[0], scale={"zero": False}, axis=whole),
        "y": quantity("y", axes[1], scale={"zero": False}, axis={"tickCount": 5}),
    }
    tooltip = [quantity("x", axes[0]), quantity("y", axes[1], format=".4~g")]
    line = {"type": "line", "strokeWidth": 2, "color": COLOURS[0], "point": len(points) < 60}
    spec["layer"] = [{"mark": line, "encoding": {**place, "tooltip": tooltip}}]
    if marked is not None:
        spec["layer"].append(
            {
                "transform": [{"filter": f"datum.x === {marked}"}],
                "mark": {"type": "point", "filled": True, "size": 160, "color": COLOURS[1]},
                "encoding": {**place, "tooltip": tooltip},
            }
        )
    step = max(1, len(points) // _TABLE_POINTS)
    rows: list[list[Any]] = [[x, float(y)] for x, y in points[::step]]
    return Chart(name, title, caption, spec, list(axes), rows, 760)
