r"""Whether some direction of the weights makes an unpenalised likelihood grow without end.

At weights W and b, sample i prefers its own class to class k by :math:`m_{ik} = z_{iy} - z_{ik}`.
Along a direction D of separation no preference falls and some rise: all of them if it is complete;
some stay if it is quasi-complete, as with a column that occurs in one class only, or a class that
is told apart from all others. Where the solver stopped, preferences that rise are already large,
and D is what W is made of beyond those that stay:

.. math:: \min_D \sum_{\text{uncertain}} g_{ik}^2
          + \varepsilon \sum_{\text{certain}} \frac{(g_{ik} - m_{ik})^2}{\max(1, m_{ik}^2)},
          \qquad g_{ik} = x_i'(D_y - D_k)

If a preference that counted as certain falls along D, it is uncertain, and D is sought again.

References
----------
-  A. Albert, J. A. Anderson (1984). On the existence of maximum likelihood estimates in logistic
   regression models. Biometrika 71, 1-10.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quire._shared.design import Design
from quire._shared.typing import Codes, Floats
from quire._shared.vectors import conjugate_gradients

__all__ = ["separating_columns"]

_CERTAIN = 4.0  # a preference: 0.018 is the most that the other class may have beside it
_LITTLE = 1e-8  # weight of certain preferences
_NOTHING = 1e-2  # change of a preference that counts as none
_SOMETHING = 1.0
_ROUNDS = 5
_MAX_PRODUCTS = 200
_SHARE = 0.1  # of the column that moves scores most: those with more are named


def separating_columns(
    design: Design,
    codes: Codes,
    sample_weight: Floats | None,
    fit_intercept: bool,
    scores: Floats,
) -> NDArray[np.intp] | None:
    """Return the columns whose weights would grow without end; ``None`` if there is no direction.

    Parameters
    ----------
    design : Design
        The samples.
    codes : ndarray of int32 of shape (n_samples,)
        Their classes, as numbers.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights; samples of weight zero do not count.
    fit_intercept : bool
        Whether there is a b.
    scores : ndarray of shape (n_samples, width)
        X W + b where the solver stopped; one column for two classes.
    """
    system = _Preferences(design, codes, fit_intercept, scores.shape[1])
    margins = system.of(scores)
    counts = np.isfinite(margins)
    if sample_weight is not None:
        counts &= (sample_weight > 0)[:, None]
    certain = counts & (margins > _CERTAIN)
    for _ in range(_ROUNDS):
        if not certain.any():
            return None
        D = system.solve(certain, counts & ~certain, margins)
        gains = np.where(counts, system.of(system.scores(D)), 0.0)
        if gains.max() < _SOMETHING or np.abs(gains[~certain]).max(initial=0.0) > _NOTHING:
            return None
        falls = certain & (gains < -_NOTHING)
        if not falls.any():
            moves = np.abs(D[:-1]).max(axis=1) * np.sqrt(design.squared_norms())
            return np.flatnonzero(moves > _SHARE * moves.max(initial=0.0))
        certain &= ~falls
    return None


class _Preferences:
    """Preferences for the own class as linear functions of weights; infinite for the class itself.

    Parameters
    ----------
    design, codes, fit_intercept
        As in `separating_columns`.
    width : int
        Columns of W.
    """

    def __init__(self, design: Design, codes: Codes, fit_intercept: bool, width: int) -> None:
        if not design.is_sparse and design.X.dtype != np.float64:
            design = Design(design.X.astype(np.float64), design.n_threads)
        self.design, self.fit_intercept = design, fit_intercept
        self.sign = np.where(codes == 1, 1.0, -1.0)[:, None] if width == 1 else None
        self.own = codes[:, None].astype(np.intp)

    def of(self, scores: Floats) -> Floats:
        """Return preferences of scores."""
        if self.sign is not None:
            return self.sign * scores
        margins: Floats = np.take_along_axis(scores, self.own, axis=1) - scores
        np.put_along_axis(margins, self.own, np.inf, axis=1)
        return margins

    def back(self, changes: Floats) -> Floats:
        """Return by how much weights change a sum of preferences times `changes`."""
        if self.sign is not None:
            U = self.sign * changes
        else:
            U = -changes
            np.put_along_axis(U, self.own, changes.sum(axis=1, keepdims=True), axis=1)
        last = U.sum(axis=0) if self.fit_intercept else np.zeros(U.shape[1])
        return np.vstack([self.design.t_dot(U), last])

    def scores(self, D: Floats) -> Floats:
        """Return the scores of weights, of which the last row is b."""
        Z: Floats = self.design.dot(D[:-1])
        return Z + D[-1] if self.fit_intercept else Z

    def solve(
        self, certain: NDArray[np.bool_], uncertain: NDArray[np.bool_], margins: Floats
    ) -> Floats:
        """Return D, by conjugate gradients."""
        wanted = np.where(certain, margins, 0.0)
        weights = np.where(certain, _LITTLE / np.maximum(1.0, wanted**2), uncertain * 1.0)

        def product(D: Floats) -> Floats:
            g = self.of(self.scores(D))
            return self.back(np.where(weights > 0, g, 0.0) * weights)

        curvature = weights
        if self.sign is None:
            curvature = weights.copy()
            np.put_along_axis(curvature, self.own, weights.sum(axis=1, keepdims=True), axis=1)
        diagonal = np.vstack(
            [
                np.column_stack(
                    [self.design.squared_norms(w) for w in np.ascontiguousarray(curvature.T)]
                ),
                curvature.sum(axis=0) * self.fit_intercept,
            ]
        )
        inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0)
        found, _ = conjugate_gradients(
            product, self.back(weights * wanted), inverse, share=1e-4, max_products=_MAX_PRODUCTS
        )
        return found
