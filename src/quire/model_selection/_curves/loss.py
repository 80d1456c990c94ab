"""Losses that experiments report: always risks, means over samples, lower is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring

from quire._shared.labels import codes_or_missing
from quire._shared.typing import Floats

__all__ = ["LOSSES", "Loss", "loss_of"]

Risk = Callable[[Any, Any, Any, Any], float]


@dataclass(frozen=True)
class Loss:
    """The risk of a fitted model on some samples, and its name.

    Attributes
    ----------
    name : str
        What to call it in tables and plots.
    risk : callable
        From model, X, y and weights (or ``None``) to a number.
    """

    name: str
    risk: Risk

    def __call__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        return float(self.risk(model, X, y, sample_weight))


def loss_of(loss: Any, estimator: Any) -> Loss:
    """Return the loss that a name or a scorer means for an estimator.

    Parameters
    ----------
    loss : str, callable or None
        One of `LOSSES`; the name of a score of scikit-learn or a scorer, of which the negative is
        taken; ``None`` means log loss for classifiers with probabilities, the share of errors for
        others, and squared error for regressors.
    estimator : estimator
        What it is for.
    """
    if loss is None:
        if not is_classifier(estimator):
            loss = "squared_error"
        else:
            loss = "log_loss" if hasattr(estimator, "predict_proba") else "zero_one"
    if isinstance(loss, str) and loss in LOSSES:
        if loss == "log_loss" and not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"{type(estimator).__name__} gives no probabilities, which log_loss needs. Use "
                "loss='zero_one'."
            )
        return Loss(_TITLES[loss], LOSSES[loss])
    scorer = check_scoring(estimator, loss)

    def negative(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return -float(scorer(model, X, y, **weights))

    if isinstance(loss, str):
        plain = loss.removeprefix("neg_").replace("_", " ")
        return Loss(plain if loss.startswith("neg_") else f"negative {plain}", negative)
    return Loss(f"negative {getattr(loss, '__name__', 'score')}", negative)


def _mean(losses: Floats, sample_weight: Any) -> float:
    return float(np.average(losses, weights=sample_weight))


def _errors(model: Any, X: Any, y: Any) -> Floats:
    targets = np.asarray(y, dtype=np.float64)
    errors = targets.reshape(len(targets), -1) - np.reshape(model.predict(X), (len(targets), -1))
    return np.asarray(errors, dtype=np.float64)


def _squared(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    return _mean((_errors(model, X, y) ** 2).mean(axis=1), sample_weight)


def _absolute(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    return _mean(np.abs(_errors(model, X, y)).mean(axis=1), sample_weight)


def _zero_one(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    return _mean((model.predict(X) != np.asarray(y)).astype(np.float64), sample_weight)


def _log(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """Return minus the mean log probability of the class; a class never seen has the least."""
    probabilities = np.asarray(model.predict_proba(X), dtype=np.float64)
    codes = codes_or_missing(y, model.classes_)  # those of ordered outcomes need not be sorted
    own = np.where(codes < 0, 0.0, probabilities[np.arange(len(codes)), codes])
    return _mean(-np.log(np.maximum(own, np.finfo(np.float64).eps)), sample_weight)


LOSSES: dict[str, Risk] = {
    "absolute_error": _absolute,
    "log_loss": _log,
    "squared_error": _squared,
    "zero_one": _zero_one,
}
_TITLES = {
    "absolute_error": "absolute error",
    "log_loss": "log loss",
    "squared_error": "squared error",
    "zero_one": "share of errors",
}
