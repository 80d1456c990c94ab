r"""Sets of characters: what ``\w``, ``[a-z]`` and their like stand for.

A set is the sorted code points at which membership begins and ends by turns, so that all of Unicode
takes a few hundred numbers. What ``re`` means by a class is asked of ``re``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from quire import _core
from quire._shared.typing import AnyArray

__all__ = [
    "N_CODE_POINTS",
    "Bounds",
    "asked",
    "complement",
    "contains",
    "named",
    "partition",
    "union",
]

N_CODE_POINTS = 0x110000

Bounds = tuple[int, ...]  # begins, ends, begins, ends, ...


@lru_cache(maxsize=256)
def asked(atom: str, flags: int) -> Bounds:
    """Return the characters that a regular expression for one character matches."""
    code_points = np.arange(N_CODE_POINTS, dtype="<u4")
    every = code_points.tobytes().decode("utf-32-le", "surrogatepass")
    runs = re.compile(f"(?:{atom})+", flags).finditer(every)
    return tuple(bound for run in runs for bound in run.span())


@lru_cache(maxsize=256)
def named(name: str) -> Bounds:
    """Return a set that the compiled core knows."""
    return tuple(_core.text.character_set(name).tolist())


def complement(bounds: Bounds) -> Bounds:
    """Return all other characters."""
    inner = bounds[1:] if bounds[:1] == (0,) else (0, *bounds)
    return inner[:-1] if inner[-1:] == (N_CODE_POINTS,) else (*inner, N_CODE_POINTS)


def union(sets: Iterable[Bounds]) -> Bounds:
    """Return the characters that are in any of the sets."""
    merged: list[int] = []
    pairs = sorted(pair for bounds in sets for pair in zip(bounds[::2], bounds[1::2], strict=True))
    for begin, end in pairs:
        if merged and begin <= merged[-1]:
            merged[-1] = max(merged[-1], end)
        else:
            merged += begin, end
    return tuple(merged)


def contains(bounds: Bounds, character: str) -> bool:
    """Return whether a character is in a set."""
    return bool(np.searchsorted(bounds, ord(character), side="right") % 2)


def partition(sets: Sequence[Bounds]) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Divide all characters into classes of those that are in the same sets.

    Parameters
    ----------
    sets : sequence of bounds
        Any sets.

    Returns
    -------
    starts : ndarray of int32 of shape (n_ranges,)
        Where ranges of one class begin.
    classes : ndarray of int64 of shape (n_ranges,)
        The class of each range.
    members : ndarray of bool of shape (n_sets, n_classes)
        Which classes each set is made of.
    """
    cuts = {0, *(bound for bounds in sets for bound in bounds)} - {N_CODE_POINTS}
    starts = np.array(sorted(cuts), dtype=np.int32)
    inside = np.empty((len(sets), len(starts)), dtype=bool)
    for row, bounds in zip(inside, sets, strict=True):
        row[:] = np.searchsorted(np.array(bounds, dtype=np.int32), starts, side="right") % 2
    members, classes = np.unique(inside, axis=1, return_inverse=True)
    return starts, classes.ravel(), members
