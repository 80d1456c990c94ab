"""What lessons read of a file: labelled texts, or columns of numbers; and how they show it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

import numpy as np
import polars as pl

from quire._shared.page.html import Html, html
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.datasets import load_chinese_documents
from quire.io import Corpus, read_corpus
from quire.lessons._wording import plain

__all__ = [
    "LabelledTexts",
    "Measurements",
    "about_texts",
    "numbers_table",
    "read_numbers",
    "read_texts",
    "scaled",
    "sentences",
    "source_name",
    "texts_table",
]

_SHOWN = 8  # rows of a file that are shown
_LONGEST = 200  # letters of a text that are shown
_MOST = 120  # rows of a file of numbers: more would not be told apart in a picture


@dataclass(frozen=True)
class LabelledTexts:
    """Texts to learn from, their classes, and one to classify.

    Attributes
    ----------
    texts, labels : list of str
        The documents that are learned from.
    document : str
        The one that is classified.
    notes : list of str
        What was guessed about the file.
    source : str
        The file; empty for the textbook's example.
    """

    texts: list[str]
    labels: list[str]
    document: str
    notes: list[str]
    source: str


def read_texts(
    file: Any, text: str | list[str] | None, label: str | None, document: str | None
) -> LabelledTexts:
    """Return the texts of a file with their classes; without a file, the textbook's example.

    Without a document, the last one of the file is kept out and classified.

    Parameters
    ----------
    file : path, data frame or None
        What :func:`quire.io.read_corpus` reads.
    text, label : str, default=None
        Columns; guessed if ``None``.
    document : str or None
        What is to be classified.
    """
    if file is None:
        example = load_chinese_documents()
        return LabelledTexts(example.texts, example.labels, document or example.test_text, [], "")
    corpus = read_corpus(file, text=text, label=label, missing="drop")
    if corpus.labels is None:
        raise ValueError(
            f"{corpus.source} has no column that is clearly the label. Name it with label=; there "
            f"are: {', '.join(corpus.frame.columns)}."
        )
    if corpus.labels.dtype.is_nested():
        raise ValueError(
            f"{corpus.source}: column {corpus.label_column!r} has several labels for a text, and a "
            "lesson is about one. Name another column with label=."
        )
    texts = corpus.texts.to_list()
    labels = [str(one) for one in corpus.labels]
    notes = list(corpus.notes)
    if document is None:
        document = texts.pop()
        notes.append(f"the last document, of class {labels.pop()!r}, is kept out and classified")
    if len(set(labels)) < 2:
        raise ValueError(f"{corpus.source} has {len(set(labels))} class; a lesson needs two.")
    return LabelledTexts(texts, labels, document, notes, source_name(corpus))


def source_name(corpus: Corpus) -> str:
    """Return what a page says a corpus was read from: a file without its folders."""
    return PurePath(corpus.source).name


def about_texts(found: LabelledTexts) -> list[str | Html]:
    """Return what the data is, in a sentence or more."""
    if not found.source:
        return [
            "Four documents with their classes, and one to classify: the example of Manning, "
            "Raghavan and Schütze, chapter 13, small enough for pencil and paper."
        ]
    said = f"{len(found.texts):,} documents from {found.source} to learn from, and one to classify."
    return [said, *sentences(found.notes)]


def sentences(notes: list[str]) -> list[str]:
    """Return what was guessed about a file as sentences."""
    return [f"{note[:1].upper()}{note[1:]}." for note in notes]


def texts_table(found: LabelledTexts) -> Html:
    """Return the first documents and their classes as a table, and the one to classify."""
    rows = [[label, _cut(text)] for label, text in zip(found.labels, found.texts, strict=True)][
        :_SHOWN
    ]
    rows.append(["?", _cut(found.document)])
    shown = table(["Class", "Text"], rows, "Documents and their classes", kind="documents")
    more = len(found.texts) - _SHOWN
    if more <= 0:
        return shown
    return shown + html('<p class="note">… and {:,} more documents to learn from.</p>', more)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


@dataclass(frozen=True)
class Measurements:
    """Columns of numbers, and classes of the rows if they were asked for.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The numbers, none missing.
    names : list of str
        The columns.
    labels : list of str
        The class of each row; empty if none were asked for.
    notes : list of str
        What was guessed about the file.
    source : str
        The file.
    """

    X: Floats
    names: list[str]
    labels: list[str]
    notes: list[str]
    source: str


def read_numbers(
    file: Any,
    columns: list[str] | None,
    label: str | None = None,
    *,
    n_columns: int | None = 2,
    has_classes: bool = False,
    most: int = _MOST,
) -> Measurements:
    """Return columns of numbers of a file; rows that lack one are left out, and of many a sample.

    Parameters
    ----------
    file : path or data frame
        What :func:`quire.io.read_corpus` reads.
    columns : list of str or None
        Which ones; the first columns of numbers if ``None``.
    label : str, default=None
        The column of the classes; guessed if ``None``.
    n_columns : int or None, default=2
        How many columns there must be; any number if ``None``.
    has_classes : bool, default=False
        Whether there must be classes.
    most : int
        How many rows are kept.
    """
    named: str | Literal[False] | None = label if has_classes else False
    corpus = read_corpus(file, columns=columns, label=named, missing="drop")
    frame, notes = corpus.frame, list(corpus.notes)
    numeric = [
        name
        for name in columns or frame.columns
        if frame[name].dtype.is_numeric() and name != corpus.label_column
    ]
    if columns and len(numeric) < len(columns):
        words = [name for name in columns if name not in numeric]
        raise ValueError(f"{corpus.source}: {words[0]!r} is not a column of numbers.")
    if len(numeric) < (n_columns or 2):
        raise ValueError(
            f"{corpus.source} has {len(numeric)} columns of numbers; the lesson needs "
            f"{n_columns or 2}."
        )
    if n_columns is not None and len(numeric) > n_columns:
        if columns:
            raise ValueError(f"{len(columns)} columns were named; the lesson takes {n_columns}.")
        numeric = numeric[:n_columns]
        notes.append(f"the columns are {' and '.join(numeric)}; columns= chooses others")
    if has_classes and corpus.labels is None:
        raise ValueError(
            f"{corpus.source} has no column that is clearly the label. Name it with label=; there "
            f"are: {', '.join(frame.columns)}."
        )
    X = frame.select(pl.col(numeric).cast(pl.Float64)).to_numpy()
    known = np.isfinite(X).all(axis=1)
    if has_classes and corpus.labels is not None:
        known &= corpus.labels.is_not_null().to_numpy()
    rows = np.flatnonzero(known)
    if len(rows) < len(X):
        what = "a number or a class" if has_classes else "a number"
        notes.append(f"{len(X) - len(rows):,} rows without {what} are left out")
    if len(rows) > most:
        notes.append(f"{most:,} of {len(rows):,} rows are drawn at random")
        rows = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
    labels = []
    if has_classes and corpus.labels is not None:
        labels = [str(corpus.labels[row]) for row in rows.tolist()]
        if len(set(labels)) < 2:
            raise ValueError(f"{corpus.source} has one class; a lesson needs two.")
    if len(rows) < 3:
        raise ValueError(f"{corpus.source} has {len(rows)} rows of numbers; a lesson needs more.")
    return Measurements(X[rows], numeric, labels, notes, source_name(corpus))


def scaled(found: Measurements) -> Measurements:
    """Return columns with mean 0 and deviation 1, so that neither decides the distances."""
    deviation = found.X.std(axis=0)
    X = (found.X - found.X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    notes = [*found.notes, "both columns are scaled to mean 0 and deviation 1"]
    return Measurements(X, found.names, found.labels, notes, found.source)


def numbers_table(found: Measurements) -> Html:
    """Return the first rows as a table."""
    heads = ["Row", *(["Class"] if found.labels else []), *found.names]
    rows: list[list[Any]] = [
        [k + 1, *found.labels[k : k + 1], *map(plain, row)]
        for k, row in enumerate(found.X[:_SHOWN].tolist())
    ]
    shown = table(heads, rows, "The first rows", kind="numbers")
    more = len(found.X) - _SHOWN
    if more <= 0:
        return shown
    return shown + html('<p class="note">… and {:,} more rows.</p>', more)
