"""Where the random numbers of a dataset come from."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

__all__ = ["generator_of", "seed_of"]


def seed_of(random_state: Any) -> int:
    """Return a whole number: the one given, or one that a ``RandomState`` or chance gives.

    Parameters
    ----------
    random_state : int, RandomState instance or None
        As in all of quire.
    """
    if isinstance(random_state, Integral):
        return int(random_state)
    from sklearn.utils import check_random_state  # not needed for a number

    return int(check_random_state(random_state).randint(2**31 - 1))


def generator_of(random_state: Any) -> np.random.Generator:
    """Return a generator, which is faster than a ``RandomState`` and knows more."""
    return np.random.default_rng(seed_of(random_state))
