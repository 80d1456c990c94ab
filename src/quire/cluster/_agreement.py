"""Clusters beside labels that are known: how far they agree, and which cluster has which label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.texts import is_missing

__all__ = ["ClusterAgreement", "cluster_agreement"]


@dataclass(frozen=True, eq=False)
class ClusterAgreement(ShownInNotebooks):
    """How far clusters and labels agree, from :func:`cluster_agreement`.

    Attributes
    ----------
    adjusted_rand : float
        Pairs of documents that are together in both or apart in both, set so that chance gives 0
        and equality 1.
    normalized_mutual_info : float
        What one tells about the other, from 0 to 1. Many clusters raise it, even by chance.
    purity : float
        The share of documents that have the most frequent label of their cluster.
    n_documents : int
        Documents with a cluster and a label.
    clusters : ndarray of shape (n_clusters,)
        Numbers of the rows of `table`.
    labels : list of str
        Names of its columns, the most frequent first.
    table : ndarray of shape (n_clusters, n_labels)
        Documents of each cluster with each label.
    """

    adjusted_rand: float
    normalized_mutual_info: float
    purity: float
    n_documents: int
    clusters: NDArray[np.int64]
    labels: list[str]
    table: NDArray[np.int64]


def cluster_agreement(clusters: Any, labels: Any) -> ClusterAgreement:
    """Compare clusters with known labels.

    Parameters
    ----------
    clusters : array-like of shape (n_documents,)
        Numbers of clusters; below 0 for documents that are in none.
    labels : array-like of shape (n_documents,)
        What the documents are known to be; ``None`` and NaN where that is not known.

    Returns
    -------
    ClusterAgreement
        Adjusted Rand index, normalised mutual information, purity, and the table of both.

    Raises
    ------
    ValueError
        If the lengths differ, or no document has both.

    Examples
    --------
    >>> from quire.cluster import cluster_agreement
    >>> found = cluster_agreement([0, 0, 1, 1], ["sport", "sport", "sport", "law"])
    >>> found.purity, found.labels, found.table.tolist()
    (0.75, ['sport', 'law'], [[2, 0], [1, 1]])
    """
    numbers = np.asarray(clusters, dtype=np.int64)
    values = labels.to_list() if hasattr(labels, "to_list") else list(labels)
    if len(values) != len(numbers):
        raise ValueError(
            f"labels has {len(values):,} entries; there are {len(numbers):,} documents. Give one "
            "label for each document, None where it is not known."
        )
    has_label = np.array([not is_missing(value) for value in values], dtype=bool)
    both = np.flatnonzero(has_label & (numbers >= 0))
    if not len(both):
        raise ValueError("No document has a cluster and a label; there is nothing to compare.")
    found, rows = np.unique(numbers[both], return_inverse=True)
    names, columns = np.unique([str(values[i]) for i in both], return_inverse=True)
    table = np.zeros((len(found), len(names)), dtype=np.int64)
    np.add.at(table, (rows, columns), 1)
    order = np.argsort(-table.sum(axis=0), kind="stable")
    return ClusterAgreement(
        adjusted_rand=float(adjusted_rand_score(columns, rows)),
        normalized_mutual_info=float(normalized_mutual_info_score(columns, rows)),
        purity=float(table.max(axis=1).sum() / len(both)),
        n_documents=len(both),
        clusters=found,
        labels=[str(names[i]) for i in order],
        table=table[:, order],
    )
