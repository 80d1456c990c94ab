"""Data that a linear model without a penalty fits ever better, the larger its coefficients are."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire.optimize import Datafit, ElasticNetPenalty
from quire.optimize._minimize import FEW
from quire.optimize._newton import newton_direction
from quire.optimize._newton_cg import cg_direction
from quire.optimize._objective import Objective

__all__ = ["warn_if_separable"]

_LARGE = 0.05  # a move of scores; at a real optimum Newton's next step is many times shorter


def warn_if_separable(datafit: Datafit, x: NDArray[np.float64]) -> bool:
    """Warn if the likelihood seems to have no maximum; return whether it does.

    Where classes can be told apart without error, the gradient goes to zero as the coefficients go
    to infinity, and its smallness says nothing. But the curvature goes to zero as fast, so that
    Newton's next step stays long. At a maximum it is short.

    Parameters
    ----------
    datafit : Datafit
        The loss.
    x : ndarray of shape (size,)
        Where the solver stopped.
    """
    point = Objective(datafit, ElasticNetPenalty()).at(x)
    if datafit.size <= FEW:
        direction = newton_direction(point)
    else:
        direction = cg_direction(point, 0.1, 0.0, 200)
    coefficients, _ = datafit.split(direction)
    move = np.abs(datafit.design.dot(coefficients)).max(initial=0.0)
    if not move > _LARGE:
        return False
    warnings.warn(
        "Without a penalty this likelihood has no maximum, or the solver is far from it: the "
        "classes, or some of them, can be separated by a linear function of X, and the "
        "coefficients would grow without end. Where they stopped depends on tol. Give a finite C.",
        ConvergenceWarning,
        stacklevel=4,
    )
    return True
