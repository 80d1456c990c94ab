r"""Principal components: orthogonal directions ordered by the variance of the data along them.

.. math:: X - \mathbf 1 \bar x' = U S V', \qquad \text{variance}_k = s_k^2 / (n - 1)

scikit-learn's class, with other engines where its own are slow: sparse matrices are centred by a
projection and never filled, and what it asks of ARPACK is done by block Lanczos or by the smaller
Gram matrix. Dense matrices with a solver of LAPACK go to scikit-learn.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import PCA as _PCA
from sklearn.utils import check_random_state
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from quire._shared.design import Design
from quire._shared.sklearn import infer_dimension
from quire._shared.threads import effective_threads
from quire._shared.validation import looked_at, validate_data
from quire.decomposition._operator import CenteredOperator
from quire.decomposition._pca_step import component_steps
from quire.decomposition._reading import ComponentReading
from quire.decomposition._svd import full_spectrum, truncated_svd

__all__ = ["PCA"]

_MOST_FORMED = 10_000  # size of a Gram matrix that is formed because all variances are needed


class PCA(ComponentReading, _PCA):
    r"""Principal component analysis of dense and sparse data.

    The rows of `components_` are the directions :math:`v` of unit length, each orthogonal to those
    before it, along which the centred data vary most:

    .. math:: v_k = \arg\max_{\lVert v \rVert = 1,\; v \perp v_1, \ldots, v_{k-1}}
              \lVert (X - \mathbf 1 \bar x')\, v \rVert^2 .

    Parameters
    ----------
    n_components : int, float, "mle" or None, default=None
        How many: a number; the share of variance to reach; Minka's estimate; or all (one less for
        sparse data). See :func:`choose_components` for other rules.
    copy : bool, default=True
        If False, dense data may be written over.
    whiten : bool, default=False
        Scale the projections to variance 1.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        As in scikit-learn. Sparse data take "auto", "arpack" and "covariance_eigh". "arpack" is a
        name for exact components from products alone: block Lanczos runs, or the smaller Gram
        matrix where that is less work.
    tol : float, default=0.0
        Largest residual with "arpack", in units of the largest eigenvalue; 0 asks for what rounding
        allows.
    iterated_power : int or "auto", default="auto"
        Power iterations of "randomized".
    n_oversamples : int, default=10
        Extra vectors of "randomized".
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        How "randomized" keeps its vectors apart.
    random_state : int, RandomState instance or None, default=None
        For "arpack" (its first vectors; the result depends on them only by rounding) and
        "randomized".
    n_jobs : int, default=None
        Threads of the sparse products; ``None`` means all cores. The number changes no bit.
    keep_steps : bool, default=False
        Whether to keep the components one by one, with what each leaves, as `steps_`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, by falling variance. The largest loading of each is positive.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variance along each, and its share in the variance of the data.
    singular_values_ : ndarray of shape (n_components,)
        Norms of the projections.
    mean_ : ndarray of shape (n_features,)
        Means of the features.
    n_components_, n_samples_, n_features_in_ : int
        Sizes.
    noise_variance_ : float
        Mean of the variances that were left out, that of the noise in probabilistic PCA.
    loadings_ : ndarray of shape (n_features, n_components)
        Directions times standard deviations: covariances of the features with the unit-variance
        components, and correlations where the features are standardised.
    steps_ : list of PCAStep
        With `keep_steps`: for each component its direction, its variance and the variance that
        remains. Model files do not hold them.

    See Also
    --------
    choose_components : How many components to keep.
    TruncatedSVD : The same without centring.

    Notes
    -----
    A sparse X costs some 5 to 8 products with a vector for each component. Memory is that of X
    twice and of five vectors for each component.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from quire.decomposition import PCA
    >>> X = sparse.csr_array([[2.0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 2, 0], [3, 0, 2]])
    >>> model = PCA(2).fit(X)
    >>> model.explained_variance_ratio_.round(3)
    array([0.882, 0.112])
    >>> model.transform(X).shape
    (5, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_PCA._parameter_constraints,
        "n_jobs": [None, int],
        "keep_steps": ["boolean"],
    }

    _fit_svd_solver: str

    def __init__(
        self,
        n_components: Any = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: Any = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        keep_steps: bool = False,
    ) -> None:
        super().__init__(
            n_components,
            copy=copy,
            whiten=whiten,
            svd_solver=svd_solver,
            tol=tol,
            iterated_power=iterated_power,
            n_oversamples=n_oversamples,
            power_iteration_normalizer=power_iteration_normalizer,
            random_state=random_state,
        )
        self.n_jobs = n_jobs
        self.keep_steps = keep_steps

    def _fit(self, X: Any) -> Any:
        self.__dict__.pop("steps_", None)  # of a fit before
        X = looked_at(X)
        found = super()._fit(X)
        if self.keep_steps:
            n_left_out = min(self.n_samples_, self.n_features_in_) - self.n_components_
            self.steps_ = component_steps(
                np.asarray(self.components_),
                np.asarray(self.explained_variance_),
                float(self.noise_variance_),
                n_left_out,
            )
        return found

    def transform(self, X: Any) -> Any:
        """Project data on the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The projections, less those of the mean.
        """
        if not sparse.issparse(X):
            return super().transform(X)
        check_is_fitted(self)
        X = validate_data(
            self, X, dtype=[np.float64, np.float32], accept_sparse=("csr", "csc"), reset=False
        )
        return self._transform(X, np, x_is_centered=False)

    def _transform(self, X: Any, xp: Any, x_is_centered: bool = False) -> Any:
        if not sparse.issparse(X):
            return super()._transform(X, xp, x_is_centered=x_is_centered)
        V = np.ascontiguousarray(self.components_.T, dtype=np.float64)
        design = Design(sparse.csr_array(X), effective_threads(self.n_jobs))
        projected = design.dot(V) - self.mean_ @ V
        if self.whiten:
            scale = np.sqrt(self.explained_variance_)
            projected /= np.maximum(scale, np.finfo(scale.dtype).eps)
        return projected.astype(np.result_type(X.dtype, self.components_.dtype), copy=False)

    def _fit_truncated(self, X: Any, n_components: Any, xp: Any) -> Any:
        if self._fit_svd_solver != "arpack":
            return super()._fit_truncated(X, n_components, xp)
        smaller = min(X.shape)
        share = isinstance(n_components, str) or 0 < n_components < 1
        if share and self.svd_solver == "auto" and smaller <= _MOST_FORMED:
            self._fit_svd_solver = "covariance_eigh"
            return self._fit_full(X, n_components, xp, False)
        self._check_truncated(n_components, smaller)
        A = self._operator(X)
        if sparse.issparse(X):
            mean, variances = mean_variance_axis(X, axis=0)
        else:
            mean, variances = X.mean(axis=0), X.var(axis=0)
        n_samples = X.shape[0]
        total = variances.sum() * n_samples / (n_samples - 1)
        U, S, Vt = truncated_svd(
            A,
            n_components,
            self.tol,
            check_random_state(self.random_state),
            A.design.n_threads,
        )
        U, S, Vt = (array.astype(X.dtype, copy=False) for array in (U, S, Vt))
        variance = S**2 / (n_samples - 1)
        left = smaller - n_components
        self.mean_ = mean
        self.n_samples_, self.n_components_ = n_samples, n_components
        self.components_, self.singular_values_ = np.ascontiguousarray(Vt), S.copy()
        self.explained_variance_, self.explained_variance_ratio_ = variance, variance / total
        self.noise_variance_ = (total - variance.sum()) / left if left else 0.0
        return U, S, Vt, X, False, xp

    def _fit_full(self, X: Any, n_components: Any, xp: Any, is_array_api_compliant: bool) -> Any:
        if not sparse.issparse(X):
            return super()._fit_full(X, n_components, xp, is_array_api_compliant)
        n_samples, n_features = X.shape
        smaller = min(X.shape)
        if n_components == "mle":
            if n_samples < n_features:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
        elif not 0 <= n_components <= smaller:
            raise ValueError(
                f"n_components={n_components} must be between 0 and min(n_samples, "
                f"n_features)={smaller} with svd_solver={self._fit_svd_solver!r}"
            )
        S, Vt = full_spectrum(self._operator(X))
        variance = S**2 / (n_samples - 1)
        ratio = variance / variance.sum()
        if n_components == "mle":
            n_components = infer_dimension(variance, n_samples)
        elif 0 < n_components < 1:
            n_components = int(np.searchsorted(np.cumsum(ratio), n_components, side="right")) + 1
        k, dtype = n_components, X.dtype
        self.mean_ = mean_variance_axis(X, axis=0)[0]
        self.noise_variance_ = float(variance[k:].mean()) if k < smaller else 0.0
        self.n_samples_, self.n_components_ = n_samples, k
        self.components_ = Vt[:k].astype(dtype)
        self.explained_variance_ = variance[:k].astype(dtype)
        self.explained_variance_ratio_ = ratio[:k].astype(dtype)
        self.singular_values_ = S[:k].astype(dtype)
        return None, S, Vt, X, False, xp

    def _operator(self, X: Any) -> CenteredOperator:
        rows: NDArray[Any] = sparse.csr_array(X) if sparse.issparse(X) else X
        return CenteredOperator(rows, True, effective_threads(self.n_jobs))

    def _check_truncated(self, n_components: Any, smaller: int) -> None:
        solver = self._fit_svd_solver
        if isinstance(n_components, str):
            raise ValueError(
                f"n_components={n_components!r} cannot be a string with svd_solver='{solver}'"
            )
        if not 1 <= n_components <= smaller:
            raise ValueError(
                f"n_components={n_components!r} must be between 1 and min(n_samples, "
                f"n_features)={smaller!r} with svd_solver='{solver}'"
            )
        if n_components == smaller:
            raise ValueError(
                f"n_components={n_components!r} must be strictly less than min(n_samples, "
                f"n_features)={smaller!r} with svd_solver='{solver}'"
            )
