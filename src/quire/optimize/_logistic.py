r"""Binary logistic loss, :math:`\ell_i = \log(1 + e^{\eta_i}) - y_i \eta_i`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, xlog1py, xlogy

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.optimize._datafit import Datafit, InterceptRows, Rows

__all__ = ["LogisticLoss"]


class LogisticLoss(Datafit):
    r"""Mean negative log-likelihood of two classes.

    .. math:: f(w, b) = \frac{1}{S} \sum_i s_i \left[\log(1 + e^{\eta_i}) - y_i \eta_i\right],
              \qquad \eta_i = w'x_i + b

    Parameters
    ----------
    X : Design, ndarray or sparse matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        0 or 1.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, not negative.
    fit_intercept : bool, default=True
        Whether there is an intercept b: the last of the parameters.

    Examples
    --------
    >>> from quire.optimize import LogisticLoss
    >>> loss = LogisticLoss([[0.0], [1.0]], [0, 1])
    >>> loss.gradient([0.0, 0.0])
    array([-0.25,  0.  ])
    """

    curvature_bound = 0.25  # of the loss of a row by its score

    def __init__(
        self, X: Any, y: Any, sample_weight: Any = None, fit_intercept: bool = True
    ) -> None:
        super().__init__(X, y, sample_weight, fit_intercept)
        if not np.isin(self.y, (0, 1)).all():
            raise ValueError("y must hold codes 0 and 1 only; encode the classes first.")
        self.y = self.y.astype(np.float64)

    def rows(self, scores: Floats, extra: Floats) -> Rows:
        """Return the loss at scores X w and an intercept."""
        return _LogisticRows(self, scores + extra.sum())

    def slope_of(self, eta: Floats, rows: Any) -> Floats:
        """Return the weighted slopes of some rows; `eta` holds the scores of all."""
        return self.weights[rows] * (expit(eta[rows]) - self.y[rows])  # type: ignore[no-any-return]

    def dual_rows(self, slope: Floats) -> Floats:
        """Turn the slopes of rows, without weights, into a point that the dual allows.

        With an intercept, slopes must add up to zero; the larger side is made smaller.
        """
        if not self.fit_intercept:
            return slope
        up = self.weights @ np.maximum(slope, 0)
        down = self.weights @ np.maximum(-slope, 0)
        smaller = min(up, down)
        scales = smaller / np.maximum([down, up], np.finfo(float).tiny)
        balanced: Floats = np.where(slope > 0, scales[1], scales[0]) * slope
        return balanced

    def conjugate(self, slope: Floats) -> Floats:
        """Return the convex conjugate of the loss of each row at slopes."""
        q = np.clip(slope + self.y, 0.0, 1.0)
        return xlogy(q, q) + xlog1py(1 - q, -q)  # type: ignore[no-any-return]


class _LogisticRows(InterceptRows):
    def __init__(self, loss: LogisticLoss, eta: Floats) -> None:
        self.fit_intercept = loss.fit_intercept
        # By symmetry: the loss of a row is log(1 + e^t) with t = eta (y = 0) or -eta (y = 1).
        sign = 1.0 - 2.0 * loss.y[:, None]
        t, weights = sign * eta, loss.weights[:, None]
        p = expit(t)
        self.value = inner(loss.weights, np.logaddexp(0.0, t[:, 0]))
        self.slope = weights * sign * p
        self.curvature = weights * p * expit(-t)
        self.extra_slope = self.of_intercept(self.slope)
