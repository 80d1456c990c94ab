"""Words and documents: those near the centres of clusters, and what brought them there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from quire._shared.excerpts import term_spans
from quire._shared.how_many import how_many
from quire._shared.page.excerpts import Piece, marked_part, quoted
from quire._shared.page.html import Html, html, join
from quire._shared.page.numbers import score
from quire._shared.page.sections import Section, bar_items, paragraph, section
from quire.cluster import DocumentClusters

if TYPE_CHECKING:
    from quire.report._clusters.report import ClusterReportData
    from quire.report._clusters.table import ClusterSummary

__all__ = ["ClusterDocument", "central_documents", "documents_section"]

_MARKED = 40  # terms of a cluster that are marked in its documents
_MORE = 4  # so many times as many documents are looked at, since some are there twice
_LEAST = 0.3  # weight of the faintest mark


@dataclass(frozen=True)
class ClusterDocument:
    """A document near the centre of a cluster; weights of pieces are those of its terms, to 1."""

    row: int
    distance: float
    pieces: list[Piece]
    before: int
    after: int


def central_documents(
    clusters: DocumentClusters, texts: pl.Series, n: int
) -> dict[int, list[ClusterDocument]]:
    """Return the documents nearest to each centre, the same text once.

    Parameters
    ----------
    clusters : DocumentClusters
        Clusters.
    texts : polars.Series
        Their documents.
    n : int
        How many for each cluster.
    """
    terms = clusters.top_terms(_MARKED)
    shown: dict[int, list[ClusterDocument]] = {}
    for cluster, rows in clusters.central_documents(n * _MORE).items():
        marks = _marks(terms[cluster])
        seen: set[str] = set()
        for row in rows.tolist():
            text = texts[row] or ""
            if len(seen) >= n or text in seen:
                continue
            seen.add(text)
            part = marked_part(text, term_spans(clusters.vectorizer, text, marks))
            document = ClusterDocument(row, float(clusters.distances[row]), *part)
            shown.setdefault(cluster, []).append(document)
    return shown


def _marks(terms: list[Any]) -> dict[str, float]:
    """Return how strongly each term of a cluster is marked, from 0 to 1 for the heaviest."""
    if not terms:
        return {}
    most = terms[0].weight
    return {str(one.term): max(_LEAST, one.weight / most) for one in terms}


def documents_section(report: ClusterReportData) -> Section:
    """Return the terms that mark each cluster, and its central documents."""
    intro = "The terms that mark each cluster"
    if any(one.central for one in report.clusters):
        intro += ", and the documents nearest to its centre. Its heaviest terms are marked in them"
    cards = join(map(_card, report.clusters))
    return section("clusters", "Words and documents", paragraph(f"{intro}."), cards)


def _card(one: ClusterSummary) -> Html:
    terms = bar_items(zip(one.terms, one.weights, strict=True), "{:.3f}".format)
    inside = html('<p class="soft">No documents.</p>')
    if terms:
        inside = html('<ol class="terms">{}</ol>', terms)
    if one.central:
        documents = join(map(_item, one.central))
        inside = html('<div class="two">{}<ol class="mistakes">{}</ol></div>', inside, documents)
    return html(
        '<article class="cluster" id="{name}" aria-labelledby="{name}-title">'
        '<h3 id="{name}-title">Cluster {one.cluster} <span class="soft">{documents}, '
        "{one.share:.1%}</span></h3>{inside}</article>",
        name=f"cluster-{one.cluster}",
        one=one,
        documents=how_many(one.documents, "document"),
        inside=inside,
    )


def _item(document: ClusterDocument) -> Html:
    return html(
        '<li><p class="verdict"><span class="soft">row {row:,}, distance {distance}</span></p>'
        "{text}</li>",
        row=document.row,
        distance=score(document.distance),
        text=quoted(document.pieces, document.before, document.after),
    )
