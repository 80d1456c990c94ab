"""Measures of predictions, each a function of how often every document counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats

__all__ = [
    "CalibrationBin",
    "calibration_bins",
    "calibration_error",
    "number_measures",
    "order_measures",
    "probability_measures",
]

Measure = Callable[[Floats], float]


@dataclass(frozen=True)
class CalibrationBin:
    """Documents whose probability lies between two ends: how many, its mean, and how often."""

    low: float
    high: float
    documents: int
    predicted: float
    observed: float


def probability_measures(codes: NDArray[Any], P: Floats) -> dict[str, Measure]:
    """Return log loss, Brier score and, of two classes, the area under the ROC curve.

    Parameters
    ----------
    codes : ndarray of shape (n_documents,)
        The place of each label among the classes.
    P : ndarray of shape (n_documents, n_classes)
        Probabilities.
    """
    own = np.take_along_axis(P, codes[:, None].astype(np.intp), axis=1)[:, 0]
    losses = -np.log(np.maximum(own, np.finfo(np.float64).tiny))
    squares = (P**2).sum(axis=1) - 2 * own + 1
    if P.shape[1] == 2:
        squares = squares / 2  # that of one of the two
    measures: dict[str, Measure] = {
        "log_loss": lambda w: float((w * losses).sum() / w.sum()),
        "brier": lambda w: float((w * squares).sum() / w.sum()),
    }
    if P.shape[1] == 2:
        _, group = np.unique(P[:, 1], return_inverse=True)
        is_second = codes == 1
        measures["roc_auc"] = lambda w: _area(w, is_second, group)
    return measures


def _area(weights: Floats, is_second: NDArray[np.bool_], group: NDArray[Any]) -> float:
    """Return how often a document of the second class is above one of the first, ties half."""
    second = np.bincount(group, weights * is_second)
    first = np.bincount(group, weights * ~is_second)
    total = second.sum() * first.sum()
    if total == 0:
        return float("nan")
    below = np.cumsum(first) - first
    return float((second * (below + first / 2)).sum() / total)


def number_measures(truth: Floats, predicted: Floats) -> dict[str, Measure]:
    """Return root mean squared error, mean absolute error and R squared.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n_documents,)
        Numbers.
    """
    errors = predicted - truth

    def r2(w: Floats) -> float:
        mean = (w * truth).sum() / w.sum()
        spread = (w * (truth - mean) ** 2).sum()
        return float(1 - (w * errors**2).sum() / spread) if spread > 0 else float("nan")

    return {
        "rmse": lambda w: float(np.sqrt((w * errors**2).sum() / w.sum())),
        "mae": lambda w: float((w * np.abs(errors)).sum() / w.sum()),
        "r2": r2,
    }


def order_measures(codes: NDArray[Any], predicted: NDArray[Any]) -> dict[str, Measure]:
    """Return the mean absolute error of ranks, and kappa with quadratic weights.

    Parameters
    ----------
    codes, predicted : ndarray of shape (n_documents,)
        Places among the classes, in order.
    """
    n_classes = int(max(codes.max(), predicted.max())) + 1
    distance = np.abs(codes - predicted).astype(np.float64)

    def kappa(w: Floats) -> float:
        places = np.arange(n_classes)
        by_truth = np.bincount(codes, w, n_classes) / w.sum()
        by_guess = np.bincount(predicted, w, n_classes) / w.sum()
        expected = by_truth @ (places[:, None] - places) ** 2 @ by_guess
        return float(1 - (w * distance**2).sum() / w.sum() / expected) if expected else np.nan

    return {
        "rank_error": lambda w: float((w * distance).sum() / w.sum()),
        "quadratic_kappa": kappa,
    }


def calibration_bins(codes: NDArray[Any], P: Floats, n_bins: int) -> list[CalibrationBin]:
    """Return documents by probability: of the second of two classes, else of the predicted one.

    Parameters
    ----------
    codes : ndarray of shape (n_documents,)
        The place of each label among the classes.
    P : ndarray of shape (n_documents, n_classes)
        Probabilities.
    n_bins : int
        How many bins of equal width; those without a document are left out.
    """
    guess = P.argmax(axis=1)
    p, is_so = (P[:, 1], codes == 1) if P.shape[1] == 2 else (P.max(axis=1), codes == guess)
    place = np.minimum((p * n_bins).astype(np.intp), n_bins - 1)
    counts = np.bincount(place, minlength=n_bins)
    means, shares = (np.bincount(place, of, n_bins) for of in (p, is_so.astype(np.float64)))
    ends = np.arange(n_bins + 1) / n_bins
    return [
        CalibrationBin(
            float(ends[b]),
            float(ends[b + 1]),
            int(counts[b]),
            float(means[b] / counts[b]),
            float(shares[b] / counts[b]),
        )
        for b in np.flatnonzero(counts)
    ]


def calibration_error(bins: list[CalibrationBin]) -> float:
    """Return the mean distance of predicted and observed shares, over documents."""
    n = sum(one.documents for one in bins)
    return float(sum(one.documents * abs(one.predicted - one.observed) for one in bins) / n)
