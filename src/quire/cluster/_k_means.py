r"""k-means: k centres, each the mean of the rows that are nearest to it.

Lloyd's algorithm (S. P. Lloyd, 1982, "Least squares quantization in PCM", IEEE Transactions on
Information Theory 28) from a k-means++ start; on rows of length one with centres of length one it
is spherical k-means (I. S. Dhillon and D. S. Modha, 2001, Machine Learning 42).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from quire._shared.sklearn import (
    StrOptions,
    check_sample_weight,
    fit_context,
    is_arraylike_not_scalar,
    is_same_clustering,
)
from quire._shared.validation import validate_data
from quire.cluster._clusters import ClustersMixin
from quire.cluster._k_means_step import KMeansStep
from quire.cluster._lloyd import Run, lloyd
from quire.cluster._rows import Rows, in_one_piece, unit_rows

__all__ = ["KMeans"]


class KMeans(ClustersMixin, SklearnKMeans):
    r"""Clusters around k centres.

    .. math::
        \min_{c, \ell} \sum_i w_i \, \lVert x_i - c_{\ell_i} \rVert^2

    over centres :math:`c_j` and labels :math:`\ell_i`. Each iteration gives every row the label of
    its nearest centre and moves every centre to the mean of its rows; neither can raise the sum. It
    answers to scikit-learn's class of the same name: from the same start it gives the same labels.
    It adds `metric`, `n_jobs`, `keep_steps`, `trace_`, :meth:`top_terms`,
    :meth:`central_documents` and :meth:`plot_trace`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), \
            default="k-means++"
        The first centres: rows drawn far from each other, rows drawn at random, what a function of
        ``(X, n_clusters, random_state=...)`` returns, or those given.
    n_init : "auto" or int, default="auto"
        How many starts; the best result is kept. ``"auto"``: 10 for random starts and functions,
        otherwise 1.
    max_iter : int, default=300
        Iterations at most from one start.
    tol : float, default=1e-4
        Stop when the squared shifts of the centres add up to no more than this, relative to the
        mean variance of the columns. They also stop when no label changes.
    verbose : int, default=0
        Print the inertia in each iteration.
    random_state : int, RandomState instance or None, default=None
        Draws the starts. An integer gives the same result every time.
    copy_x : bool, default=True
        If False, dense `X` may be centred in place while it is clustered; it is moved back after.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Both names run the same code, which skips rows by bounds and gives the result of both.
    metric : {"euclidean", "cosine"}, default="euclidean"
        ``"cosine"``: rows are brought to length one and so are the centres (spherical k-means).
        Rows of zeros have no direction; they are as far from every centre and go to the first.
    n_jobs : int, default=None
        Number of threads; ``None`` and -1 mean all that may be used.
    keep_steps : bool, default=False
        Whether to keep all centres and labels on the way as `steps_`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres; of length one for cosine.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    inertia_ : float
        The sum above; for cosine, that of the rows of length one, which is twice the sum of the
        cosine distances.
    n_iter_ : int
        Number of iterations.
    trace_ : dict of ndarray of shape (n_iter_,)
        What each iteration did: ``"inertia"`` after it, ``"shift"``, the root of the summed squared
        shifts of the centres, and ``"moved"``, how many rows changed their label.
    steps_ : list of KMeansStep
        With `keep_steps`: the start and the state after each iteration, ``n_iter_ + 1`` in all, of
        the start that was best. The last one is the model. Model files do not hold them.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them are strings.

    See Also
    --------
    sklearn.cluster.KMeans : The same model.
    MiniBatchKMeans : From a stream of batches.

    Notes
    -----
    *Cost.* An iteration takes a product of the rows with all centres, less the rows that bounds
    show to have kept their centre, and an update of the centres by the rows that moved. Memory
    beside `X`: the centres in double and in single precision; a copy of dense `X`, as it is centred
    first. Sparse `X` stays sparse.

    *Exact.* Products are in single precision with a bound on their error; where that leaves a
    choice of centres, double precision decides. The number of threads does not change a bit.

    *Empty clusters.* A cluster that loses all of its rows gets the row that is farthest from its
    own centre, as in scikit-learn. With fewer different rows than clusters some stay empty, and a
    warning says so.

    Examples
    --------
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> texts = ["a cat and a dog", "the dog barks", "votes in parliament", "parliament votes"]
    >>> vectorizer = TfidfVectorizer()
    >>> X = vectorizer.fit_transform(texts)
    >>> model = KMeans(2, metric="cosine", random_state=0).fit(X)
    >>> model.labels_
    array([1, 1, 0, 0], dtype=int32)
    >>> terms = model.top_terms(2, feature_names=vectorizer.get_feature_names_out())
    >>> [term.term for term in terms[model.labels_[3]]]
    ['parliament', 'votes']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SklearnKMeans._parameter_constraints,
        "metric": [StrOptions({"euclidean", "cosine"})],
        "n_jobs": [Integral, None],
        "keep_steps": ["boolean"],
    }
    _tell: Callable[[int, float], None] | None = None  # who wants to know of each iteration

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: Any = None,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        metric: str = "euclidean",
        n_jobs: int | None = None,
        keep_steps: bool = False,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            verbose=verbose,
            random_state=random_state,
            copy_x=copy_x,
            algorithm=algorithm,
        )
        self.metric = metric
        self.n_jobs = n_jobs
        self.keep_steps = keep_steps

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Sparse matrices that are not CSR and arrays that are not in C order are copied.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; 1 if not given. Starts that are given do not use them.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        is_cosine = self._is_cosine()
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            copy=self.copy_x and not is_cosine and not sp.issparse(X),
            accept_large_sparse=False,
        )
        X = in_one_piece(X)
        weights = check_sample_weight(sample_weight, X, dtype=X.dtype)
        if is_cosine:
            X = unit_rows(X)
        is_centred = not sp.issparse(X) and not is_cosine  # products of small numbers lose least
        # Of centred rows the variances are known later; nothing else but the shape is looked at.
        self._check_params_vs_input(sp.csr_matrix(X.shape, dtype=X.dtype) if is_centred else X)
        init = self._given_centers(X)

        mean = None
        if is_centred:
            mean = X.mean(axis=0)
            X -= mean
            init = init - mean if is_arraylike_not_scalar(init) else init
        try:
            rows = Rows(X, self._threads())
            if is_centred:
                self._tol = self.tol * float(rows.squares.mean()) / rows.n_cols
            best = self._best_run(rows, weights, init)
        finally:
            if mean is not None and not self.copy_x:
                X += mean

        self.cluster_centers_ = best.centers if mean is None else best.centers + mean
        self._n_features_out = len(best.centers)
        self.labels_ = best.labels
        self.inertia_ = best.inertia
        self.n_iter_ = best.n_iter
        self.trace_ = best.trace
        self._set_steps(best.steps, mean)
        self._warn_of_empty_clusters()
        return self

    def _best_run(self, rows: Rows, weights: NDArray[Any], init: Any) -> Run:
        random_state = check_random_state(self.random_state)
        best: Run | None = None
        for _ in range(self._n_init):
            centers = self._first_centers(rows, weights, init, random_state)
            if self.verbose:
                print("Initialization complete")
            run = lloyd(
                rows,
                weights.astype(np.float64),
                centers,
                max_iter=self.max_iter,
                tol=self._tol,
                cosine=self._is_cosine(),
                verbose=bool(self.verbose),
                tell=self._tell,
                keep_steps=self.keep_steps,
            )
            # Where only the numbers of the clusters differ, rounding decides between sums.
            if best is None or (
                run.inertia < best.inertia
                and not is_same_clustering(run.labels, best.labels, self.n_clusters)
            ):
                best = run
        assert best is not None  # n_init is at least 1
        return best

    def _set_steps(self, steps: list[KMeansStep], mean: NDArray[Any] | None) -> None:
        self.__dict__.pop("steps_", None)  # of a fit before
        if self.keep_steps:
            self.steps_ = [
                step if mean is None else replace(step, centers=step.centers + mean)
                for step in steps
            ]

    def _warn_of_empty_clusters(self) -> None:
        n_found = len(np.unique(self.labels_))
        if n_found < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({n_found}) found smaller than n_clusters "
                f"({self.n_clusters}). Possibly due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=3,
            )
