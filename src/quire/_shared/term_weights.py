"""Which terms speak for which class, whatever the document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats

__all__ = [
    "TermWeight",
    "UsedTerm",
    "feature_names_of",
    "plain",
    "rank_terms",
    "weights_above_others",
]


@dataclass(frozen=True, slots=True)
class TermWeight:
    """How much one occurrence of a term speaks for a class.

    Attributes
    ----------
    term : str or int
        The term, or the number of its column where names are not known.
    weight : float
        The weight of the term for the class, above its mean weight for the other classes.
    """

    term: Any
    weight: float


@dataclass(frozen=True, slots=True)
class UsedTerm(TermWeight):
    """A term, how much one occurrence speaks for a class, and how it is used.

    Attributes
    ----------
    term : str or int
        The term, or the number of its column where names are not known.
    weight : float
        The weight of the term for the class, above its mean weight for the other classes; a mean
        over the models of an average.
    documents : int or None
        Documents that have the term; ``None`` for numbers and categories of a table.
    share : float or None
        Share of these documents that are of the class; ``None`` where numbers are predicted.
    contribution : float
        What the term adds to the score of the class in its documents more than in others; for
        numbers, what it moves the prediction by.
    """

    documents: int | None
    share: float | None
    contribution: float


def rank_terms(
    classes: NDArray[Any], weights: Floats, n_terms: int, feature_names: NDArray[Any] | None
) -> dict[Any, list[TermWeight]]:
    """Return the terms whose weight for a class is most above the mean of the other classes.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    weights : ndarray of shape (n_classes, n_features)
        What one occurrence adds to the score of each class.
    n_terms : int
        How many for each class.
    feature_names : ndarray of shape (n_features,) or None
        Their names.

    Returns
    -------
    dict from class to list of TermWeight
        From the largest weight down; of equal ones, those that are heavier in the class itself.
    """
    if len(classes) < 2:
        raise ValueError("Terms are compared between classes; this model has only one.")
    bounded = _bounded(weights)
    above_others = weights_above_others(weights)
    found = {}
    for k, label in enumerate(classes.tolist()):
        above = above_others(k)
        n = min(max(n_terms, 0), len(above))
        chosen = np.flatnonzero(above >= np.partition(above, -n)[-n]) if n else np.arange(0)
        order = chosen[np.lexsort((-bounded[k, chosen], -above[chosen]))][:n]
        found[label] = [
            TermWeight(
                int(i) if feature_names is None else plain(feature_names[i]), float(above[i])
            )
            for i in order
        ]
    return found


def weights_above_others(weights: Floats) -> Callable[[int], Floats]:
    """Return a function from the number of a class to its weights, less the mean of the others.

    Parameters
    ----------
    weights : ndarray of shape (n_classes, n_features)
        Of a linear model; may hold infinities.

    Examples
    --------
    >>> weights_above_others(np.array([[1.0, 0.0], [0.0, 3.0], [0.0, 1.0]]))(0)
    array([ 1., -2.])
    """
    bounded = _bounded(weights)
    total = bounded.sum(axis=0)

    def above(k: int) -> Floats:
        found: Floats = bounded[k] - (total - bounded[k]) / (len(bounded) - 1)
        return found

    return above


def _bounded(weights: Floats) -> Floats:
    """Set infinite weights (maximum likelihood) to the ends: means would be of no use."""
    finite = weights[np.isfinite(weights)]
    if finite.size == weights.size:
        return weights
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    return np.clip(weights, low, high)


def feature_names_of(model: Any, given: Any, n_features: int) -> NDArray[Any] | None:
    """Return the names of a model's columns: those given, or those it learned, or ``None``.

    Parameters
    ----------
    model : object
        May have a ``vectorizer_`` or ``feature_names_in_``.
    given : sequence of str or None
        What the caller passed.
    n_features : int
        How many there must be.
    """
    if given is not None:
        names = np.asarray(given, dtype=object)
    elif hasattr(model, "vectorizer_") and hasattr(model.vectorizer_, "get_feature_names_out"):
        names = model.vectorizer_.get_feature_names_out()
    elif hasattr(model, "feature_names_in_"):
        names = model.feature_names_in_
    else:
        return None
    if names.shape != (n_features,):
        raise ValueError(
            f"feature_names has {names.size} names; the model has {n_features} columns. "
            "Take the names from the vectorizer that made its input."
        )
    return names


def plain(label: Any) -> Any:
    """Return a NumPy scalar as a Python object, and all else as it is.

    Parameters
    ----------
    label : object
        A class or a term.
    """
    return label.item() if isinstance(label, np.generic) else label
