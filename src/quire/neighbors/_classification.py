"""Classes by a vote of the nearest points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sklearn.neighbors
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from quire._shared.decisions import asked_twice, largest
from quire.neighbors._kneighbors import FastNeighbors

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(FastNeighbors, sklearn.neighbors.KNeighborsClassifier):
    """Classify by a vote, as :class:`sklearn.neighbors.KNeighborsClassifier` does.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours vote. :func:`choose_k` finds a good number.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        What a vote weighs: the same for all, one over the distance, or what a function makes of
        an array of distances. Where a neighbour has distance 0, "distance" counts such ones alone.
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
    classes_ : ndarray of shape (n_classes,), or list of such
        The classes; a list for several outputs.
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
    outputs_2d_ : bool
        Whether `y` had several columns.

    Notes
    -----
    Of classes with equally many votes the first one is predicted. Neighbours are those of
    :meth:`kneighbors`, with a stable order of equal distances. :func:`quire.inspection.explain`
    names the points that decided.

    References
    ----------
    E. Fix and J. L. Hodges, "Discriminatory analysis. Nonparametric discrimination: consistency
    properties", 1951.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> from quire.neighbors import KNeighborsClassifier
    >>> texts = ["a good film", "a very good film", "rain tomorrow", "sun and rain"]
    >>> model = make_pipeline(TfidfVectorizer(), KNeighborsClassifier(1, metric="cosine"))
    >>> model = model.fit(texts, ["film", "film", "weather", "weather"])
    >>> model.predict(["good rain and sun"])
    array(['weather'], dtype='<U7')
    """

    _y: Any
    classes_: Any
    outputs_2d_: bool
    weights: Any

    def fit_path(self, X: Any, y: Any, ks: Sequence[int]) -> Iterator[KNeighborsClassifier]:
        """Yield a fitted model for each number of neighbours; they share their searches.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Classes.
        ks : sequence of int
            Numbers of neighbours.

        Yields
        ------
        KNeighborsClassifier
            For each of `ks`, in their order. Asked about one and the same matrix, one after
            another, all of them search once.
        """
        fitted = clone(self).set_params(n_neighbors=max(ks)).fit(X, y)
        last: list[Any] = []  # a matrix, and its neighbours
        for k in ks:
            one = _OfPath().set_params(**fitted.get_params())
            vars(one).update(vars(fitted), n_neighbors=k, _whole=fitted, _last=last)
            yield one

    def predict_proba(self, X: Any) -> Any:
        """Return the shares of the votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or None
            The queries; ``None`` means the fitted points, each without its own vote.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or list of such
            Shares, in the order of ``classes_``; a list for several outputs.
        """
        check_is_fitted(self, "_fit_method")
        if self.weights != "uniform" or self.outputs_2d_ or not self._is_fast():
            return super().predict_proba(X)
        labels = self._y[self.kneighbors(X, return_distance=False)]
        n, k = labels.shape
        n_classes = len(self.classes_)
        places = labels + n_classes * np.arange(n)[:, None]
        votes = np.bincount(places.ravel(), minlength=n * n_classes).reshape(n, n_classes)
        shares: NDArray[np.float64] = votes / k
        return shares

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Any]:
        """Return the number of each query's class and the shares; equal votes need one search."""
        if self.weights != "uniform":
            return asked_twice(self, X)
        return largest(self.predict_proba(X))


class _OfPath(KNeighborsClassifier):
    """A model that shares its searches with others that were fitted on the same data."""

    _whole: KNeighborsClassifier  # the one with most neighbours
    _last: list[Any]

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        if n_neighbors is not None or X is None:
            return super().kneighbors(X, n_neighbors, return_distance)
        if not self._last or self._last[0] is not X:
            self._last[:] = [X, *self._whole.kneighbors(X)]
        distances, indices = (part[:, : self.n_neighbors] for part in self._last[1:])
        return (distances, indices) if return_distance else indices
