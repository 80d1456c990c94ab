r"""Scores of predicted labels, from how many documents of each class are right.

None of them makes a matrix of all pairs of classes: what is needed are the documents of each class,
those predicted to be, and those that are both; kappa needs two moments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats
from quire.model_selection._scores.held_out import HeldOut, Measure

__all__ = [
    "AVERAGES",
    "accuracy",
    "balanced_accuracy",
    "class_score",
    "kappa",
    "matthews",
    "mean_cost",
    "quadratic_kappa",
]

AVERAGES = ("binary", "macro", "micro", "weighted")


class _Tally(NamedTuple):
    """Documents of each class: predicted so and rightly, true, predicted."""

    right: Floats
    true: Floats
    predicted: Floats


def _sums(codes: NDArray[Any], w: Floats, n: int) -> Floats:
    return np.bincount(codes, w, n).astype(np.float64, copy=False)


def _of_tally(score: Callable[[_Tally], float]) -> Callable[[HeldOut], Measure]:
    def of(held: HeldOut) -> Measure:
        n, is_right = held.n_classes, held.codes == held.predicted

        def measure(w: Floats) -> float:
            tally = _Tally(
                _sums(held.codes[is_right], w[is_right], n),
                _sums(held.codes, w, n),
                _sums(held.predicted, w, n),
            )
            return score(tally) if tally.true.sum() > 0 else float("nan")

        return measure

    return of


def _accuracy(tally: _Tally) -> float:
    return float(tally.right.sum() / tally.true.sum())


def _balanced(tally: _Tally) -> float:
    met = tally.true > 0
    return float((tally.right[met] / tally.true[met]).mean())


def _matthews(tally: _Tally) -> float:
    n = tally.true.sum()
    spread_true = n * n - (tally.true**2).sum()
    spread_predicted = n * n - (tally.predicted**2).sum()
    if spread_true <= 0 or spread_predicted <= 0:
        return 0.0
    together = tally.right.sum() * n - (tally.true * tally.predicted).sum()
    return float(together / np.sqrt(spread_true * spread_predicted))


def _kappa(tally: _Tally) -> float:
    n = tally.true.sum()
    by_chance = (tally.true * tally.predicted).sum() / n**2
    if by_chance >= 1:
        return float("nan")
    return float((tally.right.sum() / n - by_chance) / (1 - by_chance))


accuracy = _of_tally(_accuracy)
balanced_accuracy = _of_tally(_balanced)
matthews = _of_tally(_matthews)
kappa = _of_tally(_kappa)


def class_score(kind: str, average: str) -> Callable[[HeldOut], Measure]:
    """Return precision, recall, F1 or Jaccard's index, of the second of two classes or a mean.

    Where nothing is predicted to be of a class, its precision is 0, as scikit-learn has it; where
    it does not occur, so is its recall. A class that neither occurs nor is predicted is in no mean.

    Parameters
    ----------
    kind : {"precision", "recall", "f1", "jaccard"}
        The score.
    average : {"binary", "macro", "micro", "weighted"}
        Which classes.
    """

    def score(tally: _Tally) -> float:
        right, true, predicted = tally
        if average == "micro":
            right, true, predicted = (part.sum(keepdims=True) for part in tally)
        upper, lower = {
            "precision": (right, predicted),
            "recall": (right, true),
            "f1": (2 * right, true + predicted),
            "jaccard": (right, true + predicted - right),
        }[kind]
        each = np.divide(upper, lower, out=np.zeros_like(lower), where=lower > 0)
        if average == "binary":
            return float(each[1])
        if average == "weighted":
            return float((each * true).sum() / true.sum())
        return float(each[(true + predicted) > 0].mean())

    return _of_tally(score)


def quadratic_kappa(held: HeldOut) -> Measure:
    """Return Cohen's kappa with quadratic weights, of places among ordered classes."""
    true, predicted = held.codes.astype(np.float64), held.predicted.astype(np.float64)
    squares = (true - predicted) ** 2

    def measure(w: Floats) -> float:
        n = w.sum()
        first, second = (w * true).sum() / n, (w * predicted).sum() / n
        expected = (w * (true**2 + predicted**2)).sum() / n - 2 * first * second
        return float(1 - (w * squares).sum() / n / expected) if expected > 0 else float("nan")

    return measure


def mean_cost(held: HeldOut) -> Measure:
    """Return minus the mean cost of a prediction."""
    assert held.costs is not None
    each = held.costs[held.codes, held.predicted]
    return lambda w: -float((w * each).sum() / w.sum())
