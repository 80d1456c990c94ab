"""What probabilities are worth: ROC and precision-recall curves, and calibration.

All use the predictions that were made while documents were held out, put together over the folds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import auc, roc_curve

from quire._shared.page.charts import Chart, Spec, base, names, quantity, series
from quire._shared.page.numbers import score
from quire._shared.page.sections import Section, SideBySide, paragraph, section
from quire._shared.page.tables import table
from quire._shared.reliability import (
    N_BINS,
    brier_terms,
    calibration_bins,
    calibration_error,
    claims_of,
    log_loss_terms,
)
from quire._shared.typing import Bools, Floats, Ints
from quire.model_selection import Comparison, Trial
from quire.report._comparison.outcomes import finished_rows

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = [
    "Calibration",
    "Curve",
    "calibrations_of",
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


@dataclass(frozen=True)
class Calibration:
    """Predicted probabilities against what happened, in bins of equal numbers of documents."""

    model: str
    predicted: list[float]
    observed: list[float]
    counts: list[int]
    ece: float
    brier: float
    log_loss: float


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
            probabilities, truth = _known(comparison, trial, codes)
            pairs += _pair(trial.title, truth == 1, probabilities[:, 1])
        return [roc for roc, _ in pairs], [recall for _, recall in pairs]
    for trial in trials[:1]:
        probabilities, truth = _known(comparison, trial, codes)
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


def calibrations_of(comparison: Comparison, trials: list[Trial], codes: Ints) -> list[Calibration]:
    r"""Return how far probabilities can be believed.

    For two classes it is the probability of the second; for several, that of the predicted class.
    The expected calibration error is the mean distance of predicted and observed shares over bins
    of equal mass, weighted by counts. The Brier score is the mean of :math:`(p - y)^2` for two
    classes, and of its sum over the classes for several.
    """
    known = [(trial.title, *_known(comparison, trial, codes)) for trial in trials]
    return [
        _calibration(title, probabilities, truth)
        for title, probabilities, truth in known
        if len(truth)
    ]


def _calibration(name: str, probabilities: Floats, truth: Ints) -> Calibration:
    p, is_so = claims_of(truth, probabilities)
    bins = calibration_bins(p, is_so)
    return Calibration(
        name,
        [one.predicted for one in bins],
        [one.observed for one in bins],
        [one.documents for one in bins],
        calibration_error(p, is_so),
        float(brier_terms(truth, probabilities).mean()),
        float(log_loss_terms(truth, probabilities).mean()),
    )


def _known(comparison: Comparison, trial: Trial, codes: Ints) -> tuple[Floats, Ints]:
    probabilities = np.asarray(trial.probabilities, dtype=np.float64)
    use = finished_rows(comparison, trial) & (codes >= 0) & np.isfinite(probabilities).all(axis=1)
    return probabilities[use], codes[use]


def probabilities_section(report: ReportData) -> Section:
    """Return ROC and precision-recall curves, and calibration."""
    name, title = "curves", "Probabilities"
    if not report.roc and not report.calibration:
        if report.confusion is None:
            return section(name, title)
        return section(name, title, paragraph("No model gave probabilities."))
    parts = []
    if report.roc:
        parts.append(_curves(report))
    if not report.calibration:
        return section(name, title, *parts)
    of = f"of {report.positive}" if report.positive else "of the predicted class"
    calibration = _calibration_chart(
        report.calibration,
        f"The probability {of} against how often it was so. On the dotted line probabilities can "
        "be taken at their word; larger points stand for more documents.",
    )
    rows = [
        [one.model, score(one.ece), score(one.brier), score(one.log_loss)]
        for one in report.calibration
    ]
    heads = ["Model", "Expected calibration error", "Brier score", "Log loss"]
    measures = table(heads, rows, "Calibration of the models; smaller is better")
    about = paragraph(
        "The expected calibration error is the mean distance of the points from the dotted line. "
        f"They are {N_BINS} bins of as equal a number of documents as equal probabilities allow."
    )
    return section(name, title, *parts, calibration, measures, about)


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


def _calibration_chart(calibrations: list[Calibration], caption: str) -> Chart:
    """Return predicted against observed shares, larger points for more documents."""
    values: list[Spec] = [
        {"model": one.model, "predicted": p, "observed": o, "count": n}
        for one in calibrations
        for p, o, n in zip(one.predicted, one.observed, one.counts, strict=True)
    ]
    models = [one.model for one in calibrations]
    spec = base(values, f"Calibration. {caption}", 320)
    unit, ticks = {"domain": [0, 1]}, {"tickCount": 5}
    place = {
        "x": quantity("predicted", "Predicted probability", scale=unit, axis=ticks),
        "y": quantity("observed", "Observed share", scale=unit, axis=ticks),
    }
    by_model = series("model", models)
    size = quantity("count", "Documents", scale={"range": [20, 300]}, legend=None)
    tooltip = [
        names("model") | {"title": "Model"},
        quantity("predicted", "Predicted", format=".3f"),
        quantity("observed", "Observed", format=".3f"),
        quantity("count", "Documents", format=",d"),
    ]
    spec["layer"] = [
        _diagonal(),
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**place, **by_model}},
        {
            "mark": {"type": "point", "filled": True, "opacity": 0.9},
            "encoding": {**place, "color": by_model["color"], "size": size, "tooltip": tooltip},
        },
    ]
    rows = [
        [v["model"], round(v["predicted"], 3), round(v["observed"], 3), v["count"]] for v in values
    ]
    heads = ["Model", "Predicted", "Observed", "Documents"]
    return Chart("chart-calibration", "Reliability diagram", caption, spec, heads, rows, 620)
