"""What fitted centres answer: labels of new rows, distances, and what a cluster is about."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted

from quire import _core
from quire._shared.plot import line_style, new_axes, plain_numbers, whole_numbers
from quire._shared.sklearn import check_sample_weight, is_arraylike_not_scalar
from quire._shared.term_weights import TermWeight, feature_names_of, plain, rank_terms
from quire._shared.threads import effective_threads
from quire._shared.validation import check_array, looked_at
from quire.cluster._rows import Centres, Rows, in_one_piece, unit_rows
from quire.cluster._starts import plus_plus

__all__ = ["ClustersMixin", "labels_and_inertia"]

_BLOCK = 1 << 14  # dense rows that are centred at once


def labels_and_inertia(
    X: Any, weights: NDArray[Any], centers: NDArray[Any], n_threads: int, *, cosine: bool = False
) -> tuple[NDArray[np.int32], float]:
    """Return the nearest centre of every row, and the weighted sum of squared distances.

    Parameters
    ----------
    X : ndarray in C order or CSR matrix
        Rows.
    weights : ndarray of shape (n_rows,)
        Their weights.
    centers : ndarray of shape (n_clusters, n_features)
        Centres.
    n_threads : int
        Number of threads.
    cosine : bool, default=False
        Whether rows and centres are of length one.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
        Numbers of centres.
    inertia : float
        The sum.
    """
    if sp.issparse(X) or cosine:
        rows = Rows(X, n_threads)
        n_values = X.nnz if sp.issparse(X) else X.size
        centres = Centres(centers, rows, cosine=cosine, operand=n_values > X.shape[1])
        labels = rows.nearest(centres)
        return labels, float(weights @ rows.distances(centres, labels))
    middle = centers.mean(axis=0, dtype=np.float64)  # products of small numbers lose least
    moved = centers - middle
    labels = np.empty(len(X), dtype=np.int32)
    inertia = 0.0
    for first in range(0, len(X), _BLOCK):
        block = slice(first, first + _BLOCK)
        rows = Rows(X[block] - middle, n_threads)
        centres = Centres(moved, rows, operand=rows.n_rows > 1)
        labels[block] = rows.nearest(centres)
        inertia += float(weights[block] @ rows.distances(centres, labels[block]))
    return labels, inertia


class ClustersMixin:
    """Methods that need nothing but centres; beside one of scikit-learn's k-means classes."""

    def _check_test_data(self, X: Any) -> Any:
        theirs: Any = super()
        return theirs._check_test_data(looked_at(X))

    def predict(self: Any, X: Any) -> NDArray[np.int32]:
        """Return the cluster of each row: the nearest centre.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of clusters.
        """
        check_is_fitted(self)
        X = self._as_clustered(self._check_test_data(X))
        return labels_and_inertia(
            X,
            np.ones(X.shape[0]),
            self.cluster_centers_,
            self._threads(),
            cosine=self._is_cosine(),
        )[0]

    def score(self: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus the inertia of the rows: what k-means makes as large as it can.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights; 1 if not given.

        Returns
        -------
        float
            Zero at best.
        """
        check_is_fitted(self)
        X = self._as_clustered(self._check_test_data(X))
        weights = check_sample_weight(sample_weight, X, dtype=X.dtype).astype(np.float64)
        return -labels_and_inertia(
            X, weights, self.cluster_centers_, self._threads(), cosine=self._is_cosine()
        )[1]

    def _transform(self: Any, X: Any) -> NDArray[Any]:
        """Distances to all centres, euclidean or cosine."""
        if not sp.issparse(X):
            X = np.asarray(X)
        X = self._as_clustered(X)
        centers = self.cluster_centers_
        if sp.issparse(X) and X.format == "csr" and X.dtype in (np.float32, np.float64):
            W = np.ascontiguousarray(centers.T, dtype=np.float64)
            products = _core.sparse.csr_matmul(X, W, np.empty(0), None, self._threads())
        elif self._is_cosine():
            products = X @ centers.T
        else:
            distances: NDArray[Any] = euclidean_distances(X, centers)
            return distances
        if self._is_cosine():
            return np.asarray(1.0 - products, dtype=X.dtype)
        products *= -2.0
        products += np.asarray(row_norms(X, squared=True), dtype=np.float64)[:, np.newaxis]
        products += np.asarray(row_norms(centers, squared=True), dtype=np.float64)
        return np.asarray(np.sqrt(np.maximum(products, 0.0)), dtype=X.dtype)

    def top_terms(
        self: Any, n_terms: int = 10, *, feature_names: Any = None
    ) -> dict[int, list[TermWeight]]:
        """Return the terms that mark each cluster.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each cluster.
        feature_names : array-like of shape (n_features,), default=None
            The term of each column, from ``vectorizer.get_feature_names_out()``. If not given, the
            names that X had in :meth:`fit`, or else the numbers of the columns.

        Returns
        -------
        dict from cluster to list of TermWeight
            The terms whose weight in the centre is most above the mean of the other centres, from
            the largest difference down. With a single cluster, the largest weights.

        Examples
        --------
        >>> from quire.cluster import KMeans
        >>> X = [[2.0, 1.0, 0.0], [3.0, 1.0, 0.0], [0.0, 1.0, 4.0]]
        >>> model = KMeans(2, random_state=0).fit(X)
        >>> names = ["film", "the", "vote"]
        >>> sorted(terms[0].term for terms in model.top_terms(1, feature_names=names).values())
        ['film', 'vote']
        """
        check_is_fitted(self)
        centers = np.asarray(self.cluster_centers_, dtype=np.float64)
        names = feature_names_of(self, feature_names, centers.shape[1])
        if len(centers) > 1:
            return rank_terms(np.arange(len(centers)), centers, n_terms, names)
        order = np.argsort(-centers[0], kind="stable")[: max(n_terms, 0)]
        terms = [int(i) if names is None else plain(names[i]) for i in order]
        return {0: [TermWeight(t, float(centers[0, i])) for t, i in zip(terms, order, strict=True)]}

    def central_documents(self: Any, X: Any, n: int = 5) -> dict[int, NDArray[np.int64]]:
        """Return the rows that lie nearest to the centre of their cluster.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows: those of :meth:`fit`, or others.
        n : int, default=5
            How many for each cluster.

        Returns
        -------
        dict from cluster to ndarray of int
            Numbers of rows, the nearest first, fewer than `n` where the cluster has fewer. Of equal
            distances the first row comes first.

        Examples
        --------
        >>> from quire.cluster import KMeans
        >>> X = [[0.0], [1.0], [2.5], [50.0]]
        >>> model = KMeans(2, init=[[0.0], [50.0]]).fit(X)
        >>> {cluster: rows.tolist() for cluster, rows in model.central_documents(X, n=2).items()}
        {0: [1, 0], 1: [3]}
        """
        check_is_fitted(self)
        X = self._as_clustered(self._check_test_data(X))
        rows = Rows(X, self._threads())
        centres = Centres(self.cluster_centers_, rows, cosine=self._is_cosine())
        labels = rows.nearest(centres)
        distances = rows.distances(centres, labels)
        found = {}
        for cluster in range(len(self.cluster_centers_)):
            members = np.flatnonzero(labels == cluster)
            order = np.argsort(distances[members], kind="stable")[: max(n, 0)]
            found[cluster] = members[order]
        return found

    def plot_trace(self: Any, ax: Any = None) -> Any:
        """Draw the inertia after each iteration.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        check_is_fitted(self)
        ax = new_axes(ax)
        inertia = self.trace_["inertia"]
        ax.plot(np.arange(1, len(inertia) + 1), inertia, **line_style(0))
        ax.set(xlabel="iteration", ylabel="inertia", title=f"{len(self.cluster_centers_)} clusters")
        whole_numbers(ax.xaxis)
        plain_numbers(ax.yaxis)
        return ax

    def _given_centers(self: Any, X: Any) -> Any:
        """Return `init`, checked if it is an array."""
        if not is_arraylike_not_scalar(self.init):
            return self.init
        init = check_array(self.init, dtype=X.dtype, copy=True, order="C")
        self._validate_center_shape(X, init)
        return init

    def _first_centers(
        self: Any, rows: Rows, weights: NDArray[Any], init: Any, random_state: Any
    ) -> NDArray[Any]:
        """Draw the centres to start from, or take those given."""
        if isinstance(init, str) and init == "k-means++":
            chosen = plus_plus(rows, self.n_clusters, weights, random_state)
            centers = rows.X[chosen]
            return np.asarray(centers.toarray() if rows.is_sparse else centers)
        return np.asarray(
            self._init_centroids(
                rows.X,
                x_squared_norms=rows.squares,
                init=init,
                random_state=random_state,
                sample_weight=weights,
            )
        )

    def _as_clustered(self: Any, X: Any) -> Any:
        """Return rows as the centres are compared with them."""
        X = in_one_piece(X)
        return unit_rows(X) if self._is_cosine() else X

    def _is_cosine(self: Any) -> bool:
        return bool(getattr(self, "metric", "euclidean") == "cosine")

    def _threads(self: Any) -> int:
        return effective_threads(self.n_jobs)
