r"""Intervals of scores on one set of documents, inside the scale of the score.

A share of :math:`n` documents has Wilson's interval, which is never empty and never leaves 0 to 1.
F1 is :math:`2 J / (1 + J)` for the share :math:`J` of documents that are of a class *and* predicted
so among those that are either, and so has one, too. A mean of shares :math:`p_k` with intervals
:math:`l_k, u_k` goes from :math:`\bar p - \sqrt{\sum (p_k - l_k)^2} / K` to
:math:`\bar p + \sqrt{\sum (u_k - p_k)^2} / K`. All other scores are computed again on documents
drawn with replacement; the interval is from percentile to percentile.

References
----------
-  E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
   Journal of the American Statistical Association 22, 209-212.
-  R. G. Newcombe (1998). Interval estimation for the difference between independent proportions.
   Statistics in Medicine 17, 873-890.
-  B. Efron (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7, 1-26.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from quire._shared.typing import Floats

__all__ = ["Score", "bootstrap", "draws_of", "f1_score", "mean_of_shares", "wilson"]

_DRAWS, _FEWEST_DRAWS = 1000, 200
_MOST_DRAWN = 2e7  # documents in all draws together


class Score(NamedTuple):
    """A score and where it may lie."""

    value: float
    low: float
    high: float


def wilson(right: float, n: float, level: float = 0.95) -> Score:
    """Return a share with Wilson's interval.

    Parameters
    ----------
    right, n : float
        How many of how many.
    level : float, default=0.95
        How often the interval should cover the share.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(80, 80)]
    [1.0, 0.9542, 1.0]
    """
    if n == 0:
        return Score(np.nan, np.nan, np.nan)
    z, p = float(norm.ppf(0.5 + 0.5 * level)), right / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = max(0.0, float(middle - half)), min(1.0, float(middle + half))
    return Score(p, 0.0 if right == 0 else low, 1.0 if right == n else high)


def f1_score(right: float, wrong: float, level: float = 0.95) -> Score:
    """Return the F1 score of a class with its interval.

    Parameters
    ----------
    right, wrong : float
        Documents that are of the class and predicted so, and those that are only one of the two.
    level : float, default=0.95
        How often the interval should cover it.
    """
    share, low, high = wilson(right, right + wrong, level)
    return Score(*(2 * end / (1 + end) for end in (share, low, high)))


def mean_of_shares(shares: list[Score]) -> Score:
    """Return the mean of independent shares with its interval.

    Parameters
    ----------
    shares : list of Score
        Each with an interval; those that are not known are left out.
    """
    values = np.array([share for share in shares if np.isfinite(share.value)])
    if not len(values):
        return Score(np.nan, np.nan, np.nan)
    p, low, high = values.T
    mean, k = float(p.mean()), len(p)
    below, above = np.sqrt(((p - low) ** 2).sum()) / k, np.sqrt(((high - p) ** 2).sum()) / k
    return Score(mean, max(0.0, mean - float(below)), min(1.0, mean + float(above)))


def bootstrap(
    n: int, measures: dict[str, Callable[[Floats], float]], level: float, seed: int
) -> dict[str, Score]:
    """Return scores with the percentiles of the same on documents drawn with replacement.

    Parameters
    ----------
    n : int
        Number of documents.
    measures : dict from str to callable
        From weights of the documents, how often each was drawn, to a score.
    level : float
        How often intervals should cover it.
    seed : int
        How to draw.
    """
    if not measures:
        return {}
    found: dict[str, list[float]] = {name: [] for name in measures}
    for weights in draws_of(n, seed):
        for name, measure in measures.items():
            found[name].append(measure(weights))
    once = np.ones(n)
    return {
        name: Score(measure(once), *_percentiles(found[name], level))
        for name, measure in measures.items()
    }


def draws_of(n: int, seed: int) -> Iterator[Floats]:
    """Yield how often each document is there, for documents drawn with replacement.

    Parameters
    ----------
    n : int
        Number of documents; nothing is drawn of one.
    seed : int
        How to draw.
    """
    rng = np.random.default_rng(seed)
    draws = int(np.clip(_MOST_DRAWN / max(n, 1), _FEWEST_DRAWS, _DRAWS))
    for _ in range(draws if n > 1 else 0):
        yield np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)


def _percentiles(values: list[float], level: float) -> tuple[float, float]:
    known: Any = np.array(values)[np.isfinite(values)] if values else np.array([])
    if not len(known):
        return np.nan, np.nan
    ends = np.percentile(known, [50 * (1 - level), 50 * (1 + level)])
    return float(ends[0]), float(ends[1])
