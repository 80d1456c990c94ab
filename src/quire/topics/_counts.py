"""Documents as counts, whether they come as counts or as texts, and divided in two."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.typing import Ints

__all__ = ["counts_of", "split_rows"]


def counts_of(X: Any, vectorizer: Any) -> Any:
    """Return a matrix of counts of which rows can be chosen.

    Parameters
    ----------
    X : sparse matrix, array-like of counts, or sequence of texts
        The documents.
    vectorizer : vectorizer
        What counts texts; a copy of it is fitted.

    Returns
    -------
    csr_array, csr_matrix or ndarray of shape (n_documents, n_words)
        Counts.

    Raises
    ------
    ValueError
        If there are not two documents, or counts are not a table.
    """
    if sparse.issparse(X):
        counts = X.tocsr()
    elif _is_table(X):
        counts = np.asarray(X)
    else:
        from sklearn.base import clone

        counts = clone(vectorizer).fit_transform(X)
    if counts.ndim != 2 or counts.shape[0] < 2:
        raise ValueError(
            f"X has shape {counts.shape}; expected counts of two documents or more, or their texts."
        )
    return counts


def split_rows(
    n_documents: int, validation_size: Any, random: np.random.RandomState
) -> tuple[Ints, Ints]:
    """Divide documents in those to learn from and those held out, both in their order.

    Parameters
    ----------
    n_documents : int
        How many there are.
    validation_size : float or int
        The share, between 0 and 1, or the number to hold out.
    random : RandomState
        What draws them.

    Returns
    -------
    training, validation : ndarray
        Ints; at least one in each.

    Raises
    ------
    ValueError
        If none are left for one of the two.
    """
    size = validation_size
    if isinstance(size, Integral) and not isinstance(size, bool):
        n_held_out = int(size)
    elif isinstance(size, float | np.floating) and 0 < size < 1:
        n_held_out = max(1, round(float(size) * n_documents))
    else:
        n_held_out = 0
    if not 0 < n_held_out < n_documents:
        raise ValueError(
            f"validation_size is {size!r}; expected a share between 0 and 1, or a number of "
            f"documents from 1 to {n_documents - 1}."
        )
    order = random.permutation(n_documents)
    return np.sort(order[n_held_out:]), np.sort(order[:n_held_out])


def _is_table(X: Any) -> bool:
    """Return whether something dense is a table of numbers, as opposed to texts."""
    if hasattr(X, "shape") and len(X.shape) == 2:
        return True
    first = X[0] if isinstance(X, list | tuple) and X else None
    return isinstance(first, list | tuple | np.ndarray)
