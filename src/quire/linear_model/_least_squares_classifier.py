r"""Classification by least squares: classes are coded as numbers and a linear function fits them.

.. math:: W = \tilde X^+ T

with a column of ones in :math:`\tilde X`, its pseudo-inverse :math:`\tilde X^+`, and targets T: +1
and -1 for two classes, one column of zeros and ones for each of more.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import compute_sample_weight

from quire._shared.labels import class_codes
from quire._shared.linear import LinearClassifier
from quire._shared.sklearn import (
    Interval,
    LinearClassifierMixin,
    StrOptions,
    check_sample_weight,
    fit_context,
)
from quire._shared.threads import effective_threads
from quire._shared.typing import Codes
from quire._shared.validation import validate_data
from quire.linear_model._engines.sparse_least_squares import sparse_ridge_path
from quire.linear_model._linear_regression import LinearRegression
from quire.linear_model._ridge import Ridge

__all__ = ["LeastSquaresClassifier"]


class LeastSquaresClassifier(LinearClassifier, LinearClassifierMixin, BaseEstimator):
    r"""Classifier that fits a linear function to coded classes.

    With targets :math:`t_i`, which for two classes are -1 and +1 and for more have a 1 in the place
    of the class and 0 elsewhere, it minimises

    .. math:: \sum_i s_i \lVert t_i - Wx_i - c \rVert^2 + \alpha \lVert W \rVert^2

    and predicts by sign or by the largest fitted value. It is quick and has a closed form, but it
    punishes samples that are far on the *right* side of the boundary too, and so is pulled by them
    where logistic regression is not. It is here to be compared with.

    Parameters
    ----------
    alpha : float, default=0.0
        Penalty. 0 is plain least squares, with the coefficients of least norm if there are many.
    fit_intercept : bool, default=True
        Whether there is an intercept c, or it is 0.
    class_weight : dict or "balanced", default=None
        Weights of the classes; "balanced" gives all the same total.
    tol : float, default=1e-6
        Precision, as in :class:`LinearRegression` and :class:`Ridge`.
    n_jobs : int, default=None
        Number of threads for sparse X. ``None`` means all cores that this process may use. The
        result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients W; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts c; zeros without one.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.

    See Also
    --------
    Ridge : The same for numbers.

    Notes
    -----
    With an intercept and more than two classes, the fitted values of a sample add up to 1, but they
    are no probabilities: they may be negative. For two classes the result is Fisher's
    discriminant direction; where classes lie in a row, the middle one may never be predicted
    ("masking", Hastie, Tibshirani and Friedman 2009, section 4.2).

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 4.1.3. Springer.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import LeastSquaresClassifier
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = LeastSquaresClassifier().fit(X, ["no", "no", "yes", "yes"])
    >>> model.coef_.round(6), model.predict([[-0.1], [0.1]])
    (array([[0.6]]), array(['no', 'yes'], dtype='<U3'))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        alpha: float = 0.0,
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LeastSquaresClassifier:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, targets, weights = self._read(X, y, sample_weight)
        model = self._regression().fit(X, targets, weights)
        self._set(model.coef_, model.intercept_, X)
        return self

    def fit_path(self, X: Any, y: Any, alphas: Sequence[float]) -> list[LeastSquaresClassifier]:
        """Fit at several penalties; sparse X costs about as much as it does with one of them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes, at least two.
        alphas : sequence of float
            Penalties.

        Returns
        -------
        list of LeastSquaresClassifier
            One fitted model for each penalty; this one is left as it is.
        """
        models = [clone(self).set_params(alpha=alpha) for alpha in alphas]
        if not sparse.issparse(X) or not models or min(alphas) <= 0:
            return [model.fit(X, y) for model in models]
        first = models[0]
        first._validate_params()
        X, targets, weights = first._read(X, y, None)
        fits = sparse_ridge_path(
            X,
            targets.reshape(len(targets), -1),
            alphas=[float(alpha) for alpha in alphas],
            sample_weight=weights,
            fit_intercept=self.fit_intercept,
            tol=self.tol,
            n_threads=effective_threads(self.n_jobs),
        )
        for model, fit in zip(models, fits, strict=True):
            model.classes_, model.n_features_in_ = first.classes_, X.shape[1]
            model._set(fit.coef.astype(X.dtype, copy=False), fit.intercept, X)
        return models

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray[Any], Any]:
        """Return checked samples, targets and weights; set the classes."""
        dtypes = [np.float64, np.float32]
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=dtypes)
        self.classes_, codes = class_codes(y)
        if len(self.classes_) < 2:
            raise ValueError(
                "LeastSquaresClassifier needs samples of at least 2 classes in the data, but the "
                f"data contains only one class: {self.classes_[0]!r}"
            )
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, X, dtype=X.dtype, ensure_non_negative=True)
        if self.class_weight is not None:
            of_class = compute_sample_weight(self.class_weight, y).astype(X.dtype)
            weights = of_class if weights is None else weights * of_class
        return X, _targets(codes, len(self.classes_), X.dtype), weights

    def _set(self, coef: NDArray[Any], intercept: Any, X: Any) -> None:
        self.coef_ = coef.reshape(-1, X.shape[1])
        self.intercept_ = np.broadcast_to(
            np.asarray(intercept, dtype=self.coef_.dtype), len(self.coef_)
        ).copy()

    def _regression(self) -> LinearRegression | Ridge:
        options: dict[str, Any] = {"fit_intercept": self.fit_intercept, "n_jobs": self.n_jobs}
        if self.alpha > 0:
            return Ridge(self.alpha, tol=self.tol, **options)
        return _QuietRegression(tol=self.tol, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _QuietRegression(LinearRegression):
    """Least squares; nothing to say where columns were scaled: no other class has this name."""

    def _warn_of_scales(self, columns: NDArray[np.intp]) -> None:
        return


def _targets(codes: Codes, n_classes: int, dtype: Any) -> NDArray[Any]:
    """Return -1 and +1 for two classes, and a column of 0 and 1 for each of more."""
    if n_classes == 2:
        return (2 * codes - 1).astype(dtype)
    targets = np.zeros((len(codes), n_classes), dtype=dtype)
    targets[np.arange(len(codes)), codes] = 1
    return targets
