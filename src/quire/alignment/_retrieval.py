r"""Nearest neighbours of many vectors among many, by tiles of similarities.

Rows have length 1, so that products are cosines. Two rules:

- **nearest**: the largest cosine.
- **csls** (cross-domain similarity local scaling, Conneau et al. 2018):
  :math:`2\cos(x, y) - r_T(x) - r_S(y)`, where :math:`r` is the mean cosine with the K nearest in
  the other space. It takes away what hubs, the neighbours of everything, have for nothing.

A tile of similarities is made by one product in single precision, and a kernel keeps of it the best
of each row and column before the next one takes its place. For CSLS one pass over all tiles gives
both r, and a second one the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from quire import _core

__all__ = ["csls", "hubness", "nearest"]

Singles = NDArray[np.float32]
Numbers = NDArray[np.int64]

_ROWS, _COLUMNS = 1024, 8192  # of a tile: 32 MB
_NO_PENALTY = np.empty(0, dtype=np.float32)


def nearest(
    X: Singles, Y: Singles, k: int, n_threads: int, penalty: Singles = _NO_PENALTY
) -> tuple[Numbers, Singles]:
    """Return the rows of Y with the largest products with each row of X, less a penalty of theirs.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors, C-contiguous.
    k : int
        How many neighbours, at most m.
    n_threads : int
        Threads of the selection.
    penalty : ndarray of float32 of shape (m,), default=none
        What to take from each row of Y.

    Returns
    -------
    ids : ndarray of shape (n, k)
        Rows of Y from the best down; of equal ones the first.
    values : ndarray of shape (n, k)
        Products less penalties.
    """
    values, ids = _unsearched(len(X), k)
    for rows, columns, tile in _tiles(X, Y):
        part = penalty[columns] if len(penalty) else penalty
        _core.tile_top_k(tile, columns.start, part, values[rows], ids[rows], n_threads)
    return ids, values


def hubness(X: Singles, Y: Singles, k: int, n_threads: int) -> Singles:
    """Return the mean product of each row of Y with its k nearest rows of X.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors.
    k : int
        Neighbours; fewer if X has fewer rows.
    n_threads : int
        Threads of the selection.
    """
    best = np.full((len(Y), min(k, len(X))), -np.inf, dtype=np.float32)
    for _, columns, tile in _tiles(X, Y):
        _core.tile_top_k_columns(tile, best[columns], n_threads)
    means: Singles = best.mean(axis=1, dtype=np.float32)
    return means


def csls(
    X: Singles, Y: Singles, k: int, hub_scores: Singles, neighborhood: int, n_threads: int
) -> tuple[Numbers, Singles]:
    """Return the best rows of Y for each row of X by CSLS.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors of length 1.
    k : int
        How many, at most m.
    hub_scores : ndarray of float32 of shape (m,)
        r of the rows of Y, from `hubness`.
    neighborhood : int
        K, for r of the rows of X.
    n_threads : int
        Threads of the selection.

    Returns
    -------
    ids : ndarray of shape (n, k)
        Rows of Y from the best down.
    values : ndarray of shape (n, k)
        Their CSLS.
    """
    halves, ids = _unsearched(len(X), k)
    cosines, unused = _unsearched(len(X), min(neighborhood, len(Y)))
    penalty = hub_scores / np.float32(2)
    for rows, columns, tile in _tiles(X, Y):
        at = columns.start
        _core.tile_top_k(tile, at, penalty[columns], halves[rows], ids[rows], n_threads)
        _core.tile_top_k(tile, at, _NO_PENALTY, cosines[rows], unused[rows], n_threads)
    return ids, 2 * halves - cosines.mean(axis=1, keepdims=True)


def _unsearched(n: int, k: int) -> tuple[Singles, Numbers]:
    return np.full((n, k), -np.inf, dtype=np.float32), np.full((n, k), -1, dtype=np.int64)


def _tiles(X: Singles, Y: Singles) -> Iterator[tuple[slice, slice, Singles]]:
    """Yield the rows, the columns and the values of every part of X Y'."""
    buffer = np.empty((_ROWS, _COLUMNS), dtype=np.float32)
    for start in range(0, len(X), _ROWS):
        rows = slice(start, min(start + _ROWS, len(X)))
        for first in range(0, len(Y), _COLUMNS):
            columns = slice(first, min(first + _COLUMNS, len(Y)))
            shape = rows.stop - rows.start, columns.stop - columns.start
            tile = buffer.reshape(-1)[: shape[0] * shape[1]].reshape(shape)
            np.matmul(X[rows], Y[columns].T, out=tile)
            yield rows, columns, tile
