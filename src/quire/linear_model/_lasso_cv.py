r"""The lasso and the elastic net with a penalty chosen by cross-validation.

For every fold the models of all penalties are one path; the penalty with the least mean square
error, averaged over the folds, is used for a last fit on all samples.
"""

from __future__ import annotations

from typing import Any

from joblib import parallel_config
from sklearn.linear_model import ElasticNetCV as SklearnElasticNetCV
from sklearn.linear_model import LassoCV as SklearnLassoCV

from quire._shared.negative_weights import check_not_negative
from quire._shared.threads import effective_threads
from quire._shared.validation import looked_at, looks_first
from quire.linear_model._lasso import ElasticNet, Lasso
from quire.linear_model._paths import PathOfModel, enet_path, lasso_path

__all__ = ["ElasticNetCV", "LassoCV"]


class LassoCV(SklearnLassoCV):
    r"""Lasso with the penalty chosen by cross-validation.

    A drop-in replacement for scikit-learn's class of this name.

    .. math::

        \min_{w, b} \frac{1}{2S} \sum_i s_i (y_i - x_i w - b)^2 + \alpha \lVert w \rVert_1

    Parameters
    ----------
    eps : float, default=1e-3
        The smallest penalty in units of the largest.
    alphas : array-like or int, default=100
        The penalties, or how many to choose: a geometric grid from the least for which all
        coefficients are zero.
    fit_intercept : bool, default=True
        Whether to fit :math:`b`.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to work on X'X instead of a dense X. "auto": if there are more samples than
        features.
    max_iter : int, default=1000
        Sweeps for one penalty.
    tol : float, default=1e-4
        As in :class:`Lasso`.
    copy_X : bool, default=True
        If ``False``, a dense X may be overwritten.
    cv : int, cross-validation generator or iterable, default=None
        How to split; ``None`` is five folds.
    verbose : bool or int, default=False
        Whether to say what is done.
    n_jobs : int, default=None
        Number of threads, over which the folds are spread. ``None`` means all cores that this
        process may use. The result does not depend on it.
    positive : bool, default=False
        Whether coefficients must not be negative.
    random_state : int, RandomState instance or None, default=None
        Accepted; nothing is random.
    selection : {"cyclic", "random"}, default="cyclic"
        Accepted; sweeps are cyclic.

    Attributes
    ----------
    alpha_ : float
        The penalty chosen.
    coef_ : ndarray of shape (n_features,)
        The coefficients :math:`w`.
    intercept_ : float
        :math:`b`.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        Mean square error on the test set of each fold.
    alphas_ : ndarray of shape (n_alphas,)
        The penalties, from the largest.
    dual_gap_ : float
        The objective of the last fit is at most this much above its minimum.
    n_iter_ : int
        Sweeps made for the last fit.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    Notes
    -----
    Folds run on threads, each with its own copy of its rows.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from quire.linear_model import LassoCV
    >>> X, y = make_regression(noise=4, random_state=0)
    >>> model = LassoCV(cv=5).fit(X, y)
    >>> round(model.score(X, y), 2)
    1.0
    """

    path = PathOfModel(lasso_path)
    predict = looks_first(SklearnLassoCV.predict)

    def _get_estimator(self) -> Lasso:
        return Lasso()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> LassoCV:
        """Choose the penalty, and fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples, in fits and in errors.
        **params : dict
            For the splitter, with metadata routing.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_not_negative(sample_weight)
        with parallel_config(n_jobs=effective_threads(self.n_jobs)):
            return super().fit(looked_at(X), y, sample_weight=sample_weight, **params)  # type: ignore[no-any-return]


class ElasticNetCV(SklearnElasticNetCV):
    r"""Elastic net with the penalty chosen by cross-validation.

    A drop-in replacement for scikit-learn's class of this name. With :math:`\rho` the `l1_ratio`,

    .. math::

        \min_{w, b} \frac{1}{2S} \sum_i s_i (y_i - x_i w - b)^2 + \alpha \rho \lVert w \rVert_1
        + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2

    Parameters
    ----------
    l1_ratio : float or array-like of float, default=0.5
        The share of the L1 norm; of several, the best is chosen.
    eps : float, default=1e-3
        The smallest penalty in units of the largest.
    alphas : array-like or int, default=100
        The penalties, or how many to choose: for each `l1_ratio` a geometric grid from the least
        for which all coefficients are zero.
    fit_intercept : bool, default=True
        Whether to fit :math:`b`.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to work on X'X instead of a dense X. "auto": if there are more samples than
        features.
    max_iter : int, default=1000
        Sweeps for one penalty.
    tol : float, default=1e-4
        As in :class:`ElasticNet`.
    cv : int, cross-validation generator or iterable, default=None
        How to split; ``None`` is five folds.
    copy_X : bool, default=True
        If ``False``, a dense X may be overwritten.
    verbose : bool or int, default=0
        Whether to say what is done.
    n_jobs : int, default=None
        Number of threads, over which the folds are spread. ``None`` means all cores that this
        process may use. The result does not depend on it.
    positive : bool, default=False
        Whether coefficients must not be negative.
    random_state : int, RandomState instance or None, default=None
        Accepted; nothing is random.
    selection : {"cyclic", "random"}, default="cyclic"
        Accepted; sweeps are cyclic.

    Attributes
    ----------
    alpha_ : float
        The penalty chosen.
    l1_ratio_ : float
        The share of the L1 norm chosen.
    coef_ : ndarray of shape (n_features,)
        The coefficients :math:`w`.
    intercept_ : float
        :math:`b`.
    mse_path_ : ndarray of shape (n_l1_ratio, n_alphas, n_folds)
        Mean square error on the test set of each fold; without the first axis for one `l1_ratio`.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        The penalties, from the largest.
    dual_gap_ : float
        The objective of the last fit is at most this much above its minimum.
    n_iter_ : int
        Sweeps made for the last fit.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    Notes
    -----
    Folds run on threads, each with its own copy of its rows.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from quire.linear_model import ElasticNetCV
    >>> X, y = make_regression(n_features=2, random_state=0)
    >>> model = ElasticNetCV(l1_ratio=[0.5, 1.0], cv=5).fit(X, y)
    >>> float(model.l1_ratio_)
    1.0
    """

    path = PathOfModel(enet_path)
    predict = looks_first(SklearnElasticNetCV.predict)

    def _get_estimator(self) -> ElasticNet:
        return ElasticNet()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> ElasticNetCV:
        """Choose the penalty, and fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples, in fits and in errors.
        **params : dict
            For the splitter, with metadata routing.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_not_negative(sample_weight)
        with parallel_config(n_jobs=effective_threads(self.n_jobs)):
            return super().fit(looked_at(X), y, sample_weight=sample_weight, **params)  # type: ignore[no-any-return]
