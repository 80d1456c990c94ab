"""Charts as Vega-Lite specifications: plain dictionaries with their data inside.

Colours are CSS variables of the page, such as ``var(--c1)``: they follow its light and dark scheme
and the printer's without being drawn again. Series differ in dashes as well as in colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire.report._data import Calibration, Curve, Histogram, LeaderboardRow

__all__ = [
    "Chart",
    "balance_chart",
    "calibration_chart",
    "curve_chart",
    "histogram_chart",
    "scores_chart",
    "time_chart",
]

Spec = dict[str, Any]
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 4], [1, 3], [6, 2, 1, 2]]
COLOURS = [f"var(--c{number})" for number in range(1, 9)]
_STEP = 26  # height of a row
_TABLE_POINTS = 20  # of a line in the table beside the chart


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


def series(field: str, found: list[str]) -> Spec:
    """Return encodings that tell series apart by colour and by dashes."""
    legend: Spec = {"orient": "bottom", "columns": 2, "symbolType": "stroke", "symbolOpacity": 1}
    legend |= {"symbolSize": 300, "symbolStrokeWidth": 2, "labelLimit": 260}
    shared = {"field": field, "type": "nominal", "title": None, "legend": legend, "sort": None}
    colours = [COLOURS[k % len(COLOURS)] for k in range(len(found))]
    dashes = [_DASHES[k % len(_DASHES)] for k in range(len(found))]
    return {
        "color": {**shared, "scale": {"domain": found, "range": colours}},
        "strokeDash": {**shared, "scale": {"domain": found, "range": dashes}},
    }


def histogram_chart(
    name: str, title: str, caption: str, found: Histogram, what: str, counted: str = "Documents"
) -> Chart:
    """Return bars between edges."""
    edges = found.edges
    values = [
        {"from": low, "to": high, "count": count}
        for low, high, count in zip(edges[:-1], edges[1:], found.counts, strict=True)
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
    if found.above:
        rows.append([edges[-1], "more", found.above])
    return Chart(name, title, caption, spec, ["From", "To", counted], rows)


def balance_chart(counts: list[tuple[str, int]], caption: str) -> Chart:
    """Return a bar for each class."""
    values = [{"label": label, "count": count} for label, count in counts]
    spec = base(
        values, f"Documents by class. {caption}", min(_STEP, 520 // len(counts)) * len(counts)
    )
    spec["mark"] = {"type": "bar", "color": COLOURS[0]}
    spec["encoding"] = {
        "y": names("label", axis={"labelLimit": 140}),
        "x": quantity("count", "Documents", axis={"tickCount": 4, "format": ",d"}),
        "tooltip": [names("label") | {"title": "Class"}, quantity("count", "Documents")],
    }
    total = sum(count for _, count in counts) or 1
    rows: list[list[Any]] = [[label, count, f"{count / total:.1%}"] for label, count in counts]
    return Chart("chart-balance", "Classes", caption, spec, ["Class", "Documents", "Share"], rows)


def scores_chart(rows: list[LeaderboardRow], metric: str, caption: str) -> Chart:
    """Return mean scores and their intervals, a line for each model."""
    done = [row for row in rows if row.mean is not None]
    values = [
        {
            "model": row.title,
            "mean": row.mean,
            "low": row.mean if row.low is None else row.low,
            "high": row.mean if row.high is None else row.high,
        }
        for row in done
    ]
    spec = base(values, f"Scores and 95% intervals. {caption}", _STEP * len(done))
    y = names("model", axis={"labelLimit": 150})
    tooltip = [
        names("model") | {"title": "Model"},
        *[quantity(key, key.capitalize(), format=".4~g") for key in ("mean", "low", "high")],
    ]
    limits = {"zero": False, "nice": True}
    spec["encoding"] = {"y": y, "tooltip": tooltip}
    spec["layer"] = [
        {
            "mark": {"type": "rule", "color": COLOURS[0], "strokeWidth": 3, "strokeCap": "round"},
            "encoding": {
                "x": quantity("low", metric, scale=limits, axis={"tickCount": 5}),
                "x2": {"field": "high"},
            },
        },
        {
            "mark": {
                "type": "point",
                "filled": True,
                "size": 90,
                "color": COLOURS[1],
                "opacity": 1,
            },
            "encoding": {"x": quantity("mean", metric, scale=limits)},
        },
    ]
    table = [[row.title, row.mean, row.low, row.high] for row in done]
    return Chart("chart-scores", "Scores", caption, spec, ["Model", "Mean", "Low", "High"], table)


def time_chart(rows: list[LeaderboardRow], caption: str) -> Chart:
    """Return the time of each model, in parts."""
    parts = {
        "Choosing settings": "tune_seconds",
        "Fitting": "fit_seconds",
        "Predicting": "predict_seconds",
    }
    done = [row for row in rows if row.mean is not None]
    values = [
        {"model": row.title, "part": part, "seconds": getattr(row, field) or 0.0, "order": k}
        for row in done
        for k, (part, field) in enumerate(parts.items())
    ]
    spec = base(values, f"Time of each model. {caption}", _STEP * len(done))
    spec["mark"] = {"type": "bar"}
    colour = {"domain": list(parts), "range": [COLOURS[5], COLOURS[0], COLOURS[1]]}
    spec["encoding"] = {
        "y": names("model", axis={"labelLimit": 150}),
        "x": quantity("seconds", "Seconds for a fold", axis={"tickCount": 5}),
        "order": {"field": "order", "type": "quantitative"},
        "color": names("part", scale=colour, legend={"orient": "bottom", "columns": 2}),
        "tooltip": [
            names("model") | {"title": "Model"},
            names("part") | {"title": "Part"},
            quantity("seconds", "Seconds", format=".3~g"),
        ],
    }
    table = [[row.title, *[getattr(row, field) for field in parts.values()]] for row in done]
    heads = ["Model", *[f"{part} (s)" for part in parts]]
    return Chart("chart-time", "Time", caption, spec, heads, table)


def curve_chart(
    name: str, title: str, caption: str, curves: list[Curve], axes: tuple[str, str], diagonal: bool
) -> Chart:
    """Return curves in the unit square, each named with the area under it."""
    found = [f"{curve.name} ({curve.area:.3f})" for curve in curves]
    values = [
        {"curve": label, "x": round(x, 5), "y": round(y, 5), "order": k}
        for label, curve in zip(found, curves, strict=True)
        for k, (x, y) in enumerate(zip(curve.x, curve.y, strict=True))
    ]
    spec = base(values, f"{title}. {caption}", 320)
    unit, ticks = {"domain": [0, 1]}, {"tickCount": 5}
    line = {
        "mark": {"type": "line", "strokeWidth": 2, "clip": True},
        "encoding": {
            "x": quantity("x", axes[0], scale=unit, axis=ticks),
            "y": quantity("y", axes[1], scale=unit, axis=ticks),
            "order": {"field": "order", "type": "quantitative"},
            **series("curve", found),
            "tooltip": [
                names("curve") | {"title": "Curve"},
                quantity("x", axes[0], format=".3f"),
                quantity("y", axes[1], format=".3f"),
            ],
        },
    }
    spec["layer"] = [_diagonal(), line] if diagonal else [line]
    rows: list[list[Any]] = []
    for curve in curves:
        step = max(1, len(curve.x) // _TABLE_POINTS)
        for x, y in list(zip(curve.x, curve.y, strict=True))[::step]:
            rows.append([curve.name, round(x, 3), round(y, 3)])
    return Chart(name, title, caption, spec, ["Curve", *axes], rows)


def _diagonal() -> Spec:
    return {
        "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
        "mark": {"type": "line", "color": "var(--soft)", "strokeDash": [3, 3], "aria": False},
        "encoding": {"x": quantity("x", ""), "y": quantity("y", "")},
    }


def calibration_chart(found: list[Calibration], caption: str) -> Chart:
    """Return predicted against observed shares, larger points for more documents."""
    values: list[Spec] = [
        {"model": one.model, "predicted": p, "observed": o, "count": n}
        for one in found
        for p, o, n in zip(one.predicted, one.observed, one.counts, strict=True)
    ]
    models = [one.model for one in found]
    spec = base(values, f"Calibration. {caption}", 320)
    unit, ticks = {"domain": [0, 1]}, {"tickCount": 5}
    place = {
        "x": quantity("predicted", "Predicted probability", scale=unit, axis=ticks),
        "y": quantity("observed", "Observed share", scale=unit, axis=ticks),
    }
    told = series("model", models)
    size = quantity("count", "Documents", scale={"range": [20, 300]}, legend=None)
    tooltip = [
        names("model") | {"title": "Model"},
        quantity("predicted", "Predicted", format=".3f"),
        quantity("observed", "Observed", format=".3f"),
        quantity("count", "Documents", format=",d"),
    ]
    spec["layer"] = [
        _diagonal(),
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**place, **told}},
        {
            "mark": {"type": "point", "filled": True, "opacity": 0.9},
            "encoding": {**place, "color": told["color"], "size": size, "tooltip": tooltip},
        },
    ]
    rows = [
        [v["model"], round(v["predicted"], 3), round(v["observed"], 3), v["count"]] for v in values
    ]
    heads = ["Model", "Predicted", "Observed", "Documents"]
    return Chart("chart-calibration", "Reliability diagram", caption, spec, heads, rows, 620)
