"""Clusters: rows grouped around centres."""

from quire.cluster._k_means import KMeans
from quire.cluster._mini_batch_k_means import MiniBatchKMeans

__all__ = ["KMeans", "MiniBatchKMeans"]
