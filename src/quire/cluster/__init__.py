"""Clusters: rows grouped around centres, and documents grouped by their words."""

from quire.cluster._agreement import ClusterAgreement, cluster_agreement
from quire.cluster._documents import ClusterTrial, DocumentClusters, cluster_documents
from quire.cluster._k_means import KMeans
from quire.cluster._mini_batch_k_means import MiniBatchKMeans

__all__ = [
    "ClusterAgreement",
    "ClusterTrial",
    "DocumentClusters",
    "KMeans",
    "MiniBatchKMeans",
    "cluster_agreement",
    "cluster_documents",
]
