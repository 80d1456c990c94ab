"""Which term of which vectorizer a column of a model's matrix stands for.

Selectors leave columns out, weights and scalers keep them, unions put them side by side. All of
this is followed; a step that mixes columns (a projection, a function of one's own) ends the trail,
and columns after it are known by their names or numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from quire._shared.fitted import derives_from
from quire._shared.pipelines import column_names
from quire._shared.typing import Places
from quire.kinds import kind_of_class, look_inside, members_of, n_columns_of

__all__ = [
    "Origins",
    "TextSource",
    "distinct_sources",
    "origins_of",
    "reads_table",
    "sources_of",
]


_COLUMNS = "sklearn.compose.ColumnTransformer"
_ONE_TO_ONE = "sklearn.base.OneToOneFeatureMixin"
_PIPELINE = "sklearn.pipeline.Pipeline"
_UNION = "sklearn.pipeline.FeatureUnion"


@runtime_checkable
class _Selects(Protocol):
    """A transformer that leaves columns out, as scikit-learn's selectors do."""

    def get_support(self) -> NDArray[np.bool_]:
        """Return which columns stay."""


@runtime_checkable
class _NamesSome(Protocol):
    """A vectorizer that need not make all of its terms to tell a few."""

    def feature_names_at(self, columns: Places) -> NDArray[Any]:
        """Return the terms of some columns."""


@dataclass(frozen=True, eq=False)
class TextSource:
    """A vectorizer, and the field of a row that it reads.

    Attributes
    ----------
    vectorizer : object
        Has ``build_analyzer``.
    field : object
        Name or number of a column of a table; ``None`` where documents are texts.
    """

    vectorizer: Any
    field: Any = None

    def names(self) -> NDArray[Any] | None:
        """Return the terms of the vectorizer's columns; ``None`` if it hashes."""
        names = column_names(self.vectorizer)
        return None if names is None else np.asarray(names, dtype=object)

    def names_at(self, columns: Places) -> NDArray[Any] | None:
        """Return the terms of some of these columns, and if possible make no others."""
        if isinstance(self.vectorizer, _NamesSome):
            return self.vectorizer.feature_names_at(columns)
        names = self._all_names
        return None if names is None else names[columns]

    @cached_property
    def _all_names(self) -> NDArray[Any] | None:
        return self.names()


def _nameless() -> None:
    """Return what columns without names are called."""


@dataclass(frozen=True, eq=False)
class Origins:
    """Where the columns of a matrix come from.

    Attributes
    ----------
    sources : list of TextSource
        The vectorizers.
    source : ndarray of shape (n_columns,)
        The number of the source of each column; -1 if it is none of them.
    column : ndarray of shape (n_columns,)
        The column in the matrix of that vectorizer.
    naming : callable
        Returns what the columns are called, or ``None``; asked once, when names are needed.
    others : list of (source, column)
        Further sources of the same columns, in arrays of the same shape.
    terms : TextSource or None
        The vectorizer of which these are the columns, if nothing comes behind it.
    """

    sources: list[TextSource]
    source: Places
    column: Places
    naming: Callable[[], NDArray[Any] | None] = _nameless
    others: list[tuple[Places, Places]] = field(default_factory=list)
    terms: TextSource | None = None

    @cached_property
    def names(self) -> NDArray[Any] | None:
        """What the columns are called; ``None`` if they have no names."""
        return self.naming()

    def names_at(self, columns: Places) -> NDArray[Any] | None:
        """Return what some of the columns are called.

        Parameters
        ----------
        columns : ndarray
            Columns.
        """
        if self.terms is not None:
            return self.terms.names_at(columns)
        return None if self.names is None else np.asarray(self.names, dtype=object)[columns]

    def among(self, columns: Places, number: int) -> tuple[Places, Places]:
        """Return which of some columns a source has, and what columns they are in its matrix.

        Parameters
        ----------
        columns : ndarray
            Columns.
        number : int
            The number of the source.
        """
        found = np.full(len(columns), -1)
        for source, column in [(self.source, self.column), *self.others]:
            new = (found < 0) & (source[columns] == number)
            found[new] = column[columns][new]
        mine = np.flatnonzero(found >= 0)
        return mine, found[mine]

    def has_columns_of(self, number: int) -> bool:
        """Return whether there is a column of a source."""
        every = [self.source, *(source for source, _ in self.others)]
        return any(bool((source == number).any()) for source in every)


