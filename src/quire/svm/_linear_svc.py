r"""Linear support vector machines for classes: the widest margin, at a price for what is inside it.

One problem for two classes, and one for each class against the rest for more.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.svm import LinearSVC as SklearnLinearSVC
from sklearn.utils import compute_class_weight

from quire._shared.labels import class_codes
from quire._shared.linear import LinearClassifier
from quire._shared.sklearn import fit_context, get_liblinear_solver_type, validate_dual_parameter
from quire._shared.validation import validate_data
from quire.svm._linear_fit import LinearFit

__all__ = ["LinearSVC"]


class LinearSVC(LinearClassifier, SklearnLinearSVC):
    r"""Linear support vector machine for classes.

    .. math:: \min_{w, b} \; \tfrac12 \|w\|^2 + \tfrac12 (b / s)^2
              + C \sum_i c_i \max(0, 1 - y_i (w'x_i + b))^q

    with :math:`y_i = \pm 1`, weights :math:`c_i` of samples and classes, q = 2 for the loss
    "squared_hinge" and 1 for "hinge", and s the `intercept_scaling`. A drop-in replacement for
    scikit-learn's class of this name.

    Parameters
    ----------
    penalty : {"l1", "l2"}, default="l2"
        The norm of the weights. "l1", for the squared loss and ``dual=False``, is scikit-learn's
        own code.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The loss.
    dual : "auto" or bool, default="auto"
        Restricted as in scikit-learn; the minimum is the same. "auto" means the primal problem
        where samples outnumber features and the loss is squared.
    tol : float, default=1e-4
        Coordinate descent ends when the range of the projected gradient of the dual is at most
        `tol`, or the duality gap at most ``tol / 100`` of the objective. Newton's method: norm of
        the gradient, relative to that at zero and to the share of the smaller class.
    C : float, default=1.0
        What a sample inside the margin costs.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        One problem for each class against the rest, or one for all (scikit-learn's own code).
    fit_intercept : bool, default=True
        Whether there is a b.
    intercept_scaling : float, default=1
        The larger, the weaker the penalty on b.
    class_weight : dict or "balanced", default=None
        Weights of the classes. Against the rest, a class has its weight and the rest has 1.
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
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,), or 0.0
        Intercepts.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    margin_width_ : ndarray of shape (1,) or (n_classes,)
        Distance between the two edges of the margin, :math:`2 / \|w\|`.
    n_iter_ : int
        Passes or steps, the most of any problem.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    SVC : Kernels, and a margin whose intercept is not penalised.
    quire.linear_model.LogisticRegression : Probabilities.

    Notes
    -----
    Coordinate descent on the dual: a pass over the samples serves all classes at once, each stored
    value meeting their weights side by side, and each class leaves out what is settled for it.
    Squared losses of many samples with few features are fitted by Newton's method.
    :func:`quire.inspection.explain` takes decisions apart exactly.

    References
    ----------
    C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, "A dual coordinate descent
    method for large-scale linear SVM", ICML 2008.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> from quire.svm import LinearSVC
    >>> texts = ["a good film", "a very good film", "rain tomorrow", "sun and rain"]
    >>> model = make_pipeline(TfidfVectorizer(), LinearSVC(random_state=0))
    >>> model = model.fit(texts, ["film", "film", "weather", "weather"])
    >>> model.predict(["good rain and sun"])
    array(['weather'], dtype='<U7')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnLinearSVC._parameter_constraints,
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            penalty=penalty,
            loss=loss,
            dual=dual,
            tol=tol,
            C=C,
            multi_class=multi_class,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            class_weight=class_weight,
            verbose=verbose,
            random_state=random_state,
            max_iter=max_iter,
        )
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVC:
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
        if self.penalty == "l1" or self.multi_class == "crammer_singer":
            super().fit(X, y, sample_weight)
            self._set_margin()
            return self
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        classes, codes = class_codes(y)
        dual = validate_dual_parameter(self.dual, self.loss, self.penalty, self.multi_class, X)
        get_liblinear_solver_type(self.multi_class, self.penalty, self.loss, dual)
        if len(classes) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data "
                f"contains only one class: {classes[0]!r}"
            )
        class_weight = compute_class_weight(
            self.class_weight, classes=classes, y=classes[codes], sample_weight=sample_weight
        )
        fit = LinearFit.of(self, X, sample_weight, dual)
        found = fit.classes(codes, len(classes), class_weight.astype(np.float64))
        if self.verbose:
            print(f"[LinearSVC] {found.n_iter} iterations")

        self.classes_ = classes
        self.coef_, self.intercept_, self.n_iter_ = found.coef, found.intercept, found.n_iter
        self._set_margin()
        return self

    def _set_margin(self) -> None:
        norms = np.sqrt(np.einsum("ij,ij->i", self.coef_, self.coef_))
        self.margin_width_ = np.divide(2.0, norms, out=np.full_like(norms, np.inf), where=norms > 0)
