"""Maps between spaces of word vectors, and the vectors themselves."""

from quire.alignment._vector_map import VectorMap
from quire.alignment._word_vectors import WordVectors

__all__ = ["VectorMap", "WordVectors"]
