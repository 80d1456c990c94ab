r"""Multinomial logistic loss, :math:`\ell_i = \log \sum_k e^{\eta_{ik}} - \eta_{i y_i}`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.optimize._datafit import Datafit, Rows

__all__ = ["MultinomialLoss"]


class MultinomialLoss(Datafit):
    r"""Mean negative log-likelihood of several classes (softmax).

    .. math:: f(W, b) = \frac{1}{S} \sum_i s_i
              [\log \sum_k e^{\eta_{ik}} - \eta_{i y_i}], \qquad \eta_i = W'x_i + b

    The parameters are W (features x classes) row by row, then the intercepts of the classes. With a
    `reference` the weights of that class are zero and no parameters, so that W has a column less.

    Parameters
    ----------
    X : Design, ndarray or sparse matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        Codes of classes, from 0.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, not negative.
    fit_intercept : bool, default=True
        Whether each class has an intercept.
    n_classes : int, default=None
        Number of classes; one more than the largest code if not given.
    reference : int, default=None
        Code of the class whose weights and intercept are fixed at zero, if any.

    Examples
    --------
    >>> from quire.optimize import MultinomialLoss
    >>> loss = MultinomialLoss([[0.0], [1.0], [2.0]], [0, 1, 2])
    >>> loss.size, round(loss.value(loss.start()), 6)
    (6, 1.098612)
    >>> MultinomialLoss([[0.0], [1.0], [2.0]], [0, 1, 2], reference=2).size
    4
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        fit_intercept: bool = True,
        n_classes: int | None = None,
        reference: int | None = None,
    ) -> None:
        super().__init__(X, y, sample_weight, fit_intercept)
        codes = self.y.astype(np.intp)
        if (codes != self.y).any() or codes.min() < 0:
            raise ValueError("y must hold codes of classes, 0, 1, 2, ...; encode the classes first")
        self.n_classes = int(codes.max()) + 1 if n_classes is None else n_classes
        if codes.max() >= self.n_classes:
            raise ValueError(f"y has the code {codes.max()}; n_classes is {self.n_classes}.")
        if reference is not None and not 0 <= reference < self.n_classes:
            raise ValueError(f"reference is {reference}; it must be below {self.n_classes}.")
        every = np.arange(self.n_classes)
        self.free = every[every != (-1 if reference is None else reference)]
        self.n_outputs = len(self.free)
        self.y = codes

    def rows(self, scores: Floats, extra: Floats) -> Rows:
        """Return the loss at scores X W and intercepts."""
        return _MultinomialRows(self, scores + extra if self.fit_intercept else scores)


class _MultinomialRows(Rows):
    def __init__(self, loss: MultinomialLoss, eta: Floats) -> None:
        self.fit_intercept = loss.fit_intercept
        self.weights = loss.weights[:, None]
        if loss.n_outputs < loss.n_classes:  # the scores of the reference are zero
            scores = np.zeros((len(eta), loss.n_classes))
            scores[:, loss.free] = eta
            eta = scores
        log_total = logsumexp(eta, axis=1, keepdims=True)
        self.p = np.exp(eta - log_total)
        every = np.arange(len(eta))
        self.value = inner(loss.weights, log_total[:, 0] - eta[every, loss.y])
        self.slope = self.p.copy()
        self.slope[every, loss.y] -= 1.0
        self.slope *= self.weights
        if loss.n_outputs < loss.n_classes:
            self.p, self.slope = self.p[:, loss.free], self.slope[:, loss.free]
        self.curvature = self.weights * self.p * (1.0 - self.p)
        self.extra_slope = self.slope.sum(axis=0) if self.fit_intercept else np.empty(0)

    def curve(self, scores: Floats, extra: Floats) -> tuple[Floats, Floats]:
        d = scores + extra if self.fit_intercept else scores
        # (diag(p) - p p') d in every row
        change = self.weights * self.p * (d - np.einsum("ik,ik->i", self.p, d)[:, None])
        return change, change.sum(axis=0) if self.fit_intercept else np.empty(0)
