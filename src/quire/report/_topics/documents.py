"""Documents of topics: those with the largest shares, every token in the colour of its topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from quire._shared.excerpts import excerpt
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count
from quire._shared.page.sections import note
from quire._shared.typing import Bools, Floats
from quire.feature_extraction.text import CountVectorizer
from quire.report._topics.topics import topic_label, topics_by_size
from quire.topics import TokenTopics, representative_documents, token_topics

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TokenPiece", "TopicDocument", "documents_by_topic", "topic_documents"]

_MORE = 3  # so many times as many documents are looked at, since some are there twice
_LONGEST = 600  # characters that are shown
_SEARCHED = 30_000  # characters in which the part to show is looked for
_COLOURED = 6  # topics of a document that have a colour


@dataclass(frozen=True)
class TokenPiece:
    """A stretch of text: a token with its topic and how probable that is, or what is between."""

    text: str
    topic: int | None = None
    probability: float = 0.0


@dataclass(frozen=True)
class TopicDocument:
    """A document with much of a topic: the part with most of it, and its topics by tokens.

    `tokens` has topics and how many tokens of the part have each, the chosen topic first.
    """

    topic: int
    row: int
    share: float
    pieces: list[TokenPiece]
    before: int
    after: int
    tokens: list[tuple[int, int]]


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
    rows = np.flatnonzero(has_words)
    if n < 1 or not len(rows):
        return []
    chosen: list[tuple[int, int, float]] = []
    seen: dict[int, set[str]] = {}
    for topic, _, place, share in representative_documents(theta[rows], n=n * _MORE).rows():
        row = int(rows[place])
        text = texts[row] or ""
        known = seen.setdefault(topic, set())
        if len(known) >= n or text in known or not text.strip():
            continue
        known.add(text)
        chosen.append((topic, row, float(share)))
    tokens = _tokens(phi, theta, texts, [row for _, row, _ in chosen], names, vectorizer)
    return [
        _document(topic, row, share, texts[row], tokens.get(row)) for topic, row, share in chosen
    ]


def _tokens(
    phi: Floats,
    theta: Floats,
    texts: pl.Series,
    rows: list[int],
    names: list[str],
    vectorizer: Any,
) -> dict[int, TokenTopics]:
    """Return the topics of the tokens of some documents; nothing, if these have no places."""
    rows = sorted(set(rows))
    cutter = CountVectorizer() if vectorizer is None else vectorizer
    parts = [texts[row][:_SEARCHED] for row in rows]
    try:
        found = token_topics(phi, parts, theta=theta[rows], vectorizer=cutter, vocabulary=names)
    except (AttributeError, TypeError, ValueError):  # a vectorizer that is not one of text
        return {}
    assert isinstance(found, list)
    return dict(zip(rows, found, strict=True))


def _document(
    topic: int, row: int, share: float, text: str, tokens: TokenTopics | None
) -> TopicDocument:
    """Return the part of a document with most tokens of a topic, in pieces."""
    if tokens is None:
        part = excerpt(text, [], _LONGEST)
        pieces = [TokenPiece(piece) for piece, _ in part.pieces]
        return TopicDocument(topic, row, share, pieces, part.before, part.after, [])
    own = (tokens.topic == topic) * tokens.probability
    spans = list(zip(tokens.start.tolist(), tokens.end.tolist(), own.tolist(), strict=True))
    part = excerpt(text, spans, _LONGEST)
    place, last = part.before, len(text) - part.after
    pieces, counts = [], {topic: 0}
    found = zip(spans, tokens.topic.tolist(), tokens.probability.tolist(), strict=True)
    for (start, end, _), k, probability in found:
        if start < place or end > last:
            continue
        if start > place:
            pieces.append(TokenPiece(text[place:start]))
        pieces.append(TokenPiece(text[start:end], k, round(probability, 2)))
        counts[k] = counts.get(k, 0) + 1
        place = end
    if place < last:
        pieces.append(TokenPiece(text[place:last]))
    order = sorted(counts.items(), key=lambda item: (item[0] != topic, -item[1], item[0]))
    return TopicDocument(topic, row, share, pieces, part.before, part.after, order)


def documents_by_topic(report: TopicReportData) -> Html:
    """Return the documents of all topics; the page shows those of one at a time."""
    if not report.documents:
        return NOTHING
    groups = []
    for one in topics_by_size(report):
        own = [document for document in report.documents if document.topic == one.topic]
        if own:
            items = join(_item(report, document) for document in own)
            groups.append(
                html(
                    '<div class="topic-documents" data-documents="{topic}">'
                    '<h4>Topic {label}</h4><ol class="mistakes">{items}</ol></div>',
                    topic=one.topic,
                    label=topic_label(report, one.topic, 5),
                    items=items,
                )
            )
    key = note(
        "The documents with the largest shares of the topic. Each word that the model knows has "
        "the colour of its most probable topic in this document, pale where that is less than one "
        "half; small numbers after words name the topics."
    )
    how = html(
        '<p class="note js">Point at a word, or go through a text with the arrow keys, to read of '
        "its topic; point at a topic below a text to see its words alone, choose it to go there."
        "</p>"
    )
    head = html('<h3 id="documents">Documents with most of it</h3>')
    return head + key + how + join(groups)


def _item(report: TopicReportData, document: TopicDocument) -> Html:
    places = {topic: place for place, (topic, _) in enumerate(document.tokens)}
    pieces = [
        _piece(piece, _after(document.pieces, number), places)
        for number, piece in enumerate(document.pieces)
    ]
    left_out = NOTHING
    if document.after:
        left_out = html(
            ' <span class="soft">… and {} more characters</span>', count(document.after)
        )
    quote = html(
        '<blockquote dir="auto" class="tokens" tabindex="0" aria-label="Text, row {row}">'
        "{before}{pieces}{more}</blockquote>",
        row=count(document.row),
        before=html('<span class="soft">… </span>') if document.before else NOTHING,
        pieces=join(pieces) or html('<em class="soft">empty text</em>'),
        more=left_out,
    )
    return html(
        '<li><p class="verdict"><strong>{one.share:.0%}</strong> of it '
        '<span class="soft">row {one.row:,}</span></p>{text}{legend}'
        '<p class="token-said js" role="status"></p></li>',
        one=document,
        text=quote,
        legend=_legend(report, document),
    )


def _after(pieces: list[TokenPiece], number: int) -> int | None:
    """Return the topic of the next token."""
    for piece in pieces[number + 1 : number + 3]:
        if piece.topic is not None:
            return piece.topic
    return None


def _piece(piece: TokenPiece, following: int | None, places: dict[int, int]) -> Html:
    """Return a piece; the last token of several with one topic has its number."""
    if piece.topic is None:
        return html("{}", piece.text)
    place = places[piece.topic]
    mark = html("<sup>{}</sup>", piece.topic) if following != piece.topic else NOTHING
    return html(
        '<span class="t k{place}{pale}" data-t="{piece.topic}" data-p="{percent:.0f}">{piece.text}'
        "{mark}</span>",
        place=min(place, _COLOURED),
        pale=" pale" if piece.probability < 0.5 else "",
        piece=piece,
        percent=100 * piece.probability,
        mark=mark,
    )


def _legend(report: TopicReportData, document: TopicDocument) -> Html:
    """Return the topics of the tokens of a document, with their words."""
    if not document.tokens:
        return NOTHING
    items = [
        html(
            '<li><button type="button" data-t="{topic}"><span class="t k{place}">{topic}</span> '
            '<bdi>{words}</bdi></button> <span class="soft">{n}</span></li>',
            topic=topic,
            place=min(place, _COLOURED),
            words=report.topics[topic].name or " ".join(report.topics[topic].words[:4]),
            n=count(n),
        )
        for place, (topic, n) in enumerate(document.tokens[:_COLOURED])
    ]
    rest = document.tokens[_COLOURED:]
    if rest:
        more = sum(n for _, n in rest)
        items.append(
            html(
                '<li><span class="t k{place}">…</span> <span class="soft">{k} more topics: {n}'
                "</span></li>",
                place=_COLOURED,
                k=len(rest),
                n=count(more),
            )
        )
    return html('<ul class="token-legend" aria-label="Topics of its words">{}</ul>', join(items))
