"""Nearest neighbours: exact search, classification and regression, and the choice of k.

The classes are scikit-learn's, with the same parameters, attributes and errors. Brute force under
euclidean and cosine distances runs in kernels of our own, for sparse and for dense data; all else
is scikit-learn's code. :class:`TextSearch` finds documents by texts, and near-duplicates.

- **Single precision proposes, double precision decides.** Searches (``csr_nearest``,
  ``dense_nearest``) and k-means (``kmeans_assign``) look at all pairs in single precision and know
  how far off it can be. What the bound cannot rule out is computed again in double precision from
  the data as given. So labels, neighbours and the order of ties are those of double precision, at
  any number of threads and with any instruction set.
- **Sparse neighbours.** Points go through in blocks that are turned into inverted indices: frequent
  columns are dense rows, added up side by side for many points, rare ones are lists. Sums are
  compared with the query's threshold while they are in registers. Dense neighbours are a matrix
  product whose tiles are never stored.
"""

from quire.neighbors._choose_k import choose_k
from quire.neighbors._classification import KNeighborsClassifier
from quire.neighbors._k_choice import KChoice
from quire.neighbors._regression import KNeighborsRegressor
from quire.neighbors._text_matches import TextMatch, TextMatches
from quire.neighbors._text_search import TextSearch
from quire.neighbors._unsupervised import NearestNeighbors

__all__ = [
    "KChoice",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "NearestNeighbors",
    "TextMatch",
    "TextMatches",
    "TextSearch",
    "choose_k",
]
