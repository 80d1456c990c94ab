"""Statistics that add up by class: priors from counts, joined classes, smoothed proportions."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.naive_bayes import log_of
from quire._shared.negative_weights import negative_counts
from quire._shared.sklearn import Interval, StrOptions
from quire._shared.typing import Floats

__all__ = [
    "CLASS_PRIOR",
    "PRIOR_ALPHA",
    "join_classes",
    "log_class_prior",
    "log_proportions",
    "placed",
    "smoothed_shares",
]


CLASS_PRIOR: list[Any] = ["array-like", StrOptions({"documents", "uniform"}), None]
"""What the parameter ``class_prior`` may be."""

PRIOR_ALPHA: list[Any] = [Interval(Real, 0, None, closed="left")]
"""What the parameter ``prior_alpha`` may be."""


def log_class_prior(
    class_prior: Any,
    fit_prior: bool,
    class_count: Floats,
    token_count: Floats | None = None,
    *,
    alpha: float = 0.0,
) -> Floats:
    """Return log P(k).

    Parameters
    ----------
    class_prior : array-like of shape (n_classes,), {"documents", "tokens", "uniform"} or None
        Given probabilities, or where they come from; ``None`` leaves it to `fit_prior`.
    fit_prior : bool
        Whether ``None`` means "documents" or "uniform".
    class_count : ndarray of shape (n_classes,)
        Documents of each class, or the sums of their weights.
    token_count : ndarray of shape (n_classes,), default=None
        The same of tokens, for "tokens".
    alpha : float, default=0.0
        Smoothing of a prior that comes from counts; see :func:`smoothed_shares`.
    """
    n_classes = len(class_count)
    if class_prior is None:
        class_prior = "documents" if fit_prior else "uniform"
    if not isinstance(class_prior, str):
        if len(class_prior) != n_classes:
            raise ValueError(
                "Number of priors must match number of classes. class_prior has "
                f"{len(class_prior)} entries for {n_classes} classes."
            )
        return log_of(np.asarray(class_prior, dtype=np.float64))
    counts = token_count if class_prior == "tokens" else class_count
    assert counts is not None, "only models of counts take 'tokens'"
    total = counts.sum() + n_classes * alpha
    if class_prior == "uniform" or total == 0:
        return np.full(n_classes, -np.log(n_classes))
    prior: Floats = log_of(counts + alpha) - np.log(total)
    return prior


def smoothed_shares(counts: Floats, alpha: float) -> Floats:
    r"""Return :math:`(N_k + \alpha) / (N + K \alpha)`, zeros if there is nothing to share.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        :math:`N_k`, not negative.
    alpha : float
        Not negative.

    Examples
    --------
    >>> smoothed_shares(np.array([3.0, 1.0, 0.0]), 1.0)
    array([0.57142857, 0.28571429, 0.14285714])
    """
    shares: Floats = (counts + alpha) / (counts.sum() + len(counts) * alpha or 1.0)
    return shares


def log_proportions(count: Floats, alpha: Any) -> Floats:
    """Return log((count + alpha) / (their sum over the columns)).

    A row in which everything is zero has the limit for a vanishing alpha: equal proportions.

    Parameters
    ----------
    count : ndarray of shape (n_classes, n_columns)
        Not negative.
    alpha : float or array-like of shape (n_columns,)
        Smoothing; zero for maximum likelihood.
    """
    smoothed = count + alpha
    if smoothed.min(initial=0.0) < 0:
        raise negative_counts()
    total = smoothed.sum(axis=1, keepdims=True)
    empty = total.ravel() == 0
    smoothed[empty] = 1
    total[empty] = max(count.shape[1], 1)
    proportions: Floats = log_of(smoothed) - np.log(total)
    return proportions


def join_classes(
    mine: NDArray[Any], theirs: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """Return the union of two sorted sets of classes, and where in it each of the two lies.

    Parameters
    ----------
    mine, theirs : ndarray
        Sorted, each class once.
    """
    if (mine.dtype.kind in "biuf") != (theirs.dtype.kind in "biuf"):
        raise ValueError(
            f"The classes of the two models are of different types: {mine.tolist()} and "
            f"{theirs.tolist()}. Fit both with labels of one type."
        )
    union = np.union1d(mine, theirs)
    return union, np.searchsorted(union, mine), np.searchsorted(union, theirs)


def placed(statistic: Floats, place: NDArray[np.intp], n_classes: int) -> Floats:
    """Return the rows of a statistic at their places among more classes, the other rows zero.

    Parameters
    ----------
    statistic : ndarray of shape (len(place), ...)
        A row for each class.
    place : ndarray of int
        The new number of each class.
    n_classes : int
        How many classes there are now.
    """
    wider = np.zeros((n_classes, *statistic.shape[1:]))
    wider[place] = statistic
    return wider
