"""In short: how many clusters, the largest, and what to be careful about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quire._shared.how_many import how_many
from quire._shared.page.html import html
from quire._shared.page.numbers import count, score
from quire._shared.page.sections import (
    Section,
    facts,
    section,
    time_fact,
    warning_box,
    without_terms,
)
from quire.cluster import DocumentClusters

if TYPE_CHECKING:
    from quire.report._clusters.report import ClusterReportData

__all__ = ["notes_on", "short_section"]

_SMALL = 0.005  # share of documents of a cluster that is hardly one


def notes_on(clusters: DocumentClusters) -> list[str]:
    """Say what to be careful about."""
    notes = without_terms(clusters.n_empty, "cluster")
    sizes = clusters.sizes
    without = int(np.count_nonzero(sizes == 0))
    if without:
        notes.append(
            f"{without} of {how_many(len(sizes), 'cluster')} {_have(without)} no documents: there "
            "are fewer different documents than clusters."
        )
    small = int(np.count_nonzero((sizes > 0) & (sizes < _SMALL * len(clusters.labels))))
    if small:
        notes.append(
            f"{small} of {how_many(len(sizes), 'cluster')} {_have(small)} fewer than {_SMALL:.1%} "
            "of all documents."
        )
    if len(clusters.trials) > 1 and clusters.n_clusters == clusters.trials[-1].n_clusters:
        notes.append(
            f"{how_many(clusters.n_clusters, 'cluster')} were the most that were tried; more may "
            "be better."
        )
    return notes


def _have(n: int) -> str:
    return "has" if n == 1 else "have"


def short_section(report: ClusterReportData) -> Section:
    """Return the result in a sentence and in numbers, and what to be careful about."""
    largest = report.clusters[0]
    lead = html(
        '<p class="lead"><strong>{n_clusters}</strong> of {n_documents}. '
        'The largest, cluster {largest.cluster} (<span dir="auto">{terms}</span>), has '
        "{largest.share:.1%} of them.{how}</p>",
        n_clusters=how_many(len(report.clusters), "cluster"),
        n_documents=how_many(report.n_documents, "document"),
        largest=largest,
        terms=", ".join(largest.terms[:4]),
        how="" if report.was_asked_for else f" The number of clusters: {report.reason}.",
    )
    shown = [
        ("Documents", count(report.n_documents)),
        ("Distinct terms", count(report.n_terms)),
        ("Distance", report.metric),
        ("Iterations", count(report.n_iterations)),
        ("Mean silhouette", score(report.silhouette)),
        ("Smallest cluster", count(min(one.documents for one in report.clusters))),
    ]
    if report.labels is not None:
        shown.append(("Adjusted Rand", score(report.labels.adjusted_rand)))
    shown += time_fact(report.settings)
    careful = list(report.notes)
    if not report.converged:
        careful.insert(0, "The iterations ran out before the clusters had settled; allow more.")
    return section("short", "In short", lead, facts(shown), warning_box(careful))
