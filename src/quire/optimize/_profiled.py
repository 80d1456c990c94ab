r"""Curvature in the coefficients alone, intercepts or thresholds always at their best.

.. math:: \min_e \tfrac12 (v, e)' H (v, e) = \tfrac12 v' (H_{ww} - H_{we} H_{ee}^{-1} H_{ew}) v

The Schur complement on the right is what is left of H once the unpenalised parameters follow every
move of the coefficients. For an intercept it centres X; nothing dense is made of it.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from quire._shared.typing import Floats
from quire.optimize._datafit import Point

__all__ = ["Profiled"]


class Profiled:
    """Second derivatives of a loss at a point, less its intercepts or thresholds.

    Parameters
    ----------
    point : Point
        The loss at one place.
    damping : float, default=0.0
        What is added to the curvature of each row by its scores, times its weight. It keeps steps
        short where the loss is flat for now.
    """

    def __init__(self, point: Point, damping: float = 0.0) -> None:
        self.damping = damping * point.datafit.weights[:, None]
        self.rows = point.rows
        self.n_extra = point.datafit.n_extra
        # Softmax: the intercepts of all classes can move together, so the block may be singular.
        self.inverse = linalg.pinvh(point.extra_hessian) if self.n_extra else np.empty((0, 0))
        self._none = np.zeros(self.n_extra)

    def best_extra(self, scores: Floats, slope: Floats | None = None) -> Floats:
        """Return the move of intercepts or thresholds that goes best with a move of scores.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_outputs)
            Change of the scores.
        slope : ndarray of shape (n_extra,), default=None
            Slope by intercepts or thresholds before the move; zero if not given.
        """
        if not self.n_extra:
            return self._none
        coupled = self.rows.curve(scores, self._none)[1]
        best: Floats = -self.inverse @ (coupled if slope is None else coupled + slope)
        return best

    def curve(self, scores: Floats) -> Floats:
        """Return the second derivatives by scores times a change of scores."""
        return self.curve_with(scores, self.best_extra(scores))[0]

    def curve_with(self, scores: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """Return the second derivatives times a change of scores and of the rest."""
        rows, change = self.rows.curve(scores, extra)
        return rows + self.damping * scores, change
