r"""How sure a mean over folds is, and a difference of two.

Scores of folds are not independent: training sets overlap. The variance of their mean is therefore
not :math:`s^2 / J` but, after Nadeau and Bengio,

.. math:: \left(\frac{1}{J} + \frac{n_\text{test}}{n_\text{train}}\right) s^2,

which is what intervals and tests here use, with Student's distribution of J - 1 degrees of freedom.

References
----------
-  C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning 52,
   239-281.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from quire._shared.typing import Floats

__all__ = ["Interval", "held_out_ratio", "mean_interval", "p_value", "variance_of_mean"]

Folds = Sequence[tuple[NDArray[Any], NDArray[Any]]]


class Interval(NamedTuple):
    """A mean and where it may lie."""

    mean: float
    low: float
    high: float


def mean_interval(scores: Floats, folds: Folds, level: float = 0.95) -> Interval:
    """Return the mean of scores over folds and its interval.

    Parameters
    ----------
    scores : ndarray of shape (n_folds,)
        Scores; NaN where a fold was not finished.
    folds : sequence of (ndarray, ndarray)
        Training and held-out rows of each.
    level : float, default=0.95
        How often the interval should cover the expected score.

    Returns
    -------
    Interval
        The ends are NaN with fewer than two folds.
    """
    done = np.isfinite(scores)
    if not done.any():
        return Interval(np.nan, np.nan, np.nan)
    mean = float(scores[done].mean())
    if done.sum() < 2:
        return Interval(mean, np.nan, np.nan)
    spread = np.sqrt(variance_of_mean(scores[done], held_out_ratio(list(compress(folds, done)))))
    half = float(stats.t.ppf(0.5 + 0.5 * level, done.sum() - 1) * spread)
    return Interval(mean, mean - half, mean + half)


def p_value(first: Floats, second: Floats, folds: Folds) -> float:
    """Return the two-sided p-value of equal expected scores.

    Parameters
    ----------
    first, second : ndarray of shape (n_folds,)
        Scores of two models on the same folds.
    folds : sequence of (ndarray, ndarray)
        Training and held-out rows of each.

    Returns
    -------
    float
        1 if there is no difference at all, NaN with fewer than two folds.
    """
    difference = first - second
    done = np.isfinite(difference)
    if done.sum() < 2:
        return float("nan")
    mean = float(difference[done].mean())
    variance = variance_of_mean(difference[done], held_out_ratio(list(compress(folds, done))))
    if variance == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stats.t.sf(abs(mean) / np.sqrt(variance), done.sum() - 1))


def variance_of_mean(scores: Floats, test_ratio: float) -> Any:
    """Return the corrected variance of the mean over folds, the last axis.

    Parameters
    ----------
    scores : ndarray of shape (..., n_folds)
        Two folds or more.
    test_ratio : float
        Held-out documents for each training document.
    """
    return (1 / scores.shape[-1] + test_ratio) * scores.var(axis=-1, ddof=1)


def held_out_ratio(folds: Folds) -> float:
    """Return how many documents are held out for each training document, the mean over folds."""
    return float(np.mean([len(test) / len(train) for train, test in folds]))
