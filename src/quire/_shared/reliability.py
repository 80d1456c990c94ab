r"""Whether probabilities can be taken at their word: bins of equal mass, and their mean error.

Documents are sorted by their probability and cut into bins of as equal a number as ties allow:
documents of the same probability stay together, in the bin in which their middle lies. The expected
calibration error is the mean distance of a bin's mean probability and the share of its documents
for which it came so, weighted by documents.

Bins of equal width, by contrast, leave most bins of a good model almost empty.

References
----------
-  M. P. Naeini, G. F. Cooper, M. Hauskrecht (2015). Obtaining well calibrated probabilities using
   Bayesian binning. AAAI.
-  K. Nguyen, B. O'Connor (2015). Posterior calibration and exploratory analysis for natural
   language processing models. EMNLP, 1587-1598.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.typing import Floats

__all__ = [
    "N_BINS",
    "CalibrationBin",
    "bin_places",
    "brier_terms",
    "calibration_bins",
    "calibration_error",
    "claims_of",
    "log_loss_terms",
]

N_BINS = 10


@dataclass(frozen=True)
class CalibrationBin(ShownInNotebooks):
    """Documents of neighbouring probabilities.

    Attributes
    ----------
    low, high : float
        The smallest and the largest probability.
    documents : int
        How many.
    predicted, observed : float
        The mean probability, and the share of documents for which it came so.
    """

    low: float
    high: float
    documents: int
    predicted: float
    observed: float


def claims_of(codes: NDArray[Any], P: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return what was claimed with which probability, and whether it was so.

    Parameters
    ----------
    codes : ndarray of shape (n_documents,)
        The place of each label among the classes.
    P : ndarray of shape (n_documents, n_classes)
        Probabilities.

    Returns
    -------
    p : ndarray of shape (n_documents,)
        The probability of the second of two classes, otherwise that of the most probable one.
    is_so : ndarray of bool of shape (n_documents,)
        Whether the document is of that class.
    """
    if P.shape[1] == 2:
        return P[:, 1], codes == 1
    return P.max(axis=1), codes == P.argmax(axis=1)


def bin_places(p: Floats, n_bins: int, w: Floats) -> NDArray[np.intp]:
    """Return the bin of each document: of the middle of those with the same probability.

    Parameters
    ----------
    p : ndarray of shape (n_documents,)
        Probabilities.
    n_bins : int
        How many bins there are at most.
    w : ndarray of shape (n_documents,)
        How often every document counts.
    """
    _, group = np.unique(p, return_inverse=True)
    mass = np.bincount(group, w)
    middle = np.cumsum(mass) - mass / 2
    place = (middle / max(float(mass.sum()), np.finfo(np.float64).tiny) * n_bins).astype(np.intp)
    places: NDArray[np.intp] = np.minimum(place, n_bins - 1)[group]
    return places


def calibration_bins(
    p: Floats, is_so: NDArray[np.bool_], n_bins: int = N_BINS
) -> list[CalibrationBin]:
    """Return documents by probability, in bins of as equal a number as ties allow.

    Parameters
    ----------
    p : ndarray of shape (n_documents,)
        Probabilities.
    is_so : ndarray of bool of shape (n_documents,)
        Whether it came so.
    n_bins : int, default=10
        How many bins; there are fewer where many documents have the same probability.

    Examples
    --------
    >>> import numpy as np
    >>> for one in calibration_bins(np.array([0.1, 0.3, 0.6, 0.8]), np.array([0, 1, 1, 1]) == 1, 2):
    ...     print(one.documents, one.predicted, one.observed)
    2 0.2 0.5
    2 0.7 1.0
    """
    place = bin_places(p, n_bins, np.ones(len(p)))
    counts = np.bincount(place, minlength=n_bins)
    means, shares = (np.bincount(place, of, n_bins) for of in (p, is_so.astype(np.float64)))
    low, high = np.full(n_bins, np.inf), np.full(n_bins, -np.inf)
    np.minimum.at(low, place, p)
    np.maximum.at(high, place, p)
    return [
        CalibrationBin(
            float(low[b]),
            float(high[b]),
            int(counts[b]),
            float(means[b] / counts[b]),
            float(shares[b] / counts[b]),
        )
        for b in np.flatnonzero(counts)
    ]


def calibration_error(
    p: Floats, is_so: NDArray[np.bool_], n_bins: int = N_BINS, w: Floats | None = None
) -> float:
    """Return the mean distance of predicted and observed shares over bins of equal mass.

    Parameters
    ----------
    p : ndarray of shape (n_documents,)
        Probabilities.
    is_so : ndarray of bool of shape (n_documents,)
        Whether it came so.
    n_bins : int, default=10
        How many bins.
    w : ndarray of shape (n_documents,), default=None
        How often every document counts.

    Examples
    --------
    >>> import numpy as np
    >>> p, is_so = np.array([0.1, 0.3, 0.6, 0.8]), np.array([False, True, True, True])
    >>> round(calibration_error(p, is_so, 2), 12)
    0.3
    """
    w = np.ones(len(p)) if w is None else w
    total = float(w.sum())
    if not total > 0:
        return float("nan")
    gaps = np.bincount(bin_places(p, n_bins, w), w * (p - is_so), n_bins)
    return float(np.abs(gaps).sum() / total)


def brier_terms(codes: NDArray[Any], P: Floats) -> Floats:
    """Return the Brier score of each document: of one of two classes, the sum over more."""
    own = np.take_along_axis(P, codes[:, None].astype(np.intp), axis=1)[:, 0]
    squares: Floats = np.maximum((P**2).sum(axis=1) - 2 * own + 1, 0.0)  # but for rounding
    return squares / 2 if P.shape[1] == 2 else squares


def log_loss_terms(codes: NDArray[Any], P: Floats) -> Floats:
    """Return the log loss of each document; no probability is nearer to 0 than rounding allows."""
    own = np.take_along_axis(P, codes[:, None].astype(np.intp), axis=1)[:, 0]
    losses: Floats = -np.log(np.clip(own, np.finfo(np.float64).eps, 1.0))
    return losses
