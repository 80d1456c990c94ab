"""Pairs in the plane, before and after the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.preprocessing import normalize

from quire._shared.how_many import how_many
from quire._shared.page.charts import COLOURS, Chart, Spec, base, names, quantity
from quire._shared.page.sections import Section, SideBySide, paragraph, section
from quire._shared.typing import Floats
from quire.alignment import MapComparison

if TYPE_CHECKING:
    from quire.report._alignment.report import AlignmentReportData

__all__ = ["PairPoint", "picture_section", "points_of"]

_PAIRS = 10  # in the picture


@dataclass(frozen=True)
class PairPoint:
    """A pair in the plane: the word before and after it is mapped, and its partner."""

    word: str
    partner: str
    before: tuple[float, float]
    after: tuple[float, float]
    target: tuple[float, float]


def points_of(comparison: MapComparison) -> tuple[list[PairPoint], float, bool]:
    """Return pairs in the plane in which their partners differ most."""
    model = comparison.best_model
    distinct = list({s: (s, t) for s, t in reversed(comparison.test_pairs)}.values())[::-1]
    places = np.linspace(0, len(distinct) - 1, min(_PAIRS, len(distinct))).round().astype(int)
    pairs = [distinct[place] for place in np.unique(places)]
    A = np.asarray(model.source_[[s for s, _ in pairs]], dtype=np.float64)
    B = normalize(np.asarray(model.target_[[t for _, t in pairs]], dtype=np.float64))
    mapped = normalize(model.transform(A))
    same = A.shape[1] == B.shape[1]
    middle = B.mean(axis=0)
    axes, variance = _axes(B - middle)
    A = normalize(A)
    before = (A - middle) @ axes if same else (A - A.mean(axis=0)) @ _axes(A - A.mean(axis=0))[0]
    after, target = (mapped - middle) @ axes, (B - middle) @ axes
    points = [
        PairPoint(s, t, _plain(before[i]), _plain(after[i]), _plain(target[i]))
        for i, (s, t) in enumerate(pairs)
    ]
    return points, variance, same


def _axes(X: Floats) -> tuple[Floats, float]:
    """Return two directions of the largest variance, and their share of it."""
    _, sizes, directions = np.linalg.svd(X, full_matrices=True)
    axes = np.zeros((X.shape[1], 2))
    two = directions[:2].T
    signs = np.where(two[np.abs(two).argmax(axis=0), range(two.shape[1])] < 0, -1.0, 1.0)
    axes[:, : two.shape[1]] = two * signs
    total = float((sizes**2).sum())
    return axes, float((sizes[:2] ** 2).sum()) / total if total else 0.0


def _plain(point: Floats) -> tuple[float, float]:
    return round(float(point[0]), 4), round(float(point[1]), 4)


def picture_section(report: AlignmentReportData) -> Section:
    """Return the pairs before and after the map, if there are some."""
    name, title = "picture", "Pairs in the plane"
    if len(report.points) < 2:
        return section(name, title)
    intro = paragraph(
        f"{how_many(len(report.points), 'held-out pair')}, seen along the two directions in "
        f"which partners differ most. These show {report.variance:.0%} of what they differ by; the "
        "map is judged in all dimensions."
    )
    charts = SideBySide([_pairs_chart(report, "before"), _pairs_chart(report, "after")])
    return section(name, title, intro, charts)


def _pairs_chart(report: AlignmentReportData, when: str) -> Chart:
    """Return pairs in the plane, a line between the two words of each.

    Where the words of the source are is as it was "before" or "after" the map.
    """
    title = "Before the map" if when == "before" else "After the map"
    caption = (
        "Each word of the source and its partner, joined by a line; the shorter the lines, the "
        "better."
        if when == "after"
        else "The same pairs before; partners are in the same places in both pictures."
    )
    if when == "before" and not report.same_plane:
        caption += " The spaces have different dimensions, so that words have a plane of their own."
    lines = [
        {
            "pair": f"{one.word} – {one.partner}",
            "x": getattr(one, when)[0],
            "y": getattr(one, when)[1],
            "x2": one.target[0],
            "y2": one.target[1],
        }
        for one in report.points
    ]
    points = [
        {"word": word, "kind": kind, "x": place[0], "y": place[1]}
        for one in report.points
        for word, kind, place in (
            (one.word, "source", getattr(one, when)),
            (one.partner, "target", one.target),
        )
    ]
    spec = base(points, f"{title}. {caption}", 380)
    place = _place(report)
    spec["layer"] = [_lines(lines, place), _points(place), _labels(place)]
    rows: list[list[Any]] = [
        [one.word, *getattr(one, when), one.partner, *one.target] for one in report.points
    ]
    heads = ["Word", "x", "y", "Partner", "x of it", "y of it"]
    return Chart(f"chart-{when}", title, caption, spec, heads, rows)


def _place(report: AlignmentReportData) -> Spec:
    """Return the encoding of places, with scales that both pictures share."""
    bare = {"labels": False, "ticks": False, "domain": False, "tickCount": 4, "title": None}
    places: Spec = {}
    for axis, field in enumerate("xy"):
        values = [p[axis] for one in report.points for p in (one.before, one.after, one.target)]
        low, high = min(values), max(values)
        room = 0.1 * (high - low) or 1.0
        limits = {"domain": [round(low - room, 4), round(high + room, 4)], "nice": False}
        places[field] = quantity(field, "", axis=bare, scale=limits | {"zero": False})
    return places


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
    legend = {"orient": "bottom"}
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
