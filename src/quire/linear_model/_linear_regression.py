r"""Ordinary least squares: the linear function with the smallest sum of squared errors.

.. math:: \min_{w, c} \sum_i s_i (y_i - w'x_i - c)^2
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LinearRegression as SklearnLinearRegression

from quire._shared.linear import SparsePrediction
from quire._shared.sklearn import check_sample_weight, fit_context, preprocess_data
from quire._shared.threads import effective_threads
from quire._shared.validation import check_array, validate_data
from quire.linear_model._engines.dense_least_squares import dense_least_squares
from quire.linear_model._engines.sparse_least_squares import sparse_least_squares
from quire.linear_model._naming import named_columns
from quire.linear_model._summary.least_squares import LeastSquaresSummary

__all__ = ["LinearRegression"]


class LinearRegression(LeastSquaresSummary, SparsePrediction, SklearnLinearRegression):
    r"""Ordinary least squares.

    A drop-in replacement for scikit-learn's class of this name. With weights :math:`s_i`, 1 if
    there are none, it minimises

    .. math:: \sum_i s_i (y_i - w'x_i - c)^2,

    and among all minimisers it takes the one with the smallest :math:`\lVert w \rVert`.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is an intercept c, or it is 0.
    copy_X : bool, default=True
        If ``False``, a dense X may be written over.
    tol : float, default=1e-6
        Dense X: singular values below `tol` times the largest count as zero; if that would cut off
        columns that are only in small units, the columns are scaled first, and a warning says so.
        Sparse X: conjugate gradients stop when the gradient is below `tol` times the norms of
        matrix and residual, or the residual is as small as `tol` allows (the rules of LSQR).
    n_jobs : int, default=None
        Number of threads for sparse X. ``None`` means all cores that this process may use. The
        result does not depend on it. With ``positive=True``, the number of targets that are fitted
        at the same time, as in scikit-learn.
    positive : bool, default=False
        Whether all coefficients must be 0 or more. For dense X only; for sparse X there is
        ``Ridge(positive=True)`` with a small penalty.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients w.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept c; 0.0 without one.
    rank_ : int
        Rank of the centred X, if it is dense.
    singular_ : ndarray of shape (min(n_samples, n_features),)
        Its singular values, if it is dense.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    See Also
    --------
    Ridge : The same with a penalty on the coefficients.

    Notes
    -----
    Dense matrices go to LAPACK, as in scikit-learn. Sparse ones stay sparse and are not centred
    either: all targets are fitted side by side, with two passes over the matrix for each iteration
    of conjugate gradients, or through the normal equations, with refinement, if features are few
    and far from collinear.

    Units do not matter: an income in thousands beside a share of one gives the coefficients of
    least squares, where scikit-learn's `tol` leaves the share out.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from quire.linear_model import LinearRegression
    >>> X = csr_array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 3.0]])
    >>> y = X @ [1.0, 2.0] + 3
    >>> model = LinearRegression().fit(X, y)
    >>> model.coef_.round(6), round(float(model.intercept_), 6)
    (array([1., 2.]), 3.0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnLinearRegression._parameter_constraints
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearRegression:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if self.positive:
            super().fit(X, y, sample_weight)
            return self
        if not sparse.issparse(X):
            return self._fit_dense(X, y, sample_weight)
        X, y = validate_data(self, X, y, accept_sparse="csr", y_numeric=True, multi_output=True)
        if X.dtype not in (np.float64, np.float32):
            X = X.astype(np.float64)
        y = check_array(y, dtype=X.dtype, ensure_2d=False)
        if sample_weight is not None:
            sample_weight = check_sample_weight(
                sample_weight, X, dtype=X.dtype, ensure_non_negative=True
            )

        Y = y.reshape(len(y), -1)
        fit = sparse_least_squares(
            X,
            Y,
            alpha=np.zeros(Y.shape[1]),
            sample_weight=sample_weight,
            fit_intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=None,
            n_threads=effective_threads(self.n_jobs),
            name="LinearRegression",
        )

        self.coef_ = fit.coef.astype(X.dtype, copy=False)
        self.intercept_ = fit.intercept.astype(X.dtype, copy=False) if self.fit_intercept else 0.0
        if y.ndim == 1:
            self.coef_ = self.coef_[0]
            self.intercept_ = self.intercept_[0] if self.fit_intercept else 0.0
        return self

    def _fit_dense(self, X: Any, y: Any, sample_weight: Any) -> LinearRegression:
        X, y = validate_data(self, X, y, y_numeric=True, multi_output=True, force_writeable=True)
        if sample_weight is not None:
            sample_weight = check_sample_weight(
                sample_weight, X, dtype=X.dtype, ensure_non_negative=True
            )
        total = float(len(X) if sample_weight is None else sample_weight.sum())
        X, y, X_offset, y_offset, _, _ = preprocess_data(
            X, y, fit_intercept=self.fit_intercept, copy=self.copy_X, sample_weight=sample_weight
        )
        fit = dense_least_squares(X, y, self.tol, total * np.square(X_offset, dtype=np.float64))
        if len(fit.saved):
            self._warn_of_scales(fit.saved)
        self.coef_, self.rank_, self.singular_ = fit.coef.T, fit.rank, fit.singular
        if y.ndim == 1:
            self.coef_ = np.ravel(self.coef_)
        self._set_intercept(X_offset, y_offset)
        return self

    def _warn_of_scales(self, columns: NDArray[np.intp]) -> None:
        """Say that scikit-learn's class would leave columns out."""
        warnings.warn(
            f"{type(self).__name__}: beside the largest columns of X, "
            f"{named_columns(self, columns)} so small that tol={self.tol:g} would leave out "
            "what they explain; the columns were scaled for this fit, and its coefficients, those "
            "of least squares, differ from scikit-learn's. Standardise the columns "
            "(StandardScaler), or choose larger units for them.",
            stacklevel=4,
        )
