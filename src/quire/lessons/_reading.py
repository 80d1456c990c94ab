"""What lessons read of a file: labelled texts, or columns of numbers; and how they show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire._shared.page.html import Html, html
from quire._shared.page.tables import table

__all__ = ["LabelledTexts", "read_texts", "texts_table"]

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
        The file.
    """

    texts: list[str]
    labels: list[str]
    document: str
    notes: list[str]
    source: str


def read_texts(
    file: Any, text: str | list[str] | None, label: str | None, document: str | None
) -> LabelledTexts:
    """Return the texts of a file with their classes; without a document, the last one is kept out.

    Parameters
    ----------
    file : path or data frame
        What :func:`quire.io.read_corpus` reads.
    text, label : str, default=None
        Columns; guessed if ``None``.
    document : str or None
        What is to be classified.
    """
    from quire.io import read_corpus

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
