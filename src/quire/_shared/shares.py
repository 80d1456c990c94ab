r"""Shares of documents, and F1, with intervals that are never empty and never leave 0 to 1.

A share of :math:`n` documents has Wilson's interval. F1 is :math:`2 J / (1 + J)` for the share
:math:`J` of documents that are of a class *and* predicted so among those that are either, and so
has one, too.

References
----------
-  E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
   Journal of the American Statistical Association 22, 209-212.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

__all__ = ["Score", "f1_score", "wilson"]


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
