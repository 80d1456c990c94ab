"""Decompositions of a corpus: principal components, truncated SVD, maps, topics."""

from quire.decomposition._choose import choose_components
from quire.decomposition._document_map import DocumentMap, MapAxis, map_axes, map_documents
from quire.decomposition._lda import LatentDirichletAllocation
from quire.decomposition._pca import PCA
from quire.decomposition._truncated_svd import TruncatedSVD

__all__ = [
    "PCA",
    "DocumentMap",
    "LatentDirichletAllocation",
    "MapAxis",
    "TruncatedSVD",
    "choose_components",
    "map_axes",
    "map_documents",
]
