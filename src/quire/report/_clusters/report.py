"""A report on clusters: its data, its page, and both in one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire._shared.how_many import how_many
from quire._shared.page.numbers import to_plain
from quire._shared.page.page import Page, saved
from quire._shared.page.shell import asset
from quire.cluster import DocumentClusters
from quire.report._clusters.convergence import convergence_section
from quire.report._clusters.documents import central_documents, documents_section
from quire.report._clusters.labels import ClusterLabels, labels_of, labels_section
from quire.report._clusters.near import ClusterPair, near_section, pairs_of
from quire.report._clusters.number import ClusterTrialRow, number_section, trials_of
from quire.report._clusters.short import notes_on, short_section
from quire.report._clusters.table import ClusterSummary, summaries_of, table_section
from quire.report._page.documents import as_column
from quire.report._page.provenance import (
    changed_parameters,
    installed_versions,
    now,
    with_data,
)
from quire.report._page.whole_page import whole_page

__all__ = [
    "ClusterReport",
    "ClusterReportData",
    "cluster_report",
    "render_clusters",
    "summarise_clusters",
]

_SECTIONS = (
    short_section,
    table_section,
    number_section,
    labels_section,
    documents_section,
    near_section,
    convergence_section,
)


@dataclass(frozen=True)
class ClusterReportData:
    """All that a report on clusters says; ``None`` or empty where there is nothing.

    `reason` says how the number of clusters came about, `was_asked_for` whether it was given.
    """

    title: str
    created: str
    n_documents: int
    n_empty: int
    n_terms: int
    metric: str
    reason: str
    n_iterations: int
    converged: bool
    inertia: float
    silhouette: float | None
    clusters: list[ClusterSummary]
    trials: list[ClusterTrialRow]
    trace: list[float]
    pairs: list[ClusterPair]
    labels: ClusterLabels | None
    notes: list[str]
    settings: dict[str, Any]
    versions: dict[str, str]
    was_asked_for: bool = False


class ClusterReport(Page[ClusterReportData]):
    """A report on clusters, from :func:`cluster_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : ClusterReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    def _says(self) -> str:
        clusters, documents = len(self.data.clusters), self.data.n_documents
        return f"{how_many(clusters, 'cluster')}, {how_many(documents, 'document')}"


def cluster_report(
    clusters: DocumentClusters,
    texts: Any = None,
    *,
    labels: Any = None,
    label_name: str = "label",
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    n_terms: int = 12,
    n_documents: int = 3,
    settings: Mapping[str, Any] | None = None,
) -> ClusterReport:
    """Make one HTML file of clusters of documents; it opens without a network.

    It has a table of the clusters, their terms and central documents, the numbers of clusters that
    were tried, a table of clusters by known labels, and convergence. Needs vl-convert-python, which
    holds the libraries that draw the charts: ``pip install 'quire[report]'``.

    Parameters
    ----------
    clusters : DocumentClusters
        From :func:`quire.cluster.cluster_documents`.
    texts : sequence of str, Series or DataFrame, default=None
        Its documents, in the same order. Without texts no documents are shown.
    labels : array-like of shape (n_documents,), default=None
        What the documents are known to be; ``None`` where that is not known.
    label_name : str, default="label"
        What the labels are called.
    path : str or path, default=None
        Where to write it; nothing is written if ``None``.
    title : str, default=None
        The heading.
    n_terms : int, default=12
        Terms that are shown of each cluster.
    n_documents : int, default=3
        Documents that are shown of each; 0 for none, as when texts must not leave the house.
    settings : mapping, default=None
        What else to write down, such as the command.

    Returns
    -------
    ClusterReport
        With ``html``, ``data`` and ``save(path)``.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed.
    ValueError
        If there are more or fewer texts or labels than documents.
    OSError
        If the file can not be written.

    See Also
    --------
    summarise_clusters : The numbers without the page.

    Examples
    --------
    >>> from quire.cluster import cluster_documents
    >>> from quire.report import cluster_report
    >>> texts = ["a cat and a dog", "the dog barks", "votes in parliament", "parliament votes"]
    >>> clusters = cluster_documents(texts, 2, random_state=0)
    >>> cluster_report(clusters, texts, title="Pets and votes")
    <ClusterReport 'Pets and votes': 2 clusters, 4 documents, ... MB>
    """
    data = summarise_clusters(
        clusters,
        texts,
        labels=labels,
        label_name=label_name,
        title=title,
        n_terms=n_terms,
        n_documents=n_documents,
        settings=settings,
    )
    return saved(ClusterReport(data, render_clusters(data)), path)


def summarise_clusters(
    clusters: DocumentClusters,
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
    clusters, texts, labels, label_name, title, n_terms, n_documents, settings
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
    >>> data = summarise_clusters(cluster_documents(texts, 2, random_state=0), texts)
    >>> data.n_documents, [cluster.documents for cluster in data.clusters]
    (4, [2, 2])
    """
    column = None if texts is None else as_column(texts, len(clusters.labels))
    agreement = None if labels is None else clusters.agreement(labels)
    model = clusters.k_means
    central = {}
    if column is not None and n_documents > 0:
        central = central_documents(clusters, column, n_documents)
    return ClusterReportData(
        title=title or "Clusters",
        created=now(),
        n_documents=len(clusters.labels),
        n_empty=clusters.n_empty,
        n_terms=model.cluster_centers_.shape[1],
        metric=str(model.metric),
        reason=clusters.reason,
        n_iterations=int(model.n_iter_),
        converged=bool(model.n_iter_ < model.max_iter or model.trace_["moved"][-1] == 0),
        inertia=float(model.inertia_),
        silhouette=clusters.chosen.silhouette,
        clusters=summaries_of(clusters, central, agreement, n_terms),
        trials=trials_of(clusters),
        trace=[float(value) for value in model.trace_["inertia"]],
        pairs=pairs_of(model.cluster_centers_),
        labels=None if agreement is None else labels_of(agreement, label_name),
        notes=notes_on(clusters),
        settings=to_plain(
            {
                **with_data(settings, texts=column, labels=labels),
                "clusters": changed_parameters(model),
                "vectorizer": changed_parameters(clusters.vectorizer),
            }
        ),
        versions=installed_versions(),
        was_asked_for=clusters.number_is_given,
    )


def render_clusters(data: ClusterReportData) -> str:
    """Return a report on clusters as HTML.

    Parameters
    ----------
    data : ClusterReportData
        From :func:`summarise_clusters`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed; the message names the command that installs it.
    """
    page = whole_page(
        data,
        f"{how_many(len(data.clusters), 'cluster')} of {how_many(data.n_documents, 'document')}",
        [make(data) for make in _SECTIONS],
        styles=[asset("quire.report._clusters", "clusters.css")],
    )
    return str(page)
