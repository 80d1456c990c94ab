r"""Probabilities of intervals and their derivatives, as models of ordered outcomes need them.

The probability of an outcome is that of an interval, :math:`P = F(a) - F(b)` with :math:`a > b`,
:math:`a = \infty` for the highest and :math:`b = -\infty` for the lowest. All is computed from
logarithms, so that far out in the tails nothing cancels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_ndtr

__all__ = ["interval_curvatures", "interval_ends", "interval_slopes", "log_interval"]

Floats = NDArray[np.float64]


def interval_ends(
    predictor: Floats, codes: NDArray[np.integer], thresholds: Floats
) -> tuple[Floats, Floats]:
    """Return a and b of the outcome of each sample.

    Parameters
    ----------
    predictor : ndarray of shape (n_samples,)
        The linear predictor w'x.
    codes : ndarray of int of shape (n_samples,)
        Outcomes, from 0.
    thresholds : ndarray of shape (n_classes - 1,)
        Increasing.
    """
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    return ends[codes + 1] - predictor, ends[codes] - predictor


def log_interval(a: Floats, b: Floats, link: str) -> Floats:
    """Return the logarithm of F(a) - F(b).

    Parameters
    ----------
    a, b : ndarray of shape (n_samples,)
        Ends, a above b.
    link : {"logit", "probit"}
        Which F: of the logistic or of the normal distribution.
    """
    if link == "logit":
        # F(a) - F(b) = F(a) F(-b) (1 - e^(b-a))
        found: Floats = log_expit(a) + log_expit(-b) + np.log(-np.expm1(b - a))
        return found
    flip = b > 0  # the smaller tail
    high, low = np.where(flip, -b, a), np.where(flip, -a, b)
    top = log_ndtr(high)
    found = top + np.log(-np.expm1(log_ndtr(low) - top))
    return found


def interval_slopes(a: Floats, b: Floats, link: str) -> tuple[Floats, Floats]:
    """Return the derivatives of :func:`log_interval` by a and by b.

    Parameters
    ----------
    a, b, link
        As there.
    """
    if link == "logit":
        q = _gap(a, b)
        return expit(-a) + q, -expit(b) - q
    log_p = log_interval(a, b, link)
    return _density_ratio(a, log_p), -_density_ratio(b, log_p)


def interval_curvatures(a: Floats, b: Floats, link: str) -> tuple[Floats, Floats, Floats]:
    """Return the second derivatives of :func:`log_interval`: by a twice, by both, by b twice.

    Parameters
    ----------
    a, b, link
        As there.
    """
    if link == "logit":
        q = _gap(a, b)
        s = q * (1 + q)
        return -expit(a) * expit(-a) - s, s, -expit(b) * expit(-b) - s
    up, down = interval_slopes(a, b, link)
    return -_times(a, up) - up**2, -up * down, -_times(b, down) - down**2


def _gap(a: Floats, b: Floats) -> Floats:
    with np.errstate(over="ignore"):
        gap: Floats = 1 / np.expm1(a - b)
    return gap


def _density_ratio(x: Floats, log_p: Floats) -> Floats:
    ratio: Floats = np.exp(-0.5 * x**2 - 0.5 * np.log(2 * np.pi) - log_p)
    return ratio


def _times(x: Floats, y: Floats) -> Floats:
    """Return x y, nothing where x is infinite."""
    product: Floats = np.where(np.isinf(x), 0.0, x) * y
    return product
