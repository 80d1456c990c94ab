r"""Ordered outcomes: one latent scale, cut into classes by thresholds.

.. math:: P(y \le j \mid x) = F(\theta_j - w'x), \qquad \theta_0 < \theta_1 < \ldots < \theta_{K-2}

With F the logistic distribution this is the proportional odds model, with the normal one the
ordered probit (P. McCullagh, "Regression models for ordinal data", 1980).
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from quire._shared.convergence import warn_not_converged
from quire._shared.design import Design
from quire._shared.labels import order_of, ordered_codes
from quire._shared.sklearn import Interval, StrOptions, check_sample_weight, fit_context
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import validate_data
from quire._shared.vectors import norm
from quire.linear_model._summary.ordinal import OrdinalSummary
from quire.optimize import (
    Datafit,
    ElasticNetPenalty,
    OptimizeResult,
    OrdinalLoss,
    choose_solver,
    minimize,
    newton_step,
)

__all__ = ["OrdinalRegression"]


_SOLVERS = {"auto", "newton", "newton-cg", "lbfgs", "gradient-descent"}
_L1_SOLVERS = {"auto", "prox-newton", "proximal-gradient"}
_LARGE = 0.05  # a move of scores; at a real optimum Newton's next step is many times shorter


class OrdinalRegression(OrdinalSummary, ClassifierMixin, BaseEstimator):
    r"""Regression for classes that have an order, such as ratings.

    With :math:`\rho` the `l1_ratio` and :math:`s_i` the weights of the rows,

    .. math:: \min_{w, \theta}\; -C \sum_i s_i \log P(y_i \mid x_i)
              + \frac{1 - \rho}{2} \|w\|^2 + \rho \|w\|_1, \qquad
              P(y = j \mid x) = F(\theta_j - w'x) - F(\theta_{j-1} - w'x).

    A positive coefficient moves a document towards the higher classes. The thresholds are not
    penalised. With two classes and ``link="logit"`` this is binary logistic regression, with the
    intercept :math:`-\theta_0`.

    Parameters
    ----------
    link : {"logit", "probit"}, default="logit"
        The distribution F: logistic or normal.
    C : float, default=1.0
        How much the data count beside the penalty; ``np.inf`` for no penalty at all.
    l1_ratio : float, default=0.0
        0 is a penalty of squares, 1 of absolute values, between them an elastic net.
    categories : array-like of shape (n_classes,), default=None
        The classes, lowest first. If not given, the order of an ordered pandas categorical or of a
        polars Enum is used, and else that of sorting. Strings that are not numbers are then in
        alphabetical order, and a warning says so. Categories that no row has get probability zero.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in :class:`sklearn.linear_model.LogisticRegression`.
    tol : float, default=1e-4
        The solver stops when the norm of the (sub-) gradient has fallen to this share of the norm
        that it has without any effect of X (zero coefficients, thresholds at the shares of the
        classes).
    max_iter : int, default=100
        The most iterations. Each of Newton's methods does many passes over the data.
    warm_start : bool, default=False
        Whether to begin with the parameters of the last fit.
    solver : str, default="auto"
        ``"newton"``, ``"newton-cg"``, ``"lbfgs"`` or ``"gradient-descent"`` of
        :mod:`quire.optimize`; with absolute values ``"prox-newton"`` or ``"proximal-gradient"``.
        ``"auto"`` picks one of Newton's methods; all find the same optimum.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    verbose : int, default=0
        If positive, the objective is printed after each iteration.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients w.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Thresholds, rising. Classes that no row has lie between two equal ones, or beyond an
        infinite one.
    classes_ : ndarray of shape (n_classes,)
        The classes, lowest first.
    n_iter_ : int
        Iterations made.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    See Also
    --------
    quire.optimize.OrdinalLoss : The loss, for solvers of your own.

    Notes
    -----
    The problem is convex in w and the thresholds together. A step of Newton's method is found by
    conjugate gradients; each of their iterations reads X twice, and nothing of the size of
    n_features squared is made. With absolute values the steps are made on the features that are in
    the model or want to be. Numbers are float64 inside; `coef_` and `thresholds_` have the type
    of X.

    References
    ----------
    P. McCullagh, "Regression models for ordinal data", Journal of the Royal Statistical Society B,
    1980. J. D. M. Rennie and N. Srebro, "Loss functions for preference levels", 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import OrdinalRegression
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> y = ["bad", "bad", "fair", "good", "fair", "good"]
    >>> model = OrdinalRegression(categories=["bad", "fair", "good"]).fit(X, y)
    >>> model.predict([[0.5], [2.6], [6.0]])
    array(['bad', 'fair', 'good'], dtype='<U4')
    >>> model.coef_.round(3), model.thresholds_.round(3)
    (array([1.058]), array([1.468, 3.946]))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "link": [StrOptions({"logit", "probit"})],
        "C": [Interval(Real, 0, None, closed="right")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "categories": ["array-like", None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "solver": [StrOptions(_SOLVERS | _L1_SOLVERS)],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        link: Literal["logit", "probit"] = "logit",
        C: float = 1.0,
        l1_ratio: float = 0.0,
        categories: Any = None,
        class_weight: Any = None,
        tol: float = 1e-4,
        max_iter: int = 100,
        warm_start: bool = False,
        solver: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.link = link
        self.C = C
        self.l1_ratio = l1_ratio
        self.categories = categories
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn coefficients and thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            Ordered classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        carried = order_of(y)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=False
        )
        if sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        classes, codes = ordered_codes(y, self.categories, carried)
        weights = self._weights(X, sample_weight, classes, codes)
        observed = np.bincount(codes, weights, len(classes)) > 0
        if observed.sum() < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data "
                f"contains only one class: {classes[observed].tolist()}"
            )

        if not observed[codes].all():  # rows without weight, of a class that has no others
            rows = np.flatnonzero(weights)
            X, codes, weights = X[rows], codes[rows], weights[rows]
        design = Design(X, effective_threads(self.n_jobs))
        among_observed = np.cumsum(observed) - 1
        loss = OrdinalLoss(design, among_observed[codes], weights, self.link)
        result = self._minimize(loss, float(weights.sum()), classes, observed)

        n_features = X.shape[1]
        self.classes_ = classes
        self.coef_ = result.x[:n_features].astype(X.dtype)
        self.thresholds_ = _spread(result.x[n_features:], observed).astype(X.dtype)
        self.n_iter_ = result.n_iter
        return self

    def latent(self, X: Any) -> Floats:
        """Return where rows lie on the latent scale, w'x, which the thresholds cut.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores; higher for higher classes.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return Design(X, effective_threads(self.n_jobs)).dot(self.coef_.astype(np.float64))

    def decision_function(self, X: Any) -> Floats:
        """Return scores whose largest is the prediction, in the shape scikit-learn expects.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes how far :meth:`latent` is above the threshold; with more the log
            probabilities.
        """
        latent = self.latent(X)
        if len(self.classes_) == 2:
            above: Floats = latent - float(self.thresholds_[0])
            return above
        return self._log_probability(latent)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; of equals, the lowest.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_median(self, X: Any) -> NDArray[Any]:
        """Return the class in which half of the probability is reached.

        It is the class between the thresholds where :meth:`latent` lies, and the better prediction
        where being wrong by two classes is twice as bad as by one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        latent = self.latent(X)
        place = np.searchsorted(self.thresholds_, latent)
        return np.asarray(self.classes_[place])

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._log_probability(self.latent(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        probabilities: Floats = np.exp(self.predict_log_proba(X))
        return probabilities

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Floats]:
        """Return the number of each row's class and the probabilities, from one product."""
        latent = self.latent(X)
        log_proba = self._log_probability(latent)
        if len(self.classes_) == 2:
            return (latent > float(self.thresholds_[0])).astype(np.intp), np.exp(log_proba)
        return log_proba.argmax(axis=1), np.exp(log_proba)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # where classes have no order along a line
        return tags

    def _log_probability(self, latent: Floats) -> Floats:
        return OrdinalLoss.log_probability(latent, self.thresholds_.astype(np.float64), self.link)

    def _weights(self, X: Any, sample_weight: Any, classes: Any, codes: Any) -> Floats:
        """Return the weights of the rows, those of their classes included."""
        weights: Floats = check_sample_weight(
            sample_weight, X, dtype=np.float64, copy=True, ensure_non_negative=True
        )
        if self.class_weight is not None:
            counted = weights > 0  # a row without weight is as if it were not there
            present = np.unique(codes[counted])
            of_class = np.zeros(len(classes))
            of_class[present] = compute_class_weight(
                self.class_weight,
                classes=classes[present],
                y=classes[codes[counted]],
                sample_weight=weights[counted],
            )
            weights *= of_class[codes]
        return np.asarray(weights, dtype=np.float64)

    def _minimize(
        self, loss: OrdinalLoss, total: float, classes: Any, observed: NDArray[np.bool_]
    ) -> OptimizeResult:
        """Run the solver; `total` is the sum of the weights."""
        # The objective of quire.optimize is ours divided by C * total.
        scale = 0.0 if np.isinf(self.C) else 1.0 / (self.C * total)
        penalty = ElasticNetPenalty(l1=self.l1_ratio * scale, l2=(1 - self.l1_ratio) * scale)
        usable = _SOLVERS if penalty.is_smooth else _L1_SOLVERS
        if self.solver not in usable:
            raise ValueError(
                f"solver={self.solver!r} does not apply with l1_ratio={self.l1_ratio} and "
                f"C={self.C}; use one of {sorted(usable)}."
            )
        null = loss.start()
        wanted = max(self.tol * norm(loss.gradient(null)), 1e-15)
        start = self._start(loss, classes, observed) if self.warm_start else None
        # Without a penalty the units of the columns should not matter, but they do in the norm of
        # the gradient. A step or two more of Newton's method make up for it.
        few = self.solver in ("auto", "newton") and choose_solver(loss, penalty) == "newton"
        result = minimize(
            loss,
            penalty,
            self.solver.replace("-", "_"),
            null if start is None else start,
            tol=1e-4 * wanted if few and np.isinf(self.C) else wanted,
            max_iter=self.max_iter,
            callback=self._report if self.verbose > 0 else None,
        )
        if np.isinf(self.C) and _warn_if_separable(loss, result.x):
            return result
        if result.gradient_norm > wanted:
            warn_not_converged(
                "OrdinalRegression",
                result.n_iter,
                "norm of the gradient",
                result.gradient_norm,
                wanted,
                remedy="scale the columns of X",
            )
        return result

    def _start(self, loss: OrdinalLoss, classes: Any, observed: NDArray[np.bool_]) -> Floats | None:
        """Return the parameters of the last fit, if they are of this problem."""
        if not hasattr(self, "coef_") or not np.array_equal(self.classes_, classes):
            return None
        ends = np.concatenate([self.thresholds_, [np.inf]])[observed][:-1]
        x = np.concatenate([self.coef_, ends]).astype(np.float64)
        if x.shape != (loss.size,) or not np.isfinite(x).all():
            return None
        return x if (np.diff(ends) > 0).all() else None

    @staticmethod
    def _report(iteration: int, x: Floats, value: float) -> None:
        print(f"OrdinalRegression: iteration {iteration}, mean objective {value:.8g}")


def _spread(thresholds: Floats, observed: NDArray[np.bool_]) -> Floats:
    """Return thresholds of all classes from those of the observed ones.

    The upper end of a class that was not observed is that of the class below it.
    """
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    spread: Floats = ends[np.cumsum(observed)[:-1]]
    return spread


def _warn_if_separable(datafit: Datafit, x: NDArray[np.float64]) -> bool:
    """Warn if the likelihood seems to have no maximum; return whether it does.

    Where classes can be told apart without error, the gradient goes to zero as the coefficients go
    to infinity, and its smallness says nothing. But the curvature goes to zero as fast, so that
    Newton's next step stays long. At a maximum it is short.

    Parameters
    ----------
    datafit : Datafit
        The loss.
    x : ndarray of shape (size,)
        Where the solver stopped.
    """
    coefficients, _ = datafit.split(newton_step(datafit, x))
    move = np.abs(datafit.design.dot(coefficients)).max(initial=0.0)
    if not move > _LARGE:
        return False
    warnings.warn(
        "Without a penalty this likelihood has no maximum, or the solver is far from it: the "
        "classes, or some of them, can be separated by a linear function of X, and the "
        "coefficients would grow without end. Where they stopped depends on tol. Give a finite C.",
        ConvergenceWarning,
        stacklevel=4,
    )
    return True
