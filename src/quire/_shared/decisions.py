"""The class of each row and the probabilities of all classes, from one look at the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.exponentials import expit, softmax
from quire._shared.typing import Floats

__all__ = [
    "MOST_CLASSES",
    "asked_twice",
    "decisions",
    "has_probabilities",
    "label_columns",
    "largest",
    "logistic_decisions",
    "one_vs_rest_decisions",
    "one_vs_rest_logarithms",
    "predicted_labels",
]

MOST_CLASSES = 100  # with more, only the probability of the predicted class is given


def decisions(model: Any, X: Any) -> tuple[Any, Floats]:
    """Return what ``predict`` and ``predict_proba`` return, but make their scores once.

    Classifiers of quire answer by a method ``_codes_and_probabilities``. Others are asked twice,
    and so is a class that has derived from one of them and predicts in a way of its own.

    Parameters
    ----------
    model : classifier
        Fitted; it has ``classes_`` and ``predict_proba``.
    X : rows
        As the model takes them.

    Returns
    -------
    codes : ndarray of shape (n_samples,)
        The number of the predicted class among ``classes_``.
    probabilities : ndarray of shape (n_samples, n_classes)
        In the order of ``classes_``.

    Examples
    --------
    >>> from quire._shared.decisions import decisions
    >>> from quire.naive_bayes import MultinomialNB
    >>> model = MultinomialNB().fit([[1, 0], [0, 1]], ["a", "b"])
    >>> codes, probabilities = decisions(model, [[2, 0]])
    >>> model.classes_[codes], probabilities.round(2)
    (array(['a'], dtype='<U1'), array([[0.8, 0.2]]))
    """
    if _answers_at_once(type(model)):
        own: tuple[Any, Floats] = model._codes_and_probabilities(X)
        return own
    return asked_twice(model, X)


def _answers_at_once(kind: type) -> bool:
    """Say whether nothing nearer than the answer to both questions answers one of them."""
    for owner in kind.__mro__:
        if "_codes_and_probabilities" in vars(owner):
            return True
        if owner.__module__.partition(".")[0] != __name__.partition(".")[0] and (
            "predict" in vars(owner) or "predict_proba" in vars(owner)
        ):
            return False
    return False


def asked_twice(model: Any, X: Any) -> tuple[Any, Floats]:
    """Return the same from ``predict`` and ``predict_proba``."""
    place = {label: number for number, label in enumerate(model.classes_.tolist())}
    labels = predicted_labels(model, X).tolist()
    codes = np.array([place[label] for label in labels], dtype=np.intp)
    return codes, model.predict_proba(X)


def predicted_labels(model: Any, X: Any) -> Any:
    """Return the label that a classifier predicts for each row; several are an error.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : rows
        As the model takes them.
    """
    predicted = np.asarray(model.predict(X))
    if predicted.ndim != 1:
        raise ValueError(
            f"{type(model).__name__} predicts {predicted.shape[1]} columns for a row, and one "
            "label was expected. Of models of several labels, those of quire.multilabel are known, "
            "and scikit-learn's OneVsRestClassifier, MultiOutputClassifier, neighbours and trees."
        )
    return predicted


def has_probabilities(model: Any) -> bool:
    """Say whether a classifier gives probabilities: by scikit-learn's rule, if it has the method.

    Settings may decide that, so that it is no fact about a class.
    """
    return hasattr(model, "predict_proba")


def label_columns(model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
    """Return the label of each row, its probability and those of all classes, as columns.

    Parameters
    ----------
    model : classifier
        Fitted.
    rows : rows
        As the model takes them.
    probabilities : bool, default=True
        Whether to give probabilities, where the model has them.

    Examples
    --------
    >>> from quire.naive_bayes import MultinomialNB
    >>> model = MultinomialNB().fit([[1, 0], [0, 1]], ["a", "b"])
    >>> {name: values.tolist() for name, values in label_columns(model, [[3, 0]]).items()}
    {'predicted': ['a'], 'probability': [0.888...], 'p(a)': [0.888...], 'p(b)': [0.111...]}
    """
    if not probabilities or not has_probabilities(model):
        return {"predicted": predicted_labels(model, rows)}
    own, P = decisions(model, rows)
    added = {
        "predicted": np.asarray(model.classes_)[own],
        "probability": np.take_along_axis(P, own[:, None], axis=1)[:, 0],
    }
    if P.shape[1] <= MOST_CLASSES:
        for number, label in enumerate(model.classes_.tolist()):
            added[f"p({label})"] = P[:, number]
    return added


def logistic_decisions(scores: Floats) -> tuple[Any, Floats]:
    """Return the same from scores: of two classes that of the second, otherwise one of each.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Log-odds, or what softmax makes probabilities of.
    """
    if scores.ndim == 1:
        second = expit(scores)
        return (scores > 0).astype(np.intp), np.stack([1 - second, second], axis=1)
    return scores.argmax(axis=1), softmax(scores)


def one_vs_rest_decisions(scores: Floats) -> tuple[Any, Floats]:
    """Return the same from scores of logistic models of each class against the rest.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Log-odds: of two classes that of the second, otherwise one of each.
    """
    if scores.ndim == 1:
        return logistic_decisions(scores)
    return scores.argmax(axis=1), np.exp(one_vs_rest_logarithms(scores))


def one_vs_rest_logarithms(scores: Floats) -> Floats:
    """Return the logarithms of the probabilities of two classes, or of each against the rest.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        As for :func:`one_vs_rest_decisions`.
    """
    if scores.ndim == 1:
        both: Floats = -np.logaddexp(0, np.column_stack([scores, -scores]))
        return both
    logs: Floats = -np.logaddexp(0, -scores)
    logs -= logs.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return logs


def largest(probabilities: Floats) -> tuple[Any, Floats]:
    """Return the number of the first largest of each row, and the rows."""
    return probabilities.argmax(axis=1), probabilities
