"""The part of the page that answers: the map of topics, their words, the slider, documents.

The map is drawn here, so that it is there without JavaScript; ``topics.js`` makes it answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.report._excerpts import quoted
from quire.report._html import count, esc, score, section
from quire.report._topics_charts import topic_label
from quire.report._topics_data import TopicDocument, TopicReportData, TopicSummary
from quire.report._topics_words import RELEVANCE_STEPS

__all__ = ["explorer", "explorer_data"]

_WIDTH, _HEIGHT, _MARGIN = 520.0, 460.0, 14.0
_LARGEST = 46.0  # radius of the largest topic, if there are few
_LEAST = 7.0  # radius that has room for a number
_FULL = 0.12  # part of the map that circles may cover
_RELEVANCE = 0.6


def explorer(report: TopicReportData) -> str:
    """Return the map, the words and the documents of the topic that is chosen."""
    intro = (
        "<p>Choose a topic on the map or in the list; the arrow keys go through all of them by "
        "size. The slider decides which words are shown: to the right those that are frequent in "
        "the topic, to the left those that are its own.</p>"
    )
    parts = (
        '<div class="explorer">',
        _controls(report),
        '<div class="pair">',
        _map(report),
        _words(),
        "</div>",
        '<p class="hidden" role="status" id="topic-said"></p></div>',
    )
    return section("explore", "Topics and their words", intro, *parts, _documents(report))


def chooser(report: TopicReportData, place: str) -> str:
    """Return the list from which a topic is chosen; all lists on the page follow each other."""
    options = "".join(
        f'<option value="{one.topic}">{esc(topic_label(report, one.topic, 4))}</option>'
        for one in _by_size(report)
    )
    return (
        f'<span class="control js"><label for="topic-{place}">Topic</label> '
        f'<select id="topic-{place}" class="topic-choice">{options}</select></span>'
    )


def _by_size(report: TopicReportData) -> list[TopicSummary]:
    return sorted(report.topics, key=lambda topic: -topic.share)


def _controls(report: TopicReportData) -> str:
    step = 1 / RELEVANCE_STEPS
    return (
        f'<div class="controls">{chooser(report, "words")}'
        '<span class="control js"><button type="button" id="topic-back">Previous</button> '
        '<button type="button" id="topic-on">Next</button></span>'
        '<span class="control js"><label for="relevance">Relevance λ</label> '
        f'<input type="range" id="relevance" min="0" max="1" step="{step:g}" '
        f'value="{_RELEVANCE:g}" aria-describedby="relevance-ends"> '
        f'<output for="relevance" id="relevance-now">{_RELEVANCE:g}</output> '
        '<span class="hidden" id="relevance-ends">0: words of its own; 1: frequent words</span>'
        "</span></div>"
    )


def _map(report: TopicReportData) -> str:
    places = _places(report)
    first = _by_size(report)[0].topic
    circles = []
    for one in _by_size(report):  # the large ones below the small ones
        x, y, radius = places[one.topic]
        about = f"Topic {topic_label(report, one.topic, 5)}; {one.share:.1%} of all words"
        chosen = "true" if one.topic == first else "false"
        tab = "0" if one.topic == first else "-1"
        number = f'<text x="{x:.1f}" y="{y:.1f}">{one.topic}</text>' if radius >= _LEAST else ""
        circles.append(
            f'<g class="topic" data-topic="{one.topic}" role="button" tabindex="{tab}" '
            f'aria-pressed="{chosen}" aria-label="{esc(about)}"><title>{esc(about)}</title>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'
            f"{number}</g>"
        )
    middle_x, middle_y = _WIDTH / 2, _HEIGHT / 2
    axes = (
        f'<path d="M0 {middle_y}H{_WIDTH}M{middle_x} 0V{_HEIGHT}" class="axis" aria-hidden="true"/>'
    )
    return (
        '<figure id="topic-map" aria-labelledby="topic-map-title">'
        '<h3 id="topic-map-title">Map of topics</h3>'
        f'<svg class="map" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="group" '
        f'aria-label="Map of topics">{axes}{"".join(circles)}</svg>'
        "<figcaption>Topics with similar words are near each other (Jensen-Shannon distances in "
        "two dimensions, so that some neighbours are not alike). Areas are shares of all words. "
        '<span class="js">Point at a word to see in which topics it occurs.</span></figcaption>'
        "</figure>"
    )


def _places(report: TopicReportData) -> dict[int, tuple[float, float, float]]:
    """Return the centre and the radius of each circle; all of them inside the picture."""
    points = np.array([[one.x, -one.y] for one in report.topics])
    shares = np.array([one.share for one in report.topics])
    area = _FULL * _WIDTH * _HEIGHT
    radii = np.sqrt(shares / shares.sum() * area / np.pi)
    radii = np.maximum(radii * min(1.0, _LARGEST / radii.max()), 5.0)
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    reach = _MARGIN + float(radii.max())
    spans = np.maximum(high - low, 1e-9)
    scale = min((_WIDTH - 2 * reach) / spans[0], (_HEIGHT - 2 * reach) / spans[1])
    if len(points) == 1 or not spans.max() > 1e-8:
        scale = 0.0
    centres = (points - middle) * scale + [_WIDTH / 2, _HEIGHT / 2]
    return {
        one.topic: (float(x), float(y), float(r))
        for one, (x, y), r in zip(report.topics, centres, radii, strict=True)
    }


def _words() -> str:
    return (
        '<figure class="js" id="topic-words" aria-labelledby="topic-words-title">'
        '<h3 id="topic-words-title">Words</h3><p class="note" id="topic-facts"></p>'
        '<ol class="topic-terms" id="topic-terms"></ol>'
        "<figcaption>Full bars: occurrences in this topic, as the model expects them; pale: in all "
        "documents. The numbers are the first and the second.</figcaption></figure>"
    )


def _documents(report: TopicReportData) -> str:
    if not report.documents:
        return ""
    groups = []
    for one in _by_size(report):
        own = [document for document in report.documents if document.topic == one.topic]
        if own:
            items = "".join(f"<li>{_document(document)}</li>" for document in own)
            groups.append(
                f'<div class="topic-documents" data-documents="{one.topic}">'
                f"<h4>Topic {esc(topic_label(report, one.topic, 5))}</h4>"
                f'<ol class="mistakes">{items}</ol></div>'
            )
    key = (
        '<p class="note">The documents with the largest shares of the topic. Marked words come '
        "from it with a probability of a third or more; the stronger the mark, the surer.</p>"
    )
    return f'<h3 id="documents">Documents with most of it</h3>{key}{"".join(groups)}'


def _document(document: TopicDocument) -> str:
    head = (
        f'<p class="verdict"><strong>{document.share:.0%}</strong> of it '
        f'<span class="soft">row {count(document.row)}</span></p>'
    )
    return head + quoted(document.pieces, document.before, document.after)


def explorer_data(report: TopicReportData) -> dict[str, Any]:
    """Return what the script reads: words, how often they occur, and their topics."""
    places = _places(report)
    measure = report.measure or ""
    topics = []
    for one in _by_size(report):
        facts = [f"{one.share:.1%} of all words", f"largest topic of {one.documents:,} documents"]
        if one.coherence is not None:
            facts.append(f"coherence ({measure}) {score(one.coherence)}")
        facts.append(f"exclusivity {score(one.exclusivity)}")
        topics.append(
            {
                "topic": one.topic,
                "label": topic_label(report, one.topic),
                "facts": "; ".join(facts),
                "share": one.share,
                "radius": round(places[one.topic][2], 1),
                "terms": one.terms,
                "frequencies": one.frequencies,
            }
        )
    return {
        "topics": topics,
        "tokens": sum(one.share for one in report.topics) * _tokens(report),
        "words": report.terms.words,
        "frequencies": report.terms.frequencies,
        "spread": [[part for pair in pairs for part in pair] for pairs in report.terms.spread],
        "shown": report.n_terms,
    }


def _tokens(report: TopicReportData) -> float:
    return report.n_tokens or float(len(report.topics))
