"""In short: the nearest document, which label has most votes, and what to be careful about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire._shared.how_many import how_many
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count
from quire._shared.page.sections import Section, facts, section, warning_box
from quire.report._neighbors.queries import NeighborQuery

if TYPE_CHECKING:
    from quire.report._neighbors.report import NeighborsReportData

__all__ = ["short_section"]


def short_section(report: NeighborsReportData) -> Section:
    """Return the result in a few sentences and in numbers."""
    lead = NOTHING
    if len(report.queries) == 1 and report.queries[0].neighbors:
        nearest = report.queries[0].neighbors[0]
        lead = html(
            '<p class="lead">The nearest of {documents} is <strong>row '
            "{nearest.row:,}</strong>, with a similarity of {nearest.similarity:.3f}. Most of it "
            "comes from {words}.{outcome}</p>",
            documents=how_many(report.n_documents, "document"),
            nearest=nearest,
            words=", ".join(term.term for term in nearest.terms[:3]),
            outcome=_outcome(report.queries[0]),
        )
    shown = [
        ("Documents", count(report.n_documents)),
        ("Distinct terms", count(report.n_terms)),
        ("Metric", report.metric),
        ("Neighbours", count(report.n_neighbors)),
        ("Queries", count(report.n_queries)),
    ]
    if report.curve is not None:
        shown.append(("Best k for a vote", count(report.curve.best_k)))
    notes = list(report.notes)
    alone = sum(not query.neighbors for query in report.queries)
    if alone:
        share = "shares" if alone == 1 else "share"
        notes.insert(0, f"{how_many(alone, 'query')} {share} no term with any document.")
    return section("short", "In short", lead, facts(shown), warning_box(notes))


def _outcome(query: NeighborQuery) -> Html:
    """Say which label has most votes, or which ones have equally many."""
    if not query.votes:
        return NOTHING
    most, share = query.votes[0][1:]
    first = [label for label, n, _ in query.votes if n == most]
    names = [html('<strong dir="auto">{}</strong>', label) for label in first[:3]]
    if len(first) > 3:
        names.append(html("{} more", len(first) - 3))
    return html(
        " {names} {has} {most} of {total} votes{each} ({share:.0%}).",
        names=join(names, html(" and ")),
        has="have" if len(first) > 1 else "has",
        most=most,
        total=sum(n for _, n, _ in query.votes),
        each=" each" if len(first) > 1 else "",
        share=share,
    )
