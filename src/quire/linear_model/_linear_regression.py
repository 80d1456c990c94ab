r"""Ordinary least squares: the linear function with the smallest sum of squared errors.

.. math:: \min_{w, c} \sum_i s_i (y_i - w'x_i - c)^2
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.utils.validation import check_array, validate_data

from quire._shared.linear import SparsePrediction
from quire._shared.sklearn import check_sample_weight, fit_context
from quire._shared.threads import effective_threads
from quire.linear_model._engines.sparse_least_squares import sparse_least_squares
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
        Dense X: singular values below `tol` times the largest count as zero. Sparse X: conjugate
        gradients stop when the gradient is below `tol` times the norms of matrix and residual, or
        the residual is as small as `tol` allows (the rules of LSQR).
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
    Dense matrices go to LAPACK through scikit-learn's own code. Sparse ones stay sparse and are not
    centred either: all targets are fitted side by side, with two passes over the matrix for each
    iteration of conjugate gradients, or through the normal equations, with refinement, if features
    are few and far from collinear.

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
        if self.positive or not sparse.issparse(X):
            super().fit(X, y, sample_weight)
            return self
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
