"""Who claims a sample, by the rule of a classifier, and where that leaves it undecided."""

from __future__ import annotations

import copy
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC as SklearnSVC
from sklearn.utils.validation import check_is_fitted

from quire.multiclass._binary import side
from quire.multiclass._one_vs_all import OneVsAllClassifier
from quire.svm import SVC

__all__ = ["undecided", "votes"]


def votes(model: Any, X: Any) -> NDArray[np.int64]:
    """Return how many of its two-class models give each sample to each class.

    Parameters
    ----------
    model : fitted classifier
        ``OneVsAllClassifier``; scikit-learn's ``OneVsRestClassifier`` or ``OneVsOneClassifier``; an
        ``SVC``, which is one against one by itself; any other classifier, whose scores give one
        vote to the class of the largest. It may be the last step of a pipeline.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    ndarray of int of shape (n_samples, n_classes)
        One against all: 1 where a class claims a sample, and for the class without a model 1 where
        no other does. One against one: the pairs that the class has won. Otherwise 1 for every
        class with the largest score.

    Examples
    --------
    >>> from sklearn.multiclass import OneVsOneClassifier
    >>> from quire.linear_model import LogisticRegression
    >>> from quire.multiclass import votes
    >>> model = OneVsOneClassifier(LogisticRegression())
    >>> model = model.fit([[0], [1], [4], [5], [8], [9]], ["a", "a", "b", "b", "c", "c"])
    >>> votes(model, [[0], [4], [9]])
    array([[2, 1, 0],
           [1, 2, 0],
           [0, 1, 2]])
    """
    check_is_fitted(model)
    if isinstance(model, Pipeline):
        return votes(model[-1], model[:-1].transform(X) if len(model.steps) > 1 else X)
    if isinstance(model, OneVsAllClassifier):
        return _of_claimants(model, X)
    if isinstance(model, OneVsRestClassifier):
        return _of_all(model, X)
    if isinstance(model, OneVsOneClassifier) and len(model.classes_) > 2:
        return _of_pairs(model, X)
    if isinstance(model, SklearnSVC | SVC) and len(model.classes_) > 2:
        return _of_machines(model, X)
    return _of_scores(model, X)


def undecided(model: Any, X: Any) -> NDArray[np.bool_]:
    """Return where the rule of a classifier has no answer of its own.

    One against all leaves a sample undecided that several classes claim, or none (with a class for
    what is left over, only the former). One against one does if two or more classes have the most
    votes. Classifiers still predict something there, by the size of scores or by the order of the
    classes. Scores for all classes at once decide everywhere but where the largest are equal.

    Parameters
    ----------
    model : fitted classifier
        As for :func:`votes`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    ndarray of bool of shape (n_samples,)
        Whether each sample is undecided.

    Examples
    --------
    >>> from sklearn.multiclass import OneVsRestClassifier
    >>> from quire.linear_model import LogisticRegression
    >>> from quire.multiclass import undecided
    >>> X, y = [[0, 0], [1, 0], [9, 0], [8, 0], [4, 9], [5, 9]], ["a", "a", "b", "b", "c", "c"]
    >>> model = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    >>> undecided(model, [[0, 0], [4.5, 3.5]])  # in the middle no class claims a sample
    array([False,  True])
    """
    given = votes(model, X)
    most = given.max(axis=1)
    several = (given == most[:, None]).sum(axis=1) > 1
    undecided: NDArray[np.bool_] = several | (most == 0)
    return undecided


def _of_claimants(model: OneVsAllClassifier, X: Any) -> NDArray[np.int64]:
    claims = model.claims(X) > 0
    given = np.zeros((len(claims), len(model.classes_)), dtype=np.int64)
    is_last = model.classes_ == model.otherwise_
    given[:, ~is_last] = claims
    given[:, is_last] = np.logical_not(claims.any(axis=1, keepdims=True))
    return given


def _of_all(model: OneVsRestClassifier, X: Any) -> NDArray[np.int64]:
    claims = np.column_stack([side(one, X) > 0 for one in model.estimators_])
    if len(model.classes_) == 2:  # one model for both
        claims = np.column_stack([~claims[:, 0], claims[:, 0]])
    return claims.astype(np.int64)


def _of_pairs(model: OneVsOneClassifier, X: Any) -> NDArray[np.int64]:
    pairs = list(combinations(range(len(model.classes_)), 2))
    columns = model.pairwise_indices_
    rows = [X] * len(pairs) if columns is None else [X[:, these] for these in columns]
    ahead = [-side(one, these) for one, these in zip(model.estimators_, rows, strict=True)]
    return _count(pairs, np.column_stack(ahead) >= 0, len(model.classes_))


def _of_machines(model: Any, X: Any) -> NDArray[np.int64]:
    machine = copy.copy(model)
    machine.decision_function_shape = "ovo"
    machine.break_ties = False
    pairs = list(combinations(range(len(model.classes_)), 2))
    return _count(pairs, machine.decision_function(X) > 0, len(model.classes_))


def _count(
    pairs: list[tuple[int, int]], first_wins: NDArray[np.bool_], n_classes: int
) -> NDArray[np.int64]:
    given = np.zeros((len(first_wins), n_classes), dtype=np.int64)
    for (first, second), won in zip(pairs, first_wins.T, strict=True):
        given[:, first] += won
        given[:, second] += ~won
    return given


def _of_scores(model: Any, X: Any) -> NDArray[np.int64]:
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X))
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
    elif hasattr(model, "predict_proba"):
        scores = np.asarray(model.predict_proba(X))
    else:
        raise TypeError(
            f"{type(model).__name__} has neither decision_function nor predict_proba: what it "
            "decides by is not known."
        )
    given: NDArray[np.int64] = (scores == scores.max(axis=1, keepdims=True)).astype(np.int64)
    return given
