"""What probabilities are worth: ROC and precision-recall curves, and the section with calibration.

All use the predictions that were made while documents were held out, put together over the folds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import auc, roc_curve

from quire._shared.page.charts import Chart, base, names, quantity, series
from quire._shared.page.sections import Section, SideBySide, paragraph, section
from quire._shared.typing import Bools, Floats, Ints
from quire.model_selection import Comparison, Trial
from quire.report._comparison.calibration import calibration_parts, known_rows, unit_diagonal

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = [
    "Curve",
    "probabilities_section",
    "roc_and_recall",
    "with_probabilities",
]

_MOST_POINTS = 150
_MOST_MODELS = 5
_MOST_CURVES = 8
_MACRO = "Mean of classes"
_TABLE_POINTS = 20  # of a line in the table below its chart


@dataclass(frozen=True)
class Curve:
    """A line of a chart, with the area under it."""

    name: str
    x: list[float]
    y: list[float]
    area: float


def with_probabilities(comparison: Comparison) -> list[Trial]:
    """Return the best models that give probabilities."""
    trials = [
        trial
        for trial in comparison.trials
        if trial.error is None and trial.probabilities is not None
    ]
    return trials[:_MOST_MODELS]


def roc_and_recall(
    comparison: Comparison, trials: list[Trial], codes: Ints, labels: list[str]
) -> tuple[list[Curve], list[Curve]]:
    """Return ROC and precision-recall curves: of the models for two classes, of classes for more.

    Parameters
    ----------
    comparison : Comparison
        Its folds say which documents are known.
    trials : list of Trial
        Models with probabilities, the best first.
    codes : ndarray of shape (n_documents,)
        Number of the class of each document; -1 where it is not known.
    labels : list of str
        Names of the classes.

    Returns
    -------
    roc, precision_recall : list of Curve
        With several classes, those of the best model: the mean of all classes first, and then the
        classes that are hardest to tell from the rest.
    """
    pairs = []
    if len(labels) == 2:
        for trial in trials:
            use = known_rows(comparison, trial, codes)
            probabilities, truth = np.asarray(trial.probabilities)[use], codes[use]
            pairs += _pair(trial.title, truth == 1, probabilities[:, 1])
        return [roc for roc, _ in pairs], [recall for _, recall in pairs]
    for trial in trials[:1]:
        use = known_rows(comparison, trial, codes)
        probabilities, truth = np.asarray(trial.probabilities)[use], codes[use]
        for k, label in enumerate(labels):
            pairs += _pair(label, truth == k, probabilities[:, k])
    return _hardest([roc for roc, _ in pairs]), _hardest([recall for _, recall in pairs])


def _pair(name: str, truth: Bools, probability: Floats) -> list[tuple[Curve, Curve]]:
    """Return both curves from one sort of the documents; nothing if all are of one kind."""
    n_true = int(truth.sum())
    n_false = len(truth) - n_true
    if not n_true or not n_false:
        return []
    false, true, _ = roc_curve(truth, probability, drop_intermediate=False)
    hits = n_true * true[1:]
    precision = np.append(1.0, hits / (hits + n_false * false[1:]))
    average = float(np.sum(np.diff(true) * precision[1:]))
    roc = Curve(name, *_thin(false, true), float(auc(false, true)))
    return [(roc, Curve(name, *_thin(true, precision), average))]


def _hardest(curves: list[Curve]) -> list[Curve]:
    if not curves:
        return []
    order = sorted(curves, key=lambda curve: curve.area)
    return [_mean_curve(curves), *order[: _MOST_CURVES - 1]]


def _mean_curve(curves: list[Curve]) -> Curve:
    """Return the mean of curves over the horizontal axis, with the mean of their areas."""
    grid = np.linspace(0, 1, 101)
    heights = [np.interp(grid, curve.x, curve.y) for curve in curves]
    area = float(np.mean([curve.area for curve in curves]))
    return Curve(_MACRO, grid.tolist(), np.mean(heights, axis=0).tolist(), area)


def _thin(x: Floats, y: Floats) -> tuple[list[float], list[float]]:
    """Keep points at about equal distances along a line, and its ends."""
    if len(x) <= _MOST_POINTS:
        return x.tolist(), y.tolist()
    length = np.append(0.0, np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y))))
    places = np.searchsorted(length, np.linspace(0, length[-1], _MOST_POINTS))
    keep = np.unique(np.concatenate([[0], np.minimum(places, len(x) - 1), [len(x) - 1]]))
    return x[keep].tolist(), y[keep].tolist()


def probabilities_section(report: ReportData) -> Section:
    """Return ROC and precision-recall curves, and calibration."""
    name, title = "curves", "Probabilities"
    if not report.roc and not report.calibration:
        if report.confusion is None:
            return section(name, title)
        return section(name, title, paragraph("No model gave probabilities."))
    curves = [_curves(report)] if report.roc else []
    return section(name, title, *curves, *calibration_parts(report))


def _curves(report: ReportData) -> SideBySide:
    what = f"the probability of {report.positive}"
    if not report.positive:
        what = (
            f"the probability of one class against the rest, {report.curves_model}: the mean of "
            "all classes, and the hardest ones"
        )
    roc = _curve_chart(
        "chart-roc",
        "ROC",
        f"By {what}. In brackets the area under the curve; 0.5 is chance.",
        report.roc,
        ("False positive rate", "True positive rate"),
        True,
    )
    recall = _curve_chart(
        "chart-pr",
        "Precision and recall",
        f"By {what}. In brackets the average precision.",
        report.precision_recall,
        ("Recall", "Precision"),
        False,
    )
    return SideBySide([roc, recall])


def _curve_chart(
    name: str, title: str, caption: str, curves: list[Curve], axes: tuple[str, str], diagonal: bool
) -> Chart:
    """Return curves in the unit square, each named with the area under it."""
    labels = [f"{curve.name} ({curve.area:.3f})" for curve in curves]
    values = [
        {"curve": label, "x": round(x, 5), "y": round(y, 5), "order": k}
        for label, curve in zip(labels, curves, strict=True)
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
            **series("curve", labels),
            "tooltip": [
                names("curve") | {"title": "Curve"},
                quantity("x", axes[0], format=".3f"),
                quantity("y", axes[1], format=".3f"),
            ],
        },
    }
    spec["layer"] = [unit_diagonal(), line] if diagonal else [line]
    rows: list[list[Any]] = []
    for curve in curves:
        step = max(1, len(curve.x) // _TABLE_POINTS)
        for x, y in list(zip(curve.x, curve.y, strict=True))[::step]:
            rows.append([curve.name, round(x, 3), round(y, 3)])
    return Chart(name, title, caption, spec, ["Curve", *axes], rows)
