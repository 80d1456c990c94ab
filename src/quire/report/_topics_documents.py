"""Documents of topics: those with the largest shares, and which of their words speak for it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.typing import Floats
from quire.feature_extraction.text import CountVectorizer
from quire.inspection._excerpts import word_spans
from quire.report._excerpts import marked_part
from quire.report._topics_data import TopicDocument
from quire.topics import representative_documents

__all__ = ["topic_documents"]


_FAINT = 0.34  # a word that is less likely of the topic is not marked
_MORE = 3  # so many times as many documents are looked at, since some are there twice


def topic_documents(
    phi: Floats, theta: Floats, texts: pl.Series, names: list[str], vectorizer: Any, n: int
) -> list[TopicDocument]:
    """Return the documents with most of each topic, the same text once.

    Parameters
    ----------
    phi, theta : ndarray
        Words of topics and topics of documents.
    texts : polars.Series
        The documents.
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
    found: list[TopicDocument] = []
    seen: dict[int, set[str]] = {}
    for topic, _, row, share in representative_documents(theta, n=n * _MORE).rows():
        text = texts[row] or ""
        known = seen.setdefault(topic, set())
        if len(known) >= n or text in known or not text.strip():
            continue
        known.add(text)
        spans = word_spans(cutter, text, columns, partial(_own, phi, theta[row], topic))
        spans = [span for span in spans if span[2] >= _FAINT]
        found.append(TopicDocument(topic, row, float(share), *marked_part(text, spans)))
    return found


def _own(phi: Floats, shares: Floats, topic: int, words: NDArray[np.intp]) -> Floats:
    """Return the probabilities that a topic wrote some words of a document with these shares."""
    joint = phi[:, words] * shares[:, None]  # p(topic, word | document)
    sums = joint.sum(axis=0)
    own: Floats = np.divide(joint[topic], sums, out=np.zeros_like(sums), where=sums > 0)
    return own
