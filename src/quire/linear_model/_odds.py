r"""Probabilities, odds and log-odds, and the ways between them.

.. math:: \text{odds}(p) = \frac{p}{1 - p}, \qquad
          \text{logit}(p) = \log \frac{p}{1 - p}, \qquad
          \sigma(z) = \frac{1}{1 + e^{-z}}, \qquad \sigma(\text{logit}(p)) = p
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["logit", "odds", "sigmoid"]


def odds(p: ArrayLike) -> Any:
    r"""Return how many times as probable an event is as its opposite, :math:`p / (1 - p)`.

    From 0 at :math:`p = 0` over 1 at :math:`p = 1/2` to infinity at :math:`p = 1`. An odds *ratio*
    compares the odds of two situations; for those of a model see
    :meth:`LogisticRegression.odds_ratios`.

    Parameters
    ----------
    p : float or array-like
        Probabilities, from 0 to 1.

    Returns
    -------
    float or ndarray
        The odds; infinite where p is 1.

    See Also
    --------
    logit : Their logarithm.

    Examples
    --------
    >>> from quire.linear_model import odds
    >>> odds(0.75)
    3.0
    >>> odds([0, 0.2, 0.5, 1])
    array([0.  , 0.25, 1.  ,  inf])
    """
    share = _probabilities(p)
    with np.errstate(divide="ignore"):
        return _as_given(share / (1.0 - share))


def logit(p: ArrayLike) -> Any:
    r"""Return the log-odds of probabilities, :math:`\log(p / (1 - p))`.

    The inverse of :func:`sigmoid`. Digits are kept where the result is near zero, and where p is so
    small that :math:`1 - p` is 1. A probability so near to 1 that nothing is left of
    :math:`1 - p` has lost them already: give the opposite, and change the sign.

    Parameters
    ----------
    p : float or array-like
        Probabilities, from 0 to 1.

    Returns
    -------
    float or ndarray
        The log-odds; infinite, with its sign, where p is 0 or 1.

    See Also
    --------
    odds : Without the logarithm.
    sigmoid : The way back.

    Examples
    --------
    >>> from quire.linear_model import logit
    >>> logit(0.5)
    0.0
    >>> logit([0, 0.25, 0.75, 1]).round(4)
    array([   -inf, -1.0986,  1.0986,     inf])
    """
    share = _probabilities(p)
    # Near 1/2 the odds are near 1 and their logarithm would lose digits: 2p - 1 is exact there.
    is_middle = np.abs(share - 0.5) < 0.25
    middle = np.where(is_middle, share, 0.5)
    with np.errstate(divide="ignore"):
        outside = np.log(share) - np.log1p(-share)
    near = np.log1p((2.0 * middle - 1.0) / (1.0 - middle))
    return _as_given(np.where(is_middle, near, outside))


def sigmoid(z: ArrayLike) -> Any:
    r"""Return the probability of log-odds, the logistic function :math:`1 / (1 + e^{-z})`.

    No exponential overflows, and small probabilities keep their digits down to
    :math:`10^{-308}`.

    Parameters
    ----------
    z : float or array-like
        Log-odds: any numbers.

    Returns
    -------
    float or ndarray
        Probabilities, from 0 to 1.

    See Also
    --------
    logit : The way back.

    Examples
    --------
    >>> from quire.linear_model import sigmoid
    >>> sigmoid(0.0)
    0.5
    >>> sigmoid([-1000, -2, 2, 1000]).round(4)
    array([0.    , 0.1192, 0.8808, 1.    ])
    """
    return _as_given(special.expit(np.asarray(z, dtype=np.float64)))


def _probabilities(p: ArrayLike) -> NDArray[np.float64]:
    share = np.asarray(p, dtype=np.float64)
    outside = share[(share < 0) | (share > 1)]
    if outside.size:
        raise ValueError(f"a probability is from 0 to 1; got {outside.flat[0]}.")
    return share


def _as_given(values: Any) -> Any:
    """Return a number for a number, and an array for anything else."""
    return float(values) if np.ndim(values) == 0 else values
