r"""Linear support vector machines for numbers: errors up to epsilon cost nothing."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.svm import LinearSVR as SklearnLinearSVR

from quire._shared.linear import SparsePrediction
from quire._shared.sklearn import (
    Interval,
    fit_context,
    get_liblinear_solver_type,
    validate_dual_parameter,
)
from quire._shared.validation import validate_data
from quire.svm._linear_fit import LinearFit

__all__ = ["LinearSVR"]


class LinearSVR(SparsePrediction, SklearnLinearSVR):
    r"""Linear support vector machine for numbers.

    .. math:: \min_{w, b} \; \tfrac12 \|w\|^2 + \tfrac12 (b / s)^2
              + C \sum_i c_i \max(0, |y_i - w'x_i - b| - \epsilon)^q

    with weights :math:`c_i` of the samples, q = 1 for the loss "epsilon_insensitive" and 2 for
    "squared_epsilon_insensitive", and s the `intercept_scaling`. A drop-in replacement for
    scikit-learn's class of this name.

    Parameters
    ----------
    epsilon : float, default=0.0
        Errors that cost nothing, in the units of y.
    tol : float, default=1e-4
        Coordinate descent: violation of the optimality conditions, relative to that at zero.
        Newton's method: norm of the gradient, relative to that at zero.
    C : float, default=1.0
        What an error beyond epsilon costs.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The loss.
    fit_intercept : bool, default=True
        Whether there is a b.
    intercept_scaling : float, default=1.0
        The larger, the weaker the penalty on b.
    dual : "auto" or bool, default="auto"
        Restricted as in scikit-learn; the minimum is the same.
    verbose : int, default=0
        Print a line about the fit if positive.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders in which coordinate descent visits the samples.
    max_iter : int, default=1000
        Passes over the samples, or Newton steps, at most.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. The result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : ndarray of shape (1,), or 0.0
        Intercept.
    n_iter_ : int
        Passes or steps.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    SVR : Kernels, and an intercept that is not penalised.

    References
    ----------
    C.-H. Ho, C.-J. Lin, "Large-scale linear support vector regression", Journal of Machine Learning
    Research 13, 2012.

    Examples
    --------
    >>> from quire.svm import LinearSVR
    >>> model = LinearSVR(C=100, intercept_scaling=10, random_state=0)
    >>> model = model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[3.0]]).round(1)
    array([7.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnLinearSVR._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Any = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            epsilon=epsilon,
            tol=tol,
            C=C,
            loss=loss,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            dual=dual,
            verbose=verbose,
            random_state=random_state,
            max_iter=max_iter,
        )
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVR:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, order="C", y_numeric=True
        )
        dual = validate_dual_parameter(self.dual, self.loss, "l2", "ovr", X)
        get_liblinear_solver_type("ovr", "l2", self.loss, dual)
        fit = LinearFit.of(self, X, sample_weight, dual)
        found = fit.numbers(np.ascontiguousarray(y, dtype=np.float64), float(self.epsilon))
        if self.verbose:
            print(f"[LinearSVR] {found.n_iter} iterations")
        self.coef_ = found.coef[0]
        self.intercept_, self.n_iter_ = found.intercept, found.n_iter
        return self
