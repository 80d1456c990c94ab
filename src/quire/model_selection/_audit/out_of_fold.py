"""Any model without some documents: those of a fold, by the model fitted to all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from quire._shared.progress import Advance
from quire._shared.typing import Floats, Ints
from quire.inspection import Explanations, explain
from quire.model_selection._audit.left_out import LeftOut, Words
from quire.model_selection._folds import Folds, rows_of

__all__ = ["leave_out_folds"]

_LEAST = 1e-12  # a probability whose logarithm is taken


def leave_out_folds(
    model: Any,
    data: Any,
    texts: Callable[[int], Any],
    codes: Ints,
    n_classes: int,
    folds: Folds,
    n_words: int,
    advance: Advance,
) -> LeftOut:
    """Return the scores of every document by the model of the fold that holds it out.

    Parameters
    ----------
    model : estimator
        Not fitted; a pipeline that takes what `data` has.
    data : CountedDocuments, matrix or sequence
        Documents.
    texts : callable
        Gives the document of a row as :func:`~quire.inspection.explain` takes it.
    codes : ndarray of shape (n_documents,)
        Classes.
    n_classes : int
        How many.
    folds : list of (train, test)
        Every document is held out once.
    n_words : int
        Words to give for a document.
    advance : callable
        Told of each fold.
    """
    scores = np.full((len(codes), n_classes), -np.inf)
    has_probabilities = True
    models: list[Any] = []
    fold_of = np.full(len(codes), -1)
    for number, (train, test) in enumerate(folds):
        fitted = clone(model).fit(rows_of(data, train), codes[train])
        found, is_probability = _scores(fitted, rows_of(data, test))
        scores[np.ix_(test, np.asarray(fitted.classes_, dtype=np.int64))] = found
        has_probabilities &= is_probability
        fold_of[test] = number
        models.append(fitted)
        advance(1)

    def words(rows: Ints, first: Ints, second: Ints) -> list[Words | None]:
        asked = zip(rows.tolist(), first.tolist(), second.tolist(), strict=True)
        return [_words(models[fold_of[row]], texts(row), a, b, n_words) for row, a, b in asked]

    probabilities = np.exp(scores) if has_probabilities else None
    return LeftOut(scores, probabilities, words, f"by folds, {len(folds)} of them")


def _scores(model: Any, rows: Any) -> tuple[Floats, bool]:
    """Return log probabilities or decision values, a column for each class."""
    if hasattr(model, "predict_proba"):
        return np.log(np.maximum(model.predict_proba(rows), _LEAST)), True
    values = np.asarray(model.decision_function(rows), dtype=np.float64)
    if values.ndim == 1:
        values = np.stack([-values, values], axis=1) / 2
    if values.shape[1] != len(model.classes_):
        raise TypeError(
            f"{type(model).__name__} has {values.shape[1]} decision values for "
            f"{len(model.classes_)} classes; give a model with one for each class."
        )
    return values, False


def _words(model: Any, document: Any, target: int, against: int, n_words: int) -> Words | None:
    known = model.classes_.tolist()
    if target not in known or against not in known:
        return None
    try:
        explanation = explain(model, document, target=target, against=against)
    except TypeError:  # its decisions are no sums of parts
        return None
    if isinstance(explanation, Explanations):  # a row of a matrix is one of several
        explanation = explanation[0]
    terms = [(str(term.term), float(term.contribution)) for term in explanation.terms]
    strongest = sorted((one for one in terms if one[1] > 0), key=lambda one: -one[1])
    return strongest[:n_words]
