"""What a model says of documents, as scores want to have it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.label_sets import sets_probabilities
from quire._shared.labels import codes_among
from quire._shared.typing import Floats

__all__ = ["label_ranking_of", "ranking_of"]


def ranking_of(model: Any, X: Any, classes: NDArray[Any]) -> Floats | None:
    """Return the decisions of a model, which rank documents even where probabilities are rounded.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : rows
        As it takes them.
    classes : ndarray of shape (n_classes,)
        All classes, in order; the model may know fewer of them.

    Returns
    -------
    ndarray of shape (n_documents,) or (n_documents, n_classes), or None
        Larger for the second of two classes, or for each of more. ``None`` if the model does not
        decide by a number for each class.
    """
    if not hasattr(model, "decision_function"):
        return None
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    places = codes_among(model.classes_, classes)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim == 1:
        if len(places) != 2:
            return None
        scores = np.column_stack([-scores, scores])
    if scores.shape[1] != len(places):  # one for each pair of classes
        return None
    whole = np.full((len(scores), len(classes)), scores.min(initial=0.0) - 1.0)
    whole[:, places] = scores
    return whole if len(classes) > 2 else whole[:, 1] - whole[:, 0]


def label_ranking_of(model: Any, X: Any) -> Floats | None:
    """Return what ranks documents by each of several labels, of shape (n_documents, n_labels).

    Parameters
    ----------
    model : classifier
        Fitted to several labels.
    X : rows
        As it takes them.
    """
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    return sets_probabilities(model, X)
