"""Arguments of experiments, checked: labels, targets and what scores are called."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import column_or_1d

from quire._shared.labels import class_codes

__all__ = ["checked_labels", "checked_targets", "score_title"]


def checked_labels(y: Any) -> NDArray[Any]:
    """Return the labels as an array, of two classes or more and none of them missing."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    missing = labels != labels  # NaN
    if labels.dtype == object:
        missing |= np.array([label is None for label in labels], dtype=bool)
    if missing.any():
        raise ValueError(
            f"y has no class at row {int(missing.argmax())} ({int(missing.sum())} in all). Remove "
            "or label the rows without a class."
        )
    classes, _ = class_codes(labels)
    if len(classes) < 2:
        found = f"one class only, {classes[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"y has {found}; classifiers are compared on two classes or more.")
    return labels


def checked_targets(y: Any) -> NDArray[Any]:
    """Return the targets of a regressor as numbers, none of them missing."""
    if y is None or len(y) == 0:
        raise ValueError("y has no targets; give a number for each document.")
    try:
        targets = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "y is not numeric, but the estimator is a regressor. Give numbers, or a classifier."
        ) from error
    if targets.ndim not in (1, 2):
        raise ValueError(f"y has {targets.ndim} dimensions; expected one, or two.")
    missing = ~np.isfinite(targets.reshape(len(targets), -1)).all(axis=1)
    if missing.any():
        raise ValueError(
            f"y has no finite number at row {int(missing.argmax())} ({int(missing.sum())} in "
            "all). Remove the rows without a target."
        )
    return targets


def score_title(scoring: Any, estimator: Any) -> str:
    """Return what to call a score; without a name it is that of the estimator's ``score``.

    Parameters
    ----------
    scoring : str, callable or None
        The score asked for.
    estimator : estimator
        What it is for.
    """
    if scoring is None:
        return "accuracy" if is_classifier(estimator) else "R²"
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", None)
    return str(scoring) if name is None else name.replace("_", " ")
