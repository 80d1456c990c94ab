r"""Ridge regression that chooses its penalty by cross-validation.

Leaving out sample i costs no fit of its own (Rifkin and Lippert 2007): with
:math:`G = AA' + \alpha I` and the centred and weighted data A and b of `_row_operator`,

.. math:: e_i = \frac{(G^{-1}b)_i}{(G^{-1})_{ii} - u_i (G^{-1}u)_i}

is the error of the model that has not seen it, and one eigendecomposition serves every penalty. The
second term below is that of the intercept.
"""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import RidgeCV as SklearnRidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.utils import check_scalar
from sklearn.utils.metadata_routing import process_routing

from quire._shared.design import Design
from quire._shared.linear import SparsePrediction
from quire._shared.negative_weights import check_not_negative
from quire._shared.sklearn import (
    RidgeGCV,
    fit_context,
    manual_routing,
    raise_for_params,
    routing_enabled,
)
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import looked_at
from quire.linear_model._engines.row_operator import RowOperator
from quire.linear_model._ridge import Ridge

__all__ = ["RidgeCV"]


_BLOCK = 1 << 22  # numbers of a block of rows that is dense for a moment


class RidgeCV(SparsePrediction, SklearnRidgeCV):
    r"""Ridge regression with the penalty chosen by cross-validation.

    A drop-in replacement for scikit-learn's class of this name. For every penalty in `alphas` it
    considers

    .. math:: \min_{w, c} \sum_i s_i (y_i - w'x_i - c)^2 + \alpha \lVert w \rVert^2

    and keeps the one whose predictions of held-out samples score best; by default each sample is
    left out alone, without fitting as many models.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        Penalties to try; positive.
    fit_intercept : bool, default=True
        Whether there is an intercept c, or it is 0.
    scoring : str or callable, default=None
        What to maximise. ``None``: minus the mean squared error if `cv` is ``None``, else R^2.
    cv : int, cross-validation generator or iterable, default=None
        How to hold out samples. ``None``: one by one.
    gcv_mode : {"auto", "svd", "eigen"}, default=None
        How to leave out one by one. "svd" is for dense X; sparse X always takes "eigen", the
        eigenvectors of the smaller Gram matrix.
    store_cv_results : bool, default=False
        Whether to keep the errors (or, with `scoring`, the predictions) of every sample. Only if
        `cv` is ``None``.
    alpha_per_target : bool, default=False
        Whether every target gets a penalty of its own. Only if `cv` is ``None``.
    n_jobs : int, default=None
        Number of threads for sparse X. ``None`` means all cores that this process may use. The
        result does not depend on it.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The chosen penalty.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients w for it.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept c; 0.0 without one.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        With `store_cv_results`: squared errors, or predictions if there is a `scoring`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    See Also
    --------
    Ridge : For one penalty.

    Notes
    -----
    Leaving out one by one takes the square of the smaller of samples and features in memory and its
    cube in time. Where both are large, ask for folds: ``cv=5``. Sparse X stays sparse; dense X is
    scikit-learn's own code.

    References
    ----------
    Rifkin, R. and Lippert, R. (2007). Notes on Regularized Least Squares. MIT-CSAIL-TR-2007-025.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from quire.linear_model import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RidgeCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y)
    >>> float(model.alpha_), round(model.score(X, y), 4)
    (0.01, 0.5166)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnRidgeCV._parameter_constraints,
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            alphas=alphas,
            fit_intercept=fit_intercept,
            scoring=scoring,
            cv=cv,
            gcv_mode=gcv_mode,
            store_cv_results=store_cv_results,
            alpha_per_target=alpha_per_target,
        )
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> RidgeCV:
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples, in fits and, left out one by one, in scores.
        **params : dict
            With metadata routing: passed on to the scorer and the splitter.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_not_negative(sample_weight)
        if not sparse.issparse(X):
            super().fit(X, y, sample_weight, **params)
            return self
        X = looked_at(X)
        raise_for_params(params, self, "fit")
        alphas = self._checked_alphas()
        if self.cv is None:
            best = self._leave_one_out(X, y, alphas, sample_weight, params)
        else:
            best = self._search(X, y, alphas, sample_weight, params)
        self.coef_ = best.coef_
        self.intercept_ = best.intercept_
        self.n_features_in_ = best.n_features_in_
        return self

    def _leave_one_out(
        self, X: Any, y: Any, alphas: NDArray[Any], sample_weight: Any, params: dict[str, Any]
    ) -> Any:
        scorer = self._get_scorer()
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if routing_enabled():
            routed = process_routing(self, "fit", **params, **weights)
        else:
            routed = manual_routing({"scorer": {"score": weights}})
        model = _SparseGCV(
            alphas,
            n_threads=effective_threads(self.n_jobs),
            fit_intercept=self.fit_intercept,
            scoring=None if self.scoring is None else scorer,
            gcv_mode=self.gcv_mode,
            store_cv_results=self.store_cv_results,
            alpha_per_target=self.alpha_per_target,
        )
        model.fit(X, y, sample_weight=sample_weight, score_params=routed.scorer.score)
        self.alpha_ = model.alpha_
        self.best_score_ = model.best_score_
        if self.store_cv_results:
            self.cv_results_ = model.cv_results_
        return model

    def _search(
        self, X: Any, y: Any, alphas: NDArray[Any], sample_weight: Any, params: dict[str, Any]
    ) -> Any:
        for name in ("store_cv_results", "alpha_per_target"):
            if getattr(self, name):
                raise ValueError(f"cv!=None and {name}=True are incompatible")
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        ridge = Ridge(fit_intercept=self.fit_intercept, solver="sparse_cg", n_jobs=self.n_jobs)
        if routing_enabled():
            ridge.set_fit_request(sample_weight=True)
        search = GridSearchCV(
            ridge, {"alpha": np.atleast_1d(alphas)}, cv=self.cv, scoring=self._get_scorer()
        )
        search.fit(X, y, **params)
        self.alpha_ = search.best_estimator_.alpha
        self.best_score_ = search.best_score_
        return search.best_estimator_

    def _checked_alphas(self) -> NDArray[Any]:
        boundaries = "neither" if self.cv is None else "left"
        check = partial(check_scalar, target_type=Real, min_val=0.0, include_boundaries=boundaries)
        if isinstance(self.alphas, np.ndarray | list | tuple) and np.ndim(self.alphas) > 0:
            several = len(self.alphas) != 1
            for index, alpha in enumerate(self.alphas):
                check(alpha, f"alphas[{index}]" if several else "alphas")
        return np.asarray(self.alphas)


class _SparseGCV(RidgeGCV):
    """scikit-learn's leave-one-out, with products that keep a sparse X sparse.

    Parameters
    ----------
    alphas : ndarray of shape (n_alphas,)
        Penalties to try.
    n_threads : int
        Threads to use.
    **options
        Passed on.
    """

    def __init__(self, alphas: NDArray[Any], n_threads: int, **options: Any) -> None:
        super().__init__(alphas, **options)
        self.n_threads = n_threads

    def _compute_gram(self, X: Any, X_mean: Floats, sqrt_sw: Floats) -> Floats:
        return self._gram(X, sqrt_sw, of_samples=True)

    def _compute_covariance(self, X: Any, X_mean: Floats, sqrt_sw: Floats) -> Floats:
        return self._gram(X, sqrt_sw, of_samples=False)

    def _gram(self, X: Any, sqrt_sw: Floats, of_samples: bool) -> Floats:
        """Return A A' or A' A; X is weighted already, not centred."""
        A = RowOperator(sparse.csr_array(X), None, False, self.n_threads)
        if self.fit_intercept:
            A.unit = sqrt_sw[:, None] / np.linalg.norm(sqrt_sw)
        return A.gram(of_samples)

    def _sparse_multidot_diag(self, X: Any, A: Floats, X_mean: Floats, sqrt_sw: Floats) -> Floats:
        """Return the diagonal of (X - r m') A (X - r m')', some rows at a time; r = sqrt_sw."""
        rows = sparse.csr_array(X)
        n, p = rows.shape
        step = max(1, _BLOCK // max(p, 1))
        mean = X_mean if self.fit_intercept else np.zeros(p)
        diagonal = np.empty(n)
        for start in range(0, n, step):
            some = rows[start : start + step]
            root = sqrt_sw[start : start + step]
            product = Design(some, self.n_threads).dot(A) - np.outer(root, mean @ A)
            own = np.asarray(some.multiply(product).sum(axis=1)).ravel()
            diagonal[start : start + step] = own - root * (product @ mean)
        return diagonal
