"""Pairs of words that belong together: given, checked, judged by, and found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.alignment._retrieval import csls, hubness
from quire.alignment._word_vectors import WordVectors

__all__ = ["checked_pairs", "gold_targets", "mutual_pairs"]

Numbers = NDArray[np.int64]


def checked_pairs(
    source: WordVectors, target: WordVectors, pairs: Any, missing: str
) -> list[tuple[str, str]]:
    """Return pairs both of whose words have a vector.

    Parameters
    ----------
    source, target : WordVectors
        The vocabularies.
    pairs : iterable of (str, str) or mapping
        Words of the two.
    missing : {"error", "skip"}
        What to do about other pairs.
    """
    if missing not in ("error", "skip"):
        raise ValueError(f"missing is {missing!r}; expected 'error' or 'skip'.")
    given = list(pairs.items() if isinstance(pairs, Mapping) else pairs)
    odd = next((p for p in given if isinstance(p, str) or len(p) != 2), None)
    if odd is not None:
        raise ValueError(f"pairs holds {odd!r}; expected two words, of the source and the target.")
    listed = [(str(s), str(t)) for s, t in given]
    if missing == "skip":
        listed = [(s, t) for s, t in listed if s in source and t in target]
    if not listed:
        raise ValueError("There is no pair both of whose words have a vector.")
    source.rows(s for s, _ in listed)  # a word that is missing is named here
    target.rows(t for _, t in listed)
    return listed


def gold_targets(
    source: WordVectors, target: WordVectors, pairs: Any, missing: str
) -> tuple[Numbers, list[set[int]]]:
    """Return the rows of distinct source words, and for each the rows of its right targets.

    Parameters
    ----------
    source, target : WordVectors
        The vocabularies.
    pairs : iterable of (str, str) or mapping
        Words of the two.
    missing : {"error", "skip"}
        What to do about pairs with a word that has no vector.
    """
    gold: dict[str, set[int]] = {}
    for s, t in checked_pairs(source, target, pairs, missing):
        gold.setdefault(s, set()).add(int(target.rows([t])[0]))
    return source.rows(gold), list(gold.values())


def mutual_pairs(
    X: NDArray[np.float32], Y: NDArray[np.float32], neighborhood: int, n_threads: int
) -> Numbers:
    """Return the rows of X and Y that are each other's first by CSLS.

    Parameters
    ----------
    X, Y : ndarray of float32 of shape (n, d) and (m, d)
        Vectors of length 1.
    neighborhood : int
        K of CSLS.
    n_threads : int
        Threads to use.
    """
    of_y = hubness(X, Y, neighborhood, n_threads)
    of_x = hubness(Y, X, neighborhood, n_threads)
    there = csls(X, Y, 1, of_y, neighborhood, n_threads)[0][:, 0]
    back = csls(Y, X, 1, of_x, neighborhood, n_threads)[0][:, 0]
    rows = np.flatnonzero(back[there] == np.arange(len(X)))
    return np.column_stack([rows, there[rows]])
