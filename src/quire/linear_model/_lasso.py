r"""Least squares with a penalty on the absolute values of the coefficients.

.. math:: \min_{w, b} \frac{1}{2S} \sum_i s_i (y_i - x_i w - b)^2 + \alpha \rho \lVert w \rVert_1
          + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2, \qquad S = \sum_i s_i

The lasso (:math:`\rho = 1`; Tibshirani 1996) sets most coefficients to zero; the elastic net (Zou
and Hastie 2005) keeps groups of related columns together.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import ElasticNet as SklearnElasticNet
from sklearn.linear_model import Lasso as SklearnLasso

from quire._shared.negative_weights import check_not_negative
from quire._shared.validation import looked_at, looks_first
from quire.linear_model._paths import PathOfModel, enet_path

__all__ = ["ElasticNet", "Lasso"]


class ElasticNet(SklearnElasticNet):
    r"""Linear regression with L1 and L2 penalties.

    A drop-in replacement for scikit-learn's class of this name. With weights :math:`s_i` of the
    samples, their sum :math:`S`, and :math:`\rho` the `l1_ratio`, it solves

    .. math::

        \min_{w, b} \frac{1}{2S} \sum_i s_i (y_i - x_i w - b)^2 + \alpha \rho \lVert w \rVert_1
        + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2 .

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. 0 is least squares, for which there are better methods.
    l1_ratio : float, default=0.5
        The share of the L1 norm: 1 is the lasso, 0 a ridge regression.
    fit_intercept : bool, default=True
        Whether to fit :math:`b`. A sparse X is not copied to centre it.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether to work on X'X instead of a dense X, or X'X itself.
    max_iter : int, default=1000
        Sweeps over the working set.
    copy_X : bool, default=True
        If ``False``, a dense X may be overwritten.
    tol : float, default=1e-4
        The fit ends when its duality gap is at most `tol` times the mean square of the centred y,
        and the largest change in the last sweep at most `tol` times the largest coefficient.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit.
    positive : bool, default=False
        Whether coefficients must not be negative.
    random_state : int, RandomState instance or None, default=None
        Accepted; nothing is random.
    selection : {"cyclic", "random"}, default="cyclic"
        Accepted; the order of coordinates does not change the minimum, and sweeps are cyclic.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients :math:`w`.
    sparse_coef_ : sparse matrix of shape (1, n_features) or (n_targets, n_features)
        The same without the zeros.
    intercept_ : float or ndarray of shape (n_targets,)
        :math:`b`.
    n_iter_ : int or list of int
        Sweeps made.
    dual_gap_ : float or ndarray of shape (n_targets,)
        The objective is at most this much above its minimum.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    See Also
    --------
    Lasso : Without the L2 penalty.
    ElasticNetCV : Chooses the penalty by cross-validation.

    Notes
    -----
    Coordinate descent on working sets. A round costs one pass over X (in parallel) and some sweeps
    over a few columns; small sets are swept through their Gram matrix. The duality gap is that of
    the whole problem.

    Several targets are fitted one by one.

    References
    ----------
    -  H. Zou and T. Hastie (2005). Regularization and variable selection via the elastic net.
       Journal of the Royal Statistical Society B 67(2).
    -  J. Friedman, T. Hastie and R. Tibshirani (2010). Regularization paths for generalized
       linear models via coordinate descent. Journal of Statistical Software 33(1).
    -  M. Massias, A. Gramfort and J. Salmon (2018). Celer: a fast solver for the lasso with
       dual extrapolation. ICML.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from quire.linear_model import ElasticNet
    >>> X, y = make_regression(n_features=2, random_state=0)
    >>> model = ElasticNet(tol=1e-8).fit(X, y)
    >>> model.coef_.round(2)
    array([18.84, 64.56])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnElasticNet._parameter_constraints,
        "n_jobs": [Integral, None],
    }

    path = PathOfModel(enet_path)
    predict = looks_first(SklearnElasticNet.predict)

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: bool | NDArray[Any] = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: int | np.random.RandomState | None = None,
        selection: str = "cyclic",
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples; they are scaled to add up to their number.
        check_input : bool, default=True
            Whether to check X and y.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_not_negative(sample_weight)
        super().fit(looked_at(X), y, sample_weight=sample_weight, check_input=check_input)
        return self


class Lasso(ElasticNet, SklearnLasso):
    r"""Linear regression with an L1 penalty: most coefficients are zero.

    A drop-in replacement for scikit-learn's class of this name. With weights :math:`s_i` of the
    samples and their sum :math:`S`, it solves

    .. math::

        \min_{w, b} \frac{1}{2S} \sum_i s_i (y_i - x_i w - b)^2 + \alpha \lVert w \rVert_1 .

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. 0 is least squares, for which there are better methods.
    fit_intercept : bool, default=True
        Whether to fit :math:`b`. A sparse X is not copied to centre it.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether to work on X'X instead of a dense X, or X'X itself.
    copy_X : bool, default=True
        If ``False``, a dense X may be overwritten.
    max_iter : int, default=1000
        Sweeps over the working set.
    tol : float, default=1e-4
        The fit ends when its duality gap is at most `tol` times the mean square of the centred y,
        and the largest change in the last sweep at most `tol` times the largest coefficient.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit.
    positive : bool, default=False
        Whether coefficients must not be negative.
    random_state : int, RandomState instance or None, default=None
        Accepted; nothing is random.
    selection : {"cyclic", "random"}, default="cyclic"
        Accepted; the order of coordinates does not change the minimum, and sweeps are cyclic.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients :math:`w`.
    sparse_coef_ : sparse matrix of shape (1, n_features) or (n_targets, n_features)
        The same without the zeros.
    intercept_ : float or ndarray of shape (n_targets,)
        :math:`b`.
    n_iter_ : int or list of int
        Sweeps made.
    dual_gap_ : float or ndarray of shape (n_targets,)
        The objective is at most this much above its minimum.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    See Also
    --------
    LassoCV : Chooses the penalty by cross-validation.
    lasso_path : Many penalties at once.

    Notes
    -----
    The cost is that of :class:`ElasticNet`. Where columns are linear combinations of others, the
    minimum may be reached by more than one :math:`w`; the predictions are the same.

    References
    ----------
    -  R. Tibshirani (1996). Regression shrinkage and selection via the lasso. Journal of the
       Royal Statistical Society B 58(1).
    -  R. Tibshirani et al. (2012). Strong rules for discarding predictors in lasso-type
       problems. Journal of the Royal Statistical Society B 74(2).

    Examples
    --------
    >>> from quire.linear_model import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    >>> model.coef_.round(3)
    array([0.85, 0.  ])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnLasso._parameter_constraints,
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: bool | NDArray[Any] = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: int | np.random.RandomState | None = None,
        selection: str = "cyclic",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            alpha=alpha,
            l1_ratio=1.0,
            fit_intercept=fit_intercept,
            precompute=precompute,
            copy_X=copy_X,
            max_iter=max_iter,
            tol=tol,
            warm_start=warm_start,
            positive=positive,
            random_state=random_state,
            selection=selection,
            n_jobs=n_jobs,
        )
