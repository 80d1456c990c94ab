"""Arguments of experiments, checked: sizes, models by name, labels and folds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import column_or_1d

from quire._shared.labels import class_codes
from quire._shared.typing import AnyArray

__all__ = ["Models", "checked_labels", "checked_sizes", "named_models", "scoring_name", "splits_of"]

Models: TypeAlias = str | Mapping[str, Any] | Iterable[str | tuple[str, Any]]

_ALL = sys.maxsize  # as a size: every fold cuts it down to what it has
_DEFAULT_SIZES = [step * 10**power for power in range(1, 9) for step in (1, 2, 5)]
_NAMED: dict[str, tuple[str, dict[str, Any]]] = {
    "bernoulli": ("BernoulliNB", {}),
    "complement": ("ComplementNB", {}),
    "multinomial": ("MultinomialNB", {}),
    "multinomial_binary": ("MultinomialNB", {"binarize": 0.0}),
}


def checked_sizes(sizes: Any) -> list[int]:
    """Return the sizes as numbers, "all" as a very large one."""
    if sizes is None:
        return [*_DEFAULT_SIZES, _ALL]
    advice = 'Give positive whole numbers of terms, and "all" for every term: [10, 100, "all"].'
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise TypeError(f"sizes is {sizes!r}; expected a list of sizes. {advice}")
    checked = []
    for size in sizes:
        if isinstance(size, str) and size == "all":
            checked.append(_ALL)
        elif isinstance(size, Integral) and not isinstance(size, bool) and int(size) > 0:
            checked.append(int(size))
        else:
            raise ValueError(f"sizes contains {size!r}. {advice}")
    if not checked:
        raise ValueError(f"sizes is empty. {advice}")
    return checked


def named_models(models: Models) -> list[tuple[str, Any]]:
    """Return the models with their names, each name once."""
    if isinstance(models, str):
        models = [models]
    entries: Any = models.items() if isinstance(models, Mapping) else models
    pairs = [(entry, entry) if isinstance(entry, str) else entry for entry in entries]
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise TypeError(
                f"models contains {pair!r}; expected a name ({', '.join(_NAMED)}) or a pair of a "
                "name and a classifier."
            )
    names = [name for name, _ in pairs]
    if not names:
        raise ValueError("models is empty: name at least one.")
    if len(set(names)) < len(names):
        raise ValueError(f"models have the same name: {names}. Give each its own.")
    return [
        (name, _classifier(model) if isinstance(model, str) else model) for name, model in pairs
    ]


def _classifier(name: str) -> Any:
    if name not in _NAMED:
        raise ValueError(
            f"there is no model called {name!r}; there are: {', '.join(_NAMED)}. Other classifiers "
            "are given as pairs of a name and an object."
        )
    from quire import naive_bayes

    kind, parameters = _NAMED[name]
    return getattr(naive_bayes, kind)(**parameters)


def checked_labels(y: Any) -> NDArray[Any]:
    """Return the labels as an array, of two classes or more and none of them missing."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    missing = labels != labels  # NaN
    if labels.dtype == object:
        missing |= np.array([label is None for label in labels], dtype=bool)
    if missing.any():
        raise ValueError(
            f"y has no class at row {int(missing.argmax())} ({int(missing.sum())} in all). Remove "
            "or label the rows without a class."
        )
    classes, _ = class_codes(labels)
    if len(classes) < 2:
        found = f"one class only, {classes[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"y has {found}; classifiers are compared on two classes or more.")
    return labels


def splits_of(
    cv: Any, y: NDArray[Any], groups: Any, random_state: Any
) -> list[tuple[AnyArray, AnyArray]]:
    """Return the training and test rows of each fold; a number of folds means stratified ones."""
    if cv is None:
        cv = 5
    if isinstance(cv, Integral):
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        cv = kind(cv, shuffle=random_state is not None, random_state=random_state)
    else:
        cv = check_cv(cv, y, classifier=True)
    splits = list(cv.split(np.zeros(len(y)), y, groups))
    if not splits:
        raise ValueError("cv gives no folds: it needs at least one pair of training and test rows.")
    return splits


def scoring_name(scoring: Any) -> str:
    """Return what to call a score."""
    if scoring is None:
        return "score"
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", str(scoring))
