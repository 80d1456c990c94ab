"""The documents that the best model got wrong, the most confident errors first."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.model_selection import Comparison, Trial
from quire.report._data import Mistake, Piece
from quire.report._documents import rows_of
from quire.report._explain import Reasons, reasons
from quire.report._outcomes import Outcomes

__all__ = ["count_mistakes", "mistakes"]

_LONGEST = 700  # characters of a document that are shown
_TERMS = 8


def count_mistakes(outcomes: Outcomes) -> int:
    """Return how many predicted classes are wrong; 0 where numbers are predicted."""
    if not outcomes.labels:
        return 0
    return int((outcomes.codes != outcomes.predicted)[outcomes.known].sum())


def mistakes(
    comparison: Comparison,
    trial: Trial,
    outcomes: Outcomes,
    texts: Any,
    column: pl.Series,
    model: Any,
    n_mistakes: int,
) -> list[Mistake]:
    """Return the most confident errors, or the largest ones of numbers; each text once.

    Parameters
    ----------
    comparison : Comparison
        Its classes.
    trial : Trial
        The best model.
    outcomes : Outcomes
        What it predicted.
    texts : sequence or table
        The documents as given.
    column : polars.Series
        The documents as strings.
    model : object or None
        A fitted model that can say why.
    n_mistakes : int
        How many.
    """
    wrong, sizes = _wrong(trial, outcomes)
    order = wrong[np.argsort(-sizes, kind="stable")]
    found: list[Mistake] = []
    seen = set()
    for row in order.tolist():
        if len(found) >= n_mistakes:
            break
        text = column[row] or ""
        if text in seen:
            continue
        seen.add(text)
        why = _why(comparison, outcomes, texts, text, model, row)
        found.append(_mistake(trial, outcomes, text, row, why))
    return found


def _wrong(trial: Trial, outcomes: Outcomes) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if not outcomes.labels:
        rows = np.flatnonzero(outcomes.known)
        return rows, np.abs(outcomes.numbers[rows] - outcomes.predicted_numbers[rows])
    rows = np.flatnonzero(outcomes.known & (outcomes.codes != outcomes.predicted))
    if trial.probabilities is None:
        return rows, np.zeros(len(rows))
    return rows, np.asarray(trial.probabilities)[rows, outcomes.predicted[rows]]


def _why(
    comparison: Comparison, outcomes: Outcomes, texts: Any, text: str, model: Any, row: int
) -> Reasons | None:
    if model is None:
        return None
    document = rows_of(texts, [row])
    if comparison.classes is None:
        return reasons(model, document, text, None, None)
    guess = comparison.classes[outcomes.predicted[row]]
    truth = comparison.classes[outcomes.codes[row]]
    return reasons(model, document, text, guess, truth)


def _mistake(trial: Trial, outcomes: Outcomes, text: str, row: int, why: Reasons | None) -> Mistake:
    confidence = None
    if outcomes.labels:
        truth = outcomes.labels[outcomes.codes[row]]
        predicted = outcomes.labels[outcomes.predicted[row]]
        if trial.probabilities is not None:
            confidence = float(trial.probabilities[row, outcomes.predicted[row]])
    else:
        truth = f"{outcomes.numbers[row]:.4g}"
        predicted = f"{outcomes.predicted_numbers[row]:.4g}"
    return Mistake(
        row=row,
        truth=truth,
        predicted=predicted,
        confidence=confidence,
        pieces=_pieces(text[:_LONGEST], why),
        cut=max(len(text) - _LONGEST, 0),
        terms=[] if why is None else why.terms[:_TERMS],
    )


def _pieces(text: str, why: Reasons | None) -> list[Piece]:
    """Cut a text at its spans; weights are relative to the heaviest span that is shown."""
    spans = [] if why is None else [span for span in why.spans if span[1] <= len(text)]
    heaviest = max((abs(weight) for _, _, weight in spans), default=0.0)
    pieces, place = [], 0
    for start, end, weight in spans:
        if not heaviest or not weight:
            continue
        if start > place:
            pieces.append(Piece(text[place:start]))
        pieces.append(Piece(text[start:end], float(weight / heaviest)))
        place = end
    if place < len(text):
        pieces.append(Piece(text[place:]))
    return pieces
