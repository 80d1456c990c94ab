r"""How far a calibration error is known, and how large it is by chance alone.

The error of ten bins is a mean of distances, and these are never negative: probabilities that are
right have an error above zero, too, and the fewer documents there are, the larger it is. Both
questions are answered by drawing, with the bins as they are.

*By chance*: what came true is drawn anew as if every probability were right, a document with
probability :math:`p_i` being so with probability :math:`p_i` (a parametric bootstrap). An error
above the 99th percentile of these is more than chance.

*The interval*: documents are drawn with replacement, which adds to the error what chance had added
to it already. The basic bootstrap takes that away again: with :math:`\hat e` and the quantiles
:math:`q` of errors that were drawn, it goes from :math:`2 \hat e - q_{0.975}` to
:math:`2 \hat e - q_{0.025}`, and no lower than 0.

Of more documents than a few thousand, sums over a bin are drawn from the normal distribution with
their mean and variance.

References
----------
-  A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge, 5.2.
-  J. Vaicenavicius et al. (2019). Evaluating model calibration in classification. AISTATS.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire._shared.reliability import N_BINS, bin_places, calibration_error
from quire._shared.typing import Floats

__all__ = ["CalibrationError", "known_calibration_error"]

_DRAWS = 1000
_MOST_DRAWN = 5000  # documents that are drawn one by one
_BY_CHANCE = 0.99


class CalibrationError(NamedTuple):
    """An expected calibration error, its 95% interval, and the most that chance makes of it."""

    value: float
    low: float
    high: float
    by_chance: float


def known_calibration_error(
    p: Floats, is_so: NDArray[np.bool_], *, n_bins: int = N_BINS, random_state: int = 0
) -> CalibrationError:
    """Return the expected calibration error with its interval and what chance alone would give.

    Parameters
    ----------
    p : ndarray of shape (n_documents,)
        Probabilities.
    is_so : ndarray of bool of shape (n_documents,)
        Whether it came so.
    n_bins : int, default=10
        How many bins.
    random_state : int, default=0
        How to draw.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> right = known_calibration_error(p, rng.random(2000) < p)
    >>> right.value < right.by_chance, right.low < 0.01
    (True, True)
    >>> wrong = known_calibration_error(p, rng.random(2000) < p**2)
    >>> wrong.value > wrong.by_chance, wrong.low > 0.1
    (True, True)
    """
    n = len(p)
    value = calibration_error(p, is_so, n_bins)
    if n < 2:
        return CalibrationError(value, float("nan"), float("nan"), float("nan"))
    place = bin_places(p, n_bins, np.ones(n))
    rng = np.random.default_rng(random_state)
    gaps = p - is_so
    if n <= _MOST_DRAWN:
        chance, again = np.empty(_DRAWS), np.empty(_DRAWS)
        for k in range(_DRAWS):
            drawn = p - (rng.random(n) < p)
            chance[k] = np.abs(np.bincount(place, drawn, n_bins)).sum()
            rows = rng.integers(0, n, n)
            again[k] = np.abs(np.bincount(place[rows], gaps[rows], n_bins)).sum()
    else:
        spread = np.sqrt(np.bincount(place, p * (1 - p), n_bins))
        chance = np.abs(rng.normal(size=(_DRAWS, n_bins)) * spread).sum(axis=1)
        mean = np.bincount(place, gaps, n_bins)
        spread = np.sqrt(np.bincount(place, gaps**2, n_bins))
        again = np.abs(mean + rng.normal(size=(_DRAWS, n_bins)) * spread).sum(axis=1)
    high, low = 2 * value - np.quantile(again, [0.025, 0.975]) / n
    return CalibrationError(
        value,
        float(np.clip(low, 0, 1)),
        float(np.clip(high, 0, 1)),
        float(np.quantile(chance, _BY_CHANCE) / n),
    )
