r"""Ridge regression: least squares with a penalty on the squared coefficients.

.. math:: \min_{w, c} \sum_i s_i (y_i - w'x_i - c)^2 + \alpha \lVert w \rVert^2
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.linear_model import Ridge as SklearnRidge

from quire._shared.linear import SparsePrediction
from quire._shared.negative_weights import check_not_negative
from quire._shared.sklearn import check_sample_weight, fit_context
from quire._shared.threads import effective_threads
from quire._shared.validation import check_array, validate_data
from quire.linear_model._engines.sparse_least_squares import sparse_least_squares

__all__ = ["Ridge"]

_OURS = ("auto", "sparse_cg", "lsqr")


class Ridge(SparsePrediction, SklearnRidge):
    r"""Least squares with a penalty on the squared coefficients.

    A drop-in replacement for scikit-learn's class of this name. With weights :math:`s_i`, 1 if
    there are none, it minimises for each target

    .. math:: \sum_i s_i (y_i - w'x_i - c)^2 + \alpha \lVert w \rVert^2.

    The intercept c is not penalised.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Penalty, for all targets or for each.
    fit_intercept : bool, default=True
        Whether there is an intercept c, or it is 0.
    copy_X : bool, default=True
        If ``False``, a dense X may be written over.
    max_iter : int, default=None
        Most iterations. ``None``: for "sparse_cg" ten times the smaller of samples and features;
        for the others as in scikit-learn.
    tol : float, default=1e-4
        Sparse X: conjugate gradients stop when the residual of the normal equations is below `tol`
        times their right-hand side. Elsewhere as in scikit-learn.
    solver : str, default="auto"
        One of "auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga" and "lbfgs". "auto" is
        "cholesky" for dense X, "sparse_cg" for sparse X and "lbfgs" if `positive`.
    positive : bool, default=False
        Whether all coefficients must be 0 or more.
    random_state : int, RandomState instance or None, default=None
        For "sag" and "saga".
    n_jobs : int, default=None
        Number of threads for sparse X. ``None`` means all cores that this process may use. The
        result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients w.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept c; 0.0 without one.
    n_iter_ : ndarray of shape (n_targets,) or None
        Iterations for each target, of "sag", "saga" and "lsqr".
    solver_ : str
        The solver that was used.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    See Also
    --------
    RidgeCV : Chooses alpha.
    LeastSquaresClassifier : Classes as targets.

    Notes
    -----
    With sparse X, "auto", "sparse_cg" and "lsqr" are one solver: block conjugate gradients over all
    targets at once, on systems as large as the smaller of samples and features, or Cholesky factors
    of that system if it is small (not for "lsqr", which counts its iterations). X is neither
    densified nor centred. An iteration is two passes over the stored values. If targets have
    penalties of their own, they are fitted side by side, but not from a common space.

    Dense X, ``positive=True``, "sag", "saga" and "cholesky" are scikit-learn's own code.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from quire.linear_model import Ridge
    >>> X = csr_array([[0.0], [1.0], [2.0]])
    >>> model = Ridge(alpha=2.0).fit(X, [0.0, 2.0, 4.0])
    >>> model.coef_.round(6), round(float(model.intercept_), 6)  # 4 / (2 + alpha), and 2 - 1 * w
    (array([1.]), 1.0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnRidge._parameter_constraints,
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            alpha=alpha,
            fit_intercept=fit_intercept,
            copy_X=copy_X,
            max_iter=max_iter,
            tol=tol,
            solver=solver,
            positive=positive,
            random_state=random_state,
        )
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Ridge:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_not_negative(sample_weight)
        if self.positive or not sparse.issparse(X) or self.solver not in _OURS:
            super().fit(X, y, sample_weight)
            return self
        dtypes = [np.float64, np.float32]
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=dtypes,
            multi_output=True,
            y_numeric=True,
        )
        y = check_array(y, dtype=X.dtype, ensure_2d=False)
        if sample_weight is not None:
            sample_weight = check_sample_weight(sample_weight, X, dtype=X.dtype)

        Y = y.reshape(len(y), -1)
        n_targets = Y.shape[1]
        alpha = np.asarray(self.alpha, dtype=np.float64).ravel()
        if len(alpha) not in (1, n_targets):
            raise ValueError(
                "Number of targets and number of penalties do not correspond: "
                f"{len(alpha)} != {n_targets}"
            )
        fit = sparse_least_squares(
            X,
            Y,
            alpha=np.broadcast_to(alpha, n_targets),
            sample_weight=sample_weight,
            fit_intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
            n_threads=effective_threads(self.n_jobs),
            name="Ridge",
            iterate=self.solver == "lsqr",
        )

        self.solver_ = "sparse_cg" if self.solver == "auto" else self.solver
        self.n_iter_ = fit.n_iter if self.solver == "lsqr" else None
        self.coef_ = fit.coef.astype(X.dtype, copy=False)
        self.intercept_ = fit.intercept.astype(X.dtype, copy=False) if self.fit_intercept else 0.0
        if self.fit_intercept and y.ndim == 1:
            self.intercept_ = self.intercept_[0]
        if n_targets == 1:
            self.coef_ = self.coef_[0]
        return self
