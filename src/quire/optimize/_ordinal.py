r"""The loss of ordered outcomes, :math:`P(y \le j \mid x) = F(\theta_j - w'x)`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import logit as logit_of
from scipy.special import ndtri

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.optimize._datafit import Datafit, Rows
from quire.optimize._ordinal_links import LINKS, log_probability

__all__ = ["OrdinalLoss"]


class OrdinalLoss(Datafit):
    r"""Mean negative log-likelihood of ordered classes.

    .. math:: f(w, \theta) = -\frac{1}{S} \sum_i s_i
              \log\left[F(\theta_{y_i} - w'x_i) - F(\theta_{y_i - 1} - w'x_i)\right]

    with :math:`\theta_{-1} = -\infty` and :math:`\theta_{K-1} = \infty`. It is convex in
    :math:`(w, \theta)` where the thresholds rise, and infinite elsewhere. The parameters are w,
    then the K - 1 thresholds.

    Parameters
    ----------
    X : Design, ndarray or sparse matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        Codes of classes in their order, from 0. Each class must occur: the probability of one that
        does not would go to zero, and two thresholds would become the same.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, not negative.
    link : {"logit", "probit"}, default="logit"
        The distribution F: logistic or normal.

    Examples
    --------
    >>> from quire.optimize import OrdinalLoss
    >>> loss = OrdinalLoss([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 2])
    >>> loss.start()  # no effect of x, thresholds at the shares of the classes
    array([ 0.        , -1.09861229,  1.09861229])
    >>> round(loss.value(loss.start()), 6)  # the entropy of the shares
    1.039721
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        link: Literal["logit", "probit"] = "logit",
    ) -> None:
        super().__init__(X, y, sample_weight)
        if link not in LINKS:
            raise ValueError(f"link is {link!r}; it must be 'logit' or 'probit'.")
        self.link = link
        codes = self.y.astype(np.intp)
        if (codes != self.y).any() or codes.min() < 0:
            raise ValueError("y must hold codes of classes, 0, 1, 2, ...; encode the classes first")
        self.y = codes
        self.shares = np.bincount(codes, self.weights).astype(np.float64)
        if len(self.shares) < 2 or not (self.shares > 0).all():
            raise ValueError(
                f"the classes 0, 1, ... have the shares {self.shares} of the weight; there must be "
                "two or more classes, and all must occur."
            )

    @property
    def n_extra(self) -> int:
        """Number of thresholds."""
        return len(self.shares) - 1

    def start(self) -> Floats:
        """Return zero coefficients and the thresholds that give every class its share."""
        below, above = np.cumsum(self.shares)[:-1], np.cumsum(self.shares[::-1])[-2::-1]
        if self.link == "logit":
            thresholds = np.where(below < 0.5, logit_of(below), -logit_of(above))
        else:
            thresholds = np.where(below < 0.5, ndtri(below), -ndtri(above))
        return np.concatenate([np.zeros(self.n_features), thresholds])

    def longest_step(self, x: Floats, direction: Floats) -> float:
        """Return the step at which some class has lost nine tenths of its interval."""
        gap, change = (np.diff(v[self.n_features :]) for v in (x, direction))
        shrinks = change < 0
        return float(np.min(0.9 * gap[shrinks] / -change[shrinks], initial=np.inf))

    def rows(self, scores: Floats, extra: Floats) -> Rows:
        """Return the loss at scores X w and thresholds."""
        return _OrdinalRows(self, scores[:, 0], extra)

    @staticmethod
    def log_probability(
        scores: Floats, thresholds: Floats, link: Literal["logit", "probit"] = "logit"
    ) -> Floats:
        """Return the log probabilities of all classes.

        Parameters
        ----------
        scores : ndarray of shape (n_samples,)
            X w.
        thresholds : ndarray of shape (n_classes - 1,)
            Not falling. Between two that are equal there is a class of probability zero; so there
            is below ``-inf`` and above ``inf``.
        link : {"logit", "probit"}, default="logit"
            The distribution F.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            ``-inf`` for classes of probability zero.
        """
        return log_probability(scores, thresholds, link)


class _OrdinalRows(Rows):
    def __init__(self, loss: OrdinalLoss, eta: Floats, thresholds: Floats) -> None:
        self.y, self.n_thresholds = loss.y, len(thresholds)
        if not (np.diff(thresholds) > 0).all():  # also NaN
            self.value = np.inf
            return
        weights = loss.weights
        ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
        gap = np.diff(ends)[self.y]
        at = LINKS[loss.link](ends[self.y] - eta, ends[self.y + 1] - eta, gap)
        self.value = inner(weights, at.loss)
        if not np.isfinite(self.value):  # a probability that is no number above zero
            self.value = np.inf
            return
        self.slope = (weights * at.score)[:, None]
        self.curvature = (weights * at.score_score)[:, None]
        self.score_lower = weights * at.score_lower
        self.score_upper = weights * at.score_upper
        self.extra_slope = self._by_threshold(weights * at.lower, -weights * at.upper)
        self.diagonal = self._by_threshold(weights * at.lower_lower, weights * at.upper_upper)
        # Neighbouring thresholds meet in the class between them.
        between = np.bincount(self.y, weights * at.lower_upper, self.n_thresholds + 1)
        self.beside = between[1:-1]

    def curve(self, scores: Floats, extra: Floats) -> tuple[Floats, Floats]:
        eta = scores[:, 0]
        ends = np.concatenate([[0.0], extra, [0.0]])
        rows = self.curvature[:, 0] * eta
        rows += self.score_lower * ends[self.y] + self.score_upper * ends[self.y + 1]
        change = self._by_threshold(self.score_lower * eta, self.score_upper * eta)
        change += self.diagonal * extra
        change[:-1] += self.beside * extra[1:]
        change[1:] += self.beside * extra[:-1]
        return rows[:, None], change

    def _by_threshold(self, lower: Floats, upper: Floats) -> Floats:
        """Add up what rows have at their lower and at their upper threshold."""
        n_classes = self.n_thresholds + 1
        below = np.bincount(self.y, lower, n_classes)[1:]
        above = np.bincount(self.y, upper, n_classes)[:-1]
        return np.asarray(below + above, dtype=np.float64)
