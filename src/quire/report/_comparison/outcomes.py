"""What was to be predicted and what one model predicted, as numbers of classes or as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.typing import Bools, Floats, Ints
from quire.model_selection import Comparison, Trial

__all__ = ["Outcomes", "finished_rows", "names_of_classes", "outcomes_of"]

_MOST_LABELS = 5


@dataclass(frozen=True)
class Outcomes:
    """Truth and prediction of every document.

    Attributes
    ----------
    labels : list of str
        Names of the classes to show; empty where numbers are predicted.
    codes, predicted : ndarray of shape (n_documents,)
        Number of the true and of the predicted class; -1 where there is none.
    numbers, predicted_numbers : ndarray of shape (n_documents,)
        True and predicted numbers, where those are predicted; otherwise empty.
    labelled, known : ndarray of shape (n_documents,)
        Where the truth is known, and where the prediction is too.
    """

    labels: list[str]
    codes: Ints
    predicted: Ints
    numbers: Floats
    predicted_numbers: Floats
    labelled: Bools
    known: Bools

    def class_counts(self) -> list[tuple[str, int]]:
        """Return how many documents each class has."""
        if not self.labels:
            return []
        counts = np.bincount(self.codes[self.labelled], minlength=len(self.labels))
        return list(zip(self.labels, counts.tolist(), strict=True))

    def quality(self, rows: Bools) -> float | None:
        """Return the accuracy on some rows, or the mean absolute error; ``None`` without rows."""
        if not rows.any():
            return None
        if self.labels:
            return float((self.codes[rows] == self.predicted[rows]).mean())
        return float(np.abs(self.numbers[rows] - self.predicted_numbers[rows]).mean())

    def names_of(self, rows: Ints) -> list[str]:
        """Return the different labels of some rows, a few of them."""
        if self.labels:
            names = [self.labels[code] for code in np.unique(self.codes[rows]) if code >= 0]
        else:
            names = [f"{number:.4g}" for number in np.unique(self.numbers[rows])]
        more = len(names) - _MOST_LABELS
        return names if more <= 0 else [*names[:_MOST_LABELS], f"{more} more"]


def names_of_classes(comparison: Comparison, label_names: Any) -> list[str]:
    """Return what classes are called in the report.

    Parameters
    ----------
    comparison : Comparison
        Its classes.
    label_names : mapping or sequence or None
        Names by class, or in the order of the classes; those that are missing from a mapping keep
        their own.
    """
    if comparison.classes is None:
        return []
    classes = comparison.classes.tolist()
    if label_names is None:
        return [str(label) for label in classes]
    if isinstance(label_names, Mapping):
        unknown = [key for key in label_names if key not in classes]
        if unknown:
            raise ValueError(
                f"label_names has {unknown[0]!r}, which is not a class; the classes are: "
                f"{', '.join(map(repr, classes[:20]))}."
            )
        return [str(label_names.get(label, label)) for label in classes]
    if isinstance(label_names, str) or not isinstance(label_names, Sequence | np.ndarray):
        raise TypeError(
            f"label_names is {label_names!r}; expected a list of names, or a dict by class."
        )
    if len(label_names) != len(classes):
        raise ValueError(
            f"label_names has {len(label_names)} names; there are {len(classes)} classes."
        )
    return [str(name) for name in label_names]


def outcomes_of(comparison: Comparison, trial: Trial, labels: list[str]) -> Outcomes:
    """Return truth and predictions of one model; rows of folds it did not finish are not known."""
    finished = finished_rows(comparison, trial)
    nothing = np.zeros(0)
    if comparison.classes is None:
        numbers = np.asarray(comparison.y, dtype=np.float64)
        predicted = np.full(len(numbers), np.nan)
        predicted[finished] = trial.predicted[finished]
        labelled, known = np.isfinite(numbers), np.isfinite(predicted)
        none = np.full(len(numbers), -1)
        return Outcomes([], none, none, numbers, predicted, labelled, labelled & known)
    assert comparison.codes is not None  # there are classes
    codes = comparison.codes.astype(np.int64)
    guesses = np.where(finished, trial.predicted, -1)
    labelled = codes >= 0
    return Outcomes(labels, codes, guesses, nothing, nothing, labelled, labelled & (guesses >= 0))


def finished_rows(comparison: Comparison, trial: Trial) -> Bools:
    """Mark documents that were held out on a fold that the model finished."""
    done = np.zeros(len(comparison.y), dtype=bool)
    for (_, test), score in zip(comparison.folds, trial.scores[comparison.metric], strict=True):
        if np.isfinite(score):
            done[test] = True
    return done
