"""Vectors on one thread: the same bits everywhere, and no threads woken for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from quire._shared.typing import Floats

__all__ = ["conjugate_gradients", "inner", "norm"]


def inner(a: Any, b: Any) -> float:
    """Return the sum of products of two arrays of one shape."""
    return float(np.einsum("i,i->", a.ravel(), b.ravel()))


def norm(a: Any) -> float:
    """Return the Euclidean norm of an array."""
    return float(np.sqrt(inner(a, a)))


def conjugate_gradients(
    product: Callable[[Floats], Floats],
    b: Floats,
    inverse: Floats,
    *,
    share: float,
    tol: float = 0.0,
    max_products: int,
) -> tuple[Floats, int]:
    """Solve A d = b with A positive, until the residual is small.

    A direction without curvature ends the search: what was found until then is returned, or the
    direction itself if that is nothing.

    Parameters
    ----------
    product : callable
        Returns A v.
    b : ndarray
        Right side, of any shape; d has the same.
    inverse : ndarray
        The preconditioner: about the inverse of the diagonal of A.
    share : float
        Norm of the residual over that of `b`, both in the norm of the preconditioner.
    tol : float, default=0.0
        Euclidean norm of the residual that is also small enough.
    max_products : int
        The most products.

    Returns
    -------
    d : ndarray
        The solution.
    n_products : int
        Products made.

    Examples
    --------
    >>> A = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> d, n_products = conjugate_gradients(
    ...     lambda v: A @ v, np.array([3.0, 4.0]), 1 / A.diagonal(), share=1e-9, max_products=9
    ... )
    >>> d.round(6), n_products
    (array([1., 1.]), 2)
    """
    d = np.zeros_like(b)
    r = b.copy()
    z = inverse * r
    v = z.copy()
    squared = first = inner(r, z)
    for number in range(max_products):
        if squared <= share**2 * first * (number > 0) or norm(r) <= tol:
            return d, number
        Av = product(v)
        curvature = inner(v, Av)
        if not curvature > 1e-15 * inner(v, v):
            return (v if number == 0 else d), number + 1
        length = squared / curvature
        d += length * v
        r -= length * Av
        z = inverse * r
        before, squared = squared, inner(r, z)
        v *= squared / before
        v += z
    return d, max_products
