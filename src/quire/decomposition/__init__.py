"""Decompositions of a corpus: principal components, truncated SVD, maps, topics.

- **Principal components of sparse rows** are eigenvectors of a centred operator that is never
  formed, by block Lanczos with thick restarts (``_block_krylov``): the residual of every pair is
  known without a product, and the search ends when all are small. Dense data go to scikit-learn's
  solvers.
"""

from quire.decomposition._choose import choose_components
from quire.decomposition._document_map import DocumentMap, MapAxis, map_axes, map_documents
from quire.decomposition._gibbs_step import GibbsStep
from quire.decomposition._lda import LatentDirichletAllocation
from quire.decomposition._pca import PCA
from quire.decomposition._pca_step import PCAStep
from quire.decomposition._truncated_svd import TruncatedSVD

__all__ = [
    "PCA",
    "DocumentMap",
    "GibbsStep",
    "LatentDirichletAllocation",
    "MapAxis",
    "PCAStep",
    "TruncatedSVD",
    "choose_components",
    "map_axes",
    "map_documents",
]
