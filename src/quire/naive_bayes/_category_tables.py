"""Categories as numbers: counting them by class, and looking up what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.typing import AnyArray, Floats

__all__ = ["add_lookups", "category_counts", "each_block", "one_hot", "widened"]


_BLOCK = 8192  # rows; what is made for a block of them stays in the cache


def category_counts(
    categories: AnyArray,
    codes: AnyArray,
    n_categories: int,
    n_classes: int,
    weights: Floats | None = None,
) -> Floats:
    """Return how often each category occurs in each class, of shape (n_classes, n_categories).

    Parameters
    ----------
    categories : ndarray of int of shape (n_samples,)
        In [0, n_categories), or -1 where it is missing.
    codes : ndarray of int of shape (n_samples,)
        The class of each row.
    n_categories, n_classes : int
        How many of each there are.
    weights : ndarray of shape (n_samples,), default=None
        Of the rows.
    """
    places = codes.astype(np.int64) * n_categories + categories
    present = categories >= 0
    if not present.all():
        places = places[present]
        weights = None if weights is None else weights[present]
    counts = np.bincount(places, weights, minlength=n_classes * n_categories)
    return counts.astype(np.float64, copy=False).reshape(n_classes, n_categories)


def widened(counts: Floats, n_categories: int) -> Floats:
    """Return the counts with columns of zeros behind them, up to a number of categories."""
    return np.pad(counts, [(0, 0), (0, max(0, n_categories - counts.shape[1]))])


def add_lookups(
    scores: Floats, tables: Sequence[Floats], columns: Sequence[AnyArray], n_threads: int
) -> None:
    """Add to the scores what each category says: ``scores[i] += tables[j][:, columns[j][i]]``.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Changed in place.
    tables : sequence of ndarray of shape (n_classes, n_categories)
        One for each column.
    columns : sequence of ndarray of int of shape (n_samples,)
        Categories; -1 adds nothing.
    n_threads : int
        Blocks of rows are looked up by so many threads.
    """
    # Categories as rows, and a row of zeros at the end: that is where -1 points.
    lookups = [np.pad(table.T, [(0, 1), (0, 0)]) for table in tables]

    def look_up(rows: slice) -> None:
        for lookup, column in zip(lookups, columns, strict=True):
            scores[rows] += lookup.take(column[rows], axis=0)

    each_block(len(scores), n_threads, look_up)


def each_block(n_rows: int, n_threads: int, work: Callable[[slice], None]) -> None:
    """Call `work` on consecutive blocks of rows, several at a time.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    n_threads : int
        How many threads; the blocks do not depend on it.
    work : callable
        Takes a slice of rows and touches no others.
    """
    blocks = [slice(start, start + _BLOCK) for start in range(0, n_rows, _BLOCK)]
    if n_threads == 1 or len(blocks) < 2:
        for block in blocks:
            work(block)
        return
    pool = ThreadPoolExecutor(min(n_threads, len(blocks)))
    try:
        for _ in pool.map(work, blocks):
            pass
    finally:
        pool.shutdown(cancel_futures=True)


def one_hot(columns: Sequence[AnyArray], n_categories: Any) -> Any:
    """Return a CSR array with a column for each category of each column, and ones in it.

    Parameters
    ----------
    columns : sequence of ndarray of int of shape (n_samples,)
        Categories; -1 has no entry.
    n_categories : sequence of int
        How many categories each column has.
    """
    first = np.concatenate([[0], np.cumsum(n_categories)])
    places = np.stack(
        [
            np.where(codes >= 0, codes + start, -1)
            for codes, start in zip(columns, first[:-1], strict=True)
        ],
        axis=1,
    )
    present = places >= 0
    indices = places[present]
    indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    return sparse.csr_array(
        (np.ones(len(indices)), indices, indptr), shape=(len(places), first[-1])
    )
