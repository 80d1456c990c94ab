"""Decompositions of a corpus: principal components, truncated SVD, topics."""

from quire.decomposition._choose import choose_components
from quire.decomposition._lda import LatentDirichletAllocation
from quire.decomposition._pca import PCA
from quire.decomposition._truncated_svd import TruncatedSVD

__all__ = ["PCA", "LatentDirichletAllocation", "TruncatedSVD", "choose_components"]
