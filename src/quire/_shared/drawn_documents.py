"""Documents that were drawn, as sparse matrices of counts or of presence."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.sklearn import align_api_if_sparse
from quire._shared.typing import Floats, Ints

__all__ = ["count_matrix", "presence_matrix"]

_BLOCK = 1 << 22  # numbers that are drawn at once


def count_matrix(tokens: Ints, lengths: Ints, n_words: int) -> Any:
    """Return the counts of words in documents: CSR of int64, in sorted order.

    Parameters
    ----------
    tokens : ndarray of shape (n_tokens,)
        Word numbers, document after document.
    lengths : ndarray of shape (n_documents,)
        Tokens of each document.
    n_words : int
        Number of columns.
    """
    counts = sparse.csr_array(
        (np.ones(tokens.size, dtype=np.int64), tokens, np.append(0, np.cumsum(lengths))),
        shape=(lengths.size, n_words),
        copy=True,  # summing works in place
    )
    counts.sum_duplicates()
    return align_api_if_sparse(counts)


def presence_matrix(rng: Any, component: Ints, share: Floats) -> Any:
    """Draw which terms documents have: term i with the probability ``share[component[d], i]``.

    Parameters
    ----------
    rng : numpy.random.Generator or RandomState
        Source of randomness.
    component : ndarray of shape (n_documents,)
        Row of `share` that each document is drawn from.
    share : ndarray of shape (n_components, n_terms)
        Probabilities.

    Returns
    -------
    CSR matrix of int64 of shape (n_documents, n_terms)
        Ones where a term is present.
    """
    n_terms = share.shape[1]
    step = max(1, _BLOCK // max(1, n_terms))
    lengths, columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for first in range(0, len(component), step):
        of = component[first : first + step]
        present = rng.random((len(of), n_terms)) < share[of]
        lengths.append(present.sum(axis=1))
        columns.append(np.nonzero(present)[1])
    return count_matrix(np.concatenate(columns), np.concatenate(lengths), n_terms)
