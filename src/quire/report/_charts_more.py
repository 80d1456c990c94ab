"""More charts: the confusion matrix, predicted numbers, learning curves and paths of penalties."""

from __future__ import annotations

from typing import Any

from quire.report._charts import COLOURS, Chart, Spec, base, names, quantity, series
from quire.report._data import Confusion, Learning, Path, Regression

__all__ = ["confusion_chart", "learning_chart", "path_chart", "regression_chart"]

_MOST_TEXT = 12  # classes up to which cells have their counts written in them


def confusion_chart(found: Confusion, caption: str) -> Chart:
    """Return a heat map: the darker, the larger the share of the true class."""
    values = [
        {"truth": truth, "predicted": predicted, "count": count, "share": round(share, 4)}
        for truth, counts, shares in zip(found.labels, found.counts, found.shares, strict=True)
        for predicted, count, share in zip(found.labels, counts, shares, strict=True)
    ]
    size = len(found.labels)
    few = size <= _MOST_TEXT
    cell = 44 if few else 26
    spec = base(values, f"Confusion matrix. {caption}", cell * size)
    spec["encoding"] = {
        "y": names("truth") | {"title": "True class", "axis": {"labelLimit": 110}},
        "x": names("predicted")
        | {
            "title": "Predicted class",
            "axis": {"labelLimit": 90, "labelAngle": 0 if size < 5 else -40},
        },
        "tooltip": [
            names("truth") | {"title": "True"},
            names("predicted") | {"title": "Predicted"},
            quantity("count", "Documents", format=",d"),
            quantity("share", "Share of the true class", format=".1%"),
        ],
    }
    opacity = quantity("share", "", scale={"domain": [0, 1], "range": [0.04, 1]}, legend=None)
    cells: Spec = {
        "mark": {"type": "rect", "fill": COLOURS[0], "cornerRadius": 2},
        "encoding": {"fillOpacity": opacity},
    }
    spec["layer"] = [cells]
    if few:
        spec["layer"].append(_cell_text())
    rows: list[list[Any]] = [
        [label, *counts] for label, counts in zip(found.labels, found.counts, strict=True)
    ]
    return Chart(
        "chart-confusion",
        "Confusion matrix",
        caption,
        spec,
        ["True \\ predicted", *found.labels],
        rows,
        180 + (90 if few else 32) * size,
    )


def _cell_text() -> Spec:
    dark = {"test": "datum.share > 0.5", "value": "var(--on-c1)"}
    return {
        "mark": {"type": "text", "fontSize": 12, "aria": False},
        "encoding": {
            "text": quantity("count", "", format=",d"),
            "color": {"condition": dark, "value": "var(--ink)"},
        },
    }


def regression_chart(found: Regression, caption: str) -> Chart:
    """Return predicted against true numbers, as points or, for many, as counts in cells."""
    title = "Predicted against true"
    if found.points:
        values: list[Spec] = [{"x": x, "y": y} for x, y in found.points]
        ends = [value for point in found.points for value in point]
    else:
        values = [{"x": a, "x2": b, "y": c, "y2": d, "count": n} for a, b, c, d, n in found.cells]
        ends = [value for cell in found.cells for value in cell[:4]]
    low, high = min(ends), max(ends)
    spec = base(values, f"{title}. {caption}", 340)
    scale = {"domain": [low, high], "nice": True, "zero": False}
    place = {"x": quantity("x", "True", scale=scale), "y": quantity("y", "Predicted", scale=scale)}
    line = {
        "data": {"values": [{"x": low, "y": low}, {"x": high, "y": high}]},
        "mark": {"type": "line", "color": "var(--soft)", "strokeDash": [3, 3], "aria": False},
        "encoding": place,
    }
    spec["layer"] = [_points(place) if found.points else _counted(place), line]
    heads = (
        ["True", "Predicted"]
        if found.points
        else ["True from", "to", "Predicted from", "to", "Documents"]
    )
    table: list[list[Any]] = [list(item.values()) for item in values[:100]]
    return Chart("chart-regression", title, caption, spec, heads, table)


