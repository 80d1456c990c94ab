"""Plain functions: what the descent methods minimise when there is no data."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quire._shared.typing import Floats
from quire._shared.vectors import norm

__all__ = ["Function", "Matrix", "PlainFunction", "PlainPoint", "Vector", "plain_function"]

Function = Callable[[Any], Any]  # from a vector to a number
Vector = Callable[[Any], Any]  # from a vector to a vector of the same length
Matrix = Callable[[Any], Any]  # from a vector to a square matrix


def plain_function(solver: str, f: Any, grad: Any, hess: Any = None) -> PlainFunction:
    """Return a function with its derivatives, or say what is missing.

    Parameters
    ----------
    solver : str
        Name of the solver, for errors.
    f, grad : callable
        Function and gradient.
    hess : callable, default=None
        Second derivatives, if the solver takes them.
    """
    if not callable(f) or not callable(grad):
        raise TypeError(
            f"{solver} takes a loss and a penalty, or a function and its gradient, both callable; "
            f"got {f!r} and {grad!r}."
        )
    return PlainFunction(f, grad, hess)


class PlainFunction:
    """A differentiable function of a vector.

    Parameters
    ----------
    f, grad : callable
        From an array of shape (n,) to a number, and to its gradient.
    hess : callable, default=None
        From an array of shape (n,) to the second derivatives.
    """

    def __init__(self, f: Function, grad: Vector, hess: Matrix | None = None) -> None:
        self.f, self.grad, self.hess = f, grad, hess

    def start(self, x0: ArrayLike | None) -> PlainPoint:
        """Return the first point.

        Parameters
        ----------
        x0 : array-like of shape (n,)
            The place.
        """
        if x0 is None:
            raise TypeError("a plain function needs x0, the vector to start from.")
        x = np.array(x0, dtype=np.float64)
        if x.ndim != 1:
            raise ValueError(f"x0 has shape {x.shape}; it must be a vector, such as [0.0, 0.0].")
        point = self.at(x)
        if not np.isfinite(point.value):
            raise ValueError(f"the function is {point.value} at the start {x0!r}.")
        return point

    def at(self, x: Floats) -> PlainPoint:
        """Return the function at a place."""
        return PlainPoint(self, x)

    def slack(self, value: float) -> float:
        """Return by how much two values can differ through rounding alone."""
        return 10 * float(np.finfo(float).eps) * max(abs(value), 1e-10)

    def longest_step(self, x: Floats, direction: Floats) -> float:
        """Return how far a line search may go: any number."""
        return np.inf


class PlainPoint:
    """A plain function at one place.

    Parameters
    ----------
    function : PlainFunction
        The function.
    x : ndarray of shape (n,)
        The place.
    """

    def __init__(self, function: PlainFunction, x: Floats) -> None:
        self.function = function
        self.x = x
        self.value = float(function.f(x.copy()))

    @cached_property
    def gradient(self) -> Floats:
        """First derivatives, of shape (n,)."""
        return self._checked("grad", self.function.grad(self.x.copy()), self.x.shape)

    @cached_property
    def gradient_norm(self) -> float:
        """Euclidean norm of the gradient."""
        return norm(self.gradient)

    def hessian(self) -> Floats:
        """Return the second derivatives, of shape (n, n)."""
        assert self.function.hess is not None
        return self._checked("hess", self.function.hess(self.x.copy()), 2 * self.x.shape)

    def _checked(self, name: str, values: Any, shape: tuple[int, ...]) -> Floats:
        found: Floats = np.array(values, dtype=np.float64)
        if found.shape != shape:
            raise ValueError(f"{name}(x) has shape {found.shape}; it should be {shape}.")
        if not np.isfinite(found).all():
            raise ValueError(f"{name}(x) is not finite at x = {self.x.tolist()}.")
        return found
