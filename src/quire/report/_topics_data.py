"""What a report on topics says, as plain data: numbers, strings and lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire.report._data import Piece

__all__ = [
    "TopicDocument",
    "TopicPair",
    "TopicReportData",
    "TopicSeries",
    "TopicSummary",
    "TopicTerms",
    "TopicTrace",
    "TopicsByColumn",
]


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


@dataclass(frozen=True)
class TopicTerms:
    """The words that are in the lists of topics, and how often each occurs in all documents.

    `spread` has, for each word, the topics with the largest parts of its occurrences, and the
    parts.
    """

    words: list[str]
    frequencies: list[float]
    spread: list[list[tuple[int, float]]]


@dataclass(frozen=True)
class TopicDocument:
    """A document with much of a topic; weights of pieces are the probability of the topic."""

    topic: int
    row: int
    share: float
    pieces: list[Piece]
    before: int
    after: int


@dataclass(frozen=True)
class TopicTrace:
    """The log-likelihood per word of a chain."""

    name: str
    iterations: list[int]
    log_likelihood: list[float]


@dataclass(frozen=True)
class TopicPair:
    """Two topics that occur in the same documents more, or less, than others do."""

    one: int
    other: int
    correlation: float


@dataclass(frozen=True)
class TopicSeries:
    """The share of a topic for each value of a column, with its interval."""

    topic: int
    share: list[float]
    lower: list[float]
    upper: list[float]


@dataclass(frozen=True)
class TopicsByColumn:
    """Shares of topics by a column; `contrasts` are topic, what is compared, and the interval."""

    by: str
    kind: str
    confidence: float
    n_documents: int
    n_missing: int
    values: list[Any]
    is_date: bool
    left_out: int
    series: list[TopicSeries]
    contrasts: list[tuple[int, str, float, float, float]]


@dataclass(frozen=True)
class TopicReportData:
    """All that a report on topics says; ``None`` or empty where there is nothing."""

    title: str
    created: str
    n_documents: int
    n_empty: int
    n_words: int
    n_tokens: float
    n_terms: int
    method: str
    n_iterations: int
    converged: bool | None
    interrupted: bool
    r_hat: float | None
    measure: str | None
    mean_coherence: float | None
    diversity: float
    topics: list[TopicSummary]
    terms: TopicTerms
    documents: list[TopicDocument]
    traces: list[TopicTrace]
    correlations: list[list[float]] | None
    pairs: list[TopicPair]
    prevalence: TopicsByColumn | None
    notes: list[str]
    settings: dict[str, Any]
    versions: dict[str, str]
