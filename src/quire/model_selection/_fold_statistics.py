r"""How sure a mean over folds is, and a difference of two.

Scores of folds are not independent: training sets overlap. The variance of their mean is therefore
not :math:`s^2 / J` but, after Nadeau and Bengio,

.. math:: v = \left(\frac{1}{J} + \frac{n_\text{test}}{n_\text{train}}\right) s^2,

which is what intervals and tests here use, with the quantile :math:`t` of Student's distribution of
J - 1 degrees of freedom. An interval stays inside the scale of its score:

-  Between two ends, put at 0 and 1, the variance of a mean :math:`m` is taken to be
   :math:`m (1 - m) / n` with the :math:`n = m (1 - m) / v` that fits the folds. The interval has
   those :math:`\mu` for which :math:`m` is within :math:`t` standard deviations, which is Wilson's
   with an effective number of documents,
   :math:`(m + t^2 / 2n \pm t \sqrt{v + t^2 / 4n^2}) / (1 + t^2 / n)`.
-  With one end, such as an error or :math:`R^2`, the distance :math:`d` to it is multiplied and
   divided by :math:`\exp(t \sqrt v / d)`.
-  Without ends it is :math:`m \pm t \sqrt v`.

A share of documents is known no better than Wilson's interval for as many documents as were held
out; the interval is at least as wide as that. The same holds for a score that is at an end of its
scale on every fold, so that folds say nothing of its variance.

References
----------
-  C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning 52,
   239-281.
-  E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
   Journal of the American Statistical Association 22, 209-212.
-  N. Dean, M. Pagano (2015). Evaluating confidence interval methods for binomial proportions in
   clustered surveys. Journal of Survey Statistics and Methodology 3, 484-503.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from quire._shared.shares import wilson
from quire._shared.typing import Floats

__all__ = [
    "Interval",
    "held_out_ratio",
    "interval_inside",
    "mean_interval",
    "p_value",
    "variance_of_mean",
]

Folds = Sequence[tuple[NDArray[Any], NDArray[Any]]]

_LARGEST_FACTOR = 1e12  # of an interval of errors: nothing is known of them


class Interval(NamedTuple):
    """A mean and where it may lie."""

    mean: float
    low: float
    high: float


def mean_interval(
    scores: Floats,
    folds: Folds,
    level: float = 0.95,
    *,
    scale: tuple[float, float] = (-np.inf, np.inf),
    trials: float = 0.0,
    is_share: bool = False,
) -> Interval:
    """Return the mean of scores over folds and its interval.

    Parameters
    ----------
    scores : ndarray of shape (n_folds,)
        Scores; NaN where a fold was not finished.
    folds : sequence of (ndarray, ndarray)
        Training and held-out rows of each.
    level : float, default=0.95
        How often the interval should cover the expected score.
    scale : tuple of float, default=(-inf, inf)
        The least and the largest value that a score can have.
    trials : float, default=0
        How many independent trials the score is made of; 0 if that is not known.
    is_share : bool, default=False
        Whether the score is the share of them that is right.

    Returns
    -------
    Interval
        The ends are NaN with fewer than two folds, unless it is a share.

    Examples
    --------
    Eighty of eighty documents are right, in five folds:

    >>> folds = [(np.arange(64), np.arange(16))] * 5
    >>> found = mean_interval(np.ones(5), folds, scale=(0, 1), trials=80, is_share=True)
    >>> [round(end, 4) for end in found]
    [1.0, 0.9542, 1.0]
    """
    done = np.isfinite(scores)
    if not done.any():
        return Interval(np.nan, np.nan, np.nan)
    mean = float(scores[done].mean())
    is_bounded = bool(np.isfinite(scale).all()) and scale[0] < scale[1]
    low, high = np.nan, np.nan
    if done.sum() >= 2:
        variance = variance_of_mean(scores[done], held_out_ratio(list(compress(folds, done))))
        t = float(stats.t.ppf(0.5 + 0.5 * level, done.sum() - 1))
        low, high = interval_inside(mean, float(variance), t, scale)
    if is_bounded and trials > 0:
        width = scale[1] - scale[0]
        place = min(max((mean - scale[0]) / width, 0.0), 1.0)
        at_an_end = done.sum() >= 2 and bool(np.isin(scores[done], scale).all())
        if is_share or (at_an_end and place in (0.0, 1.0)):
            _, below, above = wilson(place * trials, trials, level)
            low = float(np.fmin(low, scale[0] + below * width))
            high = float(np.fmax(high, scale[0] + above * width))
    return Interval(mean, low, high)


def interval_inside(
    mean: float, v: float, t: float, scale: tuple[float, float]
) -> tuple[float, float]:
    """Return the ends of an interval inside a scale.

    Parameters
    ----------
    mean, v : float
        A mean and its variance.
    t : float
        How many standard deviations to either side.
    scale : tuple of float
        The least and the largest value that scores can have.

    Examples
    --------
    >>> interval_inside(0.5, 0.01, 2.0, (-np.inf, np.inf))
    (0.3, 0.7)
    >>> [round(end, 3) for end in interval_inside(0.95, 0.01, 2.0, (0.0, 1.0))]
    [0.491, 0.997]
    """
    least, most = scale
    half = t * float(np.sqrt(v))
    if half == 0:
        return mean, mean
    if np.isfinite(least) and np.isfinite(most):
        width = most - least
        p, v = (mean - least) / width, v / width**2
        room = p * (1 - p)
        if room <= 0:
            return mean, mean
        n = room / v
        middle, spread = p + t * t / (2 * n), t * np.sqrt(v + (t / (2 * n)) ** 2)
        ends = (float(side / (1 + t * t / n)) for side in (middle - spread, middle + spread))
        low, high = (least + width * min(max(end, 0.0), 1.0) for end in ends)
        return min(low, mean), max(high, mean)
    if np.isfinite(most) and mean < most:
        factor = _factor(half / (most - mean))
        return most - (most - mean) * factor, most - (most - mean) / factor
    if np.isfinite(least) and mean > least:
        factor = _factor(half / (mean - least))
        return least + (mean - least) / factor, least + (mean - least) * factor
    return mean - half, mean + half


def _factor(logarithm: float) -> float:
    return float(np.exp(min(logarithm, np.log(_LARGEST_FACTOR))))


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
