"""Folds: which documents to learn from and which to hold out."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)

from quire._shared.sklearn import safe_indexing
from quire._shared.typing import AnyArray
from quire.feature_extraction.text import CountedDocuments

__all__ = ["Folds", "folds_of", "rows_of"]

Folds = list[tuple[AnyArray, AnyArray]]


def folds_of(
    cv: Any, y: NDArray[Any], groups: Any, random_state: Any, *, classifier: bool
) -> Folds:
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
    if cv is None:
        cv = 5
    if isinstance(cv, Integral):
        kinds = (StratifiedKFold, StratifiedGroupKFold) if classifier else (KFold, GroupKFold)
        kind = kinds[groups is not None]
        cv = kind(int(cv), shuffle=random_state is not None, random_state=random_state)
    splits = list(check_cv(cv, y, classifier=classifier).split(np.zeros(len(y)), y, groups))
    if not splits:
        raise ValueError("cv gives no folds: it needs at least one pair of training and test rows.")
    return splits


def rows_of(X: Any, rows: Any) -> Any:
    """Return some of the documents, in the form in which they came."""
    return X[rows] if isinstance(X, CountedDocuments) else safe_indexing(X, rows)
