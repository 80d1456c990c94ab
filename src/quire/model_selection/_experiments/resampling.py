"""Which documents to test on, and which to learn from: bootstrap samples and subsamples.

Samples of a classifier are drawn within each class, so that none loses one. Documents of a group
are drawn together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedShuffleSplit,
)

from quire._shared.typing import AnyArray

__all__ = ["drawer", "held_out"]

_TRIES = 100


def held_out(
    test_size: Any, y: NDArray[Any], codes: NDArray[Any] | None, groups: Any, seed: int
) -> list[tuple[AnyArray, AnyArray]]:
    """Return one split into documents to learn from and documents to test on.

    Parameters
    ----------
    test_size : float or int
        The share or the number of test documents.
    y : ndarray
        Targets or labels.
    codes : ndarray or None
        Classes as numbers, for classifiers: both parts get all classes.
    groups : array-like or None
        Groups that stay together.
    seed : int
        Seed of the split.
    """
    kind: Any = ShuffleSplit
    if groups is not None:
        kind = GroupShuffleSplit
    elif codes is not None:
        kind = StratifiedShuffleSplit
    splitter = kind(1, test_size=test_size, random_state=seed)
    return list(splitter.split(np.zeros(len(y)), y, groups))


def drawer(
    rows: AnyArray, codes: NDArray[Any] | None, groups: Any, share: float, *, replace: bool
) -> Callable[[np.random.Generator], AnyArray]:
    """Return a function that draws training rows.

    Parameters
    ----------
    rows : ndarray
        What to draw from.
    codes : ndarray or None
        The class of every document, for classifiers.
    groups : array-like or None
        The group of every document: whole groups are drawn.
    share : float
        How many to draw, for each of the rows there are.
    replace : bool
        Whether a row may be drawn more than once.
    """
    if groups is not None:
        return _drawer_of_groups(rows, codes, np.asarray(groups)[rows], share, replace)
    strata = [rows]
    if codes is not None:
        strata = [rows[codes[rows] == code] for code in np.unique(codes[rows])]
    counts = [max(1, round(share * len(stratum))) for stratum in strata]

    def draw(rng: np.random.Generator) -> AnyArray:
        parts = [
            rng.choice(stratum, count, replace=replace)
            for stratum, count in zip(strata, counts, strict=True)
        ]
        drawn: AnyArray = np.sort(np.concatenate(parts))
        return drawn

    return draw


def _drawer_of_groups(
    rows: AnyArray, codes: NDArray[Any] | None, groups: NDArray[Any], share: float, replace: bool
) -> Callable[[np.random.Generator], AnyArray]:
    _, number = np.unique(groups, return_inverse=True)
    order = np.argsort(number, kind="stable")
    members = np.split(rows[order], np.cumsum(np.bincount(number))[:-1])
    count = max(1, round(share * len(members)))

    def draw(rng: np.random.Generator) -> AnyArray:
        for _ in range(_TRIES):
            chosen = rng.choice(len(members), count, replace=replace)
            drawn: AnyArray = np.sort(np.concatenate([members[place] for place in chosen]))
            if codes is None or len(np.unique(codes[drawn])) > 1:
                return drawn
        raise ValueError(
            f"{_TRIES} samples of {count} of the {len(members)} groups had one class only. Join "
            "groups, or resample without groups."
        )

    return draw
