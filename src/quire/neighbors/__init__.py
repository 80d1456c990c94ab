"""Nearest neighbours: exact search, classification and regression, and the choice of k.

The classes are scikit-learn's, with the same parameters, attributes and errors. Brute force under
euclidean and cosine distances runs in kernels of our own, for sparse and for dense data; all else
is scikit-learn's code. :class:`TextSearch` finds documents by texts, and near-duplicates.
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
