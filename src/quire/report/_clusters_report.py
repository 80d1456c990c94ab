"""A report on clusters: one HTML file to read them, and the numbers in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire.cluster import DocumentClusters
from quire.report._clusters_data import ClusterReportData
from quire.report._clusters_render import render_clusters
from quire.report._clusters_summarise import summarise_clusters
from quire.report._page import Page, kept

__all__ = ["ClusterReport", "cluster_report"]


@dataclass(frozen=True, eq=False, repr=False)
class ClusterReport(Page):
    """A report on clusters, from :func:`cluster_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : ClusterReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    data: ClusterReportData
    html: str

    def _says(self) -> str:
        return f"{len(self.data.clusters)} clusters, {self.data.n_documents:,} documents"


def cluster_report(
    found: DocumentClusters,
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
    found : DocumentClusters
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
        found,
        texts,
        labels=labels,
        label_name=label_name,
        title=title,
        n_terms=n_terms,
        n_documents=n_documents,
        settings=settings,
    )
    return kept(ClusterReport(data, render_clusters(data)), path)
