"""What the three estimators share: `kneighbors` by our kernels where these know the metric.

Where they do not (trees, other metrics, a sparse matrix against a dense one), and where arguments
are wrong, scikit-learn's own method answers, so that its errors and its behaviour are kept.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import BallTree, KDTree
from sklearn.utils.validation import check_is_fitted

from quire._shared.validation import looked_at, validate_data
from quire.neighbors._search import DISTANCES, nearest

__all__ = ["FastNeighbors"]


class FastNeighbors:
    """A mixin before scikit-learn's classes, with a faster search."""

    n_neighbors: int
    n_jobs: int | None
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    _fit_X: Any
    _fit_method: str

    def _fit(self, X: Any, y: Any = None) -> Any:
        theirs: Any = super()
        return theirs._fit(looked_at(X), y)

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Find the nearest of the fitted points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), default=None
            The queries, or their distances to all points if ``metric="precomputed"``. ``None``
            means the fitted points, none of which is then a neighbour of itself.
        n_neighbors : int, default=None
            How many; ``None`` means the parameter of the estimator.
        return_distance : bool, default=True
            Whether distances are returned as well.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries, n_neighbors)
            Distances, nearest first; only if `return_distance`.
        neigh_ind : ndarray of shape (n_queries, n_neighbors)
            Rows of the fitted data.

        Notes
        -----
        Brute force under the metrics "euclidean" ("minkowski" with p=2, "l2"), "sqeuclidean" and
        "cosine" is exact and stable: of points at the same distance those with smaller numbers come
        first, and threads do not change a bit of the result. The order of equal distances
        elsewhere is scikit-learn's, which leaves it open.

        Examples
        --------
        >>> from quire.neighbors import NearestNeighbors
        >>> search = NearestNeighbors(n_neighbors=2, algorithm="brute")
        >>> search = search.fit([[0.0, 0.0], [0.0, 0.5], [1.0, 1.0], [0.0, 0.5]])
        >>> search.kneighbors([[0.0, 1.0]])
        (array([[0.5, 0.5]]), array([[1, 3]]))
        """
        check_is_fitted(self)
        theirs: Any = super()
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if sparse.issparse(X) and not (self._is_fast() and sparse.issparse(self._fit_X)):
            X = looked_at(X)
        if not self._is_fast() or not self._is_possible(k, X is None):
            return theirs.kneighbors(X, n_neighbors, return_distance)
        queries = self._fit_X if X is None else _checked(self, X)
        if sparse.issparse(queries) != sparse.issparse(self._fit_X):
            return theirs.kneighbors(X, n_neighbors, return_distance)
        found = nearest(
            self._fit_X, queries, int(k) + (X is None), self.effective_metric_, self.n_jobs, self
        )
        distances, indices = _without_self(*found) if X is None else found
        return (distances, indices) if return_distance else indices

    def _is_fast(self) -> bool:
        """Return whether the kernels know the metric of this fitted model."""
        return (
            self._fit_method == "brute"
            and isinstance(self.effective_metric_, str)
            and self.effective_metric_ in DISTANCES
            and not self.effective_metric_params_
            and (isinstance(self._fit_X, np.ndarray) or sparse.issparse(self._fit_X))
        )

    def _is_possible(self, k: Any, without_self: bool) -> bool:
        is_number = isinstance(k, Integral) and not isinstance(k, bool)
        return is_number and 0 < int(k) <= self.n_samples_fit_ - int(without_self)

    def __getstate__(self) -> dict[str, Any]:
        """Leave a tree out: it is made again from the points, and no file needs to hold it."""
        theirs: Any = super()
        state: dict[str, Any] = dict(theirs.__getstate__())
        if isinstance(state.get("_tree"), KDTree | BallTree):
            state["_tree"] = None
        return state

    @property
    def _tree(self) -> Any:
        """The tree, if there is one; that of a loaded model is made when it is asked for."""
        state = vars(self)
        kinds: dict[str, Any] = {"kd_tree": KDTree, "ball_tree": BallTree}
        kind = kinds.get(state["_fit_method"])
        if kind is not None and state["_tree"] is None:
            state["_tree"] = kind(
                np.asarray(self._fit_X),
                state["leaf_size"],
                metric=self.effective_metric_,
                **self.effective_metric_params_,
            )
        return state["_tree"]

    @_tree.setter
    def _tree(self, tree: Any) -> None:
        vars(self)["_tree"] = tree


def _checked(model: Any, X: Any) -> Any:
    for_kernels = model.effective_metric_ != "cosine"
    return validate_data(
        model, X, accept_sparse="csr", reset=False, order="C", for_kernels=for_kernels
    )


def _without_self(
    distances: NDArray[Any], indices: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Drop each point from its own neighbours.

    One that is not among them has as many duplicates with smaller numbers; as in scikit-learn, the
    first of these goes in its place.
    """
    n, k = indices.shape
    others = indices != np.arange(n)[:, None]
    others[others.all(axis=1), 0] = False
    return distances[others].reshape(n, k - 1), indices[others].reshape(n, k - 1)
