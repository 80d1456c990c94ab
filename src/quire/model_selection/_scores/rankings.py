r"""Scores of rankings: the areas under ROC and precision-recall curves, exact with ties.

Documents are sorted once; documents of the same value form a group. The area under the ROC curve is
how often a document of the class stands above one of the others, ties counting half (the statistic
of Mann, Whitney and Wilcoxon). Average precision is :math:`\sum_g (R_g - R_{g-1}) P_g` over groups
from the top, without interpolation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Floats
from quire.model_selection._scores.held_out import HeldOut, Measure

__all__ = ["area", "average_precision", "precision_of", "ranked_by_decision", "ranked_by_share"]

Ranked = Callable[[Floats, NDArray[np.bool_]], Measure]


def _nothing(w: Floats) -> float:
    return float("nan")


def area(values: Floats, is_so: NDArray[np.bool_]) -> Measure:
    """Return how often a document of the class is above one of the others, ties half.

    Parameters
    ----------
    values : ndarray of shape (n_documents,)
        What documents are ranked by.
    is_so : ndarray of bool of shape (n_documents,)
        Which are of the class.

    Examples
    --------
    >>> import numpy as np
    >>> area(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))(np.ones(4))
    0.875
    """
    _, group = np.unique(values, return_inverse=True)

    def measure(w: Floats) -> float:
        inside = np.bincount(group, w * is_so)
        outside = np.bincount(group, w * ~is_so)
        total = inside.sum() * outside.sum()
        if not total > 0:
            return float("nan")
        below = np.cumsum(outside) - outside
        return float((inside * (below + outside / 2)).sum() / total)

    return measure


def precision_of(values: Floats, is_so: NDArray[np.bool_]) -> Measure:
    """Return the average precision of a ranking.

    Parameters
    ----------
    values : ndarray of shape (n_documents,)
        What documents are ranked by.
    is_so : ndarray of bool of shape (n_documents,)
        Which are of the class.

    Examples
    --------
    >>> import numpy as np
    >>> precision_of(np.array([0.1, 0.4, 0.4, 0.8]), np.array([0, 0, 1, 1]) == 1)(np.ones(4))
    0.8333333333333333
    """
    _, group = np.unique(values, return_inverse=True)
    top_first = group.max(initial=0) - group

    def measure(w: Floats) -> float:
        inside = np.bincount(top_first, w * is_so)
        so_far = np.cumsum(np.bincount(top_first, w))
        total = inside.sum()
        if not total > 0:
            return float("nan")
        precision = np.cumsum(inside) / np.maximum(so_far, np.finfo(np.float64).tiny)
        return float((inside * precision).sum() / total)

    return measure


def _one_vs_rest(values: Floats, codes: NDArray[np.intp], of: Ranked, weighted: bool) -> Measure:
    """Return the mean over classes that occur, each against the rest."""
    met = [k for k in range(values.shape[1]) if 0 < int((codes == k).sum()) < len(codes)]
    each = [(of(values[:, k], codes == k), codes == k) for k in met]

    def measure(w: Floats) -> float:
        scores = np.array([one(w) for one, _ in each])
        known = np.isfinite(scores)
        if not known.any():
            return float("nan")
        if not weighted:
            return float(scores[known].mean())
        sizes = np.array([w[is_so].sum() for _, is_so in each])
        return float(np.average(scores[known], weights=sizes[known]))

    return measure


def _of_values(held: HeldOut, values: Floats | None, of: Ranked, weighted: bool) -> Measure:
    if values is None or not len(held.codes):
        return _nothing
    if values.ndim == 1:
        return of(values, held.codes == 1)
    return _one_vs_rest(values, held.codes, of, weighted)


def ranked_by_decision(of: Ranked) -> Callable[[HeldOut], Measure]:
    """Return the score of the model's own ranking, the mean of classes against the rest."""
    return lambda held: _of_values(held, _decision(held), of, False)


def ranked_by_share(of: Ranked, *, weighted: bool = False) -> Callable[[HeldOut], Measure]:
    """Return the same, but of several classes by probabilities, where there are any."""

    def score(held: HeldOut) -> Measure:
        values = _decision(held)
        if held.probabilities is not None and held.n_classes > 2:
            values = held.probabilities
        return _of_values(held, values, of, weighted)

    return score


def _decision(held: HeldOut) -> Floats | None:
    if held.ranking is not None:
        return np.asarray(held.ranking, dtype=np.float64)
    if held.probabilities is None:
        return None
    P = np.asarray(held.probabilities, dtype=np.float64)
    return P[:, 1] if P.shape[1] == 2 else P


average_precision = ranked_by_decision(precision_of)
