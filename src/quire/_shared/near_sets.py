"""Rows of a sparse matrix that have nearly the same columns, found without looking at all pairs.

Each row is given a short signature (``csr_min_hashes``) whose places agree as often as the sets of
columns overlap. The signature is cut into bands; rows that have a band in common are looked at.
Two rows of overlap :math:`s` share one of :math:`b` bands of :math:`r` places with probability
:math:`1 - (1 - s^r)^b`: with 16 bands of 5, 0.998 at an overlap of 0.8 and 0.04 at 0.3.

References
----------
Broder, A. Z. (1997). On the resemblance and containment of documents. Sequences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire import _core
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats, Ints

__all__ = ["connected_groups", "near_candidates", "overlaps", "signatures"]

_BANDS, _WIDTH = 16, 5
_NOTHING = np.uint32(0xFFFFFFFF)  # fills the signature of an empty row
_SLACK = 0.2  # of an overlap that is told from a signature: four standard errors


def signatures(X: Any, n_jobs: int | None = None) -> NDArray[np.uint32]:
    """Return the signature of each row.

    Parameters
    ----------
    X : CSR matrix of float of shape (n, n_features)
        Rows; stored zeros are no entries.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    ndarray of shape (n, 80)
        Signatures.
    """
    parts = (X.data, X.indices, X.indptr, X.shape[1])
    found: NDArray[np.uint32] = _core.neighbors.csr_min_hashes(
        parts, _BANDS * _WIDTH, effective_threads(n_jobs)
    )
    return found


def near_candidates(signed: NDArray[np.uint32], threshold: float) -> tuple[Ints, Ints]:
    """Return pairs of rows whose overlap may reach a threshold; their number grows with the rows.

    Of rows that share a band each is paired with the one before it and with the first of them, so
    that a thousand copies make two thousand pairs and not half a million. All of a group of near
    rows hang together, but not every pair of them is there.

    Parameters
    ----------
    signed : ndarray of shape (n, 80)
        Signatures.
    threshold : float
        The least overlap.

    Returns
    -------
    rows, others : ndarray of shape (n_pairs,)
        The first is the smaller one.
    """
    full = np.flatnonzero((signed != _NOTHING).any(axis=1))
    found = [np.empty((0, 2), dtype=np.int64)]
    for band in range(_BANDS):
        key = _keys(signed[:, band * _WIDTH : (band + 1) * _WIDTH][full])
        order = np.argsort(key, kind="stable")
        key, rows = key[order], full[order]
        is_same = key[1:] == key[:-1]
        if not is_same.any():
            continue
        starts = np.maximum.accumulate(np.where(np.r_[True, ~is_same], np.arange(len(key)), 0))
        places = np.flatnonzero(is_same) + 1
        found.append(np.stack([rows[places - 1], rows[places]], axis=1))
        found.append(np.stack([rows[starts[places]], rows[places]], axis=1))
    # Pairs as single numbers: np.unique sorts these faster than rows of two.
    pairs = np.concatenate(found)
    n = max(1, len(signed))
    numbers = np.unique(pairs.min(axis=1) * n + pairs.max(axis=1))
    rows, others = numbers // n, numbers % n
    kept = np.zeros(len(rows), dtype=bool)
    for start in range(0, len(rows), 1 << 16):
        part = slice(start, start + (1 << 16))
        agreement = (signed[rows[part]] == signed[others[part]]).mean(axis=1)
        kept[part] = agreement >= threshold - _SLACK
    return rows[kept], others[kept]


def overlaps(X: Any, rows: Ints, others: Ints) -> Floats:
    """Return intersection over union of the columns of pairs of rows.

    Parameters
    ----------
    X : CSR matrix of shape (n, n_features)
        All stored entries count.
    rows, others : ndarray of shape (n_pairs,)
        The pairs.

    Examples
    --------
    >>> X = sparse.csr_array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    >>> overlaps(X, np.array([0]), np.array([1])).round(2)
    array([0.67])
    """
    X = sparse.csr_array((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    sizes = np.diff(X.indptr)
    both = np.asarray(X[rows].multiply(X[others]).sum(axis=1)).ravel()
    shares: Floats = both / np.maximum(sizes[rows] + sizes[others] - both, 1)
    return shares


def connected_groups(rows: Ints, others: Ints, n: int) -> Ints:
    """Return the number of the group of each row; pairs connect rows, single rows are alone.

    Parameters
    ----------
    rows, others : ndarray of shape (n_pairs,)
        The pairs.
    n : int
        How many rows there are.

    Returns
    -------
    ndarray of shape (n,)
        Numbers in the order in which groups begin.
    """
    links = sparse.coo_array((np.ones(len(rows), dtype=np.int8), (rows, others)), shape=(n, n))
    _, groups = sparse.csgraph.connected_components(links, directed=False)
    found: Ints = groups.astype(np.int64)
    return found


def _keys(band: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return one number for the places of a band; others have it hardly ever."""
    key = np.zeros(len(band), dtype=np.uint64)
    for place in band.T:
        key = (key ^ place.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key
