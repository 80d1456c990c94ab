"""Right and wrong by class: the confusion matrix, and precision, recall and F1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from quire.report._data import ClassScores, Confusion
from quire.report._outcomes import Outcomes

__all__ = ["class_scores", "confusion", "ordered_error"]

_MOST_CLASSES = 25  # rows of a matrix that can still be read
_MOST_PAIRS = 15


def confusion(outcomes: Outcomes) -> Confusion:
    """Return the confusion matrix; with many classes, of those with the most errors."""
    n_classes = len(outcomes.labels)
    counts = confusion_matrix(
        outcomes.codes[outcomes.known],
        outcomes.predicted[outcomes.known],
        labels=np.arange(n_classes),
    )
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shown = _most_confused(counts)
    return Confusion(
        labels=[outcomes.labels[k] for k in shown],
        counts=counts[np.ix_(shown, shown)].tolist(),
        shares=shares[np.ix_(shown, shown)].tolist(),
        n_classes=n_classes,
        pairs=_pairs(counts, shares, outcomes.labels),
    )


def _most_confused(counts: NDArray[np.int64]) -> list[int]:
    if len(counts) <= _MOST_CLASSES:
        return list(range(len(counts)))
    wrong = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    return sorted(np.argsort(-wrong, kind="stable")[:_MOST_CLASSES].tolist())


def _pairs(
    counts: NDArray[np.int64], shares: NDArray[np.float64], labels: list[str]
) -> list[tuple[str, str, int, float]]:
    wrong = counts - np.diag(np.diag(counts))
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_PAIRS]
    cells = [divmod(int(cell), len(labels)) for cell in order]
    return [
        (labels[a], labels[b], int(wrong[a, b]), float(shares[a, b]))
        for a, b in cells
        if wrong[a, b] > 0
    ]


def class_scores(outcomes: Outcomes) -> list[ClassScores]:
    """Return scores of every class and, last, their mean; 0 where nothing was predicted."""
    truth, predicted = outcomes.codes[outcomes.known], outcomes.predicted[outcomes.known]
    numbers = np.arange(len(outcomes.labels))
    columns = precision_recall_fscore_support(truth, predicted, labels=numbers, zero_division=0)
    precision, recall, f1, support = (np.asarray(column) for column in columns)
    rows = [
        ClassScores(label, float(precision[k]), float(recall[k]), float(f1[k]), int(support[k]))
        for k, label in enumerate(outcomes.labels)
    ]
    mean = ClassScores(
        "Mean of classes",
        float(precision.mean()),
        float(recall.mean()),
        float(f1.mean()),
        int(support.sum()),
    )
    return [*rows, mean]


def ordered_error(outcomes: Outcomes) -> float | None:
    """Return by how many steps predictions of ordered classes are wrong, on average."""
    if not outcomes.known.any():
        return None
    steps = outcomes.codes[outcomes.known] - outcomes.predicted[outcomes.known]
    return float(np.abs(steps).mean())
