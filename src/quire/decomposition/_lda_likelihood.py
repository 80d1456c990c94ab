"""The likelihood of documents under known topics, by the compiled estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire.decomposition._lda_counts import CountArrays, word_major

__all__ = ["METHODS", "document_likelihoods"]

METHODS = ("left_to_right", "completion")


def document_likelihoods(
    arrays: CountArrays,
    phi: NDArray[Any],
    alpha: NDArray[Any],
    method: str,
    n_particles: int,
    seed: int,
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the log-likelihood of each document and how many tokens it is of."""
    by_word, padded = word_major(phi, alpha)
    known: tuple[Any, ...] = (by_word, padded, len(alpha), n_particles, seed, n_threads)
    with np.errstate(divide="ignore"):
        if method == "left_to_right":
            return _core.topics.lda_left_to_right(*arrays, *known), arrays.lengths
        found, n_scored = _core.topics.lda_completion(*arrays, *known)
    return found, n_scored
