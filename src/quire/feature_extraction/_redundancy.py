r"""Terms that say much about the class and little that other terms have said already.

Terms are chosen one after the other. With :math:`S` those chosen so far, the next one is the
:math:`j` with the largest

.. math:: I(C; T_j) - \frac{w}{|S|} \sum_{s \in S} I(T_j; T_s),

minimum redundancy and maximum relevance for :math:`w = 1`. A table of the two terms needs how many
documents have both; for the term chosen last these are counted for all candidates at once, from the
documents that have it, or from those that have it not if they are fewer.

References
----------
H. Peng, F. Long and C. Ding, "Feature selection based on mutual information: criteria of
max-dependency, max-relevance, and min-redundancy", IEEE Transactions on Pattern Analysis and
Machine Intelligence 27, 2005.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.typing import Floats, Ints

__all__ = ["least_redundant"]


def least_redundant(
    X: Any, relevance: Floats, columns: NDArray[np.intp], n_chosen: int, weight: float
) -> NDArray[np.intp]:
    """Return columns in the order in which they are chosen.

    Parameters
    ----------
    X : sparse or dense matrix of shape (n_documents, n_features)
        Only whether an entry is zero matters.
    relevance : ndarray of shape (n_features,)
        Mutual information of the class and each term.
    columns : ndarray of int
        The candidates, rising.
    n_chosen : int
        How many to choose, at most as many as there are candidates.
    weight : float
        How much redundancy counts.

    Returns
    -------
    ndarray of shape (n_chosen,)
        Numbers of columns; of equal scores the earlier column comes first.
    """
    pairs = _Pairs(X, columns)
    relevance = relevance[columns]
    redundancy = np.zeros(len(columns))  # summed over the chosen ones
    is_left = np.ones(len(columns), dtype=bool)
    chosen: list[int] = []
    for number in range(n_chosen):
        score = relevance - weight * redundancy / max(number, 1)
        score[~is_left] = -np.inf
        best = int(np.argmax(score))
        chosen.append(best)
        is_left[best] = False
        if number + 1 < n_chosen:
            redundancy += pairs.with_all(best)
    return columns[chosen]


class _Pairs:
    """The mutual information of one term and each of the others."""

    def __init__(self, X: Any, columns: NDArray[np.intp]) -> None:
        present = sparse.csr_array(X)[:, columns]
        if not present.data.all():
            present.eliminate_zeros()
        present.sum_duplicates()
        self.rows = sparse.csr_array(
            (np.ones(present.nnz, dtype=np.int8), present.indices, present.indptr), present.shape
        )
        self.by_term = self.rows.tocsc()
        self.n_documents = present.shape[0]
        self.frequency: Ints = np.diff(self.by_term.indptr).astype(np.int64)
        counts = np.arange(self.n_documents + 1, dtype=np.float64)
        self.x_log_x = counts * np.log(np.maximum(counts, 1))

    def with_all(self, term: int) -> Floats:
        """Return the mutual information with every term, in nats."""
        n, own, table = self.n_documents, int(self.frequency[term]), self.x_log_x
        both = self._with_both(term)
        other = self.frequency
        neither = n - own - other + both
        cells = table[both] + table[own - both] + table[other - both] + table[neither]
        margins = table[own] + table[n - own] + table[other] + table[n - other]
        information: Floats = np.maximum((cells - margins + table[n]) / n, 0.0)
        return information

    def _with_both(self, term: int) -> Ints:
        """Return how many documents have both terms."""
        first, last = self.by_term.indptr[term], self.by_term.indptr[term + 1]
        there = self.by_term.indices[first:last]
        if 2 * len(there) <= self.n_documents:
            return self._counted(there)
        is_absent = np.ones(self.n_documents, dtype=bool)
        is_absent[there] = False
        return self.frequency - self._counted(np.flatnonzero(is_absent))

    def _counted(self, rows: NDArray[Any]) -> Ints:
        """Return how many of these documents have each term."""
        found = self.rows[rows].indices
        return np.bincount(found, minlength=len(self.frequency)).astype(np.int64, copy=False)
