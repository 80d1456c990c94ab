r"""Logistic regression: probabilities whose log-odds are linear.

Two classes have one vector of weights, :math:`\log P(y=1|x)/P(y=0|x) = w'x + b`; more have a vector
for each, and :math:`P(y=k|x)` is the softmax of the scores.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from quire._shared.class_weights import combined_weights
from quire._shared.labels import class_codes
from quire._shared.linear import LogisticClassifier
from quire._shared.sklearn import StrOptions, fit_context
from quire._shared.threads import effective_threads
from quire._shared.typing import Codes, Floats
from quire._shared.validation import validate_data
from quire.linear_model._engines.logistic_fit import OWN_SOLVERS, Fitted, Fitter, check_solver
from quire.linear_model._logistic_reading import LogisticReading, class_code
from quire.linear_model._naming import named_columns
from quire.linear_model._summary.logistic import LogisticSummary

__all__ = ["LogisticRegression"]

SOLVERS = {"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga", *OWN_SOLVERS}


class LogisticRegression(
    LogisticSummary, LogisticReading, LogisticClassifier, SklearnLogisticRegression
):
    r"""Logistic regression, binary and multinomial, without penalty or with L2, L1 or both.

    .. math:: \min_{W, b} \; C \sum_i s_i \ell(y_i, W x_i + b)
              + \rho \|W\|_1 + \frac{1 - \rho}{2} \|W\|^2

    with :math:`\ell` the negative log probability of the class and :math:`\rho` the `l1_ratio`.
    The intercept is not penalised, except with ``solver="liblinear"``.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet", None}, default="deprecated"
        As in scikit-learn, which has deprecated it: use `l1_ratio` and `C`.
    C : float, default=1.0
        Inverse strength of the penalty. ``np.inf`` means no penalty.
    l1_ratio : float, default=0.0
        Share of the L1 penalty, between 0 (L2) and 1 (L1).
    dual : bool, default=False
        Accepted with ``solver="liblinear"`` and L2; the minimum is the same.
    tol : float, default=1e-4
        Smooth objectives: stop as soon as no component of the gradient of the mean objective is
        above it, as scikit-learn does. Small data, and fits without a penalty, are more precise.
        With L1: the tolerance of the duality gap.
    fit_intercept : bool, default=True
        Whether there is a b.
    intercept_scaling : float, default=1
        With ``solver="liblinear"`` the intercept is this times the weight of a constant feature,
        and penalised like the others.
    class_weight : dict or "balanced", default=None
        Weights of the classes.
    random_state : int, RandomState instance, default=None
        Not used: nothing here is random.
    solver : str, default="lbfgs"
        The names of scikit-learn ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag",
        "saga") say what may be asked for, with the same restrictions and errors, and which minimum
        is meant; the optimisers are ours. "auto" takes every penalty; "newton" solves every Newton
        step exactly, by a Cholesky factor; "gradient-descent" is for teaching.
    max_iter : int, default=100
        Iterations at most.
    verbose : int, default=0
        Print a line about the fit if positive.
    warm_start : bool, default=False
        Start at the weights of the last fit.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. (scikit-learn's has no effect.)
    keep_steps : bool, default=False
        Whether to keep ``steps_``.
    reference : object, default=None
        One of the classes: its weights and its intercept are fixed at zero and not fitted, and the
        penalty falls on the weights of the others, which are log-odds against it. With a penalty
        this is another estimator than the default, where every class has weights; what
        :meth:`reference_coding` returns is the default one, only written differently. Without a
        penalty, or with two classes, both give the same probabilities. ``None`` fits the weights
        of all classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        W; one row for two classes. That of a `reference` is zero.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b, zero without `fit_intercept`.
    n_iter_ : ndarray of shape (1,)
        Iterations of the optimiser.
    gap_ : float
        Bound or estimate of how far the objective, in the scaling ``sum of losses + penalty / C``,
        is above its minimum.
    solver_ : str
        The optimiser that ran: "newton-cg", "working-set", "newton" or "gradient-descent"; for L1
        with a `reference`, "prox-newton".
    steps_ : list of DescentStep
        With `keep_steps`: the start and where every iteration led, in the scaling of ``gap_``. A
        ``point`` is ``coef_`` with the intercept as its last column, if there is one. Newton's
        method and gradient descent tell every step as they take it. The working sets of L1 are
        compiled: they run once more for each step, and do not tell its ``step_size`` (NaN). Model
        files do not hold the steps.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    LogisticRegressionCV : Chooses `C` and `l1_ratio` by cross-validation.

    Notes
    -----
    Smooth objectives are minimised by Newton's method with conjugate gradients. A product with the
    Hessian takes one pass over X for two classes and two for more; X stays sparse, and needs a
    transposed copy for more than two classes. On sparse data the number of threads does not change
    a bit of the result. Inputs of other array libraries, scikit-learn's callbacks, and "liblinear"
    with L1 and an `intercept_scaling` above 10 are served by scikit-learn's own code, without
    ``gap_``, ``solver_`` and ``steps_``.

    The gradient that `tol` asks for is reached by few, long steps, which end nearer to the minimum
    than scikit-learn's do. With many classes that shows: a dense fit of 1,000 classes takes longer
    than scikit-learn's at the same `tol`, and as long at the same objective.

    Without a penalty, classes that can be separated, wholly or in part (a column that occurs in one
    class only, one class of several), have no best weights; a ConvergenceWarning says so.

    A fit with a `reference` is made by the optimisers of :mod:`quire.optimize`, of which products
    with X and passes over coefficients are compiled: some times slower than the default.

    References
    ----------
    -  C.-J. Lin, R. C. Weng, S. S. Keerthi (2008). Trust region Newton method for large-scale
       logistic regression. Journal of Machine Learning Research 9, 627-650.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> model.predict_proba(X[[60]]).round(3)
    array([[0.056, 0.938, 0.006]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnLogisticRegression._parameter_constraints,
        "solver": [StrOptions(SOLVERS)],
        "keep_steps": ["boolean"],
        "reference": "no_validation",
    }

    def __init__(
        self,
        penalty: Any = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        keep_steps: bool = False,
        reference: Any = None,
    ) -> None:
        super().__init__(
            penalty=penalty,
            C=C,
            l1_ratio=l1_ratio,
            dual=dual,
            tol=tol,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            class_weight=class_weight,
            random_state=random_state,
            solver=solver,
            max_iter=max_iter,
            verbose=verbose,
            warm_start=warm_start,
            n_jobs=n_jobs,
        )
        self.keep_steps = keep_steps
        self.reference = reference

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if hasattr(self, "_skl_callbacks") or not _is_numpy(X) or self._is_badly_scaled():
            if self.reference is not None:
                raise ValueError(
                    "reference is for NumPy arrays and sparse matrices, without scikit-learn's "
                    "callbacks and with an intercept_scaling of at most 10."
                )
            fitted: LogisticRegression = super().fit(X, y, sample_weight)
            return fitted
        penalty = self._penalty()
        check_solver(self.solver, penalty, self.dual)
        self._check_l1_ratio(penalty)
        check_random_state(self.random_state)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            accept_large_sparse=self.solver not in ("liblinear", "sag", "saga"),
        )
        classes, codes = class_codes(y)
        check_classes(classes, self.solver, X)
        weights = combined_weights(sample_weight, self.class_weight, X, classes, codes)

        fitter = self._fitter(
            X,
            codes,
            len(classes),
            weights,
            keep_steps=self.keep_steps,
            reference=self._reference_code(classes),
        )
        l1_ratio = {"l1": 1.0, "elasticnet": self.l1_ratio}.get(penalty or "", 0.0)
        start = self._start(classes) if self.warm_start and self.solver != "liblinear" else None
        found = fitter.fit(np.inf if penalty is None else self.C, l1_ratio, start)

        self.classes_ = classes
        dtype = np.float64 if self.solver == "liblinear" else X.dtype
        self.coef_ = found.coef.astype(dtype, copy=False).T  # by features, as predictions read it
        self.intercept_ = found.intercept.astype(dtype)
        self.n_iter_ = np.array([found.n_iter], dtype=np.int32)
        self.gap_ = found.gap
        self.solver_ = found.solver
        if found.steps is not None:
            self.steps_ = found.steps
        elif hasattr(self, "steps_"):
            del self.steps_
        return self

    def fit_path(
        self, X: Any, y: Any, Cs: Sequence[float], *, tol: float = 1e-3
    ) -> Iterator[LogisticRegression]:
        """Fit at several penalties, one after the other, each from the ones before.

        For choosing among penalties: fits are as precise as that takes, and X is prepared once.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        Cs : sequence of float
            Inverse strengths of the penalty, from the smallest up.
        tol : float, default=1e-3
            How near a smooth objective is to its minimum, relatively, by Newton's estimate.

        Yields
        ------
        LogisticRegression
            A fitted model for each penalty; this one is left as it is.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from quire.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> for model in LogisticRegression().fit_path(X, y, [0.01, 0.1, 1.0]):
        ...     print(model.C, round(model.score(X, y), 3))
        0.01 0.873
        0.1 0.96
        1.0 0.973
        """
        first = clone(self)
        first._validate_params()
        X, y = validate_data(
            first, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        classes, codes = class_codes(y)
        check_classes(classes, self.solver, X)
        weights = combined_weights(None, self.class_weight, X, classes, codes)
        l1_ratio = self.l1_ratio or 0.0
        fitter = first._fitter(
            X,
            codes,
            len(classes),
            weights,
            solver=self.solver if l1_ratio == 0 else "auto",
            tol=min(self.tol, 1e-3),
            gap_tol=tol,
            is_path=True,
            reference=self._reference_code(classes),
        )
        start = None
        for C in Cs:
            start = fitter.fit(C, l1_ratio, start)
            model = clone(self).set_params(C=C)
            model.classes_, model.n_features_in_ = classes, X.shape[1]
            model.coef_, model.intercept_ = start.coef.T, start.intercept
            yield model

    def _fitter(
        self, X: Any, codes: Codes, n_classes: int, weights: Floats | None, **options: Any
    ) -> Fitter:
        """Return what fits these data with the options of this model, or others."""
        own: dict[str, Any] = {
            "solver": self.solver,
            "fit_intercept": self.fit_intercept,
            "intercept_scaling": self.intercept_scaling,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "verbose": self.verbose,
            "n_threads": effective_threads(self.n_jobs),
            "name": type(self).__name__,
            "describe": partial(named_columns, self, verb=False),
        }
        return Fitter(X, codes, n_classes, weights, **{**own, **options})

    def _reference_code(self, classes: NDArray[Any]) -> int | None:
        """Return the number of the class whose weights are zero, if there is one."""
        return None if self.reference is None else class_code(classes, self.reference)

    def _is_badly_scaled(self) -> bool:
        """Return whether an L1 penalty would fall on a constant feature of another size."""
        is_l1 = self.penalty == "l1" or (self.penalty == "deprecated" and self.l1_ratio == 1)
        scaled = self.fit_intercept and self.intercept_scaling > 10
        return bool(self.solver == "liblinear" and is_l1 and scaled)

    def _penalty(self) -> str | None:
        """Return the penalty that `penalty`, `l1_ratio` and `C` ask for together."""
        if self.penalty != "deprecated":
            warnings.warn(
                "'penalty' was deprecated in version 1.8 and will be removed in 1.10. To avoid "
                "this warning, leave 'penalty' set to its default value and use 'l1_ratio' or 'C' "
                "instead. Use l1_ratio=0 instead of penalty='l2', l1_ratio=1 instead of "
                "penalty='l1', l1_ratio set to a float between 0 and 1 instead of "
                "penalty='elasticnet', and C=np.inf instead of penalty=None.",
                FutureWarning,
                stacklevel=3,
            )
            if self.penalty is None and self.C != 1.0:
                warnings.warn(
                    "Setting penalty=None will ignore the C and l1_ratio parameters", stacklevel=3
                )
            penalty: str | None = self.penalty
            return penalty
        if self.l1_ratio is None:
            warnings.warn(
                "'l1_ratio=None' was deprecated in version 1.8 and will trigger an error in 1.10. "
                "Use 0<=l1_ratio<=1 instead.",
                FutureWarning,
                stacklevel=3,
            )
        if self.C == np.inf:
            return None
        return {None: "l2", 0: "l2", 1: "l1"}.get(self.l1_ratio, "elasticnet")

    def _check_l1_ratio(self, penalty: str | None) -> None:
        if penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
        if penalty != "elasticnet" and self.l1_ratio is not None and 0 < self.l1_ratio < 1:
            warnings.warn(
                "l1_ratio parameter is only used when penalty is 'elasticnet'. Got "
                f"(penalty={penalty})",
                stacklevel=3,
            )
        if (self.penalty == "l2" and self.l1_ratio != 0) or (
            self.penalty == "l1" and self.l1_ratio != 1
        ):
            warnings.warn(
                f"Inconsistent values: penalty={self.penalty} with l1_ratio={self.l1_ratio}. "
                "penalty is deprecated. Please use l1_ratio only.",
                stacklevel=3,
            )

    def _start(self, classes: NDArray[Any]) -> Fitted | None:
        """Return the weights of the last fit, if there was one."""
        if not hasattr(self, "coef_"):
            return None
        width = 1 if len(classes) == 2 else len(classes)
        expected = (width, self.n_features_in_)
        if self.coef_.shape != expected:
            raise ValueError(
                f"Initialization coef is of shape {self.coef_.shape}, expected shape {expected}. "
                "Refit with warm_start=False."
            )
        coef = np.asarray(self.coef_.T, dtype=np.float64)
        return Fitted(coef, np.asarray(self.intercept_, dtype=np.float64), np.inf, 0, "")

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the log probabilities of the classes, with their digits where they are near 0.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        if not self._is_served(X):
            found: NDArray[Any] = super().predict_log_proba(X)
            return found
        return log_probabilities(self.decision_function(X))


def log_probabilities(scores: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithms of sigmoid or softmax of scores, by their shape."""
    if scores.ndim == 1:
        found: NDArray[Any] = -np.logaddexp(0, np.column_stack([scores, -scores]))
        return found
    scores = scores - scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores


def check_classes(classes: NDArray[Any], solver: str, X: Any, end: str = "") -> None:
    """Raise scikit-learn's errors about the number of classes, and the size of X for liblinear.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    solver : str
        Name of the solver.
    X : CSR matrix or ndarray
        The samples.
    end : str, default=""
        The end of the message that there is only one class.
    """
    if len(classes) < 2:
        raise ValueError(
            "This solver needs samples of at least 2 classes in the data, but the data contains "
            f"only one class: {classes[0] if end else repr(classes[0])}{end}"
        )
    if solver == "liblinear":
        if len(classes) > 2:
            raise ValueError(
                "The 'liblinear' solver does not support multiclass classification (n_classes >= 3)"
                ". Either use another solver or wrap the estimator in a OneVsRestClassifier to "
                "keep applying a one-versus-rest scheme."
            )
        if X.max() > 1e30:
            raise ValueError(
                "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a "
                "frozen fit. Please choose another solver or rescale the input X."
            )


def _is_numpy(X: Any) -> bool:
    """Return whether X is no array of another library under scikit-learn's array API dispatch."""
    from quire._shared.sklearn import get_namespace, is_numpy_namespace

    return bool(is_numpy_namespace(get_namespace(X)[0]))
