"""k-means from batches: each batch moves its centres a little.

D. Sculley (2010), Web-scale k-means clustering. Proceedings of the 19th International Conference on
World Wide Web. The steps are in `_batches`; when to stop, and which random numbers are drawn, is
scikit-learn's.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans as SklearnMiniBatchKMeans
from sklearn.utils import check_random_state

from quire._shared.sklearn import StrOptions, check_sample_weight, fit_context
from quire._shared.validation import validate_data
from quire.cluster._batches import BatchCentres, RowSampler
from quire.cluster._clusters import ClustersMixin, labels_and_inertia
from quire.cluster._rows import Rows, unit_rows

__all__ = ["MiniBatchKMeans"]


class MiniBatchKMeans(ClustersMixin, SklearnMiniBatchKMeans):
    """Clusters around k centres, from batches of rows: for streams and for very many rows.

    A centre is the running mean of the rows that were nearest to it when their batch came. It
    answers to scikit-learn's class of the same name: the same seed gives the same centres. It adds
    `metric`, `n_jobs`, `trace_`, :meth:`top_terms`, :meth:`central_documents` and
    :meth:`plot_trace`. Where all rows fit into memory, :class:`KMeans` gives a lower inertia and is
    often as quick.

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
    metric : {"euclidean", "cosine"}, default="euclidean"
        ``"cosine"``: rows are brought to length one, and a centre is the direction of the sum of
        the rows that it got (spherical k-means).
    n_jobs : int, default=None
        Number of threads; ``None`` and -1 mean all that may be used.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres; of length one for cosine.
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

    Notes
    -----
    *Cost.* A batch of sparse rows takes a product with all centres and changes the entries that its
    rows touch; no batch goes over all features. Each call of :meth:`partial_fit` does, because
    nothing but the centres is kept between calls: give it large batches. The number of threads does
    not change a bit.

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
        "metric": [StrOptions({"euclidean", "cosine"})],
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
        metric: str = "euclidean",
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
        self.metric = metric
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
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
            The fitted estimator.
        """
        X, weights = self._checked(X, sample_weight, reset=True)
        self._check_params_vs_input(X)
        random_state = check_random_state(self.random_state)
        centers = self._best_start(X, weights, random_state)

        state, middle = self._state(X, centers, np.zeros(self.n_clusters), np.ones(self.n_clusters))
        trace = self._run_batches(X, weights, state, middle, random_state)

        self._keep(state, middle, X.dtype)
        self.n_steps_ = len(trace)
        self.n_iter_ = int(np.ceil(self.n_steps_ * self._batch_size / X.shape[0]))
        self.trace_ = {"inertia": np.array(trace)}
        if self.compute_labels:
            self._label(X, weights)
        else:
            mean = trace[-1] if self._ewa_inertia is None else self._ewa_inertia
            self.inertia_ = float(mean * np.sum(weights))
        return self

    @fit_context(prefer_skip_nested_validation=True)
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
            The fitted estimator.
        """
        is_first = not hasattr(self, "cluster_centers_")
        X, weights = self._checked(X, sample_weight, reset=is_first)
        self._random_state = getattr(self, "_random_state", check_random_state(self.random_state))
        if is_first:
            self._begin_stream(X, weights)
        lengths = getattr(self, "_lengths", self._counts)
        state, middle = self._state(X, self.cluster_centers_, self._counts, lengths)
        rows = Rows(_moved(X, middle), self._threads())
        self._step(state, rows, weights.astype(np.float64), self._random_state)
        self._keep(state, middle, X.dtype)
        self.n_steps_ += 1
        trace = self.trace_["inertia"]
        if self.compute_labels:
            self._label(X, weights)
            trace = np.append(trace, self.inertia_ / np.sum(weights))
        self.trace_ = {"inertia": trace}
        return self

    def _checked(
        self, X: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Any, NDArray[np.floating[Any]]]:
        """Return the rows as they are clustered, and their weights."""
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            accept_large_sparse=False,
            reset=reset,
        )
        weights = check_sample_weight(sample_weight, X, dtype=X.dtype)
        return self._as_clustered(X), weights

    def _best_start(self, X: Any, weights: NDArray[Any], random_state: Any) -> NDArray[Any]:
        """Return the best of several starts, judged by rows that are drawn for it."""
        init = self._given_centers(X)
        judges = random_state.randint(0, X.shape[0], self._init_size)
        best, best_inertia = None, np.inf
        for number in range(self._n_init):
            if self.verbose:
                print(f"Init {number + 1}/{self._n_init} with method {init}")
            centers = self._start(X, weights, init, random_state)
            if self._n_init == 1 and not self.verbose:
                return centers
            _, inertia = labels_and_inertia(
                X[judges], weights[judges], centers, self._threads(), cosine=self._is_cosine()
            )
            if self.verbose:
                print(f"Inertia for init {number + 1}/{self._n_init}: {inertia}")
            if best is None or inertia < best_inertia:
                best, best_inertia = centers, inertia
        return np.asarray(best)

    def _start(self, X: Any, weights: NDArray[Any], init: Any, random_state: Any) -> NDArray[Any]:
        """Return first centres, drawn from as many rows as `init_size` says."""
        if self._init_size < X.shape[0]:
            drawn = random_state.randint(0, X.shape[0], self._init_size)
            X, weights = X[drawn], weights[drawn]
        centers = self._first_centers(Rows(X, self._threads()), weights, init, random_state)
        return np.asarray(unit_rows(centers) if self._is_cosine() else centers)

    def _run_batches(
        self, X: Any, weights: NDArray[Any], state: BatchCentres, middle: Any, random_state: Any
    ) -> list[float]:
        """Draw batches until the centres settle; return the mean squared distances in each."""
        self._ewa_inertia, self._ewa_inertia_min, self._no_improvement = None, None, 0
        self._n_since_last_reassign = 0
        sampler = RowSampler(weights, random_state)
        n_steps = (self.max_iter * X.shape[0]) // self._batch_size
        trace = []
        for number in range(n_steps):
            rows = Rows(_moved(X[sampler.draw(self._batch_size)], middle), self._threads())
            before = state.array() if self._tol > 0 else None
            inertia = self._step(state, rows, np.ones(rows.n_rows), random_state)
            trace.append(inertia / self._batch_size)
            shift = 0.0 if before is None else float(np.sum((state.array() - before) ** 2))
            if self._mini_batch_convergence(number, n_steps, X.shape[0], shift, inertia):
                break
        return trace

    def _begin_stream(self, X: Any, weights: NDArray[Any]) -> None:
        """Set what a stream starts with."""
        self._check_params_vs_input(X)
        init = self._given_centers(X)
        self.cluster_centers_ = self._start(X, weights, init, self._random_state)
        self._counts = np.zeros(self.n_clusters, dtype=X.dtype)
        self._lengths = np.ones(self.n_clusters, dtype=X.dtype)
        self._n_since_last_reassign = 0
        self.n_steps_ = 0
        self.trace_ = {"inertia": np.empty(0)}

    def _step(self, state: BatchCentres, rows: Rows, weights: Any, random_state: Any) -> float:
        """Move the centres by a batch; return the inertia before that."""
        move_rare = self._random_reassign() and self.reassignment_ratio > 0
        inertia = state.step(rows, weights)
        self._counts = state.counts
        if move_rare:
            n_moved = state.move_rare(rows, self.reassignment_ratio, random_state)
            if n_moved and self.verbose:
                print(f"[MiniBatchKMeans] Reassigning {n_moved} cluster centers.")
        return inertia

    def _state(
        self, X: Any, centers: NDArray[Any], counts: NDArray[Any], lengths: NDArray[Any]
    ) -> tuple[BatchCentres, Any]:
        """Return the centres as they are moved, and what is taken from dense rows and from them."""
        self._counts = counts
        middle = None
        if not sp.issparse(X) and not self._is_cosine():  # products of small numbers lose least
            middle = centers.mean(axis=0, dtype=np.float64)
        rows, cosine = Rows(X, self._threads()), self._is_cosine()
        return BatchCentres(_moved(centers, middle), counts, lengths, rows, cosine=cosine), middle

    def _keep(self, state: BatchCentres, middle: Any, dtype: Any) -> None:
        """Take the centres over."""
        centers = state.array() if middle is None else state.array() + middle
        self.cluster_centers_ = centers.astype(dtype, copy=False)
        self._n_features_out = len(centers)
        self._counts = state.counts.astype(dtype)
        self._lengths = state.lengths.astype(dtype)

    def _label(self, X: Any, weights: NDArray[Any]) -> None:
        self.labels_, self.inertia_ = labels_and_inertia(
            X,
            weights.astype(np.float64),
            self.cluster_centers_,
            self._threads(),
            cosine=self._is_cosine(),
        )


def _moved(rows: Any, middle: Any) -> Any:
    return rows if middle is None else rows - middle
