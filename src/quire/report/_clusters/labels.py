"""Known labels: clusters beside what documents are known to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quire._shared.how_many import how_many
from quire._shared.page.html import Html, html, join
from quire._shared.page.numbers import score
from quire._shared.page.sections import Section, facts, note, section
from quire._shared.page.tables import boxed_table, column_head
from quire.cluster import ClusterAgreement

if TYPE_CHECKING:
    from quire.report._clusters.report import ClusterReportData

__all__ = ["ClusterLabels", "labels_of", "labels_section"]

_MOST_LABELS = 40
_STRONGEST = 0.55  # shade of a cell with all documents of its cluster


@dataclass(frozen=True)
class ClusterLabels:
    """Clusters beside known labels; `table` has a row for each of `clusters`.

    `left_out` labels are too many to show, and are added up in the last column.
    """

    name: str
    n_documents: int
    adjusted_rand: float
    normalized_mutual_info: float
    purity: float
    clusters: list[int]
    labels: list[str]
    table: list[list[int]]
    left_out: int


def labels_of(agreement: ClusterAgreement, name: str) -> ClusterLabels:
    """Return clusters beside labels of some name; labels that are rare are added up."""
    table, names = agreement.table, list(agreement.labels)
    left_out = max(0, len(names) - _MOST_LABELS)
    if left_out:
        rest = table[:, _MOST_LABELS:].sum(axis=1, keepdims=True)
        table = np.hstack([table[:, :_MOST_LABELS], rest])
        names = [*names[:_MOST_LABELS], f"{left_out} others"]
    order = np.argsort(-table.sum(axis=1), kind="stable")
    return ClusterLabels(
        name=name,
        n_documents=agreement.n_documents,
        adjusted_rand=agreement.adjusted_rand,
        normalized_mutual_info=agreement.normalized_mutual_info,
        purity=agreement.purity,
        clusters=[int(agreement.clusters[i]) for i in order],
        labels=names,
        table=[[int(value) for value in table[i]] for i in order],
        left_out=left_out,
    )


def labels_section(report: ClusterReportData) -> Section:
    """Return how clusters go with known labels, if there are any."""
    name, title = "labels", "Known labels"
    labels = report.labels
    if labels is None:
        return section(name, title)
    intro = html(
        "<p>Clusters beside <strong>{labels.name}</strong>, in {documents}. "
        "The clusters do not know it. Adjusted Rand: 1 is equality, 0 chance. Purity is "
        "the share of documents that have the most frequent label of their cluster.</p>",
        labels=labels,
        documents=how_many(labels.n_documents, "document"),
    )
    measures = [
        ("Adjusted Rand index", score(labels.adjusted_rand)),
        ("Normalised mutual information", score(labels.normalized_mutual_info)),
        ("Purity", score(labels.purity)),
    ]
    return section(name, title, intro, facts(measures), _cross(report, labels))


def _cross(report: ClusterReportData, labels: ClusterLabels) -> Html:
    """Return documents by cluster and label."""
    heads = [column_head("Cluster")]
    heads += [
        html('<th scope="col"><span title="{label}">{label}</span></th>', label=label)
        for label in labels.labels
    ]
    words = {one.cluster: " ".join(one.terms[:2]) for one in report.clusters}
    rows = []
    for cluster, counts in zip(labels.clusters, labels.table, strict=True):
        total = sum(counts) or 1
        cells = [
            html('<td style="--part:{:.3f}">{}</td>', _STRONGEST * value / total, value or "")
            for value in counts
        ]
        name = f"{cluster}: {words[cluster]}"
        rows.append(html('<tr><th scope="row" dir="auto">{}</th>{}</tr>', name, join(cells)))
    cross = boxed_table(heads, rows, f"Documents by cluster and {labels.name}", kind="cross")
    return cross + note("Shades are shares of the cluster.")
