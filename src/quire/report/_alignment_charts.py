"""Charts of a report on a map: precision by method, and pairs before and after it."""

from __future__ import annotations

from typing import Any

from quire.report._alignment_data import AlignmentReportData, AlignmentScore
from quire.report._charts import COLOURS, Chart, Spec, base, names, quantity

__all__ = ["pairs_chart", "precision_chart"]

_STEP = 34
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross"]


def precision_chart(data: AlignmentReportData) -> Chart:
    """Return a line for each method and retrieval, with a sign for each k."""
    values = [
        {"map": _name(one), "k": f"at {k}", "precision": value}
        for one in data.scores
        for k, value in zip(data.ks, one.precision, strict=True)
    ]
    caption = "The share of held-out words with a right partner among the first k."
    spec = base(values, f"Precision. {caption}", _STEP * len(data.scores))
    found = [f"at {k}" for k in data.ks]
    legend = {"orient": "bottom", "columns": 3}
    colours = {"domain": found, "range": [COLOURS[k % len(COLOURS)] for k in range(len(found))]}
    shapes = {"domain": found, "range": [_SHAPES[k % len(_SHAPES)] for k in range(len(found))]}
    spec["mark"] = {"type": "point", "filled": True, "size": 110, "opacity": 0.9}
    spec["encoding"] = {
        "y": names("map", axis={"labelLimit": 150, "grid": True}),
        "x": quantity("precision", "Precision", scale={"domain": [0, 1]}, axis={"tickCount": 5}),
        "color": names("k", scale=colours, legend=legend),
        "shape": names("k", scale=shapes, legend=legend),
        "tooltip": [
            names("map") | {"title": "Map"},
            names("k") | {"title": "Precision"},
            quantity("precision", "Share", format=".3f"),
        ],
    }
    rows: list[list[Any]] = [
        [_name(one), *(round(value, 4) for value in one.precision)] for one in data.scores
    ]
    heads = ["Map", *(f"At {k}" for k in data.ks)]
    return Chart("chart-precision", "Precision", caption, spec, heads, rows, 720)


def _name(one: AlignmentScore) -> str:
    return f"{one.method.replace('_', ' ')}, {one.retrieval}"


def pairs_chart(data: AlignmentReportData, when: str) -> Chart:
    """Return pairs in the plane, a line between the two words of each.

    Parameters
    ----------
    data : AlignmentReportData
        What the report says.
    when : {"before", "after"}
        Where the words of the source are.
    """
    title = "Before the map" if when == "before" else "After the map"
    caption = (
        "Each word of the source and its partner, joined by a line; the shorter the lines, the "
        "better."
        if when == "after"
        else "The same pairs before; partners are in the same places in both pictures."
    )
    if when == "before" and not data.same_plane:
        caption += " The spaces have different dimensions, so that words have a plane of their own."
    lines = [
        {
            "pair": f"{one.word} – {one.partner}",
            "x": getattr(one, when)[0],
            "y": getattr(one, when)[1],
            "x2": one.target[0],
            "y2": one.target[1],
        }
        for one in data.points
    ]
    points = [
        {"word": word, "kind": kind, "x": place[0], "y": place[1]}
        for one in data.points
        for word, kind, place in (
            (one.word, "source", getattr(one, when)),
            (one.partner, "target", one.target),
        )
    ]
    spec = base(points, f"{title}. {caption}", 380)
    place = _place(data)
    spec["layer"] = [_lines(lines, place), _points(place), _labels(place)]
    rows: list[list[Any]] = [
        [one.word, *getattr(one, when), one.partner, *one.target] for one in data.points
    ]
    heads = ["Word", "x", "y", "Partner", "x of it", "y of it"]
    return Chart(f"chart-{when}", title, caption, spec, heads, rows)


def _place(data: AlignmentReportData) -> Spec:
    """Return the encoding of places, with scales that both pictures share."""
    bare = {"labels": False, "ticks": False, "domain": False, "tickCount": 4, "title": None}
    found: Spec = {}
    for axis, field in enumerate("xy"):
        values = [p[axis] for one in data.points for p in (one.before, one.after, one.target)]
        low, high = min(values), max(values)
        room = 0.1 * (high - low) or 1.0
        limits = {"domain": [round(low - room, 4), round(high + room, 4)], "nice": False}
        found[field] = quantity(field, "", axis=bare, scale=limits | {"zero": False})
    return found


def _lines(values: list[Spec], place: Spec) -> Spec:
    return {
        "data": {"values": values},
        "mark": {"type": "rule", "color": "var(--soft)", "opacity": 0.7},
        "encoding": {
            **place,
            "x2": {"field": "x2"},
            "y2": {"field": "y2"},
            "tooltip": [names("pair") | {"title": "Pair"}],
        },
    }


def _points(place: Spec) -> Spec:
    kinds = ["source", "target"]
    legend = {"orient": "bottom", "columns": 2}
    return {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 0.95},
        "encoding": {
            **place,
            "color": names("kind", scale={"domain": kinds, "range": COLOURS[:2]}, legend=legend),
            "shape": names(
                "kind", scale={"domain": kinds, "range": ["circle", "square"]}, legend=legend
            ),
            "tooltip": [names("word") | {"title": "Word"}, names("kind") | {"title": "Of"}],
        },
    }


def _labels(place: Spec) -> Spec:
    return {
        "mark": {"type": "text", "dy": -9, "fontSize": 10.5, "fill": "var(--ink)", "limit": 90},
        "encoding": {**place, "text": {"field": "word"}},
    }