def _points(place: Spec) -> Spec:
    tooltip = [quantity("x", "True", format=".4~g"), quantity("y", "Predicted", format=".4~g")]
    mark = {"type": "point", "filled": True, "size": 28, "opacity": 0.55, "color": COLOURS[0]}
    return {"mark": mark, "encoding": {**place, "tooltip": tooltip}}


def _counted(place: Spec) -> Spec:
    opacity = quantity("count", "", scale={"type": "sqrt", "range": [0.08, 1]}, legend=None)
    return {
        "mark": {"type": "rect", "fill": COLOURS[0]},
        "encoding": {
            **place,
            "x2": {"field": "x2"},
            "y2": {"field": "y2"},
            "fillOpacity": opacity,
            "tooltip": [quantity("count", "Documents", format=",d")],
        },
    }


def learning_chart(found: Learning, metric: str, caption: str) -> Chart:
    """Return training and held-out scores by the number of documents, with their spread."""
    parts = {
        "Training": (found.train, found.train_spread),
        "Held out": (found.held_out, found.held_out_spread),
    }
    values = [
        {"part": part, "size": size, "score": mean, "low": mean - spread, "high": mean + spread}
        for part, (means, spreads) in parts.items()
        for size, mean, spread in zip(found.sizes, means, spreads, strict=True)
    ]
    spec = base(values, f"Learning curve. {caption}", 300)
    told = series("part", list(parts))
    limits = {"zero": False}
    x = quantity("size", "Training documents", axis={"format": ",d", "tickCount": 6})
    spec["encoding"] = {"x": x, "color": told["color"]}
    spec["layer"] = [
        {
            "mark": {"type": "area", "opacity": 0.18, "aria": False},
            "encoding": {"y": quantity("low", metric, scale=limits), "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "point": True},
            "encoding": {
                "y": quantity("score", metric, scale=limits),
                "strokeDash": told["strokeDash"],
                "tooltip": [
                    names("part") | {"title": "Part"},
                    quantity("size", "Documents", format=",d"),
                    quantity("score", metric, format=".4~g"),
                ],
            },
        },
    ]
    rows = [
        [size, train, held]
        for size, train, held in zip(found.sizes, found.train, found.held_out, strict=True)
    ]
    heads = ["Training documents", "Training score", "Held-out score"]
    return Chart("chart-learning", "Learning curve", caption, spec, heads, rows)


def path_chart(found: Path, number: int, caption: str) -> Chart:
    """Return the strongest coefficients against the penalty, on a logarithmic axis."""
    title = "Regularisation path" + (f": {found.output}" if found.output else "")
    values = [
        {"term": term, "penalty": penalty, "coef": coef}
        for term, coefs in zip(found.terms, found.coefs, strict=True)
        for penalty, coef in zip(found.penalties, coefs, strict=True)
    ]
    spec = base(values, f"{title}. {caption}", 300)
    spec["mark"] = {"type": "line", "strokeWidth": 2}
    spec["encoding"] = {
        "x": quantity("penalty", f"Penalty ({found.label})", scale={"type": "log", "nice": False})
        | {"axis": {"tickCount": 5, "format": "~g"}},
        "y": quantity("coef", "Coefficient"),
        **series("term", found.terms),
        "tooltip": [
            names("term") | {"title": "Term"},
            quantity("penalty", "Penalty", format=".3~g"),
            quantity("coef", "Coefficient", format=".3~g"),
        ],
    }
    rows = [
        [penalty, *[coefs[k] for coefs in found.coefs]] for k, penalty in enumerate(found.penalties)
    ]
    return Chart(f"chart-path-{number}", title, caption, spec, ["Penalty", *found.terms], rows)
