"""Which columns are of which kind: from what a caller writes to the parts of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer as SklearnTfidfVectorizer
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.naive_bayes import CategoricalNB as SklearnCategoricalNB
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from quire._shared.sklearn import BaseComposition, get_column_indices
from quire.feature_extraction.text import CountVectorizer
from quire.naive_bayes._categorical_part import CategoricalPart
from quire.naive_bayes._continuous_part import ContinuousPart
from quire.naive_bayes._distributions import Bernoulli, Multinomial
from quire.naive_bayes._matrix_parts import MatrixPart, TextPart
from quire.naive_bayes._part import Part
from quire.naive_bayes._tables import Table, kind_of

__all__ = ["KINDS", "Entry", "NestedKinds", "make_parts", "read_columns"]

KINDS = ("categorical", "continuous", "counts", "presence", "text")

# The kind that stands for an estimator, and which of its parameters count.
_ESTIMATORS: list[tuple[Any, str, tuple[str, ...]]] = [
    (SklearnCategoricalNB, "categorical", ("alpha",)),
    (GaussianNB, "continuous", ("var_smoothing",)),
    (MultinomialNB, "counts", ("alpha",)),
    (BernoulliNB, "presence", ("alpha", "binarize")),
]


@dataclass(frozen=True)
class Entry:
    """One line of the specification, understood.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        One of :data:`KINDS`.
    columns : list of int
        Places in the table.
    settings : dict
        Parameters of the estimator that was given.
    words : str
        What the words of texts are: "counts" or "presence".
    vectorizer : transformer or None
        For texts, if one was given.
    """

    name: str
    kind: str
    columns: list[int]
    settings: dict[str, Any] = field(default_factory=dict)
    words: str = "counts"
    vectorizer: Any = None

    @property
    def grows(self) -> bool:
        """Whether rows can be added: vocabularies are given, or hashing needs none."""
        steps = self.vectorizer
        each = [step for _, step in steps.steps] if isinstance(steps, Pipeline) else [steps]
        return self.kind != "text" or all(map(_is_fixed, each))


def read_columns(columns: Any, table: Table, X: Any) -> list[Entry]:
    """Return the specification of the columns of a table.

    Parameters
    ----------
    columns : "auto", list of tuple or mapping
        As :class:`MixedNB` takes it.
    table : Table
        The columns.
    X : object
        The same as the caller passed it, for functions that choose columns.
    """
    if isinstance(columns, str):
        return _automatic(table)
    if isinstance(columns, Mapping):
        columns = [(str(kind), kind, chosen) for kind, chosen in columns.items()]
    for entry in columns:
        if not _is_entry(entry):
            raise ValueError(
                f"An entry of columns should be a tuple (name, kind, columns); got {entry!r}."
            )
    entries = []
    for name, kind, chosen in columns:
        key = chosen(X) if callable(chosen) else chosen
        places = get_column_indices(table.data, key)
        entry = _entry(name, kind, [int(place) for place in places])
        if entry.kind not in ("counts", "presence") and table.is_sparse:
            raise ValueError(
                f"{name!r} is {entry.kind}; the columns of a sparse matrix can be 'counts' or "
                "'presence'."
            )
        entries.append(entry)
    if not any(entry.columns for entry in entries):
        raise ValueError("columns names no column; a model needs at least one.")
    return entries


def _is_entry(entry: Any) -> bool:
    """Return whether an item of a list of columns has the form ``(name, kind, columns)``."""
    return isinstance(entry, tuple) and len(entry) == 3 and isinstance(entry[0], str)


class NestedKinds(BaseComposition):
    """Parameters of the estimators in a list of columns: ``name__parameter``."""

    columns: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, and with ``deep`` those of estimators in `columns`.

        Parameters
        ----------
        deep : bool, default=True
            Whether ``name__parameter`` of the estimators in `columns` are among them.

        Returns
        -------
        dict
            Names to values.
        """
        params: dict[str, Any] = self._get_params("_kinds", deep=deep)
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also ``name__parameter`` of estimators in `columns`.

        Parameters
        ----------
        **params : object
            Names and values.

        Returns
        -------
        self
            The model.
        """
        self._set_params("_kinds", **params)
        return self

    @property
    def _kinds(self) -> list[tuple[str, Any]]:
        """The names and kinds of `columns`, in the form that nested parameters go by."""
        if not isinstance(self.columns, list) or not all(map(_is_entry, self.columns)):
            return []  # nothing nested, or for fit to refuse
        return [(name, kind) for name, kind, _ in self.columns]

    @_kinds.setter
    def _kinds(self, kinds: list[tuple[str, Any]]) -> None:
        self.columns = [
            (name, kind, chosen)
            for (name, kind), (_, _, chosen) in zip(kinds, self.columns, strict=True)
        ]


def make_parts(entries: list[Entry], table: Table, n_classes: int, model: Any) -> list[Part]:
    """Return the parts of a model that has not learned anything yet.

    Parameters
    ----------
    entries : list of Entry
        The specification.
    table : Table
        For the names of columns.
    n_classes : int
        Number of classes.
    model : MixedNB
        Parameters that the entries leave open.
    """
    parts: list[Part] = []
    for entry in entries:
        alpha = entry.settings.get("alpha", model.alpha)
        labels = [table.label(j) for j in entry.columns]
        words = entry.words if entry.kind == "text" else entry.kind
        if not entry.columns:
            continue
        if entry.kind == "categorical":
            parts.append(CategoricalPart(entry.columns, labels, n_classes, alpha, model.unseen))
        elif entry.kind == "continuous":
            smoothing = entry.settings.get("var_smoothing", model.var_smoothing)
            parts.append(ContinuousPart(entry.columns, labels, n_classes, smoothing))
        elif entry.kind == "text":
            for j, label in zip(entry.columns, labels, strict=True):
                vectorizer = (
                    CountVectorizer(n_jobs=model.n_jobs)
                    if entry.vectorizer is None
                    else clone(entry.vectorizer)
                )
                distribution = _distribution(words, alpha, entry.settings)
                parts.append(TextPart(j, label, n_classes, distribution, vectorizer))
        else:
            distribution = _distribution(words, alpha, entry.settings)
            parts.append(MatrixPart(entry.columns, labels, n_classes, distribution))
    return parts


def _automatic(table: Table) -> list[Entry]:
    """Return the columns by kind as their types and values suggest."""
    if table.is_sparse:
        return [Entry("counts", "counts", list(range(table.n_columns)))]
    if isinstance(table.data, np.ndarray) and table.data.dtype.kind in "iuf":
        return [Entry("continuous", "continuous", list(range(table.n_columns)))]
    kinds = [kind_of(table.column(j), table.label(j)) for j in range(table.n_columns)]
    found = {kind: [j for j, this in enumerate(kinds) if this == kind] for kind in KINDS}
    return [Entry(kind, kind, places) for kind, places in found.items() if places]


def _entry(name: str, kind: Any, columns: list[int]) -> Entry:
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"{name!r} has the kind {kind!r}; expected one of {', '.join(KINDS)}.")
        return Entry(name, kind, columns)
    if isinstance(kind, Pipeline):
        words, settings = _of_estimator(name, kind.steps[-1][1])
        if words not in ("counts", "presence"):
            raise ValueError(
                f"{name!r} ends in {type(kind.steps[-1][1]).__name__}; texts need a MultinomialNB "
                "or a BernoulliNB."
            )
        before = kind.steps[:-1]
        vectorizer = before[0][1] if len(before) == 1 else Pipeline(before)
        return Entry(name, "text", columns, settings, words, vectorizer)
    if hasattr(kind, "transform"):
        return Entry(name, "text", columns, vectorizer=kind)
    found, settings = _of_estimator(name, kind)
    return Entry(name, found, columns, settings)


def _of_estimator(name: str, estimator: Any) -> tuple[str, dict[str, Any]]:
    """Return the kind of an estimator and the parameters that it gives."""
    for base, kind, known in _ESTIMATORS:
        if isinstance(estimator, base):
            given = estimator.get_params(deep=False)
            default = type(estimator)().get_params(deep=False)
            for key in given.keys() - {*known, "n_jobs"}:
                if repr(given[key]) != repr(default[key]):
                    raise ValueError(
                        f"{name!r} sets {key}={given[key]!r}. Of a {type(estimator).__name__} "
                        f"MixedNB takes {' and '.join(known)}; the prior is its own."
                    )
            return kind, {key: given[key] for key in known}
    raise ValueError(
        f"{name!r} has the kind {estimator!r}. Expected one of {', '.join(KINDS)}; a "
        "CategoricalNB, GaussianNB, MultinomialNB or BernoulliNB; or for texts a vectorizer, or a "
        "Pipeline of a vectorizer and one of the last two."
    )


def _is_fixed(step: Any) -> bool:
    """Return whether a step from texts to a matrix does not depend on the texts."""
    if step is None:
        return False
    if not get_tags(step).requires_fit:
        return True
    weighs = isinstance(step, SklearnTfidfVectorizer) and step.use_idf
    return isinstance(step, SklearnCountVectorizer) and step.vocabulary is not None and not weighs


def _distribution(words: str, alpha: Any, settings: dict[str, Any]) -> Any:
    if words == "counts":
        return Multinomial(alpha)
    return Bernoulli(alpha, settings.get("binarize", 0.0))
