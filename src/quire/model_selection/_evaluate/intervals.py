r"""Intervals of scores on one set of documents, inside the scale of the score.

A share of documents and F1 have Wilson's interval (:mod:`quire._shared.shares`). A mean of shares
:math:`p_k` with intervals :math:`l_k, u_k` goes from
:math:`\bar p - \sqrt{\sum (p_k - l_k)^2} / K` to
:math:`\bar p + \sqrt{\sum (u_k - p_k)^2} / K`. All other scores are computed again on documents
drawn with replacement; the interval is from percentile to percentile.

References
----------
-  R. G. Newcombe (1998). Interval estimation for the difference between independent proportions.
   Statistics in Medicine 17, 873-890.
-  B. Efron (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7, 1-26.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from quire._shared.shares import Score
from quire._shared.typing import Floats

__all__ = ["bootstrap", "draws_of", "mean_of_shares"]

_DRAWS, _FEWEST_DRAWS = 1000, 200
_MOST_DRAWN = 2e7  # documents in all draws together


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
