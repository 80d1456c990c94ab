"""What a report on nearest documents says, as plain data: numbers, strings and lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire.report._data import EvidenceTerm, Piece

__all__ = ["NeighborCurve", "NeighborDocument", "NeighborQuery", "NeighborsReportData"]


@dataclass(frozen=True)
class NeighborDocument:
    """A document near a query.

    The weights of `terms` add up to `similarity`; those of `pieces` are parts of the largest one.
    `before` and `after` are characters that are not shown.
    """

    rank: int
    row: int
    similarity: float
    distance: float
    label: str | None
    pieces: list[Piece]
    before: int
    after: int
    terms: list[EvidenceTerm]


@dataclass(frozen=True)
class NeighborQuery:
    """A text that was looked for, and what was found; `row` is known if it is of the corpus."""

    pieces: list[Piece]
    before: int
    after: int
    row: int | None
    neighbors: list[NeighborDocument]
    votes: list[tuple[str, int, float]]


@dataclass(frozen=True)
class NeighborCurve:
    """The share of errors of a vote of k documents, each left out in turn.

    `best_k` has the lowest error, `within_k` is the largest k within one standard error of it.
    """

    ks: list[int]
    errors: list[float]
    standard_errors: list[float]
    best_k: int
    within_k: int
    scheme: str


@dataclass(frozen=True)
class NeighborsReportData:
    """All that a report on nearest documents says.

    `n_queries` counts all queries, of which `queries` has those that are shown.
    """

    title: str
    created: str
    n_documents: int
    n_terms: int
    metric: str
    n_neighbors: int
    n_queries: int
    queries: list[NeighborQuery]
    curve: NeighborCurve | None
    notes: list[str]
    settings: dict[str, Any]
    versions: dict[str, str]
