"""Numbers by the mean of the nearest points."""

from __future__ import annotations

import sklearn.neighbors

from quire.neighbors._kneighbors import FastNeighbors

__all__ = ["KNeighborsRegressor"]


class KNeighborsRegressor(FastNeighbors, sklearn.neighbors.KNeighborsRegressor):
    r"""Predict a mean of neighbours, as :class:`sklearn.neighbors.KNeighborsRegressor` does.

    .. math:: \hat y(x) = \sum_{i \in N_k(x)} w_i y_i / \sum_{i \in N_k(x)} w_i

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours count. :func:`choose_k` finds a good number.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        The weights w: the same for all, one over the distance, or what a function makes of an array
        of distances. Where a neighbour has distance 0, "distance" counts such ones alone.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        "auto" takes brute force for sparse data and for more than 15 columns, and a tree otherwise
        if it knows the metric.
    leaf_size : int, default=30
        Points in a leaf of a tree.
    p : float, default=2
        The power of "minkowski": 2 is euclidean, 1 is manhattan.
    metric : str or callable, default="minkowski"
        The distance. "cosine" is the one for texts of different lengths.
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

    Examples
    --------
    >>> from quire.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> model.predict([[1.5]])
    array([0.5])
    """
