"""Scores of documents while they are held out: of models fitted to the other folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.validation import has_fit_parameter

from quire._shared.deciding import scores_of
from quire._shared.labels import codes_among
from quire._shared.sklearn import safe_indexing
from quire._shared.typing import Floats
from quire._shared.validation import indexable

__all__ = ["HeldOutScores", "fitted_to", "held_out_scores"]

_FOLDS = 5


@dataclass(frozen=True)
class HeldOutScores:
    """Scores and, if the model has them, probabilities.

    Attributes
    ----------
    scores : ndarray of shape (n_documents,) or (n_documents, n_classes)
        Of the second of two classes, or of each of more. NaN where a document was never held out.
    probabilities : ndarray of shape (n_documents, n_classes) or None
        Those of the model itself.
    folds : ndarray of shape (n_documents,)
        The fold in which each was held out; -1 for none.
    """

    scores: Floats
    probabilities: Floats | None
    folds: NDArray[np.intp]


def held_out_scores(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    codes: NDArray[Any],
    classes: NDArray[Any],
    cv: Any,
    weights: Any,
    *,
    as_logarithms: bool,
) -> HeldOutScores:
    """Fit a model to the rest of every fold and ask it about the fold.

    Parameters
    ----------
    estimator : classifier
        Not fitted.
    X : rows
        As it takes them.
    y, codes : ndarray of shape (n_documents,)
        Labels, and their places among the classes.
    classes : ndarray of shape (n_classes,)
        The classes.
    cv : int, splitter, iterable or None
        Folds; 5 if ``None``, or as many as the largest class has documents.
    weights : ndarray of shape (n_documents,) or None
        How much documents count.
    as_logarithms : bool
        Whether probabilities that stand in for scores become logarithms.
    """
    n, k = len(codes), len(classes)
    X, _ = indexable(X, codes)
    scores = np.full(n if k == 2 else (n, k), np.nan)
    probabilities = np.full((n, k), np.nan)
    has_probabilities = True
    folds = np.full(n, -1, dtype=np.intp)
    for number, (train, test) in enumerate(_folds(cv, codes)):
        part = None if weights is None else weights[train]
        rows = safe_indexing(X, test)
        if len(np.unique(codes[train])) < 2:
            continue
        model = fitted_to(clone(estimator), safe_indexing(X, train), y[train], part)
        scores[test] = scores_of(model, rows, classes, as_logarithms=as_logarithms)
        folds[test] = number
        if not hasattr(model, "predict_proba"):
            has_probabilities = False
            continue
        probabilities[test] = 0.0
        P = np.asarray(model.predict_proba(rows), dtype=np.float64)
        probabilities[test[:, None], codes_among(model.classes_, classes)] = P
    return HeldOutScores(scores, probabilities if has_probabilities else None, folds)


def _folds(cv: Any, codes: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return the folds; a class with fewer documents than there are is not in each of them."""
    if cv is None:
        cv = StratifiedKFold(max(2, min(_FOLDS, int(np.bincount(codes).max(initial=0)))))
    with catch_warnings():
        filterwarnings("ignore", "The least populated class", UserWarning)
        return list(check_cv(cv, codes, classifier=True).split(np.zeros(len(codes)), codes))


def fitted_to(model: Any, X: Any, y: Any, weights: Any) -> Any:
    """Fit a model, with weights of documents if there are any.

    Parameters
    ----------
    model : classifier
        Not fitted.
    X : rows
        As it takes them.
    y : ndarray of shape (n_documents,)
        Labels.
    weights : ndarray of shape (n_documents,) or None
        How much documents count.
    """
    if weights is None:
        return model.fit(X, y)
    if not has_fit_parameter(model, "sample_weight"):
        raise TypeError(
            f"{type(model).__name__} takes no sample_weight, so that none can be given here."
        )
    return model.fit(X, y, sample_weight=weights)
