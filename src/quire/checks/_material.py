"""What is looked at: texts, labels, the parts that they are divided into, other columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import clone

from quire._shared.column_kinds import kinds_of_columns
from quire._shared.numbered_classes import numbered_classes
from quire._shared.texts import python_objects
from quire._shared.typing import AnyArray, Ints
from quire.feature_extraction.text import CountedDocuments, CountVectorizer
from quire.io import Corpus, read_corpus

__all__ = [
    "Material",
    "as_texts",
    "listed",
    "material_of",
    "of_documents",
    "percent",
    "rows_beyond_ascii",
]

_SPLIT_NAMES = ("split", "subset", "partition", "fold")
_MOST_PARTS = 20
_SHOWN = 5  # examples in a sentence


@dataclass(frozen=True, eq=False)
class Material:
    """A corpus as checks see it.

    Attributes
    ----------
    texts : polars.Series
        Strings without nulls.
    labels : list of str or None
        The classes as strings, as they are written; ``None`` where there are no classes.
    codes : ndarray of int or None
        The place of the label of each document among `labels`; -1 where there is none.
    parts : ndarray of int or None
        Which part each document is in, or in which fold it is held out; -1 for none.
    part_names : list of str
        Names of the parts.
    is_split : bool
        Whether parts have names of their own: training and test, and no random folds.
    groups : polars.Series or None
        What holds rows together.
    columns : polars.DataFrame
        Other columns.
    n_folds : int
        How many folds random folds have, or will have.
    counted : CountedDocuments or None
        Counts that were made already.
    notes : list of str
        What was assumed.
    """

    texts: pl.Series
    labels: list[str] | None
    codes: Ints | None
    parts: Ints | None
    part_names: list[str]
    is_split: bool
    groups: pl.Series | None
    columns: pl.DataFrame
    n_folds: int
    counted: CountedDocuments | None
    n_jobs: int | None
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def is_empty(self) -> AnyArray:
        """Mark texts without anything that can be seen."""
        empty: AnyArray = (self.texts.str.strip_chars().str.len_bytes() == 0).to_numpy()
        return empty

    @cached_property
    def sizes(self) -> Ints:
        """Documents of each class."""
        assert self.codes is not None
        assert self.labels is not None
        sizes: Ints = np.bincount(self.codes[self.codes >= 0], minlength=len(self.labels))
        return sizes

    @cached_property
    def counts(self) -> CountedDocuments | None:
        """The words of all texts, counted once; ``None`` if there are none."""
        if self.counted is not None:
            return self.counted
        vectorizer = CountVectorizer(dtype=np.float32, n_jobs=self.n_jobs)
        try:
            return CountedDocuments(self.texts, vectorizer)
        except ValueError:  # an empty vocabulary
            return None

    @cached_property
    def terms(self) -> list[str]:
        """The terms of the columns of the counts; empty where they cannot be told."""
        counts = self.counts
        if counts is None or counts.vectorizer is None:
            return []
        limits = {"min_df": 1, "max_df": 1.0, "max_features": None}
        everything = clone(counts.vectorizer).set_params(**limits).fit(counts)
        names: list[str] = everything.get_feature_names_out().tolist()
        return names if len(names) == counts.counts.shape[1] else []

    @cached_property
    def accented(self) -> Ints:
        """Rows of texts with a character beyond ASCII: the others are spared some checks."""
        return rows_beyond_ascii(self.texts)

    def spans_parts(self, group: Ints) -> Ints:
        """Return how many parts each group of documents is in.

        Parameters
        ----------
        group : ndarray of shape (n_documents,)
            The number of a group, below the number of documents; -1 for none.
        """
        assert self.parts is not None
        known = np.flatnonzero((group >= 0) & (self.parts >= 0))
        pairs = np.unique(group[known] * np.int64(len(self.part_names) + 1) + self.parts[known])
        n_groups = max(int(group.max(initial=-1)) + 1, len(self))
        number: Ints = np.bincount(pairs // (len(self.part_names) + 1), minlength=n_groups)
        return number


def material_of(
    texts: Any,
    y: Any,
    *,
    text: Any,
    split: Any,
    folds: Any,
    groups: Any,
    columns: Any,
    n_jobs: int | None,
) -> Material:
    """Read what :func:`check_texts` is given."""
    notes: list[str] = []
    counted = None
    table = pl.DataFrame()
    if isinstance(texts, CountedDocuments):
        counted, texts = texts, texts.texts
    if isinstance(texts, os.PathLike) or (isinstance(texts, str) and Path(texts).exists()):
        texts = read_corpus(texts, text=text, label=y if isinstance(y, str) else None)
        y = None if isinstance(y, str) else y
    elif hasattr(texts, "columns") and not isinstance(texts, Corpus):
        frame = texts if isinstance(texts, pl.DataFrame) else pl.DataFrame(texts)
        texts = read_corpus(frame, text=text, label=y if isinstance(y, str) else None)
        y = None if isinstance(y, str) else y
    taken: set[str] = set()
    if isinstance(texts, Corpus):
        corpus = texts
        notes += corpus.notes
        if not corpus.text_columns:
            raise ValueError(
                "There are no texts to look at: none of the columns is prose. Name one with text=; "
                f"there are: {', '.join(corpus.frame.columns)}."
            )
        y = corpus.labels if y is None else corpus.frame[y] if isinstance(y, str) else y
        taken = {*corpus.text_columns, corpus.label_column or ""}
        table, texts = corpus.frame, corpus.texts
        if split is None and folds is None:
            split = _split_column(table, taken, notes)
    series = as_texts(texts)
    if isinstance(split, str):
        taken.add(split)
        split = _column(table, split)
    if isinstance(groups, str):
        taken.add(groups)
        groups = _column(table, groups)
    if split is not None and folds is not None:
        raise TypeError("split and folds were both given: name one way to divide the documents.")
    parts, names, n_folds = _parts(split, folds, len(series))
    labels, codes = _classes(y, len(series), notes)
    return Material(
        texts=series,
        labels=labels,
        codes=codes,
        parts=parts,
        part_names=names,
        is_split=split is not None,
        groups=None if groups is None else _as_column(groups, len(series), "groups"),
        columns=_others(table, columns, taken, len(series)),
        n_folds=n_folds,
        counted=counted,
        n_jobs=n_jobs,
        notes=notes,
    )


def rows_beyond_ascii(texts: pl.Series) -> Ints:
    """Return the rows of texts with a character beyond ASCII.

    Parameters
    ----------
    texts : polars.Series
        Strings without nulls.
    """
    return np.flatnonzero((texts.str.len_bytes() != texts.str.len_chars()).to_numpy())


def as_texts(texts: Any) -> pl.Series:
    """Return texts as a column of strings without nulls.

    Parameters
    ----------
    texts : sequence of str or Series
        One for each document; missing ones become empty.
    """
    if isinstance(texts, str):
        raise TypeError("texts is one string; give a list of documents.")
    if not isinstance(texts, pl.Series):
        values = [None if t is None or t != t else t for t in python_objects(texts)]
        texts = pl.Series("text", values, dtype=pl.String if not values else None, strict=False)
    if texts.dtype == pl.Null:
        texts = texts.cast(pl.String)
    if texts.dtype != pl.String:
        raise TypeError(f"texts has values of type {texts.dtype}; expected strings.")
    if len(texts) == 0:
        raise ValueError("There are no documents.")
    filled: pl.Series = texts.fill_null("")
    return filled


def _as_column(values: Any, n: int, name: str) -> pl.Series:
    if not isinstance(values, pl.Series):
        values = pl.Series(name, list(python_objects(values)), strict=False)
    if len(values) != n:
        raise ValueError(f"{name} has {len(values):,} values for {n:,} documents.")
    return values  # type: ignore[no-any-return]


def _column(table: pl.DataFrame, name: str) -> pl.Series:
    if name not in table.columns:
        known = ", ".join(table.columns) or "no table was given"
        raise ValueError(f"There is no column {name!r}; there are: {known}.")
    return table[name]


def _split_column(table: pl.DataFrame, taken: set[str], notes: list[str]) -> str | None:
    """Return the column that says which part of the corpus a row is in, if one clearly does."""
    for name in table.columns:
        if name in taken or name.strip().lower() not in _SPLIT_NAMES:
            continue
        if table[name].dtype.is_float() or table[name].dtype.is_nested():
            continue
        if 2 <= table[name].n_unique() <= _MOST_PARTS:
            notes.append(f"parts: column {name!r}")
            return name
    return None


def _parts(split: Any, folds: Any, n: int) -> tuple[Ints | None, list[str], int]:
    """Return the part of each document, the names of the parts, and the number of folds."""
    if split is not None:
        column = _as_column(split, n, "split")
        names = [str(value) for value in column.drop_nulls().unique(maintain_order=True)]
        place = {name: number for number, name in enumerate(names)}
        values = column.cast(pl.String).to_list()
        parts = np.array([-1 if v is None else place[v] for v in values], dtype=np.int64)
        return parts, names, 5
    if folds is None:
        return None, [], 5
    if isinstance(folds, int):
        if folds < 2:
            raise ValueError(f"folds={folds}: at least two are needed.")
        return None, [], folds
    pairs = list(folds)
    parts = np.full(n, -1, dtype=np.int64)
    for number, (_, test) in enumerate(pairs):
        rows = np.arange(n)[test]
        parts[rows[parts[rows] < 0]] = number
    names = [f"fold {number}" for number in range(len(pairs))]
    if len(pairs) == 1:  # one division: what is not held out is the other side
        parts[parts < 0] = 1
        names = ["held out", "training"]
    return parts, names, max(2, len(pairs))


def _classes(y: Any, n: int, notes: list[str]) -> tuple[list[str] | None, Ints | None]:
    """Return the classes as strings and their places; nothing where labels are measurements."""
    if y is None:
        notes.append("no labels were given: what concerns classes is left out")
        return None, None
    column = _as_column(y, n, "y")
    if column.dtype.is_nested() or column.dtype == pl.Object:
        notes.append("labels are lists: what concerns classes is left out")
        return None, None
    if column.dtype.is_numeric():
        if column.dtype.is_float():
            column = column.fill_nan(None)
        known = column.drop_nulls()
        is_whole = column.dtype.is_integer() or bool((known == known.floor()).all())
        if not is_whole or not numbered_classes(known.to_numpy(), column.name)[0]:
            notes.append("labels are numbers: what concerns classes is left out")
            return None, None
        column = column.cast(pl.Int64)
    values = column.cast(pl.String)
    labels = sorted(values.drop_nulls().unique().to_list())
    if not labels:
        notes.append("no document has a label: what concerns classes is left out")
        return None, None
    places = values.replace_strict(labels, list(range(len(labels))), default=-1)
    codes: Ints = places.fill_null(-1).to_numpy().astype(np.int64)
    return labels, codes


def _others(table: pl.DataFrame, columns: Any, taken: set[str], n: int) -> pl.DataFrame:
    """Return the columns beside texts and labels that have few enough values to say something."""
    if isinstance(columns, Mapping) or (hasattr(columns, "columns") and columns is not None):
        if isinstance(columns, pl.DataFrame):
            given = columns
        else:
            named = {str(name): columns[name] for name in columns}
            given = pl.DataFrame([_as_column(v, n, k).alias(k) for k, v in named.items()])
        if given.height != n:
            raise ValueError(f"columns has {given.height:,} rows for {n:,} documents.")
        return given
    if columns is not None:
        names: Sequence[str] = [columns] if isinstance(columns, str) else list(columns)
        return pl.DataFrame([_column(table, name) for name in names])
    rest = table.select(name for name in table.columns if name not in taken)
    kinds = kinds_of_columns(rest)
    kept = {*kinds.categories, *kinds.numbers, *kinds.names}
    kept |= {name for name, dtype in rest.schema.items() if dtype.is_temporal()}
    return rest.select(name for name in rest.columns if name in kept)


def listed(names: Iterable[Any], *, most: int = _SHOWN, quoted: bool = True) -> str:
    """Return a few names in a sentence, and how many more there are.

    Parameters
    ----------
    names : iterable
        What to name.
    most : int, default=5
        How many are named.
    quoted : bool, default=True
        Whether in quotation marks.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    everything = list(names)
    shown = [_short(repr(name) if quoted else str(name)) for name in everything[:most]]
    rest = len(everything) - len(shown)
    return ", ".join(shown) + (f" and {rest:,} more" if rest else "")


def of_documents(n: int) -> str:
    """Return "1 document" or "2 documents"."""
    return "1 document" if n == 1 else f"{n:,} documents"


def percent(share: float) -> str:
    """Write a share as a percentage: whole numbers where they say enough."""
    return f"{100 * share:.0f}%" if share >= 0.1 or share == 0 else f"{100 * share:.2g}%"


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:57]}..."
