"""Queries: what was looked for, the documents near it, the terms they share and their vote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire._shared.excerpts import term_spans
from quire._shared.page.excerpts import EvidenceTerm, Piece, marked_part, quoted
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import score
from quire._shared.page.sections import (
    Section,
    bar_item,
    bar_items,
    note,
    paragraph,
    section,
    titled,
)
from quire.neighbors import TextMatch, TextMatches, TextSearch

if TYPE_CHECKING:
    from quire.report._neighbors.report import NeighborsReportData

__all__ = ["NeighborDocument", "NeighborQuery", "query_of", "query_sections"]

_TERMS = 12  # of a pair
_FAINT = 0.05  # of the largest contribution; terms with less, such as "the", are not marked
_STEPS = (0.33, 0.66)  # shares of the heaviest term from which on a mark is stronger


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


def query_of(search: TextSearch, matches: TextMatches) -> NeighborQuery:
    """Return a query with the documents near it."""
    strongest: dict[str, float] = {}
    for match in matches.matches:
        for term, part in match.terms:
            strongest[term] = max(part, strongest.get(term, 0.0))
    return NeighborQuery(
        *_marked(search, matches.query, strongest),
        row=matches.row,
        neighbors=[_neighbor(search, match) for match in matches.matches],
        votes=[(str(label), n, share) for label, n, share in matches.votes],
    )


def _neighbor(search: TextSearch, match: TextMatch) -> NeighborDocument:
    pieces, before, after = _marked(search, match.text, dict(match.terms))
    return NeighborDocument(
        rank=match.rank,
        row=match.row,
        similarity=match.similarity,
        distance=match.distance,
        label=None if match.label is None else str(match.label),
        pieces=pieces,
        before=before,
        after=after,
        terms=_few([EvidenceTerm(term, part) for term, part in match.terms]),
    )


def _marked(
    search: TextSearch, text: str, parts: Mapping[str, float]
) -> tuple[list[Piece], int, int]:
    spans = term_spans(search.vectorizer_, text, parts)
    return marked_part(text, spans, largest=max(parts.values(), default=1.0), faint=_FAINT)


def _few(terms: list[EvidenceTerm]) -> list[EvidenceTerm]:
    """Keep the largest; the others are added up, so that the sum stays what it is."""
    if len(terms) <= _TERMS:
        return terms
    rest = terms[_TERMS - 1 :]
    total = sum(term.weight for term in rest)
    return [*terms[: _TERMS - 1], EvidenceTerm(f"({len(rest)} other terms)", total)]


def query_sections(report: NeighborsReportData) -> list[Section]:
    """Return a section for each query."""
    is_alone = len(report.queries) == 1
    return [
        _section(report, query, f"query-{place}", "Query" if is_alone else f"Query {place}")
        for place, query in enumerate(report.queries, start=1)
    ]


def _section(report: NeighborsReportData, query: NeighborQuery, name: str, title: str) -> Section:
    where = NOTHING
    if query.row is not None:
        where = html('<p class="soft">Row {:,} of the corpus</p>', query.row)
    text = quoted(query.pieces, query.before, query.after, steps=_STEPS)
    if not query.neighbors:
        alone = paragraph("No document shares a term with it.")
        return section(name, title, where, text, alone)
    key = note(
        "Marked words are in both texts; the stronger the mark, the larger their "
        "part in the similarity. The bars add up to it; words with a small part are not marked."
    )
    items = join(html("<li>{}</li>", _shown(report, one)) for one in query.neighbors)
    documents = html('<ol class="mistakes neighbors">{}</ol>', items)
    nearest = titled("Nearest documents", key, documents)
    return section(name, title, where, text, _votes(query), nearest)


def _votes(query: NeighborQuery) -> Html:
    if not query.votes:
        return NOTHING
    items = [
        bar_item(label, share, html('{:.0%}<span class="hidden"> ({} votes)</span>', share, n))
        for label, n, share in query.votes
    ]
    return titled("Vote", html('<ul class="terms votes">{}</ul>', join(items)))


def _shown(report: NeighborsReportData, one: NeighborDocument) -> Html:
    label = terms = NOTHING
    if one.label is not None:
        label = html(' <strong dir="auto">{}</strong>', one.label)
    head = html(
        '<p class="verdict"><strong>{one.similarity:.3f}</strong>{far}{label} '
        '<span class="soft">row {one.row:,}</span></p>',
        one=one,
        far="" if report.metric == "cosine" else f", distance {score(one.distance)}",
        label=label,
    )
    text = quoted(one.pieces, one.before, one.after, steps=_STEPS)
    if one.terms:
        terms = html(
            '<ul class="terms" aria-label="Shared terms of neighbour {}">{}</ul>',
            one.rank,
            bar_items([(term.term, term.weight) for term in one.terms], "{:.3f}".format),
        )
    return html('<div class="two">{}{}{}</div>', head, text, terms)
