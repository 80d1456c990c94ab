"""What is to be predicted: the task that labels suggest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.label_sets import (
    SEPARATOR,
    are_sets,
    check_separator,
    label_sets,
    parts_that_recur,
)
from quire._shared.labels import class_codes
from quire._shared.numbered_classes import numbered_classes
from quire._shared.typing import Floats

__all__ = ["TASKS", "Target", "guess_task", "target_of"]


TASKS = ("binary", "multiclass", "multilabel", "ordered", "continuous")

_ORDERED_NAMES = ("rating", "stars", "score", "grade", "level", "rank", "severity", "priority")


@dataclass(frozen=True)
class Target:
    """Labels, read.

    Attributes
    ----------
    task : str
        One of `TASKS`.
    y : ndarray of shape (n_documents,) or LabelSets
        The labels, or numbers as float64.
    classes : ndarray of shape (n_classes,) or None
        The classes in order; ``None`` for numbers.
    codes : ndarray of shape (n_documents,)
        The place of each label among the classes; the numbers themselves for numbers. Of several
        labels for a document a matrix of 0 and 1, of shape (n_documents, n_labels).
    notes : tuple of str
        What was decided.
    costs : ndarray of shape (n_classes, n_classes) or None
        What it costs to predict a class (column) where another is true (row), if that was said.
    """

    task: str
    y: Any
    classes: NDArray[Any] | None
    codes: Any
    notes: tuple[str, ...]
    costs: Floats | None = None

    @property
    def is_of_sets(self) -> bool:
        """Whether a document has several labels."""
        return self.task == "multilabel"

    def learned_by(self, candidate: Any) -> Any:
        """Return what a candidate learns: codes, unless its parameters may name classes."""
        if self.is_of_sets and not candidate.reads_codes:
            return np.asarray(self.y)  # a matrix, which all models of several labels take
        return self.codes if candidate.reads_codes else self.y


def target_of(
    y: Any, task: str = "auto", name: str | None = None, separator: str | None = None
) -> Target:
    """Read labels and find the task.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Labels: a list, an array, or a column of polars or pandas, whose ordered categories count.
    task : {"auto", "binary", "multiclass", "multilabel", "ordered", "continuous"}, default="auto"
        The task, if it is known.
    name : str, default=None
        The name of the column; "rating" and the like suggest an order.
    separator : str, default=None
        What stands between labels in texts, if there are several in one; found if ``None``.

    Returns
    -------
    Target
        What is to be predicted.
    """
    if task != "auto" and task not in TASKS:
        raise ValueError(f"task must be 'auto' or one of {', '.join(TASKS)}; got {task!r}.")
    name = name or str(getattr(y, "name", "") or "")
    if separator is not None:
        check_separator(separator)
        if task not in ("auto", "multilabel"):
            raise ValueError(
                f"label_separator={separator!r} is for several labels of a document, and the task "
                f"is {task!r}; leave one of them out."
            )
    sets = _several(y, task, separator)
    if sets is not None:
        return sets
    order = _declared_order(y)
    values = _values(y)
    if values.ndim != 1:
        raise ValueError(f"y must be one column of labels; got an array of shape {values.shape}.")
    _refuse_missing(values)
    notes: tuple[str, ...] = ()
    found = task
    if task == "auto":
        found, notes = _guess(values, order, name)
    if found == "continuous":
        return Target(found, *_numbers(values), notes)
    classes, codes = class_codes(values)
    if order is not None and found == "ordered":
        rank = {label: place for place, label in enumerate(order)}
        places = np.array([rank[label] for label in classes.tolist()])
        again = np.argsort(places)
        back = np.empty(len(again), dtype=np.int32)
        back[again] = np.arange(len(again), dtype=np.int32)
        classes, codes = classes[again], back[codes]
    if len(classes) == 0:
        raise ValueError("There are no labels.")
    if len(classes) == 1:
        raise ValueError(
            f"All {len(values):,} labels are {classes.tolist()[0]!r}. Models tell classes apart, "
            "so at least two are needed."
        )
    if found == "binary" and len(classes) > 2:
        raise ValueError(f"task='binary', but there are {len(classes)} classes.")
    if found == "multiclass" and len(classes) == 2:
        found = "binary"
    return Target(found, values, classes, codes, notes)


def _several(y: Any, task: str, separator: str | None) -> Target | None:
    """Return the target if documents have several labels, because of their form or what they say.

    Texts with "|" between parts that are in other values, too, are taken for sets of labels.
    """
    notes: tuple[str, ...] = ()
    if task not in ("auto", "multilabel"):
        return None
    if task == "auto" and separator is None and not are_sets(y):
        values = _values(y)
        if values.ndim != 1 or values.dtype.kind not in "OUT":
            return None
        parts = parts_that_recur(value for value in values.tolist() if value is not None)
        if not parts:
            return None
        notes = (
            f"task: several labels for a document, {len(parts):,} of them, since values such as "
            f"{_joined_value(values)!r} have {SEPARATOR!r} between parts that are in other values, "
            "too; task='multiclass' takes each value for a class, label_separator= says what else "
            "stands between labels",
        )
    sets = label_sets(y, separator=separator or SEPARATOR)
    if len(sets) == 0:
        raise ValueError("There are no labels.")
    if len(sets.classes) == 0:
        raise ValueError(
            f"None of the {len(sets):,} documents has a label, so there is nothing to learn."
        )
    n_without = int((np.diff(sets.indicator.indptr) == 0).sum())
    if n_without:
        notes += (f"{n_without:,} of {len(sets):,} documents have no label, and count as such",)
    if task == "multilabel" and int(np.diff(sets.indicator.indptr).max()) < 2:
        notes += ("no document has more than one label",)
    return Target("multilabel", sets, sets.classes, sets.indicator, notes)


def _joined_value(values: NDArray[Any]) -> str:
    return next(str(value) for value in values.tolist() if SEPARATOR in str(value))


def _values(y: Any) -> NDArray[Any]:
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if values.dtype.kind == "O" and len(values) and all(isinstance(v, bool) for v in values):
        return values.astype(bool)
    return np.asarray(values)


def _refuse_missing(values: NDArray[Any]) -> None:
    missing = np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "O":
        missing = np.array([v is None or v != v for v in values], dtype=bool)
    elif values.dtype.kind == "f":
        missing = np.isnan(values)
    if missing.any():
        raise ValueError(
            f"{int(missing.sum()):,} of {len(values):,} documents have no label, the first at row "
            f"{int(missing.argmax())}. Remove them, or give them a label."
        )


def _declared_order(y: Any) -> list[Any] | None:
    """Return the categories of an ordered column, in order."""
    dtype: Any = getattr(y, "dtype", None)
    if getattr(dtype, "ordered", False):  # pandas
        return list(dtype.categories)
    if type(dtype).__name__ == "Enum" and hasattr(dtype, "categories"):  # polars
        return list(dtype.categories)
    return None


def guess_task(y: Any, name: str | None = None) -> tuple[str, str]:
    """Say what labels suggest is to be predicted, and why, as :func:`compare` would take them.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Labels: a list, an array, or a column of polars or pandas, whose ordered categories count.
    name : str, default=None
        The name of the column, which may suggest an order, codes or measures.

    Returns
    -------
    task : {"binary", "multiclass", "ordered", "continuous"}
        The task.
    reason : str
        Why, with the other choices; empty where there is no doubt.

    Examples
    --------
    >>> from quire.model_selection import guess_task
    >>> guess_task(["left", "right", "left"])
    ('binary', '')
    >>> task, reason = guess_task(list(range(18, 90)) * 3, name="age")
    >>> print(reason)
    task: continuous, since the labels are 72 whole numbers from 18 to 89 in a column called 'age';
    task='multiclass' takes them for classes
    """
    values = _values(y)
    _refuse_missing(values)
    name = name or str(getattr(y, "name", "") or "")
    task, notes = _guess(values, _declared_order(y), name)
    return task, "; ".join(notes)


def _guess(values: NDArray[Any], order: Any, name: str) -> tuple[str, tuple[str, ...]]:
    n_values = len(np.unique(values)) if values.dtype.kind != "O" else len(set(values.tolist()))
    if order is not None and n_values > 2:
        return "ordered", (f"task: ordered, {n_values} categories in the order of the column",)
    if values.dtype.kind not in "iuf":
        return "binary" if n_values == 2 else "multiclass", ()
    if n_values < 2:
        return "multiclass", ()
    if not np.all(values == np.floor(values)):
        return "continuous", ("task: continuous, since the labels are numbers with fractions",)
    is_classes, why = numbered_classes(values, name)
    if not is_classes:
        return "continuous", (
            f"task: continuous, since the labels are {why}; task='multiclass' takes them for "
            "classes",
        )
    if n_values == 2:
        return "binary", ()
    if any(word in name.lower() for word in _ORDERED_NAMES):
        return "ordered", (
            f"task: ordered, whole numbers in a column called {name!r}; task='multiclass' ignores "
            "the order",
        )
    return "multiclass", (
        f"task: {n_values} classes, since the labels are {why}; task='ordered' or "
        "task='continuous' if their order or size matters",
    )


def _numbers(values: NDArray[Any]) -> tuple[NDArray[Any], None, Floats]:
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        bad = next(v for v in values.tolist() if not _is_number(v))
        raise ValueError(
            f"task='continuous' needs numbers, but a label is {bad!r}. Choose another column, or "
            "task='multiclass'."
        ) from None
    if not np.isfinite(numbers).all():
        raise ValueError("y has infinite numbers; remove these documents.")
    return numbers, None, numbers


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