def reads_table(deciding: Any) -> bool:
    """Return whether a model takes rows of a table, and makes terms of their texts itself."""
    return kind_of_class(type(deciding)).reads == "table"


def sources_of(transformers: list[Any], deciding: Any) -> list[TextSource]:
    """Return the vectorizers of a model and what they read.

    Parameters
    ----------
    transformers : list of transformers
        All steps before the estimator that decides.
    deciding : estimator
        It may read texts itself (MixedNB).
    """
    if reads_table(deciding):
        return _of_mixed(deciding).sources
    members = members_of(deciding)
    if members:
        parts = [look_inside(member) for _, member in members]
        return distinct_sources(
            [sources_of(transformers + one.transformers, one.deciding) for one in parts]
        )
    found = _through(transformers, None)
    return [] if found is None else found.sources


def distinct_sources(parts: list[list[TextSource]]) -> list[TextSource]:
    """Return the sources of several models, each once.

    Parameters
    ----------
    parts : list of list of TextSource
        Those of each.
    """
    known = {(id(one.vectorizer), one.field): one for sources in parts for one in sources}
    return list(known.values())


def origins_of(transformers: list[Any], deciding: Any, n_columns: int) -> Origins:
    """Follow columns from the vectorizers to the matrix of the estimator that decides.

    Parameters
    ----------
    transformers : list of transformers
        All steps before it.
    deciding : estimator
        It may read texts itself (MixedNB).
    n_columns : int
        The number of columns of its matrix.

    Returns
    -------
    Origins
        Of these columns.
    """
    if reads_table(deciding):
        return _of_mixed(deciding)
    found = _through(transformers, None)
    if found is None or len(found.source) != n_columns:
        sources = [] if found is None else found.sources
        nowhere = np.full(n_columns, -1)
        found = Origins(sources, nowhere, nowhere)
    terms = found.sources[0] if len(transformers) == len(found.sources) == 1 else None
    if terms is not None and (
        terms.vectorizer is not transformers[0] or not isinstance(terms.vectorizer, _NamesSome)
    ):
        terms = None
    return Origins(
        found.sources,
        found.source,
        found.column,
        lambda: _names(transformers, deciding, n_columns),
        terms=terms if (found.source == 0).all() else None,
    )


def _names(transformers: list[Any], deciding: Any, n_columns: int) -> NDArray[Any] | None:
    """Return what the steps call their columns, ``None`` if one of them does not say."""
    names = getattr(deciding, "feature_names_in_", None)
    for number, step in enumerate(transformers):
        names = _names_after(step, names if number else None)
        if names is None:
            return None
    if names is None or len(names) != n_columns:
        return None
    return np.asarray(names, dtype=object)


def _names_after(step: Any, names: Any) -> NDArray[Any] | None:
    """Return what a step calls its columns; in a table, the numbers of those without a name."""
    try:
        found = step.get_feature_names_out() if names is None else step.get_feature_names_out(names)
        return np.asarray(found, dtype=object)
    except (AttributeError, ValueError, TypeError):
        if not derives_from(step, _COLUMNS):
            return None
    parts = {name: inner for name, inner, _ in step.transformers_}
    named: list[Any] = []
    for name, place in sorted(step.output_indices_.items(), key=lambda item: item[1].start):
        width = place.stop - place.start
        inner = None if width == 0 or isinstance(parts.get(name), str) else parts.get(name)
        own = None if inner is None else _names_after(inner, None)
        labels = range(width) if own is None or len(own) != width else own
        named += [f"{name}__{label}" for label in labels]
    return np.array(named, dtype=object)


