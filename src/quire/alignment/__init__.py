"""Maps between spaces of word vectors, how good they are, and the vectors themselves."""

from quire.alignment._compare_maps import (
    MapComparison,
    MapScore,
    Translation,
    compare_maps,
    translate_words,
)
from quire.alignment._pair_files import read_pairs, split_pairs
from quire.alignment._vector_map import VectorMap
from quire.alignment._word_vectors import WordVectors

__all__ = [
    "MapComparison",
    "MapScore",
    "Translation",
    "VectorMap",
    "WordVectors",
    "compare_maps",
    "read_pairs",
    "split_pairs",
    "translate_words",
]
