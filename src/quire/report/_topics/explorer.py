"""Topics and their words: the map, the slider, the words and the documents of the one chosen.

The map is drawn here, so that it is there without JavaScript; ``topics.js`` makes it answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.how_many import how_many
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import score
from quire._shared.page.sections import Section, paragraph, section
from quire._shared.topic_models import RELEVANCE
from quire.report._topics.documents import documents_by_topic
from quire.report._topics.topics import topic_label, topics_by_size
from quire.report._topics.words import RELEVANCE_STEPS

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["explorer_data", "explorer_section", "topic_chooser"]

_WIDTH, _HEIGHT, _MARGIN = 520.0, 460.0, 14.0
_LARGEST = 46.0  # radius of the largest topic, if there are few
_LEAST = 7.0  # radius that has room for a number
_FULL = 0.12  # part of the map that circles may cover


def explorer_section(report: TopicReportData) -> Section:
    """Return the map, the words and the documents of the topic that is chosen."""
    intro = paragraph(
        "Choose a topic on the map or in the list; the arrow keys go through all of them by "
        "size. The slider decides which words are shown: to the right those that are frequent in "
        "the topic, to the left those that are its own."
    )
    explorer = html(
        '<div class="explorer">\n{controls}\n<div class="pair">\n{picture}\n{words}\n</div>\n'
        '<p class="hidden" role="status" id="topic-said"></p></div>',
        controls=_controls(report),
        picture=_map(report),
        words=_WORDS,
    )
    documents = documents_by_topic(report)
    return section("explore", "Topics and their words", intro, explorer, documents)


def topic_chooser(report: TopicReportData, place: str) -> Html:
    """Return the list from which a topic is chosen; all lists on the page follow each other."""
    options = [
        html('<option value="{}">{}</option>', one.topic, topic_label(report, one.topic, 4))
        for one in topics_by_size(report)
    ]
    return html(
        '<span class="control js"><label for="topic-choice-{place}">Topic</label> '
        '<select id="topic-choice-{place}" class="topic-choice">{options}</select></span>',
        place=place,
        options=join(options),
    )


def _controls(report: TopicReportData) -> Html:
    return html(
        '<div class="controls">{chooser}'
        '<span class="control js"><button type="button" id="topic-back">Previous</button> '
        '<button type="button" id="topic-on">Next</button></span>'
        '<span class="control js"><label for="relevance">Relevance λ</label> '
        '<input type="range" id="relevance" min="0" max="1" step="{step:g}" '
        'value="{relevance:g}" aria-describedby="relevance-ends"> '
        '<output for="relevance" id="relevance-now">{relevance:g}</output> '
        '<span class="hidden" id="relevance-ends">0: words of its own; 1: frequent words</span>'
        "</span></div>",
        chooser=topic_chooser(report, "words"),
        step=1 / RELEVANCE_STEPS,
        relevance=RELEVANCE,
    )


def _map(report: TopicReportData) -> Html:
    places = _places(report)
    topics = topics_by_size(report)  # the large ones below the small ones
    circles = []
    for one in topics:
        x, y, radius = places[one.topic]
        label = NOTHING
        if radius >= _LEAST:
            label = html('<text x="{:.1f}" y="{:.1f}">{}</text>', x, y, one.topic)
        is_first = one is topics[0]
        circles.append(
            html(
                '<g class="topic" data-topic="{topic}" role="button" tabindex="{tab}" '
                'aria-pressed="{pressed}" aria-label="{about}"><title>{about}</title>'
                '<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>{label}</g>',
                topic=one.topic,
                tab="0" if is_first else "-1",
                pressed="true" if is_first else "false",
                about=f"Topic {topic_label(report, one.topic, 5)}; {one.share:.1%} of all words",
                x=x,
                y=y,
                radius=radius,
                label=label,
            )
        )
    return html(
        '<figure id="topic-map" data-numbers="table" aria-labelledby="topic-map-title">'
        '<h3 id="topic-map-title">Map of topics</h3>'
        '<svg class="map" viewBox="0 0 {width:g} {height:g}" role="group" '
        'aria-label="Map of topics">'
        '<path d="M0 {middle_y}H{width}M{middle_x} 0V{height}" class="axis" aria-hidden="true"/>'
        "{circles}</svg>"
        "<figcaption>Topics with similar words are near each other (Jensen-Shannon distances in "
        "two dimensions, so that some neighbours are not alike). Areas are shares of all words. "
        '<span class="js">Point at a word to see in which topics it occurs.</span></figcaption>'
        "</figure>",
        width=_WIDTH,
        height=_HEIGHT,
        middle_x=_WIDTH / 2,
        middle_y=_HEIGHT / 2,
        circles=join(circles),
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


_WORDS = html(
    '<figure class="js" id="topic-words" aria-labelledby="topic-words-title" '
    'data-heads="Word|In this topic|In all documents">'
    '<h3 id="topic-words-title">Words</h3><p class="note" id="topic-facts"></p>'
    '<ol class="topic-terms" id="topic-terms"></ol>'
    "<figcaption>Full bars: occurrences in this topic, as the model expects them; pale: in all "
    "documents. The numbers are the first and the second.</figcaption></figure>"
)


def explorer_data(report: TopicReportData) -> dict[str, Any]:
    """Return what the script reads: words, how often they occur, and their topics."""
    places = _places(report)
    measure = report.measure or ""
    topics = []
    for one in topics_by_size(report):
        facts = [
            f"{one.share:.1%} of all words",
            f"largest topic of {how_many(one.documents, 'document')}",
        ]
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
