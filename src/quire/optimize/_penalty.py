r"""The elastic net, :math:`\lambda_1 \|w\|_1 + \frac{\lambda_2}{2} \|w\|^2`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quire._shared.typing import Floats
from quire.optimize._vectors import inner

__all__ = ["ElasticNetPenalty", "soft_threshold"]


@dataclass(frozen=True)
class ElasticNetPenalty:
    r"""Absolute values and squares of coefficients.

    .. math:: g(w) = \lambda_1 \|w\|_1 + \frac{\lambda_2}{2} \|w\|^2

    All methods take the coefficients alone, without intercepts or thresholds.

    Parameters
    ----------
    l1 : float, default=0.0
        Weight of the absolute values. With any, some coefficients are exactly zero.
    l2 : float, default=0.0
        Weight of the squares.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.optimize import ElasticNetPenalty
    >>> lasso = ElasticNetPenalty(l1=0.5)
    >>> lasso.prox(np.array([-2.0, 0.3, 1.0]), step=1.0)
    array([-1.5,  0. ,  0.5])
    """

    l1: float = 0.0
    l2: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("l1", self.l1), ("l2", self.l2)):
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} is {value}; it must be finite and not negative.")

    @property
    def is_smooth(self) -> bool:
        """Whether the penalty has a gradient everywhere."""
        return self.l1 == 0

    def value(self, w: Floats) -> float:
        """Return g(w)."""
        return float(self.l1 * np.abs(w).sum() + self.smooth_value(w))

    def smooth_value(self, w: Floats) -> float:
        """Return the part with squares."""
        return float(self.l2 / 2 * inner(w, w))

    def smooth_gradient(self, w: Floats) -> Floats:
        """Return the gradient of the part with squares."""
        return self.l2 * w

    def prox(self, w: Floats, step: float) -> Floats:
        """Return the point v that minimises ``g(v) + |v - w|^2 / (2 step)``."""
        return soft_threshold(w, step * self.l1) / (1.0 + step * self.l2)

    def least_subgradient(self, w: Floats, gradient: Floats) -> Floats:
        """Return the smallest subgradient of a smooth function plus g; zero at the optimum.

        Parameters
        ----------
        w : ndarray of shape (n,)
            Coefficients.
        gradient : ndarray of shape (n,)
            Gradient of the smooth function at `w`.
        """
        smooth = gradient + self.smooth_gradient(w)
        at_zero = soft_threshold(smooth, self.l1)
        return np.where(w == 0, at_zero, smooth + self.l1 * np.sign(w))

    def conjugate(self, z: Floats) -> float:
        """Return the convex conjugate of g: ``max over w of z'w - g(w)``; may be infinite."""
        excess = np.maximum(np.abs(z) - self.l1, 0.0)
        if self.l2 > 0:
            return float(excess @ excess / (2 * self.l2))
        return 0.0 if not excess.any() else np.inf

    def dual_scale(self, z: Floats) -> float:
        """Return the largest factor up to 1 that makes ``conjugate(factor * z)`` finite."""
        largest = float(np.abs(z).max(initial=0.0))
        if self.l2 > 0 or largest <= self.l1:
            return 1.0
        return self.l1 / largest * (1 - 1e-15)


def soft_threshold(z: Floats, threshold: float) -> Floats:
    """Move numbers towards zero by a threshold, and not past it."""
    shrunk: Floats = np.sign(z) * np.maximum(np.abs(z) - threshold, 0.0)
    return shrunk
