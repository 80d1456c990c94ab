"""Scores of documents while they are held out: of models fitted to the other folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from quire._shared.labels import codes_among
from quire._shared.sklearn import safe_indexing
from quire._shared.typing import Floats
from quire._shared.validation import indexable

__all__ = ["HeldOutScores", "by_share", "fitted_to", "held_out_scores", "scores_of"]

_FOLDS = 5
_LEAST = 1e-12  # is added to a probability of which a logarithm is taken, as in scikit-learn


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


def scores_of(model: Any, X: Any, classes: NDArray[Any], *, as_logarithms: bool) -> Floats:
    """Return what a model decides by: its decisions, or else its probabilities.

    Naive Bayes has no decisions, and probabilities that are rounded to 0 and 1 where documents are
    long. Its log-odds are not rounded, and are taken instead.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : rows
        As it takes them.
    classes : ndarray of shape (n_classes,)
        All classes. One that the model does not know has a score below all others.
    as_logarithms : bool
        Whether probabilities become logarithms, which is what softmax takes.

    Returns
    -------
    ndarray of shape (n_documents,) or (n_documents, n_classes)
        Of the second of two classes, or of each of more.
    """
    places = codes_among(model.classes_, classes)
    joint = _joint_logarithms(model)
    if hasattr(model, "decision_function"):
        found = np.asarray(model.decision_function(X), dtype=np.float64)
        lowest = found.min(initial=0.0) - 1.0
    elif joint is not None:
        logs = log_softmax(np.asarray(joint(X), dtype=np.float64), axis=1)
        found = logs if as_logarithms or len(places) == 2 else _against_the_rest(logs)
        lowest = found.min(initial=0.0) - 1.0
    else:
        found, lowest = np.asarray(model.predict_proba(X), dtype=np.float64), 0.0
        if as_logarithms:
            found, lowest = np.log(found + _LEAST), float(np.log(_LEAST))
    if found.ndim == 1 or found.shape[1] == 1:
        found = found.reshape(len(found))
        if len(classes) == 2:
            return found if places[-1] == 1 else -found
        found = np.column_stack([-found, found])
    if found.shape[1] != len(places):
        raise ValueError(
            f"{type(model).__name__} has {found.shape[1]} decisions for {len(places)} classes, one "
            "for each pair; set decision_function_shape='ovr'."
        )
    if len(classes) == 2:
        return found[:, 1] if by_share(model) and not as_logarithms else found[:, 1] - found[:, 0]
    whole = np.full((len(found), len(classes)), lowest)
    whole[:, places] = found
    return whole


def by_share(model: Any) -> bool:
    """Return whether the scores of a model are its probabilities."""
    return not hasattr(model, "decision_function") and _joint_logarithms(model) is None


def _joint_logarithms(model: Any) -> Callable[[Any], Any] | None:
    """Return the method for the joint log-probabilities of naive Bayes, also in a pipeline."""
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        inner = _joint_logarithms(model.steps[-1][1])
        return None if inner is None else lambda X: inner(model[:-1].transform(X))
    return getattr(model, "predict_joint_log_proba", None)


def _against_the_rest(logs: Floats) -> Floats:
    """Return the log-odds of each class against all others, from normalised logarithms."""
    odds = np.empty_like(logs)
    for k in range(logs.shape[1]):
        odds[:, k] = logs[:, k] - logsumexp(np.delete(logs, k, axis=1), axis=1)
    return odds
