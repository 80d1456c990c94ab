r"""Penalties: what solvers ask of one, and the elastic net.

A penalty of one's own is a class with :meth:`Penalty.value`, :meth:`Penalty.prox` and
:meth:`Penalty.least_subgradient`, and with what it knows beyond that.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from quire._shared.typing import Floats
from quire._shared.vectors import inner

__all__ = ["ElasticNetPenalty", "Penalty", "penalty_of_loss"]


class Penalty(Protocol):
    r"""A convex function :math:`g(w)` of the coefficients that solvers add to a loss.

    All methods take the coefficients alone, without intercepts or thresholds. Derive from this
    class, or have the same methods. Three of them every penalty has; the others say what more it
    can do, and have defaults here:

    ==================  ==========================================================================
    solver              what it asks for
    ==================  ==========================================================================
    proximal_gradient   the three methods that every penalty has
    gradient_descent,   ``is_smooth`` and ``smooth_gradient``
    lbfgs
    newton, newton_cg   ``smooth_curvature``, too
    coordinate_descent  ``is_separable`` and ``at``; with ``conjugate`` it stops by the duality gap
    prox_newton         ``is_separable`` and ``at``; with ``elastic_net`` its passes are compiled
    ==================  ==========================================================================

    Examples
    --------
    >>> import numpy as np
    >>> from quire.optimize import Penalty, SquaredLoss, minimize
    >>> class NotNegative(Penalty):
    ...     def value(self, w):
    ...         return 0.0 if (w >= 0).all() else np.inf
    ...     def prox(self, w, step):
    ...         return np.maximum(w, 0.0)
    ...     def least_subgradient(self, w, gradient):
    ...         return np.where(w > 0, gradient, np.minimum(gradient, 0.0))
    >>> loss = SquaredLoss([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [1.0, 3.0, 2.0])
    >>> minimize(loss, NotNegative()).x.round(4)
    array([0.5, 0. , 1.5])
    """

    @abstractmethod
    def value(self, w: Floats) -> float:
        """Return g(w)."""

    @abstractmethod
    def prox(self, w: Floats, step: float) -> Floats:
        """Return the point v that minimises ``g(v) + |v - w|^2 / (2 step)``.

        Parameters
        ----------
        w : ndarray of shape (n,)
            Coefficients.
        step : float
            Positive.
        """

    @abstractmethod
    def least_subgradient(self, w: Floats, gradient: Floats) -> Floats:
        """Return the smallest subgradient of a smooth function plus g; zero at the optimum.

        Parameters
        ----------
        w : ndarray of shape (n,)
            Coefficients.
        gradient : ndarray of shape (n,)
            Gradient of the smooth function at `w`.
        """

    @property
    def is_smooth(self) -> bool:
        """Whether g has a gradient everywhere."""
        return False

    def smooth_gradient(self, w: Floats) -> Floats:
        """Return the gradient of the smooth part of g, which is all of it if ``is_smooth``."""
        return np.zeros_like(w)

    def smooth_curvature(self, w: Floats) -> Floats:
        """Return the second derivatives of the smooth part, one for each coefficient."""
        return np.zeros_like(w)

    @property
    def is_separable(self) -> bool:
        """Whether g is a sum over coefficients, whose terms have no kink except at zero."""
        return False

    def at(self, coordinates: Any) -> Penalty:
        """Return the penalty of some of the coefficients, if it is separable.

        Parameters
        ----------
        coordinates : ndarray of int
            Which coefficients.
        """
        raise ValueError(
            f"{type(self).__name__} is not a sum over coefficients; use proximal_gradient."
        )

    def elastic_net(self) -> tuple[float, float] | None:
        """Return l1 and l2 if g is an elastic net with the same weights for all coefficients."""
        return None

    def conjugate(self, z: Floats) -> float:
        """Return the convex conjugate, ``max over w of z'w - g(w)``; infinite if not known."""
        return np.inf

    def dual_scale(self, z: Floats) -> float:
        """Return the largest factor up to 1 that makes ``conjugate(factor * z)`` finite."""
        return 1.0


@dataclass(frozen=True)
class ElasticNetPenalty(Penalty):
    r"""Absolute values and squares of coefficients.

    .. math:: g(w) = \lambda_1 \|w\|_1 + \frac{\lambda_2}{2} \|w\|^2

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

    def value(self, w: Floats) -> float:
        """Return g(w)."""
        return float(self.l1 * np.abs(w).sum() + self.l2 / 2 * inner(w, w))

    def prox(self, w: Floats, step: float) -> Floats:
        """Return the point v that minimises ``g(v) + |v - w|^2 / (2 step)``."""
        return _soft_threshold(w, step * self.l1) / (1.0 + step * self.l2)

    def least_subgradient(self, w: Floats, gradient: Floats) -> Floats:
        """Return the smallest subgradient of a smooth function plus g; zero at the optimum."""
        smooth = gradient + self.smooth_gradient(w)
        at_zero = _soft_threshold(smooth, self.l1)
        return np.where(w == 0, at_zero, smooth + self.l1 * np.sign(w))

    @property
    def is_smooth(self) -> bool:
        """Whether the penalty has a gradient everywhere."""
        return self.l1 == 0

    def smooth_gradient(self, w: Floats) -> Floats:
        """Return the gradient of the part with squares."""
        return self.l2 * w

    def smooth_curvature(self, w: Floats) -> Floats:
        """Return the second derivatives of the part with squares."""
        return np.full_like(w, self.l2)

    @property
    def is_separable(self) -> bool:
        """True: it is a sum over coefficients."""
        return True

    def at(self, coordinates: Any) -> ElasticNetPenalty:
        """Return the same penalty: all coefficients are alike."""
        return self

    def elastic_net(self) -> tuple[float, float]:
        """Return l1 and l2."""
        return self.l1, self.l2

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


def penalty_of_loss(penalty: Any) -> Penalty:
    """Return the penalty that stands beside a loss: none at all for ``None``."""
    if penalty is None:
        return ElasticNetPenalty()
    if not hasattr(penalty, "least_subgradient"):
        raise TypeError(f"the penalty of a loss must be a Penalty, got {penalty!r}.")
    found: Penalty = penalty
    return found


def _soft_threshold(z: Floats, threshold: float) -> Floats:
    """Move numbers towards zero by a threshold, and not past it."""
    shrunk: Floats = np.sign(z) * np.maximum(np.abs(z) - threshold, 0.0)
    return shrunk
