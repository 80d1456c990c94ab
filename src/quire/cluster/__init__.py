"""Clusters: rows grouped around centres, and documents grouped by their words.

- **Single precision proposes, double precision decides.** Searches (``csr_nearest``,
  ``dense_nearest``) and k-means (``kmeans_assign``) look at all pairs in single precision and know
  how far off it can be. What the bound cannot rule out is computed again in double precision from
  the data as given. So labels, neighbours and the order of ties are those of double precision, at
  any number of threads and with any instruction set.
- **k-means.** Sums of clusters are kept, and only rows that move change them; the centres of all
  clusters lie side by side for each column. Bounds skip rows whose centre cannot have changed. A
  cluster without rows gets the row that is farthest from its centre, as scikit-learn does. Dense
  rows meet the centres in tiles whose sums stay in registers (``base/register_tile``, which dense
  neighbours share); a step of k-means++ reads them once for all candidates.
"""

from quire.cluster._agreement import ClusterAgreement, cluster_agreement
from quire.cluster._documents import ClusterTrial, DocumentClusters, cluster_documents
from quire.cluster._k_means import KMeans
from quire.cluster._k_means_step import KMeansStep
from quire.cluster._mini_batch_k_means import MiniBatchKMeans

__all__ = [
    "ClusterAgreement",
    "ClusterTrial",
    "DocumentClusters",
    "KMeans",
    "KMeansStep",
    "MiniBatchKMeans",
    "cluster_agreement",
    "cluster_documents",
]
