"""Curves that a report draws of its own accord: scores against documents, weights against penalty.

Both take fits of their own, so they are made of a sample of the documents, and the path of the
terms that are most frequent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from quire.model_selection import Comparison, Trial, learning_curve, regularization_path

__all__ = ["automatic_learning_curve", "automatic_path"]

_MOST_FOR_CURVE = 20_000  # documents
_MOST_FOR_PATH = 4_000
_MOST_TERMS = 1_000
_N_PENALTIES = 9
_SCORE = {"continuous": "r2"}


def automatic_learning_curve(comparison: Comparison, texts: pl.Series) -> Any:
    """Return the learning curve of the best model, or ``None`` where there is none.

    Parameters
    ----------
    comparison : Comparison
        Of which the best model is taken.
    texts : polars.Series
        The documents.
    """
    if not _takes_texts(comparison):
        return None
    rows = _sample(comparison, _MOST_FOR_CURVE)
    y = comparison.y[rows]
    if comparison.classes is not None and np.unique(y, return_counts=True)[1].min() < 6:
        return None  # too few documents of a class for three folds of several sizes
    return learning_curve(
        comparison.best.estimator,
        texts[rows],
        y,
        sizes=(0.1, 0.25, 0.5, 0.75, 1.0),
        cv=3,
        scoring=_SCORE.get(comparison.task, "accuracy"),
        random_state=0,
    )


def automatic_path(comparison: Comparison, texts: pl.Series) -> Any:
    """Return the path of the best model that has a penalty, or ``None`` if none has.

    Parameters
    ----------
    comparison : Comparison
        Of which that model is taken.
    texts : polars.Series
        The documents.
    """
    trial = _penalised(comparison)
    if trial is None or not _takes_texts(comparison):
        return None
    rows = _sample(comparison, _MOST_FOR_PATH)
    pipeline = clone(trial.estimator).set_params(features__max_features=_MOST_TERMS)
    return regularization_path(pipeline, texts[rows], comparison.y[rows], n_penalties=_N_PENALTIES)


def _takes_texts(comparison: Comparison) -> bool:
    settings = comparison.settings
    return not settings.get("categories") and not settings.get("numbers")


def _penalised(comparison: Comparison) -> Trial | None:
    """Return the best model of ours that is linear with a penalty to vary."""
    for trial in comparison:
        if trial.error is not None or not isinstance(trial.estimator, Pipeline):
            continue
        if "features" not in trial.estimator.named_steps:
            continue
        last = trial.estimator.steps[-1][1]
        parameters = last.get_params()
        is_linear = type(last).__module__.startswith("quire.linear_model")
        if is_linear and ("C" in parameters or "alpha" in parameters):
            return trial
    return None


def _sample(comparison: Comparison, most: int) -> NDArray[Any]:
    """Return rows in order, all of them or an even sample of each class."""
    n = len(comparison.y)
    if n <= most:
        return np.arange(n)
    rng = np.random.default_rng(0)
    if comparison.classes is None:
        return np.sort(rng.permutation(n)[:most])
    kept = []
    for label in comparison.classes:
        rows = np.flatnonzero(comparison.y == label)
        wanted = max(min(len(rows), 20), round(most * len(rows) / n))
        kept.append(rng.permutation(rows)[:wanted])
    return np.sort(np.concatenate(kept))
