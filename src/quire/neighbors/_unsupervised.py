"""The search alone: which of the fitted points are nearest."""

from __future__ import annotations

import sklearn.neighbors

from quire._shared.validation import looks_first
from quire.neighbors._kneighbors import FastNeighbors

__all__ = ["NearestNeighbors"]


class NearestNeighbors(FastNeighbors, sklearn.neighbors.NearestNeighbors):
    """Find the nearest points, as :class:`sklearn.neighbors.NearestNeighbors` does.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours :meth:`kneighbors` returns.
    radius : float, default=1.0
        How far :meth:`radius_neighbors` looks.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        "auto" takes brute force for sparse data and for more than 15 columns, and a tree otherwise
        if it knows the metric.
    leaf_size : int, default=30
        Points in a leaf of a tree.
    metric : str or callable, default="minkowski"
        The distance. "cosine" is the one for texts of different lengths.
    p : float, default=2
        The power of "minkowski": 2 is euclidean, 1 is manhattan.
    metric_params : dict, default=None
        Further arguments of the metric.
    n_jobs : int, default=None
        Threads. ``None`` means all cores for our kernels and one for scikit-learn's code.

    Attributes
    ----------
    effective_metric_ : str or callable
        The metric that is used: "euclidean" for "minkowski" with ``p=2``.
    effective_metric_params_ : dict
        Its arguments.
    n_features_in_ : int
        Columns of the fitted data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they are all strings.
    n_samples_fit_ : int
        Points of the fitted data.

    Notes
    -----
    See :meth:`kneighbors` for what is exact and stable. A search over sparse data takes about one
    addition for each pair of a query and a point with a term in common; frequent terms are added up
    16 points at a time. Memory is that of the data and of blocks, never of all pairs.

    Examples
    --------
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> from quire.neighbors import NearestNeighbors
    >>> texts = ["a good film", "a very good film", "rain tomorrow", "sun and rain"]
    >>> vectorizer = TfidfVectorizer()
    >>> search = NearestNeighbors(n_neighbors=2, metric="cosine")
    >>> search = search.fit(vectorizer.fit_transform(texts))
    >>> search.kneighbors(vectorizer.transform(["good films and rain"]), return_distance=False)
    array([[3, 0]])
    """

    radius_neighbors = looks_first(sklearn.neighbors.NearestNeighbors.radius_neighbors)
