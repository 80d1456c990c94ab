r"""Where a fit at one more penalty starts: the best combination of earlier fits.

With the weights :math:`W_1, W_2, \dots` of the last penalties and their scores :math:`Z_j` at hand,

.. math:: \min_a \; F(a_1 W_1 + a_2 W_2 + \dots)

has as few unknowns as there are fits, and takes no product with X: Newton's method on scores alone.
Weights change smoothly with the logarithm of the penalty, so that this extrapolates along the path.
On tf-idf of 20 newsgroups with penalties a factor of eight apart it starts within a tenth of the
minimum, and from C = 20 on within two hundredths, where the last weights alone are 1.6 to 1.9 times
as high.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire._shared.typing import Floats
from quire._shared.vectors import inner
from quire.linear_model._engines.logistic_problem import LogisticProblem
from quire.linear_model._engines.smooth_logistic import SmoothResult

__all__ = ["PathStart"]


_MAX_FITS = 3
_MAX_STEPS = 10
_ENOUGH = 1e-2  # a step that gains less than this share of F is the last one
_MAX_HALVINGS = 10


class PathStart:
    """The last fits along a path.

    Parameters
    ----------
    problem : LogisticProblem
        The data of all of them.
    """

    def __init__(self, problem: LogisticProblem) -> None:
        self.problem = problem
        self._fits: deque[SmoothResult] = deque(maxlen=_MAX_FITS)

    def add(self, fit: SmoothResult) -> None:
        """Remember a fit."""
        self._fits.appendleft(fit)

    def options(self, l2: float, intercept_l2: float) -> dict[str, Any]:
        """Return where to start at a penalty, as options of :func:`smooth_logistic`.

        Parameters
        ----------
        l2, intercept_l2 : float
            Penalties of W and b.
        """
        if not self._fits:
            return {}
        shares = self._shares(l2, intercept_l2)
        return {
            "coef": _combined([fit.coef for fit in self._fits], shares),
            "intercept": _combined([fit.intercept for fit in self._fits], shares),
            "scores": _combined([fit.scores for fit in self._fits], shares),
        }

    def _shares(self, l2: float, intercept_l2: float) -> Floats:
        """Return a of the formula above."""
        Zs = [fit.scores for fit in self._fits]
        penalty = l2 * _products([fit.coef for fit in self._fits])
        penalty += intercept_l2 * _products([fit.intercept for fit in self._fits])
        shares = np.zeros(len(Zs))
        shares[0] = 1.0
        Z = Zs[0].copy()
        value = self.problem.loss(Z, Z, 0.0) + 0.5 * shares @ penalty @ shares
        for _ in range(_MAX_STEPS):
            _, residuals, curvature = self.problem.state(Z)
            gradient = np.array([inner(residuals, one) for one in Zs]) + penalty @ shares
            hessian = self._curvature(Zs, curvature) + penalty
            if not np.isfinite(hessian).all():  # numbers that overflow
                break
            # Weights at strong penalties are almost proportional, and so are the unknowns.
            towards: Floats = -linalg.lstsq(hessian, gradient, cond=1e-12)[0]
            ray = _combined(Zs, towards)
            step = 1.0
            for _ in range(_MAX_HALVINGS):
                there = shares + step * towards
                trial = self.problem.loss(Z, ray, step) + 0.5 * there @ penalty @ there
                if trial <= value:
                    break
                step *= 0.5
            else:
                break
            gain, value, shares = value - trial, trial, there
            ray *= step
            Z += ray
            if gain <= _ENOUGH * value:
                break
        return shares

    def _curvature(self, Zs: list[Floats], curvature: NDArray[Any]) -> Floats:
        """Return the second derivatives of the sum of losses by a."""
        weighted = [curvature * Z for Z in Zs]
        if self.problem.width == 1:
            return np.array([[inner(A, B) for B in Zs] for A in weighted])
        means = [A.sum(axis=1) for A in weighted]
        if len(self.problem.weights):
            s = self.problem.weights
            weighted = [s[:, None] * A for A in weighted]
            scaled = [s * mean for mean in means]
        else:
            scaled = means
        found = np.array([[inner(A, B) for B in Zs] for A in weighted])
        found -= np.array([[inner(a, b) for b in means] for a in scaled])
        return found


def _combined(arrays: list[Floats], shares: Floats) -> Floats:
    result: Floats = shares[0] * arrays[0]
    for array, share in zip(arrays[1:], shares[1:], strict=True):
        result += share * array
    return result


def _products(arrays: list[Floats]) -> Floats:
    return np.array([[inner(A, B) for B in arrays] for A in arrays])
