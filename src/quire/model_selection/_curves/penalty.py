"""The penalty of a model: its parameter, the step of a pipeline that has it, a range worth trying.

Models of scikit-learn and quire state it as ``alpha``, which grows with the penalty, or as ``C``,
which is its inverse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from quire._shared.labels import class_codes
from quire._shared.typing import Floats
from quire.kinds import kind_of
from quire.optimize import OrdinalLoss

__all__ = ["Penalty", "divided", "penalty_of", "starts_warm"]


_NAMES = ("alpha", "C")
_PER_DECADE = 5


@dataclass(frozen=True)
class Penalty:
    """A parameter of an estimator that penalises it.

    Attributes
    ----------
    name : str
        Its name for ``set_params`` of the estimator, such as "ridge__alpha".
    short : str
        Its name in the step that has it.
    """

    name: str
    short: str

    @property
    def is_inverse(self) -> bool:
        """Whether larger values penalise less."""
        return self.short == "C"

    @property
    def label(self) -> str:
        """What to write at an axis of strengths."""
        return f"1 / {self.short}" if self.is_inverse else self.short

    def value(self, strength: Any) -> Any:
        """Return the value of the parameter for a strength of the penalty, or the other way."""
        return 1 / strength if self.is_inverse else strength

    def default_strengths(self, step: Any, X: Any, y: Any, n: int | None = None) -> Floats:
        """Return strengths from strong to weak, fit for the scale of X and y.

        Parameters
        ----------
        step : estimator
            The model that has the penalty.
        X : {ndarray, sparse matrix} of shape (n_samples, n_features)
            What it is fitted on.
        y : array-like
            Its targets.
        n : int, default=None
            How many; ``None`` means 50 with an L1 penalty and five for each power of ten else.
        """
        share = _l1_share(step)
        if share > 0:
            largest = _zeroing_strength(step, X, y) / share * (1 + 1e-9)  # safe from rounding
            if largest > 0:
                return np.geomspace(largest, largest * 1e-3, n or 50)
        mean = _mean_square(X)  # of the eigenvalues of X'X
        # The curvature of log loss is at most a quarter; its weak penalties take long to fit.
        weak, strong = (0.25e-4, 0.25e3) if self.is_inverse else (1e-6, 1e3)
        low, high = np.floor(np.log10(mean * weak)), np.ceil(np.log10(mean * strong))
        return np.logspace(high, low, n or int(high - low) * _PER_DECADE + 1)


def penalty_of(estimator: Any, param_name: str | None) -> Penalty:
    """Return the penalty of an estimator or of the last step of a pipeline.

    Parameters
    ----------
    estimator : estimator
        The model.
    param_name : str or None
        The parameter; ``None`` looks for it.

    Raises
    ------
    ValueError
        If there is no such parameter, or more than one.
    """
    parameters = estimator.get_params(deep=True)
    if param_name is not None:
        if param_name not in parameters:
            near = ", ".join(sorted(name for name in parameters if _short(name) in _NAMES))
            raise ValueError(
                f"{type(estimator).__name__} has no parameter {param_name!r}."
                + (f" Penalties it has: {near}." if near else "")
            )
        return Penalty(param_name, _short(param_name))
    prefix, step = "", estimator
    while isinstance(step, Pipeline):  # a model is the last step
        name, step = step.steps[-1]
        prefix += f"{name}__"
    own = [name for name in _NAMES if prefix + name in parameters]
    found = [prefix + name for name in own] or [
        name for name in parameters if name.startswith(prefix) and _short(name) in _NAMES
    ]
    if len(found) != 1:
        kind = type(step).__name__
        what = f"has several penalties: {', '.join(found)}" if found else "has no alpha and no C"
        raise ValueError(f"{kind} {what}. Name the parameter to vary: param_name='...'.")
    return Penalty(found[0], _short(found[0]))


def starts_warm(step: Any) -> bool:
    """Whether a fit may start from the last one and still has the same optimum."""
    return kind_of(step).starts_warm


def divided(values: Iterable[Any], what: str) -> Floats:
    """Return positive numbers, each once, from large to small.

    Parameters
    ----------
    values : iterable of float
        What was given.
    what : str
        What it is called in errors.
    """
    array = np.unique(np.asarray(values, dtype=np.float64).ravel())[::-1]
    if not len(array) or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(
            f"{what} is {values!r}; expected finite numbers above zero, such as [100, 10, 1]."
        )
    return array


def _short(name: str) -> str:
    return name.rpartition("__")[2]


def _l1_share(step: Any) -> float:
    """Return the share of the L1 norm in the penalty."""
    if getattr(step, "penalty", None) in ("l1", "l2"):
        return float(step.penalty == "l1")
    share = getattr(step, "l1_ratio", 0.0)
    return 0.0 if share is None or isinstance(share, str) else float(share)


def _zeroing_strength(step: Any, X: Any, y: Any) -> float:
    """Return the largest slope of the loss at zero coefficients, in the scale of the parameter."""
    fit_intercept = bool(getattr(step, "fit_intercept", True))
    if is_classifier(step):
        classes, codes = class_codes(y)
        if getattr(step, "link", None) in ("logit", "probit"):
            loss = OrdinalLoss(X, codes, link=step.link)
            slopes = loss.gradient(loss.start())[: loss.n_features]  # of the mean
            return float(np.abs(slopes).max() * len(codes))
        shares = np.bincount(codes) / len(codes)
        null = shares if fit_intercept else np.full(len(classes), 1 / len(classes))
        residuals = np.eye(len(classes))[codes] - null
        return float(np.abs(X.T @ residuals).max())
    targets = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
    residuals = targets - targets.mean(axis=0) * fit_intercept
    return float(np.abs(X.T @ residuals).max() / len(targets))


def _mean_square(X: Any) -> float:
    """Return the sum of squares of the columns about their means, for each of min(n, p)."""
    n, p = X.shape
    if sparse.issparse(X):
        squares = float(X.multiply(X).sum()) - float((np.asarray(X.mean(axis=0)) ** 2).sum()) * n
    else:
        squares = float(np.var(np.asarray(X, dtype=np.float64), axis=0).sum()) * n
    return max(squares / min(n, p), np.finfo(float).tiny * 1e12) if squares > 0 else 1.0
