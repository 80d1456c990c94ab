r"""Mixtures of normal densities, fitted by EM.

A. P. Dempster, N. M. Laird and D. B. Rubin (1977), Maximum likelihood from incomplete data via the
EM algorithm. Journal of the Royal Statistical Society B 39. The two steps are in `_steps`.
"""

from __future__ import annotations

import warnings
from copy import copy
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as SklearnGaussianMixture

from quire._shared.plot import line_style, new_axes, plain_numbers, whole_numbers
from quire._shared.sklearn import compute_precision_cholesky_from_precisions
from quire._shared.threads import effective_threads
from quire.cluster import KMeans
from quire.mixture._mixture_step import MixtureStep, covariances_of
from quire.mixture._steps import log_densities, log_shares, moments, precision_factors

__all__ = ["GaussianMixture"]


class GaussianMixture(SklearnGaussianMixture):
    r"""A density that is a weighted sum of normal densities.

    .. math::
        p(x) = \sum_k \pi_k \, N(x; \mu_k, \Sigma_k), \qquad
        \max_{\pi, \mu, \Sigma} \frac{1}{n} \sum_i \log p(x_i)

    by EM: the E step works out how much of each row every component is responsible for, the M step
    gives each component the weighted mean and covariance of the rows. The log-likelihood never
    falls (with ``reg_covar=0``; what is added to the variances can make it fall by as little). It
    answers to scikit-learn's class of the same name: from the same start it has the same
    log-likelihood in every iteration. It adds `n_jobs`, `keep_steps`, `trace_` and
    :meth:`plot_trace`, and says when a component has collapsed.

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        A covariance matrix for each component, one for all of them, variances of the columns for
        each component, or one variance for each.
    tol : float, default=1e-3
        Stop when an iteration changes the mean log-likelihood by less than this.
    reg_covar : float, default=1e-6
        Added to all variances. A component that collapses onto a point has this as its variance;
        without it the likelihood would be infinite.
    max_iter : int, default=100
        Iterations at most.
    n_init : int, default=1
        How many starts; the best result is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        The first responsibilities: the clusters of k-means, those of k-means++ seeds, random
        numbers, or random rows.
    weights_init : array-like of shape (n_components,), default=None
        First weights, in place of those.
    means_init : array-like of shape (n_components, n_features), default=None
        First means.
    precisions_init : array-like, default=None
        First inverse covariances, of the shape of `covariances_`.
    random_state : int, RandomState instance or None, default=None
        Draws the starts and the rows of `sample`.
    warm_start : bool, default=False
        Go on from the last fit.
    verbose : int, default=0
        Print progress; with 2 also times and changes.
    verbose_interval : int, default=10
        Iterations between two lines of it.
    n_jobs : int, default=None
        Number of threads; ``None`` and -1 mean all that may be used.
    keep_steps : bool, default=False
        Whether to keep all parameters and responsibilities on the way as `steps_`.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weights.
    means_ : ndarray of shape (n_components, n_features)
        Means.
    covariances_ : ndarray
        Covariances: (n_components, n_features, n_features) for ``"full"``, (n_features, n_features)
        for ``"tied"``, (n_components, n_features) for ``"diag"``, (n_components,) for
        ``"spherical"``.
    precisions_, precisions_cholesky_ : ndarray
        Their inverses, and factors of these.
    converged_ : bool
        Whether the change fell below `tol`.
    n_iter_ : int
        Number of iterations.
    lower_bound_ : float
        Mean log-likelihood at the end.
    lower_bounds_ : list of float
        The same in each iteration; `trace_` has it as an array.
    steps_ : list of MixtureStep
        With `keep_steps`: the start and the state after each iteration, ``n_iter_ + 1`` in all, of
        the start that was best. The last one is the model. Model files do not hold them.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them are strings.

    See Also
    --------
    sklearn.mixture.GaussianMixture : The same model.
    quire.cluster.KMeans : Hard borders, and sparse data.

    Notes
    -----
    *Cost.* An iteration takes `n_components` products of the rows with a factor of a precision
    matrix. A product is a sum of squares that only grows: in a fit with full covariances it ends as
    soon as the share of the component is known to be below exp(-80), which no sum would notice. The
    M step reads, for each component, only the rows it has a share in. Components that lie apart
    therefore cost a fraction of components that overlap. The number of threads does not change a
    bit.

    *Collapse.* A component with too few rows shrinks to a point, where only `reg_covar` holds it. A
    warning names such components: take fewer, raise `reg_covar`, or use ``"tied"``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = np.concatenate([rng.normal(1, 1, 300), rng.normal(5, 0.5, 100)])[:, np.newaxis]
    >>> model = GaussianMixture(2, random_state=0).fit(x)
    >>> order = model.means_[:, 0].argsort()
    >>> model.means_[order, 0].round(1), model.weights_[order].round(2)
    (array([1., 5.]), array([0.75, 0.25]))
    >>> f"{model.trace_[0]:.3f} {model.trace_[-1]:.3f}"
    '-1.797 -1.776'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SklearnGaussianMixture._parameter_constraints,
        "n_jobs": [Integral, None],
        "keep_steps": ["boolean"],
    }
    covariances_: Any
    precisions_cholesky_: Any
    _watched: list[list[MixtureStep]] | None = None  # states of each start, during a fit

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        n_jobs: int | None = None,
        keep_steps: bool = False,
    ) -> None:
        super().__init__(
            n_components=n_components,
            covariance_type=covariance_type,
            tol=tol,
            reg_covar=reg_covar,
            max_iter=max_iter,
            n_init=n_init,
            init_params=init_params,
            weights_init=weights_init,
            means_init=means_init,
            precisions_init=precisions_init,
            random_state=random_state,
            warm_start=warm_start,
            verbose=verbose,
            verbose_interval=verbose_interval,
        )
        self.n_jobs = n_jobs
        self.keep_steps = keep_steps

    @property
    def trace_(self) -> NDArray[np.float64]:
        """Mean log-likelihood of the rows in each iteration."""
        return np.array([float(bound) for bound in self.lower_bounds_])

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """Fit the mixture and return the component with the largest share in each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of components.
        """
        self.__dict__.pop("steps_", None)  # of a fit before
        if self.keep_steps:
            self._watched = [[]]
        try:
            labels: NDArray[np.int64] = super().fit_predict(X, y)
            if self._watched is not None:
                self.steps_ = self._best_steps(self._watched)
        finally:
            self.__dict__.pop("_likely", None)
            self.__dict__.pop("_watched", None)
        if isinstance(self.covariances_, np.ndarray):
            self._warn_of_collapse(X)
        return labels

    def sample(
        self, n_samples: int = 1, *, random_state: Any = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Draw rows from the mixture.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        random_state : int, RandomState instance or None, default=None
            In place of the `random_state` of the model.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Rows, component by component.
        y : ndarray of shape (n_samples,)
            Their components.

        Examples
        --------
        >>> from quire.mixture import GaussianMixture
        >>> model = GaussianMixture(2, random_state=0).fit([[0.0], [0.5], [9.0], [9.5]])
        >>> X, y = model.sample(5, random_state=1)
        >>> X.shape, y.shape
        ((5, 1), (5,))
        """
        model = self
        if random_state is not None:
            model = copy(self)
            model.random_state = random_state
        drawn: tuple[NDArray[Any], NDArray[Any]] = super(GaussianMixture, model).sample(n_samples)
        return drawn

    def plot_trace(self, ax: Any = None) -> Any:
        """Draw the mean log-likelihood in each iteration.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        trace = self.trace_
        ax = new_axes(ax)
        ax.plot(np.arange(1, len(trace) + 1), trace, **line_style(0))
        ax.set(
            xlabel="iteration",
            ylabel="mean log-likelihood",
            title=f"EM, {len(self.weights_)} components",
        )
        whole_numbers(ax.xaxis)
        plain_numbers(ax.yaxis)
        return ax

    def _best_steps(self, watched: list[list[MixtureStep]]) -> list[MixtureStep]:
        """Return the states of the start that was kept; the last E step was that of the model."""
        last = watched[-1].pop()
        bounds = [float(bound) for bound in self.lower_bounds_]
        best = next(run for run in watched if [step.log_likelihood for step in run] == bounds)
        return [*best, last]

    def _watch(self, log_likelihood: Any, log_resp: Any) -> None:
        """Keep the parameters that the E step was done with, and what it found."""
        if self._watched is None:
            return
        self._watched[-1].append(
            MixtureStep(
                np.array(self.weights_),
                np.array(self.means_),
                np.array(self.covariances_),
                np.exp(np.asarray(log_resp)),
                float(log_likelihood),
            )
        )

    def _initialize_parameters(self, X: Any, random_state: Any, xp: Any = None) -> None:
        if self._watched is not None and self._watched[-1]:
            self._watched.append([])
        given = (self.weights_init, self.means_init, self.precisions_init)
        if self.init_params != "kmeans" or all(part is not None for part in given):
            super()._initialize_parameters(X, random_state, xp=xp)
            return
        clusters = KMeans(
            self.n_components, n_init=1, random_state=random_state, n_jobs=self.n_jobs
        ).fit(X)
        responsibilities = np.zeros((len(X), self.n_components), dtype=X.dtype)
        responsibilities[np.arange(len(X)), clusters.labels_] = 1
        self._initialize(X, responsibilities, xp=xp)

    def _initialize(self, X: Any, resp: Any, xp: Any = None) -> None:
        """Take the first parameters from responsibilities, unless they are given."""
        if resp is None or not isinstance(X, np.ndarray):
            super()._initialize(X, resp, xp=xp)
            if self.precisions_init is not None:
                self.covariances_ = covariances_of(self.precisions_cholesky_, self.covariance_type)
            return
        self._likely = resp.argmax(axis=1).astype(np.int32)
        n, means, covariances = moments(
            X, resp, self.reg_covar, self.covariance_type, self._threads()
        )
        self.weights_ = n / len(X) if self.weights_init is None else self.weights_init
        self.means_ = means if self.means_init is None else self.means_init
        if self.precisions_init is None:
            self.covariances_ = covariances
            self.precisions_cholesky_ = precision_factors(
                covariances, self.covariance_type, self._threads()
            )
        else:
            self.precisions_cholesky_ = compute_precision_cholesky_from_precisions(
                self.precisions_init, self.covariance_type, xp=np if xp is None else xp
            )
            self.covariances_ = covariances_of(self.precisions_cholesky_, self.covariance_type)

    def _estimate_log_prob(self, X: Any, xp: Any = None) -> Any:
        """E step: the logarithms of the densities of all components."""
        if not isinstance(X, np.ndarray) or X.dtype not in (np.float32, np.float64):
            return super()._estimate_log_prob(X, xp=xp)
        return log_densities(
            X, self.means_, self.precisions_cholesky_, self.covariance_type, self._threads()
        )

    def _e_step(self, X: Any, xp: Any = None) -> tuple[Any, Any]:
        """E step of a fit: the mean log-likelihood, and the logarithms of responsibilities.

        Those that are too small to change the M step are minus infinity here, and only here.
        """
        if not isinstance(X, np.ndarray):
            found: tuple[Any, Any] = super()._e_step(X, xp=xp)
            self._watch(*found)
            return found
        if len(getattr(self, "_likely", ())) != len(X):
            self._likely = np.zeros(len(X), dtype=np.int32)
        log_resp, norms = log_shares(
            X,
            self.weights_,
            self.means_,
            self.precisions_cholesky_,
            self.covariance_type,
            self._likely,
            self._threads(),
        )
        log_likelihood = norms.mean().astype(X.dtype)
        self._watch(log_likelihood, log_resp)
        return log_likelihood, log_resp

    def _m_step(self, X: Any, log_resp: Any, xp: Any = None) -> None:
        """M step: weights, means and covariances from the responsibilities."""
        if not isinstance(X, np.ndarray):
            super()._m_step(X, log_resp, xp=xp)
            return
        n, self.means_, self.covariances_ = moments(
            X, np.exp(log_resp), self.reg_covar, self.covariance_type, self._threads()
        )
        self.weights_ = n / n.sum()
        self.precisions_cholesky_ = precision_factors(
            self.covariances_, self.covariance_type, self._threads()
        )

    def _warn_of_collapse(self, X: Any) -> None:
        """Say which components are points: all of their variance is what reg_covar adds."""
        if self.covariance_type == "tied" or self.reg_covar == 0:
            return
        covariances = np.asarray(self.covariances_)
        if self.covariance_type == "full":
            covariances = np.diagonal(covariances, axis1=1, axis2=2)
        variances = covariances if covariances.ndim == 1 else covariances.mean(axis=1)
        collapsed = np.flatnonzero(variances < 10 * self.reg_covar)
        if len(collapsed) == 0 or np.asarray(X).var(axis=0).mean() < 1000 * self.reg_covar:
            return
        shown = ", ".join(str(k) for k in collapsed[:10]) + (", ..." if len(collapsed) > 10 else "")
        warnings.warn(
            f"{len(collapsed)} of {len(self.weights_)} components have collapsed onto a point "
            f"(number {shown}): their variance is what reg_covar={self.reg_covar:g} adds. Use "
            "fewer components, a larger reg_covar or covariance_type='tied'.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _threads(self) -> int:
        return effective_threads(self.n_jobs)
