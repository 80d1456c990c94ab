"""Which documents to test on, and which to learn from: bootstrap samples and subsamples.

Samples of a classifier are drawn within each class, so that none loses one. Documents of a group
are drawn together.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedShuffleSplit,
    check_cv,
)

from quire._shared.typing import AnyArray
from quire.model_selection._arguments import splits_of

__all__ = ["drawer", "folds_of", "held_out", "seeded", "seeds_from"]

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


def folds_of(
    cv: Any, y: NDArray[Any], groups: Any, random_state: Any, *, classifier: bool
) -> list[tuple[AnyArray, AnyArray]]:
    """Return the training and test rows of each fold; a number is stratified for classifiers.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        Folds.
    y : ndarray
        Targets or labels.
    groups : array-like or None
        Groups for the splitter.
    random_state : int, RandomState instance or None
        How to shuffle where `cv` is a number; ``None`` leaves documents in order.
    classifier : bool
        Whether `y` holds classes.
    """
    if classifier:
        return splits_of(cv, y, groups, random_state)
    if cv is None:
        cv = 5
    if isinstance(cv, Integral):
        kind = KFold if groups is None else GroupKFold
        cv = kind(int(cv), shuffle=random_state is not None, random_state=random_state)
    splits = list(check_cv(cv, y, classifier=False).split(np.zeros(len(y)), y, groups))
    if not splits:
        raise ValueError("cv gives no folds: it needs at least one pair of training and test rows.")
    return splits


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


def seeds_from(random_state: np.random.RandomState, n: int) -> list[int]:
    """Return seeds, one for each piece of work, so that their order does not matter."""
    return [int(seed) for seed in random_state.randint(0, 2**31 - 1, size=n)]


def seeded(estimator: Any, seed: int) -> Any:
    """Return a clone in which every ``random_state`` that is ``None`` has a seed.

    Parameters
    ----------
    estimator : estimator
        A model or pipeline.
    seed : int
        Where the seeds come from.
    """
    copy = clone(estimator)
    open_ = sorted(
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )
    seeds = seeds_from(np.random.RandomState(seed), len(open_))
    return copy.set_params(**dict(zip(open_, seeds, strict=True))) if open_ else copy
