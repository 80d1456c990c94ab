r"""Probabilities of intervals, :math:`P = F(b) - F(a)`, and derivatives of :math:`-\log P`.

``a`` may be ``-inf`` and ``b`` may be ``inf``, not both. ``gap`` is ``b - a``, given apart because
it is known better than the difference tells where both ends are far away. Nothing is a difference
of two numbers near one: what lies in a tail keeps its digits.

The derivatives by (a, b) are returned as a :class:`Interval`:

.. math:: u = f(b)/P, \quad l = f(a)/P, \qquad
          \partial_b(-\log P) = -u, \quad \partial_a(-\log P) = l.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_ndtr

from quire._shared.typing import Floats

__all__ = ["LINKS", "Interval", "log_probability"]


_LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)


class Interval(NamedTuple):
    """-log P and its derivatives by the ends of the intervals; arrays of one shape."""

    loss: Floats  # -log P
    lower: Floats  # d/da
    upper: Floats  # -d/db
    lower_lower: Floats  # d2/da2
    upper_upper: Floats  # d2/db2
    lower_upper: Floats  # d2/da db, not positive
    score: Floats  # upper - lower: d/deta where a = A - eta, b = B - eta
    score_score: Floats  # d2/deta2
    score_lower: Floats  # d2/deta da
    score_upper: Floats  # d2/deta db


def logit(a: Floats, b: Floats, gap: Floats) -> Interval:
    r"""Return intervals of the logistic distribution.

    With :math:`\sigma(b) - \sigma(a) = \sigma(b)\, \sigma(-a)\, (1 - e^{a-b})`,

    .. math:: -\log P = \log(1 + e^{-b}) + \log(1 + e^a) - \log(1 - e^{a-b}),

    where a shift of both ends leaves the last term as it is.
    """
    with np.errstate(over="ignore"):
        between = 1.0 / np.expm1(gap)  # 0 for endless gaps
        kappa = between / -np.expm1(-gap)
    above, below = expit(-b), expit(a)
    bend_above, bend_below = above * expit(b), below * expit(-a)
    return Interval(
        loss=-_log_logistic(a, b, gap),
        lower=below + between,
        upper=above + between,
        lower_lower=bend_below + kappa,
        upper_upper=bend_above + kappa,
        lower_upper=-kappa,
        score=above - below,
        score_score=bend_above + bend_below,
        score_lower=-bend_below,
        score_upper=-bend_above,
    )


def probit(a: Floats, b: Floats, gap: Floats) -> Interval:
    r"""Return intervals of the normal distribution.

    Intervals right of zero are mirrored, so that :math:`\log\Phi` is taken where it is exact, and
    :math:`\log(\Phi(b) - \Phi(a)) = \log\Phi(b) + \log(1 - e^{\log\Phi(a) - \log\Phi(b)})`. Narrow
    ones are the density in the middle m times the width g, with :math:`1 + (m^2 - 1) g^2 / 24`.
    """
    log_p = _log_normal(a, b, gap)
    lower, upper = _density(a, log_p), _density(b, log_p)
    a_lower = np.where(np.isfinite(a), a, 0.0) * lower  # no density at the endless ends
    b_upper = np.where(np.isfinite(b), b, 0.0) * upper
    cross = -lower * upper
    lower_lower = np.maximum(lower * lower - a_lower, 0.0)
    upper_upper = np.maximum(upper * upper + b_upper, 0.0)
    score = upper - lower
    return Interval(
        loss=-log_p,
        lower=lower,
        upper=upper,
        lower_lower=lower_lower,
        upper_upper=upper_upper,
        lower_upper=cross,
        score=score,
        score_score=np.maximum(score * score + b_upper - a_lower, 0.0),
        score_lower=-(lower_lower + cross),
        score_upper=-(upper_upper + cross),
    )


def _density(t: Floats, log_p: Floats) -> Floats:
    """Return phi(t) / P."""
    with np.errstate(over="ignore"):
        density: Floats = np.exp(-0.5 * t * t - _LOG_SQRT_2PI - log_p)
    return density


def _log_logistic(a: Floats, b: Floats, gap: Floats) -> Floats:
    outside = np.logaddexp(0.0, -b) + np.logaddexp(0.0, a)
    log_p: Floats = np.log(-np.expm1(-gap)) - outside
    return log_p


def _log_normal(a: Floats, b: Floats, gap: Floats) -> Floats:
    mirrored = a + b > 0
    left, right = np.where(mirrored, -b, a), np.where(mirrored, -a, b)
    log_right = log_ndtr(right)
    with np.errstate(divide="ignore"):  # ends that are the same number; narrow then
        log_p: Floats = log_right + np.log(-np.expm1(log_ndtr(left) - log_right))
    narrow = gap * (1.0 + np.abs(right)) < 1e-3
    if narrow.any():
        m, g = (0.5 * (a + b))[narrow], gap[narrow]
        width = np.log(g) + np.log1p((m * m - 1.0) * g * g / 24.0)
        log_p[narrow] = width - 0.5 * m * m - _LOG_SQRT_2PI
    return log_p


def log_probability(latent: Floats, thresholds: Floats, link: str) -> Floats:
    """Return the log probabilities of all classes.

    Parameters
    ----------
    latent : ndarray of shape (n_samples,)
        Scores w'x.
    thresholds : ndarray of shape (n_classes - 1,)
        Not falling. Between two that are equal there is a class of probability zero; so there is
        below ``-inf`` and above ``inf``.
    link : {"logit", "probit"}
        The distribution.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        ``-inf`` for classes of probability zero.
    """
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    log_p = np.full((len(latent), len(ends) - 1), -np.inf)
    possible = np.flatnonzero(ends[1:] > ends[:-1])
    a = ends[possible] - latent[:, None]
    b = ends[possible + 1] - latent[:, None]
    with np.errstate(divide="ignore"):  # probabilities below the smallest number
        gap = np.broadcast_to(ends[possible + 1] - ends[possible], a.shape)
        log_p[:, possible] = (_log_logistic if link == "logit" else _log_normal)(a, b, gap)
    return log_p


LINKS: dict[str, Callable[[Floats, Floats, Floats], Interval]] = {"logit": logit, "probit": probit}
