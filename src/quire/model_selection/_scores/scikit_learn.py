"""Scorers of scikit-learn on predictions that are there already.

A scorer asks an estimator about rows. Here the estimator has its answers written down, and the rows
are their numbers: whatever the scorer does with them, it does with the predictions of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer
from sklearn.utils.metaestimators import available_if

from quire._shared.typing import Floats
from quire.model_selection._scores.held_out import HeldOut, Measure

__all__ = ["scored_by"]


def scored_by(name: str, *, numbers: bool = False) -> Callable[[HeldOut], Measure]:
    """Return the score that a scorer of scikit-learn computes.

    It is not known where the scorer refuses: where held-out documents are of one class, or the
    model has no probabilities.

    Parameters
    ----------
    name : str
        Of the scorer.
    numbers : bool, default=False
        Whether it compares numbers.
    """

    def of(held: HeldOut) -> Measure:
        scorer = get_scorer(name)
        answers = (_Numbers if numbers else _Labels)(held)
        truth = held.codes.astype(np.float64) if numbers else held.codes
        rows = np.arange(len(held.codes))

        def measure(w: Floats) -> float:
            drawn = rows if (w == 1).all() else np.repeat(rows, w.astype(np.intp))
            try:
                return float(scorer(answers, drawn, truth[drawn]))
            except (ValueError, AttributeError):
                return float("nan")

        return measure

    return of


class _Numbers(RegressorMixin, BaseEstimator):
    """A regression that has been asked already."""

    def __init__(self, held: HeldOut) -> None:
        self.held = held

    def predict(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the predictions of rows, by their numbers."""
        numbers: NDArray[Any] = self.held.predicted[rows].astype(np.float64)
        return numbers


class _Labels(ClassifierMixin, BaseEstimator):
    """A classifier that has been asked already."""

    def __init__(self, held: HeldOut) -> None:
        self.held = held

    @property
    def classes_(self) -> NDArray[Any]:
        """The places of the classes."""
        return np.arange(self.held.n_classes)

    def predict(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the predictions of rows, by their numbers."""
        places: NDArray[Any] = self.held.predicted[rows]
        return places

    @available_if(lambda self: self.held.probabilities is not None)
    def predict_proba(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the probabilities of rows."""
        shares: NDArray[Any] = self.held.probabilities[rows]
        return shares

    @available_if(lambda self: self.held.ranking is not None)
    def decision_function(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return what ranks the rows."""
        ranking: NDArray[Any] = self.held.ranking[rows]
        return ranking
