r"""Scores that are linear in counts or presence, with classes that a term can rule out.

.. math:: s_{dk} = o_k + \sum_i x_{di} w_{ik}

Without smoothing some weights are infinite. Zero times infinity would be no number, so infinite
weights are kept apart: the finite part is a product of matrices, and a second product counts, for
each document and class, the reasons why the class is impossible (or certain).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.typing import Floats

__all__ = ["LinearScores", "is_above"]


@dataclass(frozen=True, eq=False)
class LinearScores:
    """A linear form for each class.

    Parameters
    ----------
    weights : ndarray of shape (n_features, n_classes)
        Finite, in row-major order.
    offset : ndarray of shape (n_classes,)
        What every document gets.
    ruling : ndarray of shape (n_features, n_classes) or None
        1 where the presence of a term settles the matter, -1 where its absence does.
    required : ndarray of shape (n_classes,)
        How many terms must be present: the number of -1 in each column of `ruling`.
    settled : float, default=-inf
        The score where `ruling` settled the matter.
    """

    weights: Floats
    offset: Floats
    ruling: Floats | None = None
    required: Floats | None = None
    settled: float = -np.inf

    @classmethod
    def from_infinite(cls, weights: Floats, offset: Floats, settled: float) -> LinearScores:
        """Take infinite weights apart."""
        ruling = np.ascontiguousarray(weights == settled, dtype=np.float64)
        finite = np.where(np.isinf(weights), 0.0, weights)
        return cls(finite, offset, ruling, None, settled)

    def of(self, X: Any, threshold: float | None, n_threads: int) -> Floats:
        """Return the scores of documents.

        Parameters
        ----------
        X : CSR matrix or ndarray of shape (n_documents, n_features)
            The documents.
        threshold : float or None
            If given, a term is present where X is above it, and how much does not matter.
        n_threads : int
            Threads to use.
        """
        scores = _product(X, self.weights, self.offset, threshold, n_threads)
        if self.ruling is not None:
            scores[self.reasons(X, threshold, n_threads) > 0] = self.settled
        return scores

    def best(self, X: Any, threshold: float | None, n_threads: int) -> NDArray[np.int64] | None:
        """Return the class with the largest score for each document, without making the scores.

        ``None`` if they are needed: the documents are dense, or some scores are not finite.

        Parameters
        ----------
        X, threshold, n_threads
            As for :meth:`of`.
        """
        if self.ruling is not None or not sparse.issparse(X):
            return None
        arrays = csr_arrays(X, n_threads, once=threshold is not None)
        best, is_finite = _core.sparse.csr_argmax(
            arrays, self.weights, self.offset, threshold, n_threads
        )
        return best if is_finite else None

    def reasons(self, X: Any, threshold: float | None, n_threads: int) -> Floats:
        """Count, for each document and class, what settles the matter."""
        assert self.ruling is not None
        offset = np.zeros(len(self.offset)) if self.required is None else self.required
        return _product(X, self.ruling, offset, threshold or 0.0, n_threads)


def _product(X: Any, W: Floats, offset: Floats, threshold: float | None, n_threads: int) -> Floats:
    if sparse.issparse(X):
        arrays = csr_arrays(X, n_threads, once=threshold is not None)
        return _core.sparse.csr_matmul(arrays, W, offset, threshold, n_threads)
    product: Floats = is_above(X, threshold) @ W
    product += offset
    return product


def is_above(X: Any, threshold: float | None) -> Any:
    """Return X, or 1 where it is above a threshold and 0 elsewhere; a copy of the shape of X."""
    if threshold is None:
        return X
    if not sparse.issparse(X):
        return (X > threshold).astype(np.float64)
    present = sparse.csr_array(X, copy=False)
    data = (present.data > threshold).astype(np.float64)
    return sparse.csr_array((data, present.indices, present.indptr), shape=present.shape)
