r"""Thresholds of labels that are best for F1 on held-out documents.

Of a label with T documents, predicting the P documents with the highest scores, of which R are
right, gives :math:`F_1 = 2R / (T + P)`. Over thresholds the pairs (P, R) are a staircase, and only
corners of its upper hull can be best: for the mean of the labels' F1 each label takes its own best
corner, and for F1 of all decisions together, :math:`F = 2 \sum R / \sum (T + P)`, each takes the
corner with the largest :math:`2R - F P`, where F is found by a few repetitions (Dinkelbach).

References
----------
W. Dinkelbach (1967). On nonlinear fractional programming. Management Science 13, 492-498.
Y. Yang (2001). A study of thresholding strategies for text categorization. SIGIR, 137-145.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quire._shared.typing import Bools, Floats

__all__ = ["Corners", "corners_of", "thresholds_of"]

_MOST_ROUNDS = 100


@dataclass(frozen=True, eq=False)
class Corners:
    """The thresholds of a label that may be best, from the one that predicts nothing down.

    Attributes
    ----------
    thresholds : ndarray of shape (n_corners,)
        A document above has the label.
    predicted, right : ndarray of shape (n_corners,)
        Held-out documents that are predicted to have it, and those of them that do.
    size : int
        Held-out documents that have it.
    """

    thresholds: Floats
    predicted: Floats
    right: Floats
    size: int


def corners_of(scores: Floats, has_it: Bools) -> Corners:
    """Return the corners of one label.

    Parameters
    ----------
    scores : ndarray of shape (n_documents,)
        Of held-out documents.
    has_it : ndarray of bool of shape (n_documents,)
        Which of them have the label.

    Examples
    --------
    >>> corners = corners_of(np.array([3.0, 2.0, 1.0, 0.0]), np.array([1, 0, 1, 0]) == 1)
    >>> corners.thresholds[1:].tolist(), corners.predicted.tolist(), corners.right.tolist()
    ([2.5, 0.5], [0.0, 1.0, 3.0], [0.0, 1.0, 2.0])
    """
    values, group = np.unique(scores, return_inverse=True)
    right = np.bincount(group, has_it, len(values))[::-1].cumsum()
    predicted = np.bincount(group, minlength=len(values))[::-1].cumsum().astype(np.float64)
    values = values[::-1]  # from the highest down
    ends = np.append(values[1:], np.nextafter(values[-1:], -np.inf))
    cuts = ends + (values - ends) / 2
    cuts = np.where(cuts < values, cuts, ends)
    hull = [(0.0, 0.0, -1)]
    new = np.flatnonzero(np.diff(right, prepend=0.0) > 0)  # below a document that has it
    for place in new.tolist():
        x, y = float(predicted[place]), float(right[place])
        while len(hull) > 1 and _is_below(hull[-2], hull[-1], x, y):
            hull.pop()
        hull.append((x, y, place))
    above = np.nextafter(values[0], np.inf)
    return Corners(
        np.array([above if k < 0 else cuts[k] for _, _, k in hull]),
        np.array([x for x, _, _ in hull]),
        np.array([y for _, y, _ in hull]),
        int(has_it.sum()),
    )


def _is_below(
    first: tuple[float, float, int], middle: tuple[float, float, int], x: float, y: float
) -> bool:
    """Return whether a corner is on or below the line from the one before it to the next."""
    return (middle[1] - first[1]) * (x - first[0]) <= (y - first[1]) * (middle[0] - first[0])


def thresholds_of(
    corners: Sequence[Corners | None], aim: str, usual: float, weight: float
) -> tuple[Floats, float]:
    """Return a threshold for each label, and the score of all of them on the same documents.

    A threshold is drawn to the median of the labels as if `weight` documents more spoke for that:
    a label with few documents does not decide alone.

    Parameters
    ----------
    corners : list of Corners or None
        Of each label; ``None`` where none of it could be held out.
    aim : {"f1_micro", "f1_macro"}
        What is to be best.
    usual : float
        The threshold where nothing is known.
    weight : float
        Documents that speak for the median.
    """
    known = [k for k, one in enumerate(corners) if one is not None and one.size]
    found = np.full(len(corners), usual)
    if not known:
        return found, float("nan")
    chosen: dict[int, int] = {}
    if aim == "f1_macro":
        for k in known:
            one = corners[k]
            assert one is not None
            chosen[k] = int((one.right / (one.size + one.predicted)).argmax())
    else:
        chosen = _together({k: one for k in known if (one := corners[k]) is not None})
    each = {k: one for k in known if (one := corners[k]) is not None}
    for k, place in chosen.items():
        found[k] = each[k].thresholds[place]
    some = [k for k in known if chosen[k] > 0]
    middle = float(np.median(found[some])) if some else usual
    if weight > 0:
        sizes = np.array([0 if one is None else one.size for one in corners], dtype=np.float64)
        share = sizes / (sizes + weight)
        found = share * found + (1 - share) * middle
    scores = [
        (2 * each[k].right[place], each[k].size + each[k].predicted[place])
        for k, place in chosen.items()
    ]
    upper, lower = np.array(scores).T
    score = (upper / lower).mean() if aim == "f1_macro" else upper.sum() / lower.sum()
    return found, float(score)


def _together(each: dict[int, Corners]) -> dict[int, int]:
    """Return the corners with the best F1 of all decisions together."""
    total = sum(one.size for one in each.values())
    best, chosen = 0.0, dict.fromkeys(each, 0)
    for _ in range(_MOST_ROUNDS):
        chosen = {
            k: int((2 * one.right - best * one.predicted).argmax()) for k, one in each.items()
        }
        right = sum(each[k].right[place] for k, place in chosen.items())
        predicted = sum(each[k].predicted[place] for k, place in chosen.items())
        score = float(2 * right / (total + predicted))
        if score <= best:
            break
        best = score
    return chosen