def _through(steps: list[Any], field: Any) -> Origins | None:
    """Follow columns through steps, one after another."""
    at: Origins | None = None
    for step in steps:
        if step is None or isinstance(step, str):
            continue
        at = _first(step, field) if at is None else _next(step, at)
        if at is None:
            return None
    return at


def _first(step: Any, field: Any) -> Origins | None:
    """Return the origins of the columns that a step makes of documents."""
    if derives_from(step, _PIPELINE):
        return _through([inner for _, inner in step.steps], field)
    if derives_from(step, _UNION):
        parts = [_first(inner, field) for _, inner in step.transformer_list if inner != "drop"]
        known = [part for part in parts if part is not None]
        return _joined(known) if len(known) == len(parts) else None
    if derives_from(step, _COLUMNS):
        return _of_table(step)
    if kind_of_class(type(step)).reads == "texts":
        n = n_columns_of(step)
        n = step.n_features if n is None else n  # words that are hashed have no vocabulary
        return Origins([TextSource(step, field)], np.zeros(n, dtype=np.intp), np.arange(n))
    return None


def _next(step: Any, at: Origins) -> Origins | None:
    """Return the origins after a step that works on a matrix."""
    if derives_from(step, _PIPELINE):
        for _, inner in step.steps:
            if inner is None or isinstance(inner, str):
                continue
            found = _next(inner, at)
            if found is None:
                return None
            at = found
        return at
    if isinstance(step, _Selects):
        kept = step.get_support()
        if len(kept) != len(at.source):  # the trail has ended before
            return at
        return Origins(at.sources, at.source[kept], at.column[kept])
    if derives_from(step, _ONE_TO_ONE):
        return at
    return Origins(at.sources, np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))


def _of_table(step: Any) -> Origins:
    """Return the origins of a ColumnTransformer's columns."""
    n = max((part.stop for part in step.output_indices_.values()), default=0)
    sources: list[TextSource] = []
    source, column = np.full(n, -1), np.full(n, -1)
    for name, inner, columns in step.transformers_:
        place = step.output_indices_.get(name, slice(0, 0))
        if isinstance(inner, str) or place.stop == place.start or np.ndim(columns) != 0:
            continue
        found = _first(inner, columns)
        if found is None or len(found.source) != place.stop - place.start:
            continue
        source[place] = np.where(found.source < 0, -1, found.source + len(sources))
        column[place] = found.column
        sources += found.sources
    return Origins(sources, source, column)


def _of_mixed(model: Any) -> Origins:
    """Return the origins of the terms of a model that reads texts itself."""
    labels = getattr(model, "feature_names_in_", range(model.n_features_in_))
    pieces, names = [], []
    for part in model.parts_:
        terms = part.term_names()
        names += terms
        found = None
        if part.kind == "text":
            found = _first(part.vectorizer_, labels[part.columns[0]])
        if found is None or len(found.source) != len(terms):
            nowhere = np.full(len(terms), -1)
            found = Origins([], nowhere, nowhere)
        pieces.append(found)
    joined = _joined(pieces)
    return Origins(
        joined.sources, joined.source, joined.column, lambda: np.array(names, dtype=object)
    )


def _joined(parts: list[Origins]) -> Origins:
    """Put columns side by side."""
    sources: list[TextSource] = []
    numbers = []
    for part in parts:
        numbers.append(np.where(part.source < 0, -1, part.source + len(sources)))
        sources += part.sources
    nothing: list[Places] = [np.empty(0, dtype=np.intp)]
    return Origins(
        sources,
        np.concatenate(nothing + numbers).astype(np.intp),
        np.concatenate(nothing + [part.column for part in parts]).astype(np.intp),
    )
