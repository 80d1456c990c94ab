"""What lessons read of a file: labelled texts, or columns of numbers; and how they show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire._shared.page.html import Html, html
from quire._shared.page.tables import table
from quire.datasets import load_chinese_documents
from quire.io import read_corpus

__all__ = ["LabelledTexts", "about_texts", "read_texts", "sentences", "texts_table"]

_SHOWN = 8  # rows of a file that are shown
_LONGEST = 200  # letters of a text that are shown


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
    texts = corpus.texts.to_list()
    labels = [str(one) for one in corpus.labels]
    notes = list(corpus.notes)
    if document is None:
        document = texts.pop()
        notes.append(f"the last document, of class {labels.pop()!r}, is kept out and classified")
    if len(set(labels)) < 2:
        raise ValueError(f"{corpus.source} has {len(set(labels))} class; a lesson needs two.")
    return LabelledTexts(texts, labels, document, notes, str(corpus.source))


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
