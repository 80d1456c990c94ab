"""The work of a comparison: every model on every fold, settings chosen inside the fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from quire.model_selection._compare_features import Features, FoldFeatures
from quire.model_selection._compare_models import Candidate, settings_of
from quire.model_selection._compare_task import Target, held_out_scores
from quire.model_selection._memory_meter import memory_peak

__all__ = ["Outcome", "choose_settings", "run_folds"]

Folds = list[tuple[NDArray[Any], NDArray[Any]]]

_ONE_SPLIT_FROM = 2000  # documents: with fewer, settings are chosen by three folds


@dataclass
class Outcome:
    """What is known of one model so far; lists have an entry for each finished fold."""

    candidate: Candidate
    scores: list[dict[str, float]] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    tune_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    settings: list[dict[str, Any]] = field(default_factory=list)
    predicted: list[NDArray[Any]] = field(default_factory=list)
    probabilities: list[Any] = field(default_factory=list)
    peak_mb: float | None = None
    error: str | None = None


def run_folds(
    features: Features,
    target: Target,
    candidates: list[Candidate],
    folds: Folds,
    metrics: tuple[str, ...],
    seed: int,
    tune: bool,
    advance: Callable[[float], None],
) -> tuple[list[Outcome], int, bool]:
    """Fit and score all models, fold by fold.

    Returns
    -------
    outcomes : list of Outcome
        One for each model.
    n_finished : int
        Folds that all models have finished.
    interrupted : bool
        Whether Ctrl-C ended it early.
    """
    outcomes = [Outcome(candidate) for candidate in candidates]
    finished = 0
    try:
        for train, test in folds:
            fold = features.divide(train, test)
            for outcome in outcomes:
                if outcome.error is None:
                    _run_one(outcome, fold, target, metrics, seed, tune)
                advance(1.0)
            finished += 1
    except KeyboardInterrupt:
        return outcomes, finished, True
    return outcomes, finished, False


def _run_one(
    outcome: Outcome,
    fold: FoldFeatures,
    target: Target,
    metrics: tuple[str, ...],
    seed: int,
    tune: bool,
) -> None:
    candidate = outcome.candidate
    y = target.y
    try:
        with memory_peak() as peak:
            X_train, X_test = fold.of(candidate.kind)
            made = perf_counter()
            settings = settings_of(candidate)[0]
            if tune and len(candidate.grid) > 0:
                settings = choose_settings(candidate, X_train, target, fold.train, metrics[0], seed)
            tuned = perf_counter()
            model = _new_model(candidate, settings, target).fit(X_train, y[fold.train])
            fitted = perf_counter()
            predicted, probabilities = predictions_of(model, X_test, target)
            done = perf_counter()
    except (ValueError, TypeError, MemoryError, ArithmeticError) as error:
        outcome.error = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return
    outcome.scores.append(
        held_out_scores(metrics, target.codes[fold.test], predicted, probabilities)
    )
    outcome.settings.append(settings)
    outcome.fit_seconds.append(fold.seconds[candidate.kind] + fitted - tuned)
    outcome.tune_seconds.append(tuned - made)
    outcome.predict_seconds.append(done - fitted)
    outcome.predicted.append(predicted)
    outcome.probabilities.append(probabilities)
    if peak.mb is not None:
        outcome.peak_mb = max(outcome.peak_mb or 0.0, peak.mb)


def _new_model(candidate: Candidate, settings: dict[str, Any], target: Target) -> Any:
    model = candidate.make().set_params(**settings)
    if target.task == "ordered" and "categories" in model.get_params():
        assert target.classes is not None
        model.set_params(categories=target.classes.tolist())
    return model


def choose_settings(
    candidate: Candidate,
    X: Any,
    target: Target,
    rows: NDArray[Any],
    metric: str,
    seed: int,
) -> dict[str, Any]:
    """Return the settings with the best score inside some training documents.

    A fifth of the documents is held out once more, or three folds are made of few documents. The
    features are those of all training documents, which takes nothing from the honesty of the
    outer fold.

    Parameters
    ----------
    candidate : Candidate
        The model.
    X : matrix or documents
        Features of the training documents.
    target : Target
        All labels.
    rows : ndarray of int
        Which documents `X` has.
    metric : str
        The score.
    seed : int
        How to divide them.
    """
    choices = settings_of(candidate)
    if len(choices) == 1:
        return choices[0]
    y, codes = target.y[rows], target.codes[rows]
    splits = _inner_splits(codes, target.task, seed)
    if not splits:
        return choices[0]
    if candidate.search is not None:
        return candidate.search(X, y, splits, metric)
    scores = np.zeros(len(choices))
    for train, test in splits:
        X_train, X_test = X[train], X[test]
        for number, settings in enumerate(choices):
            model = _new_model(candidate, settings, target).fit(X_train, y[train])
            predicted, probabilities = predictions_of(model, X_test, target)
            found = held_out_scores((metric,), codes[test], predicted, probabilities)
            scores[number] += found[metric]
    return choices[int(np.nanargmax(scores)) if np.isfinite(scores).any() else 0]


def _inner_splits(codes: NDArray[Any], task: str, seed: int) -> Folds:
    one = len(codes) >= _ONE_SPLIT_FROM
    if task == "continuous":
        splitter: Any = (
            ShuffleSplit(1, test_size=0.2, random_state=seed)
            if one
            else KFold(3, shuffle=True, random_state=seed)
        )
        return list(splitter.split(codes)) if len(codes) >= 3 else []
    smallest = int(np.bincount(codes)[np.unique(codes)].min())
    if one and smallest >= 2:
        splitter = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
    elif smallest >= 3:
        splitter = StratifiedKFold(3, shuffle=True, random_state=seed)
    else:  # a class with so few documents cannot be divided
        return []
    return list(splitter.split(codes, codes))


def predictions_of(model: Any, X: Any, target: Target) -> tuple[NDArray[Any], Any]:
    """Return predicted places among the classes, or numbers, and probabilities if there are any.

    Parameters
    ----------
    model : estimator
        Fitted on labels of `target`.
    X : matrix or documents
        What to predict.
    target : Target
        All labels.
    """
    if target.classes is None:
        return np.asarray(model.predict(X), dtype=np.float64).ravel(), None
    predicted = _places(model.predict(X), target.classes)
    if not hasattr(model, "predict_proba"):
        return predicted, None
    P = model.predict_proba(X)
    probabilities = np.zeros((len(P), len(target.classes)))
    probabilities[:, _places(model.classes_, target.classes)] = P
    return predicted, probabilities


def _places(labels: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    place = {label: number for number, label in enumerate(classes.tolist())}
    return np.array([place[label] for label in np.asarray(labels).tolist()], dtype=np.int64)
