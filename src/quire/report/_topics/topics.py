"""All topics: how large and how good each is, its words and its place on the map, and the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quire._shared.page.html import html, join
from quire._shared.page.numbers import count, finite
from quire._shared.page.sections import Section, note, section
from quire._shared.page.tables import boxed_table, column_head, sorted_cell, sorting_head
from quire._shared.topic_models import relevant_words
from quire._shared.typing import Floats
from quire.report._topics.words import TopicTerms, relevant_terms
from quire.topics import Coherence, exclusivity, topic_map

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TopicSummary", "topic_label", "topics_and_terms", "topics_by_size", "topics_section"]

_MAP_WORK = 5e8  # comparisons of words for the map


@dataclass(frozen=True)
class TopicSummary:
    """One topic: how large and how good it is, its words, and its place on the map.

    `share` is its share of all words, `documents` the number of documents of which it is the
    largest topic. `terms` are numbers of words in :class:`TopicTerms`, with how often each occurs
    in the topic.
    """

    topic: int
    name: str
    share: float
    documents: int
    coherence: float | None
    exclusivity: float
    words: list[str]
    x: float
    y: float
    terms: list[int]
    frequencies: list[float]


def topics_and_terms(
    phi: Floats,
    theta: Floats,
    sizes: Floats,
    words: list[str],
    quality: Coherence | None,
    names: dict[int, str],
    n_terms: int,
    n_words: int,
) -> tuple[list[TopicSummary], TopicTerms]:
    """Return what there is to say of each topic, and the words that they have.

    Parameters
    ----------
    phi, theta : ndarray
        Words of topics and topics of documents.
    sizes : ndarray of shape (n_topics,)
        Their words.
    words : list of str
        The words of the columns.
    quality : Coherence or None
        How coherent topics are, if that is known.
    names : dict from int to str
        What topics are called.
    n_terms, n_words : int
        How many words of a topic are shown at a time, and how many stand in tables.
    """
    terms, numbers, frequencies = relevant_terms(phi, sizes, words, n_terms)
    points = topic_map(phi, n_words=max(500, int(_MAP_WORK / len(phi) ** 2)))
    own = exclusivity(phi)
    best = relevant_words(phi, sizes, np.array(words, dtype=object), n_words)
    main = np.bincount(theta.argmax(axis=1), minlength=len(phi))
    topics = [
        TopicSummary(
            topic=k,
            name=names.get(k, ""),
            share=float(sizes[k] / sizes.sum()),
            documents=int(main[k]),
            coherence=None if quality is None else finite(quality.per_topic[k]),
            exclusivity=float(own[k]),
            words=best[k],
            x=float(points[k, 0]),
            y=float(points[k, 1]),
            terms=numbers[k],
            frequencies=frequencies[k],
        )
        for k in range(len(phi))
    ]
    return topics, terms


def topic_label(report: TopicReportData, topic: int, n_words: int = 0) -> str:
    """Return the number of a topic with its name or its first words."""
    summary = report.topics[topic]
    words = summary.name or " ".join(summary.words[:n_words])
    return f"{topic}: {words}" if words else str(topic)


def topics_by_size(report: TopicReportData) -> list[TopicSummary]:
    """Return the topics, the largest first."""
    return sorted(report.topics, key=lambda topic: -topic.share)


def topics_section(report: TopicReportData) -> Section:
    """Return the table of all topics."""
    heads = [
        sorting_head("Topic", is_number=False),
        column_head("Words"),
        *map(sorting_head, ("Share", "Main in", "Coherence", "Exclusivity")),
    ]
    rows = []
    for one in topics_by_size(report):
        cells = [
            sorted_cell(one.share, f"{one.share:.1%}"),
            sorted_cell(one.documents, count(one.documents)),
            sorted_cell(one.coherence),
            sorted_cell(one.exclusivity),
        ]
        rows.append(
            html(
                '<tr><th scope="row" data-value="{topic}"><a href="#explore" '
                'data-pick="{topic}">{label}</a></th><td dir="auto">{words}</td>{cells}</tr>',
                topic=one.topic,
                label=topic_label(report, one.topic),
                cells=join(cells),
                words=" ".join(one.words),
            )
        )
    about = note(
        "Numbers are those of the model, from 0. Share: of all words. Main in: "
        "documents of which it is the largest topic. Words: the most relevant at λ = 0.6."
    )
    table = boxed_table(heads, rows, "All topics", kind="sortable topics")
    return section("table", "All topics", table, about)
