"""Documents of topic models as the kernels read them, and their likelihood under known topics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire import _core

__all__ = ["METHODS", "CountArrays", "count_arrays", "document_likelihoods", "word_major"]

METHODS = ("left_to_right", "completion")
_LANES = 16


class CountArrays(NamedTuple):
    """A matrix of counts by rows, as the kernels read it."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    counts: NDArray[np.int32]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each document."""
        sums = np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])
        return np.asarray(sums[self.indptr[1:]] - sums[self.indptr[:-1]])


def count_arrays(X: Any, name: str = "X") -> CountArrays:
    """Return the arrays of a checked matrix; its values must be whole numbers from 0.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_documents, n_words)
        The counts.
    name : str, default="X"
        What to call it in errors.

    Raises
    ------
    ValueError
        If a count is negative, fractional or too large.

    Examples
    --------
    >>> count_arrays(np.array([[2, 0, 1], [0, 0, 0]]))
    CountArrays(indptr=array([0, 2, 2]), indices=array([0, 2], dtype=int32), counts=array([2, 1],
    dtype=int32))
    """
    X = sparse.csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    _check_values(X, name)
    data = X.data
    if not data.all():
        X = X.copy() if X.data is data else X
        X.eliminate_zeros()
    return CountArrays(
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.data, dtype=np.int32),
    )


def _check_values(X: Any, name: str) -> None:
    data = X.data
    bad = (data < 0) | (data > np.iinfo(np.int32).max)
    if data.dtype.kind == "f":
        bad |= data != np.floor(data)
    if not bad.any():
        return
    first = int(np.flatnonzero(bad)[0])
    row = int(np.searchsorted(X.indptr, first, side="right")) - 1
    value, column = data[first], int(X.indices[first])
    if value < 0:
        raise ValueError(
            f"Negative values in data passed to LatentDirichletAllocation: {name}[{row}, {column}] "
            f"is {value:g}. Topic models take counts; pass what CountVectorizer returns."
        )
    raise ValueError(
        f"{name}[{row}, {column}] is {value:g}, which is not a count. A sampler of topics takes "
        "whole numbers from 0 to 2**31 - 1: pass what CountVectorizer returns, not tf-idf or "
        'shares, or use learning_method="batch", which takes any weights.'
    )


def word_major(
    phi: NDArray[Any], alpha: NDArray[Any]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return phi by words and alpha as the kernels read them: padded with zeros, in 32 bits."""
    n_topics, n_words = phi.shape
    width = -(-n_topics // _LANES) * _LANES
    by_word = np.zeros((n_words, width), dtype=np.float32)
    by_word[:, :n_topics] = phi.T
    padded = np.zeros(width, dtype=np.float32)
    padded[:n_topics] = alpha
    return by_word, padded


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
