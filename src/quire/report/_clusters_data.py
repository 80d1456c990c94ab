"""What a report on clusters says, as plain data: numbers, strings and lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire.report._data import Piece

__all__ = [
    "ClusterDocument",
    "ClusterLabels",
    "ClusterPair",
    "ClusterReportData",
    "ClusterSummary",
    "ClusterTrialRow",
]


@dataclass(frozen=True)
class ClusterDocument:
    """A document near the centre of a cluster; weights of pieces are those of its terms, to 1."""

    row: int
    distance: float
    pieces: list[Piece]
    before: int
    after: int


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


@dataclass(frozen=True)
class ClusterTrialRow:
    """One number of clusters that was tried."""

    n_clusters: int
    inertia: float
    silhouette: float | None
    smallest: int
    n_iter: int


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


@dataclass(frozen=True)
class ClusterPair:
    """Two clusters whose centres point in similar directions."""

    one: int
    other: int
    cosine: float


@dataclass(frozen=True)
class ClusterReportData:
    """All that a report on clusters says; ``None`` or empty where there is nothing."""

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
