"""Errors where numbers are predicted: predicted against true, residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from quire._shared.page.charts import (
    COLOURS,
    Chart,
    Histogram,
    Spec,
    base,
    histogram,
    histogram_chart,
    quantity,
)
from quire._shared.page.numbers import number
from quire._shared.page.sections import Section, SideBySide, paragraph, section
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.report._comparison.outcomes import Outcomes

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["Regression", "errors_in_words", "numbers_section", "regression_of"]

_MOST_POINTS = 800
_CELLS = 40


@dataclass(frozen=True)
class Regression:
    """Predicted against true numbers: all of them as `points`, or counted in `cells` if many."""

    mae: float
    rmse: float
    r2: float
    bias: float
    points: list[tuple[float, float]]
    cells: list[tuple[float, float, float, float, int]]
    residuals: Histogram


def regression_of(outcomes: Outcomes) -> Regression | None:
    """Return errors of predicted numbers; many documents are counted in cells, few are points."""
    truth, predicted = outcomes.numbers[outcomes.known], outcomes.predicted_numbers[outcomes.known]
    if len(truth) < 2:
        return None
    few = len(truth) <= _MOST_POINTS
    return Regression(
        mae=float(mean_absolute_error(truth, predicted)),
        rmse=float(root_mean_squared_error(truth, predicted)),
        r2=float(r2_score(truth, predicted)),
        bias=float(np.mean(predicted - truth)),
        points=list(zip(truth.tolist(), predicted.tolist(), strict=True)) if few else [],
        cells=[] if few else _cells(truth, predicted),
        residuals=histogram(truth - predicted),
    )


def _cells(truth: Floats, predicted: Floats) -> list[tuple[float, float, float, float, int]]:
    counts, x, y = np.histogram2d(truth, predicted, bins=_CELLS)
    return [
        (float(x[i]), float(x[i + 1]), float(y[j]), float(y[j + 1]), int(counts[i, j]))
        for i, j in np.argwhere(counts > 0)
    ]


def numbers_section(report: ReportData) -> Section:
    """Return predicted against true numbers, and residuals."""
    name, title = "numbers", "Errors"
    regression = report.regression
    if regression is None:
        return section(name, title)
    rows = [
        ["Mean absolute error", regression.mae],
        ["Root mean squared error", regression.rmse],
        ["R²", regression.r2],
        ["Mean of predicted less true", regression.bias],
    ]
    caption = f"{report.best}, on held-out documents; perfect predictions are on the dotted line."
    less = "True less predicted"
    residuals = histogram_chart(
        "chart-residuals", "Residuals", f"{less}.", regression.residuals, less
    )
    charts = SideBySide([_regression_chart(regression, caption), residuals])
    about = paragraph(" ".join(errors_in_words(regression)))
    return section(name, title, about, table(["Measure", "Value"], rows, "Errors"), charts)


def errors_in_words(regression: Regression) -> list[str]:
    """Return what the errors are on average, and on which side, in sentences."""
    said = [f"Predictions are wrong by {number(regression.mae)} on average."]
    if abs(regression.bias) > 0.1 * regression.mae:
        side = "large" if regression.bias > 0 else "small"
        said.append(f"They are too {side} by {number(abs(regression.bias))} on average.")
    share = max(0.0, regression.r2)
    said.append(f"They explain {share:.0%} of the variance of the numbers.")
    return said


def _regression_chart(regression: Regression, caption: str) -> Chart:
    """Return predicted against true numbers, as points or, for many, as counts in cells."""
    title = "Predicted against true"
    if regression.points:
        values: list[Spec] = [{"x": x, "y": y} for x, y in regression.points]
        ends = [value for point in regression.points for value in point]
    else:
        values = [
            {"x": a, "x2": b, "y": c, "y2": d, "count": n} for a, b, c, d, n in regression.cells
        ]
        ends = [value for cell in regression.cells for value in cell[:4]]
    low, high = min(ends), max(ends)
    spec = base(values, f"{title}. {caption}", 340)
    scale = {"domain": [low, high], "nice": True, "zero": False}
    place = {"x": quantity("x", "True", scale=scale), "y": quantity("y", "Predicted", scale=scale)}
    line = {
        "data": {"values": [{"x": low, "y": low}, {"x": high, "y": high}]},
        "mark": {"type": "line", "color": "var(--soft)", "strokeDash": [3, 3], "aria": False},
        "encoding": place,
    }
    spec["layer"] = [_points(place) if regression.points else _counted(place), line]
    heads = (
        ["True", "Predicted"]
        if regression.points
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
