r"""Folds that have each label as often as the others: iterative stratification.

The label with the fewest documents left goes first: each of its documents goes to the fold that
wants most of them still, so that the rare ones are spread while there is room. Documents without a
label come last.

References
----------
K. Sechidis, G. Tsoumakas, I. Vlahavas (2011). On the stratification of multi-label data. ECML PKDD,
Lecture Notes in Computer Science 6913, 145-158.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.typing import Floats, Places

__all__ = ["label_folds"]


def label_folds(
    indicator: Any,
    shares: Any,
    *,
    random_state: int | None = None,
    groups: Any = None,
) -> Places:
    """Return the fold of each document.

    Parameters
    ----------
    indicator : csr_array of shape (n_documents, n_labels)
        1 where a document has a label.
    shares : int or array-like of shape (n_folds,)
        How many folds, or the share of the documents in each.
    random_state : int or None, default=None
        How to shuffle first; documents stay in order if ``None``.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group go to one fold.

    Returns
    -------
    ndarray of shape (n_documents,)
        Numbers of folds.

    Examples
    --------
    >>> from quire._shared.label_sets import label_sets
    >>> sets = label_sets([["a"], ["a", "b"], ["a"], ["a", "b"], ["a"], ["a"]])
    >>> label_folds(sets.indicator, 2)
    array([0, 0, 1, 1, 0, 1])
    """
    n = int(indicator.shape[0])
    wanted = np.full(int(shares), 1.0 / shares) if np.ndim(shares) == 0 else np.asarray(shares)
    unit, units = np.arange(n), sparse.csr_array(indicator)
    if groups is not None:
        _, unit = np.unique(np.asarray(groups), return_inverse=True)
        together = sparse.csr_array(
            (np.ones(n), (unit, np.arange(n))), shape=(int(unit.max(initial=-1)) + 1, n)
        )
        units = sparse.csr_array(together @ units)
    sizes = np.bincount(unit, minlength=units.shape[0]).astype(np.float64)
    order = np.arange(units.shape[0])
    if random_state is not None:
        order = np.random.default_rng(random_state).permutation(units.shape[0])
    folds = np.empty(units.shape[0], dtype=np.intp)
    folds[order] = _spread(sparse.csr_array(units[order]), sizes[order], wanted)
    return folds[unit]


def _spread(units: Any, sizes: Floats, shares: Floats) -> Places:
    by_label = units.tocsc()
    left = np.diff(by_label.indptr).astype(np.int64)
    wanted = np.outer(shares, np.asarray(units.sum(axis=0)).ravel())  # by fold and label
    room = shares * sizes.sum()
    folds = np.full(units.shape[0], -1, dtype=np.intp)

    def put(row: int, by: Floats) -> None:
        # Of folds that want it equally, the one with the most room; then the first.
        best = int(np.lexsort((-room, -by))[0])
        folds[row] = best
        start, stop = units.indptr[row : row + 2]
        columns = units.indices[start:stop]
        wanted[best, columns] -= units.data[start:stop]
        room[best] -= sizes[row]
        left[columns] -= 1

    while (left > 0).any():
        label = int(np.where(left > 0, left, np.iinfo(np.int64).max).argmin())
        rows = by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]
        for row in rows[folds[rows] < 0].tolist():
            put(row, wanted[:, label])
    for row in np.flatnonzero(folds < 0).tolist():
        put(row, room)
    return folds
