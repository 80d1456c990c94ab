"""From clusters and their documents to the data of a report on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.cluster import ClusterAgreement, DocumentClusters
from quire.report._clusters_data import (
    ClusterLabels,
    ClusterPair,
    ClusterReportData,
    ClusterSummary,
    ClusterTrialRow,
)
from quire.report._clusters_documents import central_documents
from quire.report._data import to_plain
from quire.report._documents import as_column
from quire.report._provenance import changed_parameters, installed_versions, now

__all__ = ["summarise_clusters"]

_MOST_LABELS = 40
_PAIRS = 15
_SMALL = 0.005  # share of documents of a cluster that is hardly one


def summarise_clusters(
    found: DocumentClusters,
    texts: Any = None,
    *,
    labels: Any = None,
    label_name: str = "label",
    title: str | None = None,
    n_terms: int = 12,
    n_documents: int = 3,
    settings: Mapping[str, Any] | None = None,
) -> ClusterReportData:
    """Say all that a report on clusters says, as plain data.

    Parameters
    ----------
    found, texts, labels, label_name, title, n_terms, n_documents, settings
        As for :func:`cluster_report`.

    Returns
    -------
    ClusterReportData
        Numbers, strings and lists of them.

    Examples
    --------
    >>> from quire.cluster import cluster_documents
    >>> from quire.report import summarise_clusters
    >>> texts = ["a cat and a dog", "the dog barks", "votes in parliament", "parliament votes"]
    >>> found = summarise_clusters(cluster_documents(texts, 2, random_state=0), texts)
    >>> found.n_documents, [cluster.documents for cluster in found.clusters]
    (4, [2, 2])
    """
    column = None if texts is None else as_column(texts, len(found.labels))
    agreement = None if labels is None else found.agreement(labels)
    model = found.k_means
    trial = found.chosen
    return ClusterReportData(
        title=title or "Clusters",
        created=now(),
        n_documents=len(found.labels),
        n_empty=found.n_empty,
        n_terms=model.cluster_centers_.shape[1],
        metric=str(model.metric),
        reason=found.reason,
        n_iterations=int(model.n_iter_),
        converged=bool(model.n_iter_ < model.max_iter or model.trace_["moved"][-1] == 0),
        inertia=float(model.inertia_),
        silhouette=trial.silhouette,
        clusters=_clusters(found, column, agreement, n_terms, n_documents),
        trials=[
            ClusterTrialRow(one.n_clusters, one.inertia, one.silhouette, one.smallest, one.n_iter)
            for one in found.trials
        ],
        trace=[float(value) for value in model.trace_["inertia"]],
        pairs=_pairs(model.cluster_centers_),
        labels=None if agreement is None else _labels(agreement, label_name),
        notes=_notes(found),
        settings=to_plain(
            {
                **(settings or {}),
                "clusters": changed_parameters(model),
                "vectorizer": changed_parameters(found.vectorizer),
            }
        ),
        versions=installed_versions(),
    )


def _clusters(
    found: DocumentClusters,
    texts: pl.Series | None,
    agreement: ClusterAgreement | None,
    n_terms: int,
    n_documents: int,
) -> list[ClusterSummary]:
    """Return the clusters, the largest first."""
    terms = found.top_terms(n_terms)
    central: dict[int, Any] = {}
    if texts is not None and n_documents > 0:
        central = central_documents(found, texts, n_documents)
    sizes = found.sizes
    main = _main_labels(agreement)
    listed = []
    for cluster in np.argsort(-sizes, kind="stable").tolist():
        own = found.distances[found.labels == cluster]
        label, share = main.get(cluster, (None, None))
        listed.append(
            ClusterSummary(
                cluster=cluster,
                documents=int(sizes[cluster]),
                share=float(sizes[cluster] / len(found.labels)),
                distance=float(own.mean()) if len(own) else None,
                silhouette=_finite(found.silhouettes[cluster]),
                terms=[str(one.term) for one in terms[cluster]],
                weights=[round(one.weight, 5) for one in terms[cluster]],
                central=central.get(cluster, []),
                label=label,
                label_share=share,
            )
        )
    return listed


def _main_labels(agreement: ClusterAgreement | None) -> dict[int, tuple[str, float]]:
    if agreement is None:
        return {}
    most = agreement.table.argmax(axis=1)
    shares = agreement.table.max(axis=1) / agreement.table.sum(axis=1)
    return {
        int(cluster): (agreement.labels[column], float(share))
        for cluster, column, share in zip(agreement.clusters, most, shares, strict=True)
    }


def _labels(agreement: ClusterAgreement, name: str) -> ClusterLabels:
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


def _pairs(centers: NDArray[Any]) -> list[ClusterPair]:
    """Return the clusters that are most alike."""
    lengths = np.linalg.norm(centers, axis=1, keepdims=True)
    unit = np.divide(centers, lengths, out=np.zeros_like(centers), where=lengths > 0)
    cosines = unit @ unit.T
    one, other = np.triu_indices(len(cosines), 1)
    values = cosines[one, other]
    order = np.argsort(-values, kind="stable")[:_PAIRS]
    return [ClusterPair(int(one[i]), int(other[i]), round(float(values[i]), 3)) for i in order]


def _notes(found: DocumentClusters) -> list[str]:
    """Say what to be careful about."""
    notes = []
    if found.n_empty:
        what = "1 document has" if found.n_empty == 1 else f"{found.n_empty:,} documents have"
        notes.append(f"{what} no term that counts, and so no cluster.")
    sizes = found.sizes
    without = int(np.count_nonzero(sizes == 0))
    if without:
        notes.append(
            f"{without} of {len(sizes)} clusters have no documents: there are fewer different "
            "documents than clusters."
        )
    small = int(np.count_nonzero((sizes > 0) & (sizes < _SMALL * len(found.labels))))
    if small:
        notes.append(
            f"{small} of {len(sizes)} clusters have fewer than {_SMALL:.1%} of all documents."
        )
    if len(found.trials) > 1 and found.n_clusters == found.trials[-1].n_clusters:
        notes.append(
            f"{found.n_clusters} clusters are the most that were tried; more may be better."
        )
    return notes


def _finite(value: Any) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)
