"""Decomposition of documents into topics."""

from quire.decomposition._lda import LatentDirichletAllocation

__all__ = ["LatentDirichletAllocation"]
