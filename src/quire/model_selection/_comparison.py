"""What a comparison found: scores of every model on every fold, and how sure the ranking is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.model_selection._fold_statistics import Interval, mean_interval, p_value

__all__ = ["Comparison", "Trial"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trial:
    """One model of a comparison.

    Attributes
    ----------
    name : str
        Its short name, such as ``"logistic"``.
    title : str
        Its name in words.
    estimator : object
        The whole pipeline, not fitted, with the settings that were chosen most often.
    scores : dict from str to ndarray of shape (n_folds,)
        Held-out scores by metric; larger is better for all of them (errors are negative). NaN for
        folds that were not finished.
    fit_seconds, tune_seconds, predict_seconds : ndarray of shape (n_folds,)
        Time to fit (features and model), to choose settings, and to predict the held-out documents.
    peak_mb : float or None
        Most memory that fits took above what was there before, in millions of bytes.
    predictions : ndarray of shape (n_documents,)
        Labels or numbers predicted for every document while it was held out.
    probabilities : ndarray of shape (n_documents, n_classes) or None
        The same as probabilities, in the order of the classes of the comparison, if the model has
        them.
    settings : tuple of dict
        What was chosen on each fold.
    error : str or None
        Why the model could not be fitted, if so.
    """

    name: str
    title: str
    estimator: Any
    scores: dict[str, Floats]
    fit_seconds: Floats
    tune_seconds: Floats
    predict_seconds: Floats
    peak_mb: float | None
    predictions: NDArray[Any]
    probabilities: Floats | None
    settings: tuple[dict[str, Any], ...]
    error: str | None = None


@dataclass(frozen=True)
class Comparison:
    """Models that were fitted on the same folds, the best one first.

    Attributes
    ----------
    task : {"binary", "multiclass", "ordered", "continuous"}
        What is predicted.
    metric : str
        The score that ranks; a key of `Trial.scores`.
    metrics : tuple of str
        All scores.
    classes : ndarray of shape (n_classes,) or None
        The classes, in order; ``None`` for numbers.
    y : ndarray of shape (n_documents,)
        The labels, or numbers, as given.
    folds : list of (ndarray, ndarray)
        Rows to train on and rows held out.
    trials : tuple of Trial
        From the best mean score down; models that failed are last.
    settings : dict
        All that is needed to repeat it: arguments, features, seed, versions.
    seconds : float
        Wall time of it all.
    interrupted : bool
        Whether Ctrl-C ended it early; `trials` then has what was finished.
    notes : tuple of str
        What was decided and may surprise: the task that was found, models left out and why.
    """

    task: str
    metric: str
    metrics: tuple[str, ...]
    classes: NDArray[Any] | None
    y: NDArray[Any]
    folds: list[tuple[NDArray[Any], NDArray[Any]]]
    trials: tuple[Trial, ...]
    settings: dict[str, Any]
    seconds: float
    interrupted: bool = False
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __getitem__(self, name: str | int) -> Trial:
        if isinstance(name, int):
            return self.trials[name]
        for trial in self.trials:
            if trial.name == name:
                return trial
        known = ", ".join(trial.name for trial in self.trials)
        raise KeyError(f"no model is called {name!r}; there are: {known}")

    @property
    def best(self) -> Trial:
        """The model with the highest mean score."""
        if not self.trials or self.trials[0].error is not None:
            raise ValueError("no model was finished, so there is no best one")
        return self.trials[0]

    def interval(self, trial: Trial, metric: str | None = None) -> Interval:
        """Return the mean of a model's scores and its 95% interval.

        Parameters
        ----------
        trial : Trial
            The model.
        metric : str, default=None
            The score; the ranking one if ``None``.
        """
        return mean_interval(trial.scores[metric or self.metric], self.folds)

    def p_value(self, trial: Trial, metric: str | None = None) -> float:
        """Return the probability of so large a difference to the best model by chance.

        Parameters
        ----------
        trial : Trial
            The model.
        metric : str, default=None
            The score; the ranking one if ``None``.
        """
        key = metric or self.metric
        return p_value(self.best.scores[key], trial.scores[key], self.folds)
