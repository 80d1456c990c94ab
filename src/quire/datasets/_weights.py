"""Mixing weights: the probability of each class or component."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["mixing_weights"]


def mixing_weights(weights: npt.ArrayLike | None, size: int) -> npt.NDArray[np.float64]:
    """Check mixing weights and scale them to add up to one; equal weights for None."""
    if weights is None:
        return np.full(size, 1.0 / size)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (size,):
        raise ValueError(
            f"weights has shape {given.shape}; expected ({size},), one weight for each part."
        )
    if not (np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0):
        raise ValueError(f"weights must be finite, not negative, not all zero; got {weights!r}.")
    return np.asarray(given / given.sum(), dtype=np.float64)
