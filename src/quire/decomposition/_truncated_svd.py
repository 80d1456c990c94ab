r"""The truncated singular value decomposition: latent semantic analysis, where X is of texts.

.. math:: X \approx U_k S_k V_k'

is the best approximation of rank k. scikit-learn's class; sparse matrices go to block Lanczos or
to the smaller Gram matrix, so that the answer is the same for every seed.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD as _TruncatedSVD
from sklearn.utils import check_random_state
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from quire._shared.design import Design
from quire._shared.sklearn import fit_context
from quire._shared.threads import effective_threads
from quire._shared.validation import validate_data
from quire.decomposition._operator import CenteredOperator
from quire.decomposition._reading import ComponentReading
from quire.decomposition._svd import truncated_svd

__all__ = ["TruncatedSVD"]

_ROUGH = 1e-5  # largest residual with "randomized"


class TruncatedSVD(ComponentReading, _TruncatedSVD):
    """Dimension reduction by the largest singular values, without centring.

    Parameters
    ----------
    n_components : int, default=2
        How many.
    algorithm : {"arpack", "randomized"}, default="randomized"
        Accuracy on sparse data: "arpack" goes to `tol`, "randomized" to residuals of 1e-5, which
        is far below what a few power iterations reach on texts. Dense data go to scikit-learn.
    n_iter, n_oversamples, power_iteration_normalizer : default=5, 10, "auto"
        For dense data with "randomized", as in scikit-learn; sparse data need none of them.
    random_state : int, RandomState instance or None, default=None
        Draws the first vectors.
    tol : float, default=0.0
        Largest residual with "arpack", in units of the largest eigenvalue; 0 asks for what rounding
        allows.
    n_jobs : int, default=None
        Threads of the sparse products; ``None`` means all cores. The number changes no bit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Right singular vectors. The largest loading of each is positive.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variance of the projections, and its share in that of the data.
    singular_values_ : ndarray of shape (n_components,)
        Norms of the projections.
    loadings_ : ndarray of shape (n_features, n_components)
        Directions times the standard deviations of the projections.

    See Also
    --------
    PCA : The same after centring, which sparse data survive.

    Examples
    --------
    >>> from quire.decomposition import TruncatedSVD
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> X = TfidfVectorizer().fit_transform(["cat sat", "cat ran", "dog sat", "dog ran far"])
    >>> TruncatedSVD(2).fit(X).singular_values_.round(3)
    array([1.372, 1.   ])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_TruncatedSVD._parameter_constraints,
        "n_jobs": [None, int],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: str = "randomized",
        n_iter: int = 5,
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
        tol: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_components,
            algorithm=algorithm,
            n_iter=n_iter,
            n_oversamples=n_oversamples,
            power_iteration_normalizer=power_iteration_normalizer,
            random_state=random_state,
            tol=tol,
        )
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and return the projections of the data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The projections.
        """
        if not sparse.issparse(X):
            return super().fit_transform(X)
        X = validate_data(self, X, accept_sparse=["csr", "csc"], ensure_min_features=2)
        most = X.shape[1] if self.algorithm == "randomized" else min(X.shape) - 1
        if self.n_components > most:
            raise ValueError(
                f"n_components({self.n_components}) must be <= n_features({X.shape[1]})"
                f"{'' if self.algorithm == 'randomized' else ' and below both sides of X'}."
            )
        n_threads = effective_threads(self.n_jobs)
        numbers = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        A = CenteredOperator(sparse.csr_array(numbers), False, n_threads)
        U, S, Vt = truncated_svd(
            A,
            min(self.n_components, *X.shape),
            self.tol if self.algorithm == "arpack" else max(self.tol, _ROUGH),
            check_random_state(self.random_state),
            n_threads,
        )
        dtype = numbers.dtype
        self.components_ = np.ascontiguousarray(Vt, dtype=dtype)
        projected = (U * S).astype(dtype, copy=False)
        self.explained_variance_ = np.var(projected, axis=0)
        self.explained_variance_ratio_ = (
            self.explained_variance_ / mean_variance_axis(numbers, axis=0)[1].sum()
        )
        self.singular_values_ = S.astype(dtype)
        return projected

    def transform(self, X: Any) -> Any:
        """Project data on the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The projections.
        """
        check_is_fitted(self)
        if not sparse.issparse(X):
            return super().transform(X)
        X = validate_data(self, X, accept_sparse=["csr", "csc"], reset=False)
        design = Design(sparse.csr_array(X), effective_threads(self.n_jobs))
        projected = design.dot(np.ascontiguousarray(self.components_.T, dtype=np.float64))
        return projected.astype(np.result_type(X.dtype, self.components_.dtype), copy=False)
