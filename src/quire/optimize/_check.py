"""Derivatives against differences."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.typing import Floats
from quire.optimize._datafit import Datafit

__all__ = ["GradientCheck", "check_gradient"]


@dataclass(frozen=True, eq=False)
class GradientCheck(ShownInNotebooks):
    """Derivatives and what differences say of them.

    Attributes
    ----------
    gradient, numeric : ndarray of shape (n_parameters,)
        The gradient, and central differences of the loss.
    gradient_error : float
        Largest difference of the two, relative to the largest component of the gradient (or 1).
    hessian_error : float
        The same for the product of the second derivatives with a random vector and a central
        difference of gradients.
    """

    gradient: Floats = field(repr=False)
    numeric: Floats = field(repr=False)
    gradient_error: float
    hessian_error: float


def check_gradient(
    datafit: Datafit, w: Floats | None = None, *, step: float = 1e-5, random_state: int = 0
) -> GradientCheck:
    r"""Compare gradient and second derivatives of a loss with central differences.

    .. math:: \partial_j f(w) \approx \frac{f(w + h e_j) - f(w - h e_j)}{2h}

    Errors of about :math:`h^2` and rounding over h remain, so that some :math:`10^{-9}` is as good
    as it gets, and a mistake in a formula shows as :math:`10^{-2}` or more.

    Parameters
    ----------
    datafit : Datafit
        The loss; one of ours, or a class of yours. It is evaluated twice for each parameter.
    w : ndarray of shape (n_parameters,), default=None
        Where; near the start if not given, moved a little in a random direction.
    step : float, default=1e-5
        The h of the differences.
    random_state : int, default=0
        Seed of the random vectors.

    Returns
    -------
    GradientCheck
        Derivatives and errors.

    Examples
    --------
    >>> from quire.optimize import LogisticLoss, check_gradient
    >>> check = check_gradient(LogisticLoss([[0.0], [1.0], [2.0]], [0, 1, 1]))
    >>> check.gradient_error < 1e-8, check.hessian_error < 1e-8
    (True, True)
    """
    rng = np.random.default_rng(random_state)
    if w is None:
        w = datafit.start() + 0.01 * rng.standard_normal(datafit.size)
    w = np.asarray(w, dtype=np.float64)
    gradient = datafit.gradient(w)
    numeric = np.empty_like(gradient)
    shift = np.zeros_like(w)
    for j in range(len(w)):
        shift[j] = step
        numeric[j] = (datafit.value(w + shift) - datafit.value(w - shift)) / (2 * step)
        shift[j] = 0.0
    v = rng.standard_normal(datafit.size)
    v /= np.linalg.norm(v)
    product = datafit.hessian_product(w, v)
    change = datafit.gradient(w + step * v) - datafit.gradient(w - step * v)
    return GradientCheck(
        gradient, numeric, _error(gradient, numeric), _error(product, change / (2 * step))
    )


def _error(exact: Floats, numeric: Floats) -> float:
    return float(np.abs(exact - numeric).max() / max(1.0, np.abs(exact).max()))
