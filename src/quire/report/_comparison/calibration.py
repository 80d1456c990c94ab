"""Whether probabilities can be taken at their word, and what calibration would make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from quire._shared.calibration_chance import known_calibration_error
from quire._shared.page.charts import Chart, Spec, base, names, quantity, series
from quire._shared.page.html import Html
from quire._shared.page.numbers import score
from quire._shared.page.sections import paragraph
from quire._shared.page.tables import table
from quire._shared.reliability import (
    N_BINS,
    brier_terms,
    calibration_bins,
    claims_of,
    log_loss_terms,
)
from quire._shared.score_maps import METHODS, fit_maps
from quire._shared.shares import wilson
from quire._shared.typing import Bools, Floats, Ints
from quire.calibration import CalibratedClassifier
from quire.kinds import last_step
from quire.model_selection import Comparison, ThresholdClassifier, Trial
from quire.report._comparison.outcomes import finished_rows

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = [
    "Calibrated",
    "Calibration",
    "calibrated_best",
    "calibration_parts",
    "calibration_warnings",
    "calibrations_of",
    "known_rows",
    "unit_diagonal",
]

_LARGE = 0.02  # an error that is worth a word
_MANY = 1000  # documents from which on an isotonic map is tried
_FOLDS = 5  # of the documents of one split
_LEAST = 1e-12  # is kept between a probability and 0 or 1 before it becomes log-odds
_NUMBERS = ("predicted", "observed", "low", "high")
_PAIR = ("Before", "After")


@dataclass(frozen=True)
class Calibration:
    """Predicted probabilities against what happened, in bins of equal numbers of documents.

    Attributes
    ----------
    model : str
        Its name in words.
    predicted, observed : list of float
        Of each bin the mean probability, and the share of documents for which it came so.
    low, high : list of float
        Wilson's 95% interval of these shares.
    counts : list of int
        Documents of each bin.
    ece, brier, log_loss : float
        Expected calibration error, Brier score, log loss.
    ece_low, ece_high : float
        The 95% interval of the first.
    ece_by_chance : float
        What probabilities that are right stay below, 99 times of 100.
    claimed, came : float
        The mean probability of what is predicted, and how often that is right.
    """

    model: str
    predicted: list[float]
    observed: list[float]
    low: list[float]
    high: list[float]
    counts: list[int]
    ece: float
    brier: float
    log_loss: float
    ece_low: float
    ece_high: float
    ece_by_chance: float
    claimed: float
    came: float

    @property
    def is_bad(self) -> bool:
        """Whether the error is more than chance, and large enough to be worth a word."""
        return self.ece > self.ece_by_chance and self.ece >= _LARGE


@dataclass(frozen=True)
class Calibrated:
    """The best model before and after calibration.

    Attributes
    ----------
    method : str
        The map.
    is_estimate : bool
        Whether the map was made here from the held-out probabilities, those of each fold by a map
        that was learned from the others, to see what it would be worth; the model has none.
    before, after : Calibration
        On the same documents.
    """

    method: str
    is_estimate: bool
    before: Calibration
    after: Calibration


def calibrations_of(comparison: Comparison, trials: list[Trial], codes: Ints) -> list[Calibration]:
    r"""Return how far probabilities can be believed.

    For two classes it is the probability of the second; for several, that of the predicted class.
    The expected calibration error is the mean distance of predicted and observed shares over bins
    of equal mass, weighted by counts. The Brier score is the mean of :math:`(p - y)^2` for two
    classes, and of its sum over the classes for several.

    Parameters
    ----------
    comparison : Comparison
        Its folds say which documents are known.
    trials : list of Trial
        Models with probabilities.
    codes : ndarray of shape (n_documents,)
        Number of the class of each document; -1 where it is not known.
    """
    found = []
    for trial in trials:
        use = known_rows(comparison, trial, codes)
        if use.any():
            found.append(_calibration(trial.title, _probabilities(trial)[use], codes[use]))
    return found


def known_rows(comparison: Comparison, trial: Trial, codes: Ints) -> Bools:
    """Return where both the class and its probabilities are known."""
    is_known = np.isfinite(_probabilities(trial)).all(axis=1)
    use: Bools = finished_rows(comparison, trial) & (codes >= 0) & is_known
    return use


def _probabilities(trial: Trial) -> Floats:
    return np.asarray(trial.probabilities, dtype=np.float64)


def _calibration(name: str, P: Floats, truth: Ints) -> Calibration:
    p, is_so = claims_of(truth, P)
    bins = calibration_bins(p, is_so)
    ends = [wilson(round(one.observed * one.documents), one.documents) for one in bins]
    error = known_calibration_error(p, is_so)
    return Calibration(
        name,
        [one.predicted for one in bins],
        [one.observed for one in bins],
        [one.low for one in ends],
        [one.high for one in ends],
        [one.documents for one in bins],
        error.value,
        float(brier_terms(truth, P).mean()),
        float(log_loss_terms(truth, P).mean()),
        error.low,
        error.high,
        error.by_chance,
        float(P.max(axis=1).mean()),
        float((P.argmax(axis=1) == truth).mean()),
    )


def calibrated_best(
    comparison: Comparison, trial: Trial, codes: Ints, calibrations: list[Calibration], model: Any
) -> Calibrated | None:
    """Return the best model before and after calibration, or ``None`` if there is nothing to show.

    Parameters
    ----------
    comparison : Comparison
        With its folds.
    trial : Trial
        The best model.
    codes : ndarray of shape (n_documents,)
        Number of the class of each document; -1 where it is not known.
    calibrations : list of Calibration
        Of the models with probabilities.
    model : object
        The model that was fitted to everything, or ``None``. If it is calibrated, what it was worth
        before is known.
    """
    own = _calibrated_model(model)
    if own is not None:
        if len(own.reliability_) < 2:
            return None
        before, after = (
            _of_reliability(trial.title, own.reliability_[one]) for one in ("before", "after")
        )
        return Calibrated(own.method, False, before, after)
    if comparison.settings.get("calibrate") or comparison.task not in ("binary", "multiclass"):
        return None
    best = next((one for one in calibrations if one.model == trial.title), None)
    if best is None or not best.is_bad or trial.probabilities is None:
        return None
    use = known_rows(comparison, trial, codes)
    P, truth = _probabilities(trial)[use], codes[use]
    parts = _parts(comparison, use, truth)
    tried = []
    for method in METHODS:
        if method == "isotonic" and len(truth) < _MANY:
            continue
        mapped = _mapped(method, P, truth, parts)
        if mapped is not None:
            tried.append((float(log_loss_terms(truth, mapped).mean()), method, mapped))
    if not tried:
        return None
    loss, method, mapped = min(tried, key=lambda one: one[0])
    if loss >= best.log_loss:
        return None
    return Calibrated(method, True, best, _calibration(trial.title, mapped, truth))


def _calibrated_model(model: Any) -> CalibratedClassifier | None:
    own = None if model is None else last_step(model)
    if isinstance(own, ThresholdClassifier):
        own = last_step(own.estimator_)
    return own if isinstance(own, CalibratedClassifier) else None


def _of_reliability(name: str, found: dict[str, Any]) -> Calibration:
    """Return what a calibrated model says of itself; it keeps no documents to draw from."""
    counts = found["documents"].tolist()
    shares = found["observed"].tolist()
    ends = [wilson(round(share * n), n) for share, n in zip(shares, counts, strict=True)]
    none = float("nan")
    return Calibration(
        name,
        found["predicted"].tolist(),
        shares,
        [one.low for one in ends],
        [one.high for one in ends],
        counts,
        found["calibration_error"],
        found["brier"],
        found["log_loss"],
        none,
        none,
        none,
        none,
        none,
    )


def _parts(comparison: Comparison, use: Bools, truth: Ints) -> list[Ints]:
    """Return the documents of each fold; of one split, of some parts of it."""
    place = np.cumsum(use) - 1
    parts = [place[test[use[test]]] for _, test in comparison.folds]
    if len(parts) > 1:
        return [part for part in parts if len(part)]
    smallest = int(np.bincount(truth)[np.unique(truth)].min())
    if smallest < 2:
        return []
    cv = StratifiedKFold(min(_FOLDS, smallest), shuffle=True, random_state=0)
    return [test for _, test in cv.split(truth, truth)]


def _mapped(method: str, P: Floats, truth: Ints, parts: list[Ints]) -> Floats | None:
    """Return probabilities of each part by a map that was learned from the other parts."""
    if len(parts) < 2:
        return None
    logs = np.log(np.clip(P, _LEAST, None))
    scores = logs if method == "temperature" else logs - np.log(np.clip(1 - P, _LEAST, None))
    if P.shape[1] == 2:
        scores = logs[:, 1] - logs[:, 0]
    mapped = np.empty_like(P)
    for part in parts:
        others = np.ones(len(P), dtype=bool)
        others[part] = False
        if len(np.unique(truth[others])) < P.shape[1]:
            return None
        maps = fit_maps(method, scores[others], truth[others], np.ones(int(others.sum())))
        mapped[part] = maps.probabilities(scores[part])
    return mapped


def calibration_warnings(report: ReportData) -> list[str]:
    """Say that the probabilities of the best model cannot be taken at their word, if so."""
    best = next((one for one in report.calibration if one.model == report.best), None)
    return [] if best is None or not best.is_bad else [_verdict(report, best)]


def _verdict(report: ReportData, best: Calibration) -> str:
    says = (
        f"The probabilities of {best.model} cannot be taken at their word: they are wrong by "
        f"{_points(best.ece)} on average ({_points(best.ece_low)} to {_points(best.ece_high)}), "
        f"and chance alone makes no more than {_points(best.ece_by_chance)}. "
    )
    gap = best.claimed - best.came
    if abs(gap) >= _LARGE / 2:
        says += (
            f"It is too {'sure' if gap > 0 else 'careful'}: what it predicts has a probability of "
            f"{best.claimed:.1%} on average, and {best.came:.1%} of it is right. "
        )
    return says + _remedy(report)


def _remedy(report: ReportData) -> str:
    found = report.calibrated
    if found is not None and found.is_estimate:
        return (
            f"--calibrate {found.method} of quire compare and quire fit "
            f"(calibrate={found.method!r}) makes about {_points(found.after.ece)} of it."
        )
    if report.settings.get("calibrate"):
        return "Another map may fit better: --calibrate sigmoid, isotonic or temperature."
    return "--calibrate of quire compare and quire fit makes better ones from held-out documents."


def _points(share: float) -> str:
    points = round(100 * share, 1)
    return f"{points:.1f} point{'' if points == 1 else 's'}"


def calibration_parts(report: ReportData) -> list[Html | Chart]:
    """Return the reliability diagram, the scores, and the best model before and after."""
    if not report.calibration:
        return []
    of = f"of {report.positive}" if report.positive else "of the predicted class"
    chart = _reliability_chart(
        "chart-calibration",
        "Reliability diagram",
        f"The probability {of} against how often it was so, with 95% intervals. On the dotted line "
        "probabilities can be taken at their word; larger points stand for more documents.",
        [(one.model, one) for one in report.calibration],
    )
    parts: list[Html | Chart] = [chart, _scores(report)]
    parts.append(
        paragraph(
            "The expected calibration error is the mean distance of the points from the dotted "
            f"line. They are {N_BINS} bins of as equal a number of documents as equal "
            "probabilities allow. Probabilities that are right have an error, too: it stays below "
            "the number in the last column 99 times of 100. Intervals allow for that."
        )
    )
    says = calibration_warnings(report)
    best = next((one for one in report.calibration if one.model == report.best), None)
    if says:
        parts.append(paragraph(says[0]))
    elif best is None:
        parts.append(
            paragraph(
                f"{report.best} gives no probabilities; --calibrate sigmoid of quire compare and "
                "quire fit makes some from held-out documents."
            )
        )
    elif best.ece <= best.ece_by_chance:
        parts.append(paragraph(f"Those of {best.model} are as good as chance lets one tell."))
    found = report.calibrated
    if found is not None:
        how = (
            f"An estimate of what --calibrate {found.method} would do: the probabilities of each "
            "fold by a map that was learned from the other folds."
            if found.is_estimate
            else f"By the map that was chosen, {found.method}, on documents that were held out "
            "while the model was fitted."
        )
        shown = list(zip(_PAIR, (found.before, found.after), strict=True))
        title = f"{report.best}, before and after calibration"
        parts.append(_reliability_chart("chart-calibrated", title, how, shown))
        rows = [
            [when, score(one.ece), score(one.brier), score(one.log_loss)] for when, one in shown
        ]
        heads = ["Calibration", "Expected calibration error", "Brier score", "Log loss"]
        parts.append(table(heads, rows, "Before and after calibration"))
    return parts


def _scores(report: ReportData) -> Html:
    rows = [
        [
            one.model,
            f"{score(one.ece)} ({score(one.ece_low)} to {score(one.ece_high)})",
            score(one.brier),
            score(one.log_loss),
            score(one.ece_by_chance),
        ]
        for one in report.calibration
    ]
    heads = ["Model", "Expected calibration error", "Brier score", "Log loss", "Error by chance"]
    return table(heads, rows, "Calibration of the models; smaller is better")


def unit_diagonal() -> Spec:
    """Return a dotted line from corner to corner of the unit square."""
    return {
        "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
        "mark": {"type": "line", "color": "var(--soft)", "strokeDash": [3, 3], "aria": False},
        "encoding": {"x": quantity("x", ""), "y": quantity("y", "")},
    }


def _reliability_chart(
    name: str, title: str, caption: str, shown: list[tuple[str, Calibration]]
) -> Chart:
    """Return predicted against observed shares with intervals, larger points for more documents."""
    values: list[Spec] = [
        {"model": line, "predicted": p, "observed": o, "low": low, "high": high, "count": n}
        for line, one in shown
        for p, o, low, high, n in zip(
            one.predicted, one.observed, one.low, one.high, one.counts, strict=True
        )
    ]
    spec = base(values, f"{title}. {caption}", 320)
    unit, ticks = {"domain": [0, 1]}, {"tickCount": 5}
    x = quantity("predicted", "Predicted probability", scale=unit, axis=ticks)
    y = quantity("observed", "Observed share", scale=unit, axis=ticks)
    by_model = series("model", [line for line, _ in shown])
    size = quantity("count", "Documents", scale={"range": [15, 110]}, legend=None)
    tooltip = [
        names("model") | {"title": "Model"},
        quantity("predicted", "Predicted", format=".3f"),
        quantity("observed", "Observed", format=".3f"),
        quantity("low", "From", format=".3f"),
        quantity("high", "To", format=".3f"),
        quantity("count", "Documents", format=",d"),
    ]
    spec["layer"] = [
        unit_diagonal(),
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.55, "aria": False},
            "encoding": {
                "x": x,
                "y": quantity("low", "Observed share", scale=unit),
                "y2": {"field": "high"},
                "color": by_model["color"],
            },
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": y, **by_model},
        },
        {
            "mark": {"type": "point", "filled": True, "opacity": 0.9},
            "encoding": {"x": x, "y": y, "color": by_model["color"], "size": size}
            | {"tooltip": tooltip},
        },
    ]
    rows = [[v["model"], *(round(v[one], 3) for one in _NUMBERS), v["count"]] for v in values]
    heads = ["Model", "Predicted", "Observed", "From", "To", "Documents"]
    return Chart(name, title, caption, spec, heads, rows, 620)
