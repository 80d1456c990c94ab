"""All products of two sets of vectors, tile by tile, with only the best of them kept.

A tile is made by one product in single precision and looked at while it is still in the cache.
Every thread makes and looks at its own tiles with a BLAS of one thread, so that no core waits for
another. Rows of tiles belong to one thread; the best of columns are shared under a lock, and the
rule for equal numbers (the first row or column wins) makes the order in which threads come
irrelevant.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from quire import _core
from quire._shared.typing import Ints, Singles

__all__ = ["Best", "best_of_both", "best_of_rows", "sweep", "unsearched"]

Look = Callable[[Singles, slice, slice], None]

_ROWS, _COLUMNS = 512, 1024  # of a tile: 2 MB
_NO_PENALTY = np.empty(0, dtype=np.float32)


class Best(NamedTuple):
    """The largest values of each row or column, falling, and where they were."""

    values: Singles
    ids: Ints


def unsearched(n: int, k: int) -> Best:
    """Return lists for k of n that hold nothing yet.

    Parameters
    ----------
    n, k : int
        Number of lists and their length.
    """
    return Best(np.full((n, k), -np.inf, dtype=np.float32), np.full((n, k), -1, dtype=np.int64))


def best_of_rows(
    X: Singles, Y: Singles, k: int, n_threads: int, penalty: Singles = _NO_PENALTY
) -> Best:
    """Return the k largest of x'y - penalty of y for each row x of X.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors.
    k : int
        How many, at most m.
    n_threads : int
        Threads to use.
    penalty : ndarray of float32 of shape (m,), default=none
        What to take from each row of Y.
    """
    best = unsearched(len(X), k)

    def look(tile: Singles, rows: slice, columns: slice) -> None:
        part = penalty[columns] if len(penalty) else penalty
        _core.neighbors.tile_top_k(tile, columns.start, part, best.values[rows], best.ids[rows])

    sweep(X, Y, look, n_threads)
    return best


def best_of_both(
    X: Singles, Y: Singles, of_rows: int, of_columns: int, n_threads: int
) -> tuple[Best, Best]:
    """Return the largest products of each row of X and of each row of Y, from one sweep.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors.
    of_rows, of_columns : int
        How many for each row of X and of Y; 0 for none, at most m and n.
    n_threads : int
        Threads to use.
    """
    rows_best, columns_best = unsearched(len(X), of_rows), unsearched(len(Y), of_columns)
    locks = [threading.Lock() for _ in range(0, len(Y), _COLUMNS)]

    def look(tile: Singles, rows: slice, columns: slice) -> None:
        if of_rows:
            values, ids = rows_best.values[rows], rows_best.ids[rows]
            _core.neighbors.tile_top_k(tile, columns.start, _NO_PENALTY, values, ids)
        if of_columns:
            values, ids = columns_best.values[columns], columns_best.ids[columns]
            with locks[columns.start // _COLUMNS]:
                _core.neighbors.tile_top_k_columns(tile, rows.start, values, ids)

    sweep(X, Y, look, n_threads)
    return rows_best, columns_best


def sweep(X: Singles, Y: Singles, look: Look, n_threads: int) -> None:
    """Call ``look(tile, rows, columns)`` with every part of X Y'.

    Parts with the same rows come in the order of their columns, from one thread.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors.
    look : callable
        What to do with a part; it may not keep the tile.
    n_threads : int
        Threads to use.
    """
    stop = threading.Event()
    own = threading.local()

    def work(start: int) -> None:
        if not hasattr(own, "buffer"):
            own.buffer = np.empty(_ROWS * _COLUMNS, dtype=np.float32)
        rows = slice(start, min(start + _ROWS, len(X)))
        for first in range(0, len(Y), _COLUMNS):
            if stop.is_set():
                return
            columns = slice(first, min(first + _COLUMNS, len(Y)))
            shape = rows.stop - rows.start, columns.stop - columns.start
            tile = own.buffer[: shape[0] * shape[1]].reshape(shape)
            np.matmul(X[rows], Y[columns].T, out=tile)
            look(tile, rows, columns)

    starts = range(0, len(X), _ROWS)
    if len(starts) <= 1:  # too little for threads of ours: BLAS may have its own
        for start in starts:
            work(start)
        return
    with (
        threadpool_limits(1, user_api="blas"),
        ThreadPoolExecutor(min(n_threads, len(starts))) as pool,
    ):
        try:
            for _ in pool.map(work, starts):
                pass
        except BaseException:  # Ctrl-C too: threads stop at their next tile
            stop.set()
            raise
