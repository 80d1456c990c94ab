r"""Squared loss, :math:`\ell_i = (y_i - \eta_i - b)^2 / 2`."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.optimize._datafit import Datafit, InterceptRows, Rows

__all__ = ["SquaredLoss"]


class SquaredLoss(Datafit):
    r"""Half the mean of squared errors of a linear model.

    .. math:: f(w, b) = \frac{1}{2S} \sum_i s_i (y_i - w'x_i - b)^2

    Parameters
    ----------
    X : Design, ndarray or sparse matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        Numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, not negative.
    fit_intercept : bool, default=True
        Whether there is an intercept b: the last of the parameters.

    Examples
    --------
    >>> from quire.optimize import SquaredLoss
    >>> loss = SquaredLoss([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> loss.value([2.0, 1.0]), loss.gradient([2.0, 0.0])
    (0.0, array([-1., -1.]))
    """

    curvature_bound = 1.0  # of the loss of a row by its score

    def __init__(
        self, X: Any, y: Any, sample_weight: Any = None, fit_intercept: bool = True
    ) -> None:
        super().__init__(X, y, sample_weight, fit_intercept)
        self.y = self.y.astype(np.float64)

    def rows(self, scores: Floats, extra: Floats) -> Rows:
        """Return the loss at scores X w and an intercept."""
        return _SquaredRows(self, scores + extra.sum())

    def slope_of(self, eta: Floats, rows: Any) -> Floats:
        """Return the weighted slopes of some rows; `eta` holds the scores of all."""
        slope: Floats = self.weights[rows] * (eta[rows] - self.y[rows])
        return slope

    def dual_rows(self, slope: Floats) -> Floats:
        """Turn the slopes of rows, without weights, into the nearest point allowed in the dual."""
        return slope - self.weights @ slope if self.fit_intercept else slope

    def conjugate(self, slope: Floats) -> Floats:
        """Return the convex conjugate of the loss of each row at slopes."""
        conjugate: Floats = slope**2 / 2 + slope * self.y
        return conjugate


class _SquaredRows(InterceptRows):
    def __init__(self, loss: SquaredLoss, eta: Floats) -> None:
        self.fit_intercept = loss.fit_intercept
        residual = eta - loss.y[:, None]
        self.curvature = loss.weights[:, None]
        self.slope = self.curvature * residual
        self.value = inner(self.slope[:, 0], residual[:, 0]) / 2
        self.extra_slope = self.of_intercept(self.slope)
