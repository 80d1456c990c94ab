"""Products of vectors on one thread: the same bits everywhere, and no threads woken for them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["inner", "norm"]


def inner(a: Any, b: Any) -> float:
    """Return the sum of products of two vectors."""
    return float(np.einsum("i,i->", a, b))


def norm(a: Any) -> float:
    """Return the Euclidean norm of a vector."""
    return float(np.sqrt(inner(a, a)))
