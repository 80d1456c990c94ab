"""Drawing from fitted models: words by their probabilities, and how many of them."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from quire._shared.typing import Floats, Ints

__all__ = ["check_n_samples", "draw_words", "lengths_of"]


def check_n_samples(n_samples: Any) -> int:
    """Return how many rows to draw, or raise an error.

    Parameters
    ----------
    n_samples : int
        What the caller asks for.
    """
    if isinstance(n_samples, bool) or not isinstance(n_samples, Integral) or n_samples < 1:
        raise ValueError(f"n_samples is {n_samples!r}; expected a whole number of at least 1.")
    return int(n_samples)


def lengths_of(length: Any, n_samples: int, mean: float | None) -> Ints:
    """Return how many tokens each document is to have.

    Parameters
    ----------
    length : int, array-like of shape (n_samples,) or None
        The same for all, one for each, or the mean.
    n_samples : int
        Number of documents.
    mean : float or None
        Mean length of the training documents, if it is known. It is rounded, and at least 1.

    Examples
    --------
    >>> lengths_of(None, 3, 4.4), lengths_of([2, 0], 2, 4.4)
    (array([4, 4, 4]), array([2, 0]))
    """
    if length is None:
        if mean is None:
            raise ValueError(
                "The model does not know how long its documents were. Give length, in tokens."
            )
        length = max(1, round(mean))
    lengths = np.asarray(length)
    if lengths.dtype.kind not in "iu" or lengths.shape not in ((), (n_samples,)):
        raise ValueError(
            f"length is {length!r}; expected a whole number, or one for each of the {n_samples} "
            "documents."
        )
    if (lengths < 0).any():
        raise ValueError(f"length has the value {lengths.min()}; expected no negative ones.")
    return np.broadcast_to(lengths, (n_samples,)).astype(np.int64)


def draw_words(rng: Any, component: Ints, phi: Floats) -> Ints:
    """Draw one word for each token: token n from the distribution ``phi[component[n]]``.

    Parameters
    ----------
    rng : numpy.random.Generator or RandomState
        Source of randomness.
    component : ndarray of shape (n_tokens,)
        Row of `phi` that each token is drawn from.
    phi : ndarray of shape (n_components, n_words)
        Word distributions; rows need not add up to one.

    Returns
    -------
    ndarray of shape (n_tokens,)
        Word numbers.
    """
    words = np.empty(component.shape, dtype=np.int64)
    for k, distribution in enumerate(phi):
        cumulative = np.cumsum(distribution)
        cumulative /= cumulative[-1]  # ends at exactly 1, and draws are below 1
        of_k = np.flatnonzero(component == k)
        words[of_k] = np.searchsorted(cumulative, rng.random(of_k.size), side="right")
    return words
