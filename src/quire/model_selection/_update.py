"""A fitted model that learns on from more documents, as a new one."""

from __future__ import annotations

import copy
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.notebooks import ShownInNotebooks
from quire.kinds import Predicts, classes_of, kind_of, last_step, steps_of
from quire.model_selection._evaluate.evaluate import documents_and_labels
from quire.persistence import load_with_info

__all__ = ["Update", "update"]

_SHOWN = 5


@dataclass(frozen=True)
class Update(ShownInNotebooks):
    """A model that has learned on, and from what.

    Attributes
    ----------
    model : estimator
        The new model; the one that it was made from is as it was.
    n_documents : int
        Documents it has learned from now.
    n_missing : int
        Documents without a label, which were left out.
    by_class : dict
        How many documents of each class were new.
    n_empty : int
        New documents without a single term that the model knows.
    notes : tuple of str
        What was guessed.
    """

    model: Any
    n_documents: int
    n_missing: int
    by_class: dict[Any, int]
    n_empty: int
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return all but the model as plain data, ready for JSON."""
        return {
            "documents": self.n_documents,
            "without_label": self.n_missing,
            "by_class": {str(label): n for label, n in self.by_class.items()},
            "without_known_terms": self.n_empty,
            "notes": list(self.notes),
        }


def update(
    model: Any,
    data: Any,
    y: Any = None,
    *,
    text: str | Sequence[str] | None = None,
    **options: Any,
) -> Update:
    """Let a copy of a fitted model learn from more documents, without the old ones.

    Parameters
    ----------
    model : estimator or path
        Fitted, or a ``.quire`` file. It, or the last step of a pipeline, has ``partial_fit``: naive
        Bayes has, whose counts are added to.
    data : path, Corpus, DataFrame, sequence of str or matrix
        New documents, as for :func:`evaluate`.
    y : array-like of shape (n_documents,), or str, default=None
        Their labels, or the name of the column.
    text : str or sequence of str, default=None
        Columns of a table that are texts; as in training, if that is known, or guessed.
    **options
        How to read a file, as for :func:`quire.io.read_corpus`.

    Returns
    -------
    Update
        The new model, and from what it has learned.

    Raises
    ------
    ValueError
        If the model cannot learn on, a label is not one of its classes, or no document has one.

    Notes
    -----
    What comes before the last step stays: the vocabulary, document frequencies, settings. For
    counts the result is what a fit to all documents with the old vocabulary gives. New words are
    not learned; where there are many, fit anew.

    Examples
    --------
    >>> from quire.model_selection import update
    >>> from quire.naive_bayes import MultinomialNB
    >>> old = MultinomialNB().fit_text(["good film", "bad film"], ["pos", "neg"]).to_pipeline()
    >>> new = update(old, ["good, good film"] * 3, ["pos"] * 3)
    >>> new.n_documents, new.by_class
    (3, {'pos': 3})
    >>> old.predict_proba(["film"]).round(2), new.model.predict_proba(["film"]).round(2)
    (array([[0.5, 0.5]]), array([[0.22, 0.78]]))
    """
    metadata: dict[str, Any] = {}
    if isinstance(model, str | os.PathLike):
        model, info = load_with_info(model)
        metadata = info.metadata or {}
    _check_learns_on(model)
    rows, values, n_missing, notes = documents_and_labels(model, data, y, text, metadata, options)
    labels = _labels_of(model, values)
    model = copy.deepcopy(model)
    steps, answering = steps_of(model)
    for step in steps:
        rows = step.transform(rows)
    answering.partial_fit(rows, labels)
    return Update(
        model=model,
        n_documents=len(values),
        n_missing=n_missing,
        by_class=dict(Counter(np.asarray(labels).tolist()).most_common()),
        n_empty=_n_empty(rows),
        notes=notes,
    )


def _check_learns_on(model: Any) -> None:
    last = last_step(model)
    name = type(last).__name__
    predicts = kind_of(model).predicts
    if predicts not in (Predicts.LABEL, Predicts.ORDERED_LABEL, Predicts.NUMBER):
        raise ValueError(f"{name} learns without labels; fit it anew on all documents.")
    if not hasattr(last, "partial_fit") or steps_of(model)[1] is not last:
        raise ValueError(
            f"{name} cannot learn on: its optimum depends on all documents at once. Fit it anew on "
            "the old and the new ones together. Naive Bayes models can learn on, by their counts."
        )


def _labels_of(model: Any, values: list[Any]) -> Any:
    """Return labels as the classes of the model: a file may have 1 where the model has "1"."""
    classes = classes_of(model)
    if classes is None:
        return np.asarray(values, dtype=np.float64)
    by_name = {str(label): number for number, label in enumerate(classes.tolist())}
    unknown = Counter(str(value) for value in values if str(value) not in by_name)
    if unknown:
        shown = ", ".join(f"{label!r} ({n:,})" for label, n in unknown.most_common(_SHOWN))
        raise ValueError(
            f"The model has no class for {sum(unknown.values()):,} of {len(values):,} documents: "
            f"{shown}. Leave them out, or fit a model anew on all documents."
        )
    return classes[[by_name[str(value)] for value in values]]


def _n_empty(rows: Any) -> int:
    if not sparse.issparse(rows):
        return 0
    return int((np.asarray(abs(rows).sum(axis=1)).ravel() == 0).sum())
