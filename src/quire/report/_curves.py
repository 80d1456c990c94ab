"""What probabilities are worth: ROC and precision-recall curves, and calibration.

All use the predictions that were made while documents were held out, put together over the folds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import auc, roc_curve

from quire._shared.typing import Floats, Ints
from quire.model_selection import Comparison, Trial
from quire.report._data import Calibration, Curve
from quire.report._outcomes import finished_rows

__all__ = ["calibrations", "roc_and_recall", "with_probabilities"]

_MOST_POINTS = 150
_MOST_MODELS = 5
_MOST_CURVES = 8
_N_BINS = 10
_MACRO = "Mean of classes"


def with_probabilities(comparison: Comparison) -> list[Trial]:
    """Return the best models that give probabilities."""
    found = [
        trial
        for trial in comparison.trials
        if trial.error is None and trial.probabilities is not None
    ]
    return found[:_MOST_MODELS]


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


def _pair(name: str, truth: NDArray[np.bool_], probability: Floats) -> list[tuple[Curve, Curve]]:
    """Return both curves from one sort of the documents; nothing if all are of one kind."""
    n_true = int(truth.sum())
    n_false = len(truth) - n_true
    if not n_true or not n_false:
        return []
    false, true, _ = roc_curve(truth, probability, drop_intermediate=False)
    found = n_true * true[1:]
    precision = np.append(1.0, found / (found + n_false * false[1:]))
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


def calibrations(comparison: Comparison, trials: list[Trial], codes: Ints) -> list[Calibration]:
    r"""Return how far probabilities can be believed.

    For two classes it is the probability of the second; for several, that of the predicted class.
    The expected calibration error is the mean distance of predicted and observed shares over the
    bins, weighted by counts. The Brier score is the mean of :math:`(p - y)^2` for two classes, and
    of its sum over the classes for several.
    """
    found = []
    for trial in trials:
        probabilities, truth = _known(comparison, trial, codes)
        if len(truth):
            found.append(_calibration(trial.title, probabilities, truth))
    return found


def _calibration(name: str, probabilities: Floats, truth: Ints) -> Calibration:
    if probabilities.shape[1] == 2:
        claimed, happened = probabilities[:, 1], truth == 1
        brier = float(np.mean((claimed - happened) ** 2))
    else:
        guess = probabilities.argmax(axis=1)
        claimed, happened = probabilities.max(axis=1), truth == guess
        rows = np.arange(len(truth))
        squares = (probabilities**2).sum(axis=1) - 2 * probabilities[rows, truth] + 1
        brier = float(np.mean(squares))
    place = np.clip((claimed * _N_BINS).astype(np.int64), 0, _N_BINS - 1)
    counts = np.bincount(place, minlength=_N_BINS)
    full = np.flatnonzero(counts)
    predicted = np.bincount(place, claimed, _N_BINS)[full] / counts[full]
    observed = np.bincount(place, happened, _N_BINS)[full] / counts[full]
    ece = float(np.sum(counts[full] * np.abs(predicted - observed)) / counts.sum())
    return Calibration(
        name, predicted.tolist(), observed.tolist(), counts[full].tolist(), ece, brier
    )


def _known(comparison: Comparison, trial: Trial, codes: Ints) -> tuple[Floats, Ints]:
    probabilities = np.asarray(trial.probabilities, dtype=np.float64)
    use = finished_rows(comparison, trial) & (codes >= 0) & np.isfinite(probabilities).all(axis=1)
    return probabilities[use], codes[use]
