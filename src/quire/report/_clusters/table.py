"""All clusters: how large and how tight each is, its terms, and the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quire._shared.page.html import Html, html, join
from quire._shared.page.numbers import count, finite
from quire._shared.page.sections import Section, note, section
from quire._shared.page.tables import boxed_table, cell, column_head, sorted_cell, sorting_head
from quire.cluster import ClusterAgreement, DocumentClusters
from quire.report._clusters.documents import ClusterDocument

if TYPE_CHECKING:
    from quire.report._clusters.report import ClusterReportData

__all__ = ["ClusterSummary", "summaries_of", "table_section"]

_WORDS = 8  # of a cluster in the table


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster: how large and how tight it is, its terms, and its central documents.

    `share` is that of all documents, `distance` the mean distance to the centre, `label` the most
    frequent known label and `label_share` its share of the cluster.
    """

    cluster: int
    documents: int
    share: float
    distance: float | None
    silhouette: float | None
    terms: list[str]
    weights: list[float]
    central: list[ClusterDocument]
    label: str | None
    label_share: float | None


def summaries_of(
    clusters: DocumentClusters,
    central: dict[int, list[ClusterDocument]],
    agreement: ClusterAgreement | None,
    n_terms: int,
) -> list[ClusterSummary]:
    """Return what there is to say of each cluster, the largest first.

    Parameters
    ----------
    clusters : DocumentClusters
        Clusters.
    central : dict from int to list of ClusterDocument
        Documents near their centres.
    agreement : ClusterAgreement or None
        How clusters go with known labels, if there are any.
    n_terms : int
        Terms of each cluster.
    """
    terms = clusters.top_terms(n_terms)
    sizes = clusters.sizes
    main = _main_labels(agreement)
    summaries = []
    for cluster in np.argsort(-sizes, kind="stable").tolist():
        own = clusters.distances[clusters.labels == cluster]
        label, share = main.get(cluster, (None, None))
        summaries.append(
            ClusterSummary(
                cluster=cluster,
                documents=int(sizes[cluster]),
                share=float(sizes[cluster] / len(clusters.labels)),
                distance=float(own.mean()) if len(own) else None,
                silhouette=finite(clusters.silhouettes[cluster]),
                terms=[str(one.term) for one in terms[cluster]],
                weights=[round(one.weight, 5) for one in terms[cluster]],
                central=central.get(cluster, []),
                label=label,
                label_share=share,
            )
        )
    return summaries


def _main_labels(agreement: ClusterAgreement | None) -> dict[int, tuple[str, float]]:
    if agreement is None:
        return {}
    most = agreement.table.argmax(axis=1)
    shares = agreement.table.max(axis=1) / agreement.table.sum(axis=1)
    return {
        int(cluster): (agreement.labels[column], float(share))
        for cluster, column, share in zip(agreement.clusters, most, shares, strict=True)
    }


def table_section(report: ClusterReportData) -> Section:
    """Return the table of all clusters."""
    with_labels = report.labels is not None
    heads = [
        sorting_head("Cluster", is_number=False),
        sorting_head("Documents"),
        column_head("Terms"),
        *map(sorting_head, ("Share", "Mean distance", "Silhouette")),
        *([column_head("Most frequent label")] if with_labels else []),
    ]
    rows = [html("<tr>{}</tr>", join(_cells(one, with_labels))) for one in report.clusters]
    about = note(
        "Numbers are those of the model, from 0. Share: of all documents. "
        f"Distance: {report.metric}, to the centre. Silhouettes, from a sample of "
        "documents: near 1 apart from all other clusters, near 0 between them. Terms: those that "
        "are heavier in this cluster than in the mean of the others."
    )
    table = boxed_table(heads, rows, "All clusters", kind="sortable clusters")
    return section("table", "All clusters", table, about)


def _cells(one: ClusterSummary, with_labels: bool) -> list[Html]:
    number = html(
        '<th scope="row" data-value="{number}"><a href="#cluster-{number}">{number}</a></th>',
        number=one.cluster,
    )
    cells = [
        number,
        sorted_cell(one.documents, count(one.documents)),
        html('<td class="words" dir="auto">{}</td>', " ".join(one.terms[:_WORDS])),
        sorted_cell(one.share, f"{one.share:.1%}"),
        sorted_cell(one.distance),
        sorted_cell(one.silhouette),
    ]
    if with_labels:
        cells.append(html('<td dir="auto">{}</td>', _label(one)))
    return cells


def _label(one: ClusterSummary) -> Html:
    if one.label is None or one.label_share is None:
        return cell(None)
    return html('{} <span class="soft">({:.0%})</span>', one.label, one.label_share)
