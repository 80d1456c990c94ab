r"""Pairs of rows that are nearly the same: all of them, without looking at all pairs.

Rows have length 1, so that a product is a cosine. Columns are ordered from rare to frequent, and
each row is cut where the length of what follows drops below the threshold :math:`t`: its head
holds rare terms, its tail frequent ones. Of two rows the head of one ends no later than that of
the other. If they share nothing up to there, then :math:`\langle x, y\rangle \le
\lVert x_{tail} \rVert < t`. So only pairs with a rare term in common are measured, and none is
missed.

References
----------
Bayardo, R. J., Ma, Y. and Srikant, R. (2007). Scaling up all pairs similarity search. WWW.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.near_sets import connected_groups
from quire._shared.typing import Floats, Ints

__all__ = ["duplicate_groups", "near_duplicates"]


_WORK = 4_000_000  # products of one block, about 100 MB
_TIMES = 8  # that the rows to compare with are made anew, without those that are done
_SLACK = 1e-9  # of sums in double precision


def near_duplicates(
    X: Any, threshold: float, progress: Callable[[int, int], None] | None = None
) -> tuple[Ints, Ints, Floats]:
    """Find all pairs of rows whose product is at least a threshold.

    Parameters
    ----------
    X : CSR matrix of shape (n, n_features)
        Rows of length 1 or, if they are empty, 0.
    threshold : float
        Above 0, at most 1.
    progress : callable, default=None
        Told the rows done and the rows in all.

    Returns
    -------
    rows, others : ndarray of shape (n_pairs,)
        Ints of rows; the first is the smaller one.
    similarities : ndarray of shape (n_pairs,)
        Their products, from the largest down; equal ones by number.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1.0, 0.0], [0.6, 0.8], [0.8, 0.6]])
    >>> rows, others, similarities = near_duplicates(X, 0.9)
    >>> rows, others, similarities.round(2)
    (array([1]), array([2]), array([0.96]))
    """
    X, heads, tails = _heads(X, threshold)
    parts: list[tuple[Ints, Ints, Floats]] = []
    blocks = _blocks(heads)
    step = -(-len(blocks) // _TIMES)
    for number, (start, stop) in enumerate(blocks):
        if number % step == 0:  # rows before this one have met all others
            first, across = start, heads[start:].T.tocsr()
        near = (heads[start:stop] @ across).tocoo()
        rows, others = near.row.astype(np.int64) + start, near.col.astype(np.int64) + first
        reachable = near.data + np.maximum(tails[rows], tails[others]) >= threshold - _SLACK
        kept = (others > rows) & reachable
        parts.append(_measured(X, rows[kept], others[kept], threshold))
        if progress is not None:
            progress(stop, X.shape[0])
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    rows, others, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((others, rows, -values))
    return rows[order], others[order], values[order]


def duplicate_groups(rows: Ints, others: Ints, n: int) -> Ints:
    """Return the number of the group of each pair; pairs connect documents, the largest is 0.

    Parameters
    ----------
    rows, others : ndarray of shape (n_pairs,)
        The pairs.
    n : int
        How many rows there are.
    """
    labels = connected_groups(rows, others, n)
    sizes = np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    number = np.empty(len(sizes), dtype=np.int64)
    number[order] = np.arange(len(sizes))
    found: Ints = number[labels[rows]]
    return found


def _heads(X: Any, threshold: float) -> tuple[Any, Any, Floats]:
    """Return the rows with rare terms first, their heads, and the lengths of their tails."""
    X = sparse.csr_array(X, dtype=np.float64, copy=True)
    X.eliminate_zeros()
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    rank = np.empty(X.shape[1], dtype=X.indices.dtype)
    rank[np.argsort(frequency, kind="stable")] = np.arange(X.shape[1], dtype=rank.dtype)
    X = sparse.csr_array((X.data, rank[X.indices], X.indptr), shape=X.shape)
    X.sort_indices()
    sums = np.concatenate([[0.0], np.cumsum(X.data**2)])
    ends = np.repeat(sums[X.indptr[1:]], np.diff(X.indptr))
    rest = ends - sums[:-1]  # squared length from this entry on
    is_head = rest >= threshold**2 - _SLACK
    lengths = np.concatenate([[0], np.cumsum(is_head)])[X.indptr]
    heads = sparse.csr_array((X.data[is_head], X.indices[is_head], lengths), shape=X.shape)
    first_tail = X.indptr[:-1] + np.diff(lengths)
    tails = np.sqrt(np.maximum(sums[X.indptr[1:]] - sums[first_tail], 0.0))
    return X, heads, tails


def _blocks(heads: Any) -> list[tuple[int, int]]:
    """Cut the rows where about the same work has been done."""
    frequency = np.bincount(heads.indices, minlength=heads.shape[1])
    work = np.concatenate([[0], np.cumsum(frequency[heads.indices], dtype=np.int64)])[heads.indptr]
    cuts = [0]
    while cuts[-1] < heads.shape[0]:
        stop = int(np.searchsorted(work, work[cuts[-1]] + _WORK, side="right")) - 1
        cuts.append(min(max(stop, cuts[-1] + 1), heads.shape[0]))
    return list(pairwise(cuts))


def _measured(X: Any, rows: Ints, others: Ints, threshold: float) -> tuple[Ints, Ints, Floats]:
    """Return the pairs that reach the threshold, and their products."""
    values = np.empty(len(rows))
    size = max(1, int(_WORK // max(1.0, 2 * X.nnz / max(1, X.shape[0]))))
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        values[part] = X[rows[part]].multiply(X[others[part]]).sum(axis=1)
    kept = values >= threshold - _SLACK
    return rows[kept], others[kept], np.minimum(values[kept], 1.0)
