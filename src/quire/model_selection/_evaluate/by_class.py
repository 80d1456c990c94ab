"""Precision, recall and F1 of each class, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.shares import f1_score, wilson
from quire._shared.term_weights import plain
from quire.model_selection._evaluate.result import ClassScore

if TYPE_CHECKING:
    import polars as pl

__all__ = ["class_scores_of", "class_table", "label_scores_of"]


def class_scores_of(
    codes: NDArray[Any], predicted: NDArray[Any], labels: Sequence[Any], level: float = 0.95
) -> list[ClassScore]:
    """Return how well each class is told from the others.

    Parameters
    ----------
    codes, predicted : ndarray of shape (n_documents,)
        True and predicted places among the classes.
    labels : sequence
        The classes.
    level : float, default=0.95
        How often intervals should cover the scores.
    """
    n = len(labels)
    right = np.bincount(codes[codes == predicted], minlength=n).tolist()
    true, guessed = (np.bincount(of, minlength=n).tolist() for of in (codes, predicted))
    return [
        ClassScore(
            label=label,
            precision=wilson(right[k], guessed[k], level),
            recall=wilson(right[k], true[k], level),
            f1=f1_score(right[k], true[k] + guessed[k] - 2 * right[k], level),
            support=true[k],
            predicted=guessed[k],
        )
        for k, label in enumerate(labels)
    ]


def label_scores_of(
    true: Any, predicted: Any, labels: Sequence[Any], level: float = 0.95
) -> list[ClassScore]:
    """Return how well each of several labels is told from its absence.

    Parameters
    ----------
    true, predicted : sparse matrix of shape (n_documents, n_labels)
        1 where a document has a label.
    labels : sequence
        The labels.
    level : float, default=0.95
        How often intervals should cover the scores.
    """
    right, size, guessed = (
        np.asarray(Y.astype(np.int64).sum(axis=0)).ravel().tolist()
        for Y in (true.multiply(predicted), true, predicted)
    )
    return [
        ClassScore(
            label=label,
            precision=wilson(right[k], guessed[k], level),
            recall=wilson(right[k], size[k], level),
            f1=f1_score(right[k], size[k] + guessed[k] - 2 * right[k], level),
            support=size[k],
            predicted=guessed[k],
        )
        for k, label in enumerate(labels)
    ]


def class_table(scores: Sequence[ClassScore]) -> pl.DataFrame:
    """Return a row for each class.

    Parameters
    ----------
    scores : sequence of ClassScore
        Of the classes.
    """
    import polars as pl

    rows = []
    for one in scores:
        row: dict[str, Any] = {"label": plain(one.label)}
        for name in ("precision", "recall", "f1"):
            value, low, high = getattr(one, name)
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        rows.append({**row, "documents": one.support, "predicted": one.predicted})
    frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    return frame.with_columns(pl.selectors.float().fill_nan(None))
