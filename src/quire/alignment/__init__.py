"""Maps between spaces of word vectors, how good they are, and the vectors themselves.

- **Maps** (``alignment``). All solvers see the same matrices of pairs; one eigendecomposition
  serves every ridge penalty. CSLS goes in tiles (``tile_top_k``), so that no matrix of all
  similarities is ever there, and in one sweep: each row keeps its 32 nearest columns while the
  neighbourhoods of the columns grow, and a bound then proves most answers; only rows that it leaves
  open are looked at again.
"""

from quire.alignment._compare_maps import (
    MapComparison,
    MapScore,
    Translation,
    compare_maps,
    translate_words,
)
from quire.alignment._pair_files import read_pairs, split_pairs
from quire.alignment._solvers import MapStep
from quire.alignment._vector_map import VectorMap
from quire.alignment._word_vectors import WordVectors

__all__ = [
    "MapComparison",
    "MapScore",
    "MapStep",
    "Translation",
    "VectorMap",
    "WordVectors",
    "compare_maps",
    "read_pairs",
    "split_pairs",
    "translate_words",
]
