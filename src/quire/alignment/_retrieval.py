r"""Nearest neighbours of many vectors among many.

Rows have length 1, so that products are cosines. Two rules:

- **nearest**: the largest cosine.
- **csls** (cross-domain similarity local scaling, Conneau et al. 2018):
  :math:`2\cos(x, y) - r_T(x) - r_S(y)`, where :math:`r` is the mean cosine with the K nearest in
  the other space. It takes away what hubs, the neighbours of everything, have for nothing.

For CSLS the r of all y must be known before anything can be ranked, which suggests two sweeps over
all products. One is enough: it keeps the few largest cosines of each x, and when the r are known
these candidates are ranked anew. A y that is no candidate has a cosine of at most the last one's,
:math:`c`, so that its score, up to :math:`r_T(x)`, is at most :math:`2c - r_S(y)`. Where that is
below what the candidates reach, the answer is proved; the few y with so small an r that it is not
are looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quire import _core
from quire._shared.typing import Ints, Singles
from quire.alignment._tiles import Best, best_of_both, best_of_rows, sweep, unsearched

__all__ = ["Translations", "csls", "csls_of_all", "hubness", "mutually_best", "nearest"]


_CANDIDATES = 32  # cosines kept of each row, at least
_ROUNDING = 1e-6  # more than single precision can change in a difference of cosines
_ROWS_AGAIN = 4096  # whose candidates were not enough, at a time
_NO_PENALTY = np.empty(0, dtype=np.float32)


class Translations(NamedTuple):
    """Rows of Y for each row of X, best first, with their CSLS, and the r of the rows of Y."""

    ids: Ints
    values: Singles
    hub_scores: Singles


def nearest(X: Singles, Y: Singles, k: int, n_threads: int) -> tuple[Ints, Singles]:
    """Return the rows of Y with the largest products with each row of X.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors.
    k : int
        How many neighbours, at most m.
    n_threads : int
        Threads to use.

    Returns
    -------
    ids : ndarray of shape (n, k)
        Rows of Y from the best down; of equal ones the first.
    values : ndarray of shape (n, k)
        Products.
    """
    best = best_of_rows(X, Y, k, n_threads)
    return best.ids, best.values


def hubness(X: Singles, Y: Singles, k: int, n_threads: int) -> Singles:
    """Return the mean product of each row of Y with its k nearest rows of X.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors.
    k : int
        Neighbours; fewer if X has fewer rows.
    n_threads : int
        Threads to use.
    """
    return _mean(best_of_both(X, Y, 0, min(k, len(X)), n_threads)[1].values)


def csls(
    X: Singles, Y: Singles, k: int, hub_scores: Singles, neighborhood: int, n_threads: int
) -> tuple[Ints, Singles]:
    """Return the best rows of Y for each row of X by CSLS, with the r of Y given.

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
        Threads to use.

    Returns
    -------
    ids : ndarray of shape (n, k)
        Rows of Y from the best down; of equal ones the first.
    values : ndarray of shape (n, k)
        Their CSLS.
    """
    halves = unsearched(len(X), k)
    cosines = unsearched(len(X), min(neighborhood, len(Y)))
    penalty = hub_scores / np.float32(2)

    def look(tile: Singles, rows: slice, columns: slice) -> None:
        at, part = columns.start, penalty[columns]
        _core.neighbors.tile_top_k(tile, at, part, halves.values[rows], halves.ids[rows])
        _core.neighbors.tile_top_k(tile, at, _NO_PENALTY, cosines.values[rows], cosines.ids[rows])

    sweep(X, Y, look, n_threads)
    return halves.ids, 2 * halves.values - _mean(cosines.values)[:, None]


def csls_of_all(X: Singles, Y: Singles, k: int, neighborhood: int, n_threads: int) -> Translations:
    """Return the best rows of Y for each row of X by CSLS, where X is all of its space.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors of length 1.
    k : int
        How many, at most m.
    neighborhood : int
        K, on both sides.
    n_threads : int
        Threads to use.
    """
    of_rows = min(max(_CANDIDATES, 2 * k, neighborhood), len(Y))
    rows, columns = best_of_both(X, Y, of_rows, min(neighborhood, len(X)), n_threads)
    hub_scores = _mean(columns.values)
    own = _mean(rows.values[:, :neighborhood])
    best = _ranked_anew(X, Y, rows, hub_scores / np.float32(2), k, n_threads)
    return Translations(best.ids, 2 * best.values - own[:, None], hub_scores)


def mutually_best(X: Singles, Y: Singles, neighborhood: int, n_threads: int) -> Ints:
    """Return the rows of X and Y that are each other's first by CSLS.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors of length 1.
    neighborhood : int
        K of CSLS.
    n_threads : int
        Threads to use.

    Returns
    -------
    ndarray of shape (n_pairs, 2)
        Rows of X and of Y.
    """
    kept = max(_CANDIDATES, neighborhood)
    rows, columns = best_of_both(X, Y, min(kept, len(Y)), min(kept, len(X)), n_threads)
    of_x, of_y = (_mean(best.values[:, :neighborhood]) / np.float32(2) for best in (rows, columns))
    there = _ranked_anew(X, Y, rows, of_y, 1, n_threads).ids[:, 0]
    back = _ranked_anew(Y, X, columns, of_x, 1, n_threads).ids[:, 0]
    first = np.flatnonzero(back[there] == np.arange(len(X)))
    return np.column_stack([first, there[first]])


def _mean(values: Singles) -> Singles:
    means: Singles = values.mean(axis=1, dtype=np.float32)
    return means


def _ranked_anew(
    X: Singles, Y: Singles, candidates: Best, penalty: Singles, k: int, n_threads: int
) -> Best:
    """Return the k largest of x'y - penalty of y, given the largest x'y of each x."""
    scores = candidates.values - penalty[candidates.ids]
    best = _first(scores, candidates.ids, k)
    if candidates.values.shape[1] == len(Y):
        return best
    # Any other y scores at most (the last cosine) - (its penalty): with one above `reach` it loses.
    last, kth = candidates.values[:, -1], best.values[:, -1]
    reach = last.astype(np.float64) - kth + _ROUNDING
    by_penalty = np.argsort(penalty, kind="stable")
    n_open = np.searchsorted(penalty[by_penalty], reach, side="right")
    unproved = np.flatnonzero(n_open)
    unproved = unproved[np.argsort(n_open[unproved], kind="stable")]
    for start in range(0, len(unproved), _ROWS_AGAIN):
        rows = unproved[start : start + _ROWS_AGAIN]
        columns = np.sort(by_penalty[: n_open[rows[-1]]])
        found = best_of_rows(X[rows], Y[columns], min(k, len(columns)), n_threads, penalty[columns])
        is_open = np.zeros(len(Y), dtype=bool)
        is_open[columns] = True
        again = is_open[candidates.ids[rows]]  # a pair is to count once
        both = _first(
            np.hstack([np.where(again, -np.inf, scores[rows]), found.values]),
            np.hstack([candidates.ids[rows], columns[found.ids]]),
            k,
        )
        best.values[rows], best.ids[rows] = both
    return best


def _first(values: Singles, ids: Ints, k: int) -> Best:
    """Return the k largest of each row; of equal ones those with the smallest ids."""
    order = np.lexsort((ids, -values), axis=1)[:, :k]
    largest = np.take_along_axis(values, order, 1).astype(np.float32, copy=False)
    return Best(largest, np.take_along_axis(ids, order, 1))
