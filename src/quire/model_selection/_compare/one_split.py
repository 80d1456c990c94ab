r"""How sure scores on one set of held-out documents are, and differences of two models on it.

There are no folds to vary. What varies are the documents: a score is computed again on documents
that are drawn with replacement, the same draws for all models. Where the score is the share of
documents that are right, the difference of two models is that between the documents that only the
one and those that only the other has right, and its p-value McNemar's, exactly: that of so many
heads among as many throws of a coin.

References
----------
-  Q. McNemar (1947). Note on the sampling error of the difference between correlated proportions or
   percentages. Psychometrika 12, 153-157.
-  B. Efron (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7, 1-26.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from quire._shared.typing import Floats
from quire.model_selection._evaluate.intervals import draws_of
from quire.model_selection._scores.catalogue import measures_of
from quire.model_selection._scores.held_out import HeldOut

__all__ = ["SHARES_OF_RIGHT", "drawn_scores", "interval_of_draws", "p_of_draws", "p_of_shares"]

SHARES_OF_RIGHT = ("accuracy", "precision_micro", "recall_micro", "f1_micro")


def drawn_scores(metric: str, held: HeldOut, seed: int) -> Floats:
    """Return a score on each draw of the documents; equal seeds draw the same ones.

    Parameters
    ----------
    metric : str
        The score.
    held : HeldOut
        Predictions of the documents.
    seed : int
        How to draw.
    """
    measure = measures_of((metric,), held)[metric]
    return np.array([measure(weights) for weights in draws_of(held.n_documents, seed)])


def interval_of_draws(scores: Floats, level: float = 0.95) -> tuple[float, float]:
    """Return the percentiles between which a score lies in most draws; NaN if it is not known.

    Parameters
    ----------
    scores : ndarray of shape (n_draws,)
        Of draws.
    level : float, default=0.95
        In what share of them.
    """
    known = scores[np.isfinite(scores)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.percentile(known, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def p_of_draws(first: Floats, second: Floats) -> float:
    """Return the two-sided p-value of equal scores from the same draws of two models.

    Parameters
    ----------
    first, second : ndarray of shape (n_draws,)
        Scores.

    Examples
    --------
    >>> p_of_draws(np.ones(199), np.zeros(199)), p_of_draws(np.ones(199), np.ones(199))
    (0.01, 1.0)
    """
    difference = first - second
    difference = difference[np.isfinite(difference)]
    if not len(difference):
        return float("nan")
    least = min((difference <= 0).sum(), (difference >= 0).sum())
    return float(min(1.0, 2 * (1 + least) / (1 + len(difference))))


def p_of_shares(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Return McNemar's exact p-value of equal shares of documents that are right.

    Parameters
    ----------
    first, second : ndarray of bool of shape (n_documents,)
        Which documents two models have right.

    Examples
    --------
    >>> right = np.array([True] * 8)
    >>> p_of_shares(right, ~right)
    0.0078125
    """
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    if only_first + only_second == 0:
        return 1.0
    return float(binomtest(only_first, only_first + only_second).pvalue)
