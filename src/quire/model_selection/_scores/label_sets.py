r"""Scores of predicted sets of labels: by decision, by label, by document. Larger is better.

With T the labels of documents and P the predicted ones, precision, recall, F1 and Jaccard's index
are :math:`|T \cap P|` over :math:`|P|`, over :math:`|T|`, twice over :math:`|T| + |P|`, and over
:math:`|T \cup P|`: of all decisions together ("micro"), as a mean over labels ("macro"), or as a
mean over documents ("samples"). A label that is neither there nor predicted is in no mean; a
document without labels, for which none is predicted, has 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from quire._shared.typing import Floats
from quire.model_selection._scores.held_out import HeldOut, Measure
from quire.model_selection._scores.rankings import precision_of

__all__ = [
    "AVERAGES",
    "KINDS",
    "hamming_loss",
    "label_precision",
    "label_ranking_average_precision",
    "set_score",
    "subset_accuracy",
]

KINDS = ("f1", "precision", "recall", "jaccard")
AVERAGES = ("micro", "macro", "samples", "weighted")


def _parts(held: HeldOut) -> tuple[Any, Any, Any]:
    """Return right, true and predicted labels, as matrices of 0 and 1."""
    true, predicted = (sparse.csr_array(Y, dtype=np.float64) for Y in (held.codes, held.predicted))
    return sparse.csr_array(true.multiply(predicted)), true, predicted


def _ratio(kind: str, nothing: float, right: Floats, true: Floats, predicted: Floats) -> Floats:
    upper, lower = {
        "precision": (right, predicted),
        "recall": (right, true),
        "f1": (2 * right, true + predicted),
        "jaccard": (right, true + predicted - right),
    }[kind]
    found = np.divide(upper, lower, out=np.zeros_like(lower), where=lower > 0)
    return np.where(true + predicted > 0, found, nothing)


def _rows(Y: Any) -> Floats:
    return np.asarray(Y.sum(axis=1), dtype=np.float64).ravel()


def set_score(kind: str, average: str) -> Callable[[HeldOut], Measure]:
    """Return precision, recall, F1 or Jaccard's index of labels.

    Parameters
    ----------
    kind : {"precision", "recall", "f1", "jaccard"}
        The score.
    average : {"micro", "macro", "samples", "weighted"}
        Over what.
    """

    def of(held: HeldOut) -> Measure:
        parts = _parts(held)
        if average == "samples":
            each = _ratio(kind, 1.0, *map(_rows, parts))
            return lambda w: float((w * each).sum() / w.sum()) if w.sum() > 0 else float("nan")
        if average == "micro":
            sums = [_rows(part) for part in parts]

            def together(w: Floats) -> float:
                totals = [np.array([(w * part).sum()]) for part in sums]
                return float(_ratio(kind, np.nan, *totals)[0])

            return together
        columns = [part.T.tocsr() for part in parts]

        def by_label(w: Floats) -> float:
            right, true, predicted = (np.asarray(part @ w) for part in columns)
            each = _ratio(kind, np.nan, right, true, predicted)
            known = np.isfinite(each)
            if not known.any():
                return float("nan")
            if average == "weighted":
                total = true[known].sum()
                return float((each * true)[known].sum() / total) if total else float("nan")
            return float(each[known].mean())

        return by_label

    return of


def subset_accuracy(held: HeldOut) -> Measure:
    """Return the share of documents whose labels are all right, and no others."""
    right, true, predicted = (_rows(part) for part in _parts(held))
    same = (right == true) & (right == predicted)
    return lambda w: float((w * same).sum() / w.sum()) if w.sum() > 0 else float("nan")


def hamming_loss(held: HeldOut) -> Measure:
    """Return minus the share of decisions that are wrong."""
    right, true, predicted = (_rows(part) for part in _parts(held))
    wrong = (true + predicted - 2 * right) / max(held.codes.shape[1], 1)
    return lambda w: -float((w * wrong).sum() / w.sum()) if w.sum() > 0 else float("nan")


def _ranking(held: HeldOut) -> Floats | None:
    found = held.ranking if held.ranking is not None else held.probabilities
    return None if found is None else np.asarray(found, dtype=np.float64)


def _nothing(w: Floats) -> float:
    return float("nan")


def label_precision(average: str) -> Callable[[HeldOut], Measure]:
    """Return the average precision of rankings of documents.

    Parameters
    ----------
    average : {"macro", "micro"}
        The mean over labels that occur, or that of one ranking of all documents and labels.
    """

    def of(held: HeldOut) -> Measure:
        values = _ranking(held)
        if values is None or not values.size:
            return _nothing
        true = held.codes.toarray() > 0
        if average == "micro":
            flat, n_labels = precision_of(values.ravel(), true.ravel()), true.shape[1]
            return lambda w: flat(np.repeat(w, n_labels))
        met = np.flatnonzero(true.any(axis=0))
        each = [precision_of(values[:, k], true[:, k]) for k in met.tolist()]

        def measure(w: Floats) -> float:
            scores = np.array([one(w) for one in each])
            known = np.isfinite(scores)
            return float(scores[known].mean()) if known.any() else float("nan")

        return measure

    return of


def label_ranking_average_precision(held: HeldOut) -> Measure:
    """Return how many of the labels ranked above each label of a document are its labels, too.

    A document that has all labels, or none, has 1.
    """
    values = _ranking(held)
    if values is None or not values.size:
        return _nothing
    true = sparse.csr_array(held.codes)
    ranks = rankdata(-values, method="max", axis=1)
    each = np.ones(len(values))
    for row in range(len(values)):
        own = true.indices[true.indptr[row] : true.indptr[row + 1]]
        if 0 < len(own) < values.shape[1]:
            among = rankdata(-values[row, own], method="max")
            each[row] = (among / ranks[row, own]).mean()
    return lambda w: float((w * each).sum() / w.sum()) if w.sum() > 0 else float("nan")
