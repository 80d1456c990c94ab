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

__all__ = ["Folds", "folds_of", "rows_of", "train_and_test"]

_TRAIN, _TEST = ("train", "training", "learn"), ("test", "testing", "held out", "held-out", "eval")

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


def train_and_test(split: Any, n_documents: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows to learn from and those to judge by.

    Parameters
    ----------
    split : array-like of shape (n_documents,)
        "train" or "test" for each document.
    n_documents : int
        How many there are.
    """
    values = [str(value).strip().lower() for value in np.asarray(split).ravel().tolist()]
    if len(values) != n_documents:
        raise ValueError(
            f"There are {n_documents:,} documents and {len(values):,} entries of the split."
        )
    unknown = sorted(set(values) - {*_TRAIN, *_TEST})
    if unknown:
        shown = ", ".join(map(repr, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
        raise ValueError(
            f"split says {shown}; expected 'train' or 'test' for each document. Leave other rows "
            "out first, or rename them."
        )
    is_test = np.isin(values, _TEST)
    if is_test.all() or not is_test.any():
        raise ValueError(f"split says {values[0]!r} of every document; both parts are needed.")
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)
