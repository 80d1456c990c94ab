"""The average of the best models of a fold: which of them, and how much each counts.

Both are found on the documents that are held out inside the training documents. The scores of each
model are divided by their spread, so that none is louder than another, and all by one number, so
that the average says probabilities. It stays one linear function of the terms of its members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from quire._shared.typing import Floats
from quire.model_selection._scores.asking import ranking_of

__all__ = ["Average", "Member", "average_of", "decisions_of", "most_common_average"]

_MOST = 4  # members
_TRIED = 6  # models, from the best down, that may become one


@dataclass
class Member:
    """What an average has to know of a model on a fold.

    Attributes
    ----------
    name : str
        What it is called.
    score : float
        Of the documents that were held out inside the training documents.
    inner : ndarray of shape (n_inner, n_classes)
        Its decisions there.
    held_out : ndarray of shape (n_test, n_classes)
        Its decisions on the documents of the fold.
    seconds : tuple of float
        Fitting and predicting.
    """

    name: str
    score: float
    inner: Floats
    held_out: Floats
    seconds: tuple[float, float]


@dataclass
class Average:
    """The average on a fold.

    Attributes
    ----------
    weights : dict from str to float
        What the scores of each member are multiplied by.
    decisions : ndarray of shape (n_test, n_classes)
        Of the documents of the fold.
    seconds : tuple of float
        Fitting and predicting, of all members.
    """

    weights: dict[str, float]
    decisions: Floats
    seconds: tuple[float, float]

    @property
    def probabilities(self) -> Floats:
        """Of all classes, from the decisions."""
        return np.asarray(np.exp(self.decisions - logsumexp(self.decisions, axis=1, keepdims=True)))


def decisions_of(model: Any, X: Any, classes: NDArray[Any]) -> Floats | None:
    """Return a score for each class, which adds up over the terms of a document.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : rows
        As it takes them.
    classes : ndarray of shape (n_classes,)
        All classes, in order.

    Returns
    -------
    ndarray of shape (n_documents, n_classes) or None
        Their mean over classes is zero. Two classes: half the score, for and against.
    """
    scores = ranking_of(model, X, classes)
    if scores is None and hasattr(model, "predict_joint_log_proba"):
        joint = np.asarray(model.predict_joint_log_proba(X), dtype=np.float64)
        if joint.shape[1] != len(classes):
            return None
        scores = joint if len(classes) > 2 else joint[:, 1] - joint[:, 0]
    if scores is None or not np.isfinite(scores).all():
        return None
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores]) / 2
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def average_of(members: Sequence[Member], codes: NDArray[Any]) -> Average | None:
    """Return the average of the best, if there are two that are worth it.

    Parameters
    ----------
    members : sequence of Member
        Those that may take part.
    codes : ndarray of shape (n_inner,)
        The classes of the documents that were held out inside.
    """
    ranked = sorted(members, key=lambda one: (-one.score, one.name))[:_TRIED]
    spreads = [float(one.inner.std()) for one in ranked]
    able = [(one, s) for one, s in zip(ranked, spreads, strict=True) if s > 0]
    if len(able) < 2:
        return None
    chosen = able[:1]
    total = able[0][0].inner / able[0][1]
    best = _accuracy(total, codes)
    for one, spread in able[1:]:
        if len(chosen) == _MOST:
            break
        more = total + one.inner / spread
        found = _accuracy(more, codes)
        if found >= best or len(chosen) == 1:
            chosen, total, best = [*chosen, (one, spread)], more, found
    scale = _scale(total / len(chosen), codes) / len(chosen)
    weights = {one.name: scale / spread for one, spread in chosen}
    decisions = sum(one.held_out * weights[one.name] for one, _ in chosen)
    fit, predict = np.sum([one.seconds for one, _ in chosen], axis=0).tolist()
    return Average(weights, np.asarray(decisions), (fit, predict))


def most_common_average(averages: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the members that most folds have chosen, with the means of their weights.

    Parameters
    ----------
    averages : sequence of dict from str to float
        The weights of each fold.
    """
    common = Counter(tuple(sorted(one)) for one in averages).most_common(1)[0][0]
    of_these = [one for one in averages if tuple(sorted(one)) == common]
    return {name: float(np.mean([one[name] for one in of_these])) for name in common}


def _accuracy(decisions: Floats, codes: NDArray[Any]) -> float:
    return float((decisions.argmax(axis=1) == codes).mean())


def _scale(decisions: Floats, codes: NDArray[Any]) -> float:
    """Return the number by which decisions say probabilities best."""
    own = np.arange(len(codes)), codes.astype(np.intp)

    def loss(log_scale: float) -> float:
        scaled = decisions * np.exp(log_scale)
        return float(np.mean(logsumexp(scaled, axis=1) - scaled[own]))

    found = minimize_scalar(loss, bounds=(-4.0, 6.0), method="bounded")
    return float(np.exp(found.x))
