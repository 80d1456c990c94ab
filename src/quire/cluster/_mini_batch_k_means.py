"""k-means from batches: each batch moves its centres a little.

D. Sculley (2010), Web-scale k-means clustering. Proceedings of the 19th International Conference on
World Wide Web. The steps are scikit-learn's; what is read from the centres is ours.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.cluster import MiniBatchKMeans as SklearnMiniBatchKMeans
from sklearn.utils.parallel import _get_threadpool_controller

from quire.cluster._clusters import ClustersMixin

__all__ = ["MiniBatchKMeans"]


class MiniBatchKMeans(ClustersMixin, SklearnMiniBatchKMeans):
    """Clusters around k centres, from batches of rows: for streams and for very many rows.

    A centre is the running mean of the rows that were nearest to it when their batch came. It
    answers to scikit-learn's class of the same name and adds `n_jobs`, `trace_`, :meth:`top_terms`,
    :meth:`central_documents` and :meth:`plot_trace`. Where all rows fit into memory,
    :class:`KMeans` gives a lower inertia and is often as quick.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), \
            default="k-means++"
        The first centres; see :class:`KMeans`.
    max_iter : int, default=100
        How many times at most :meth:`fit` goes over as many rows as there are.
    batch_size : int, default=1024
        Rows in a batch of :meth:`fit`.
    verbose : int, default=0
        Print the inertia of each batch.
    compute_labels : bool, default=True
        Give `labels_` and `inertia_` of all rows after the fit.
    random_state : int, RandomState instance or None, default=None
        Draws starts and batches.
    tol : float, default=0.0
        Stop when the centres move less than this; 0 for never.
    max_no_improvement : int or None, default=10
        Stop after so many batches that did not lower the smoothed inertia.
    init_size : int, default=None
        Rows from which the start is drawn; three batches if not given.
    n_init : "auto" or int, default="auto"
        How many starts are compared.
    reassignment_ratio : float, default=0.01
        Centres with fewer rows than this share of the largest are moved to rows of a batch.
    n_jobs : int, default=None
        Number of threads; ``None`` and -1 mean all that may be used.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row; in :meth:`partial_fit`, of the last batch.
    inertia_ : float
        Weighted sum of squared distances of these rows to their centres.
    n_iter_ : int
        How many times :meth:`fit` went over as many rows as there are.
    n_steps_ : int
        Number of batches.
    trace_ : dict of ndarray
        ``"inertia"``: the mean squared distance of the rows of each batch, before its step in
        :meth:`fit` and after it in :meth:`partial_fit` (there only with `compute_labels`).
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them are strings.

    See Also
    --------
    sklearn.cluster.MiniBatchKMeans : The same model.
    KMeans : All rows in every iteration.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> model = MiniBatchKMeans(2, random_state=0)
    >>> for _ in range(20):
    ...     batch = rng.normal(size=(50, 1)) + 10 * rng.integers(0, 2, (50, 1))
    ...     model = model.partial_fit(batch)
    >>> sorted(model.cluster_centers_.round(0).ravel().tolist())
    [0.0, 10.0]
    >>> len(model.trace_["inertia"])
    20
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SklearnMiniBatchKMeans._parameter_constraints,
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int = 0,
        compute_labels: bool = True,
        random_state: Any = None,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: Any = "auto",
        reassignment_ratio: float = 0.01,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters,
            init=init,
            max_iter=max_iter,
            batch_size=batch_size,
            verbose=verbose,
            compute_labels=compute_labels,
            random_state=random_state,
            tol=tol,
            max_no_improvement=max_no_improvement,
            init_size=init_size,
            n_init=n_init,
            reassignment_ratio=reassignment_ratio,
        )
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters from random batches of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; 1 if not given.

        Returns
        -------
        self : object
            The fitted model.
        """
        self._batch_inertia: list[float] = []
        with _get_threadpool_controller().limit(limits=self._threads(), user_api="openmp"):
            super().fit(X, y, sample_weight)
        self.trace_ = {"inertia": np.array(self._batch_inertia)}
        del self._batch_inertia
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Move the centres by one batch of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; the first batch has at least `n_clusters`.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; 1 if not given.

        Returns
        -------
        self : object
            The model.
        """
        before = self.trace_["inertia"] if hasattr(self, "trace_") else np.empty(0)
        with _get_threadpool_controller().limit(limits=self._threads(), user_api="openmp"):
            super().partial_fit(X, y, sample_weight)
        if self.compute_labels:
            total = len(self.labels_) if sample_weight is None else np.sum(sample_weight)
            before = np.append(before, self.inertia_ / total)
        self.trace_ = {"inertia": before}
        return self

    def _mini_batch_convergence(
        self, step: int, n_steps: int, n_samples: int, centers_squared_diff: Any, batch_inertia: Any
    ) -> bool:
        """Take the inertia of the batch down, then let scikit-learn decide."""
        self._batch_inertia.append(float(batch_inertia) / self._batch_size)
        return bool(
            super()._mini_batch_convergence(
                step, n_steps, n_samples, centers_squared_diff, batch_inertia
            )
        )
