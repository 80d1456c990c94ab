"""Documents of topics: those with the largest shares, and which of their words speak for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from quire._shared.excerpts import word_spans
from quire._shared.page.excerpts import Piece, marked_part, quoted
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.sections import note
from quire._shared.typing import Bools, Floats, Places
from quire.feature_extraction.text import CountVectorizer
from quire.report._topics.topics import topic_label, topics_by_size
from quire.topics import representative_documents

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TopicDocument", "documents_by_topic", "topic_documents"]

_FAINT = 0.34  # a word that is less likely of the topic is not marked
_MORE = 3  # so many times as many documents are looked at, since some are there twice


@dataclass(frozen=True)
class TopicDocument:
    """A document with much of a topic; weights of pieces are the probability of the topic."""

    topic: int
    row: int
    share: float
    pieces: list[Piece]
    before: int
    after: int


def topic_documents(
    phi: Floats,
    theta: Floats,
    texts: pl.Series,
    has_words: Bools,
    names: list[str],
    vectorizer: Any,
    n: int,
) -> list[TopicDocument]:
    """Return the documents with most of each topic, the same text once.

    Parameters
    ----------
    phi, theta : ndarray
        Words of topics and topics of documents.
    texts : polars.Series
        The documents.
    has_words : ndarray of bool
        Which of them have words that the model knows; the others are in no topic.
    names : list of str
        The words of the columns.
    vectorizer : object or None
        What cut the texts into words; quire's default if ``None``.
    n : int
        How many for each topic.
    """
    if n < 1:
        return []
    cutter = CountVectorizer() if vectorizer is None else vectorizer
    columns = {name: number for number, name in enumerate(names)}
    documents: list[TopicDocument] = []
    seen: dict[int, set[str]] = {}
    rows = np.flatnonzero(has_words)
    if not len(rows):
        return []
    for topic, _, place, share in representative_documents(theta[rows], n=n * _MORE).rows():
        row = int(rows[place])
        text = texts[row] or ""
        known = seen.setdefault(topic, set())
        if len(known) >= n or text in known or not text.strip():
            continue
        known.add(text)
        spans = word_spans(cutter, text, columns, partial(_own, phi, theta[row], topic))
        spans = [span for span in spans if span[2] >= _FAINT]
        documents.append(TopicDocument(topic, row, float(share), *marked_part(text, spans)))
    return documents


def _own(phi: Floats, shares: Floats, topic: int, words: Places) -> Floats:
    """Return the probabilities that a topic wrote some words of a document with these shares."""
    joint = phi[:, words] * shares[:, None]  # p(topic, word | document)
    sums = joint.sum(axis=0)
    own: Floats = np.divide(joint[topic], sums, out=np.zeros_like(sums), where=sums > 0)
    return own


def documents_by_topic(report: TopicReportData) -> Html:
    """Return the documents of all topics; the page shows those of one at a time."""
    if not report.documents:
        return NOTHING
    groups = []
    for one in topics_by_size(report):
        own = [document for document in report.documents if document.topic == one.topic]
        if own:
            groups.append(
                html(
                    '<div class="topic-documents" data-documents="{topic}">'
                    '<h4>Topic {label}</h4><ol class="mistakes">{items}</ol></div>',
                    topic=one.topic,
                    label=topic_label(report, one.topic, 5),
                    items=join(map(_item, own)),
                )
            )
    key = note(
        "The documents with the largest shares of the topic. Marked words come "
        "from it with a probability of a third or more; the stronger the mark, the surer."
    )
    head = html('<h3 id="documents">Documents with most of it</h3>')
    return head + key + join(groups)


def _item(document: TopicDocument) -> Html:
    return html(
        '<li><p class="verdict"><strong>{one.share:.0%}</strong> of it '
        '<span class="soft">row {one.row:,}</span></p>{text}</li>',
        one=document,
        text=quoted(document.pieces, document.before, document.after),
    )
