"""Noise from documents that are there more than once: the same text, coded by several people.

Targets of equal documents differ by noise alone, so that their variance is that of the noise (the
"pure error" of regression). Nothing is assumed of the model.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.typing import Floats

__all__ = ["noise_of_repeats"]


def noise_of_repeats(X: Any, outputs: Floats) -> Floats:
    """Return the variance of each output about the mean of equal documents.

    Parameters
    ----------
    X : array-like, sparse matrix, DataFrame or sequence
        Documents.
    outputs : ndarray of shape (n_documents, n_outputs)
        Their targets.

    Returns
    -------
    ndarray of shape (n_outputs,)
        The pooled variance within groups of equal documents.

    Raises
    ------
    ValueError
        If no document is there twice.

    Examples
    --------
    >>> import numpy as np
    >>> noise_of_repeats(["a", "b", "a", "b"], np.array([[1.0], [5.0], [3.0], [5.0]]))
    array([1.])
    """
    numbers: dict[Any, int] = {}
    group = np.array([numbers.setdefault(key, len(numbers)) for key in _keys(X)])
    more = len(group) - len(numbers)  # degrees of freedom
    if not more:
        raise ValueError(
            "noise='repeats' needs documents that are in X more than once; all are different. Give "
            "the variance of the targets if you know it, or noise=None."
        )
    counts = np.bincount(group)
    means = np.column_stack([np.bincount(group, weights=column) / counts for column in outputs.T])
    within: Floats = ((outputs - means[group]) ** 2).sum(axis=0) / more
    return within


def _keys(X: Any) -> list[Any]:
    """Return something for each document that is equal for equal documents."""
    if sparse.issparse(X):
        rows = sparse.csr_array(X, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return [
            (rows.indices[a:b].tobytes(), rows.data[a:b].tobytes())
            for a, b in pairwise(rows.indptr)
        ]
    values = np.asarray(X, dtype=object)
    if values.ndim == 1:
        return list(values)
    return [tuple(row) for row in values]
