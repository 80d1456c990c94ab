r"""One class against all others, with one hyperplane fewer than there are classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from quire._shared.labels import class_codes
from quire._shared.sklearn import HasMethods, fit_context
from quire._shared.typing import Floats
from quire._shared.validation import validate_data
from quire.linear_model import LogisticRegression
from quire.multiclass._binary import side

__all__ = ["OneVsAllClassifier"]


class OneVsAllClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""K - 1 models, each for one class against all others; what none claims is of class K.

    .. math:: \hat y(x) = \begin{cases}
              \arg\max_{k < K} f_k(x) & \text{if any } f_k(x) > 0 \\
              C_K & \text{otherwise}
              \end{cases}

    A sample that several classes claim goes to the one that claims it most; the rule itself has no
    answer there, and :func:`undecided` marks such samples. scikit-learn's ``OneVsRestClassifier``
    has a model for the last class as well, and is undecided where none claims a sample, too.

    Parameters
    ----------
    estimator : classifier, default=None
        The model for two classes, with ``decision_function`` or ``predict_proba``.
        :class:`quire.linear_model.LogisticRegression` if ``None``.
    otherwise : object, default=None
        The class without a model, which gets what no other claims; the last if ``None``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    otherwise_ : object
        The class without a model.
    claimants_ : ndarray of shape (n_classes - 1,)
        The other classes.
    estimators_ : list of n_classes - 1 classifiers
        Their models, each with 1 for its class and 0 for the rest.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    undecided : Where the rule has no answer.

    Examples
    --------
    >>> from quire.multiclass import OneVsAllClassifier
    >>> X = [[0, 0], [1, 0], [9, 0], [8, 0], [4, 9], [5, 9]]
    >>> y = ["left", "left", "right", "right", "up", "up"]
    >>> model = OneVsAllClassifier().fit(X, y)
    >>> model.predict([[0, 1], [9, 1], [4, 8]]), len(model.estimators_)
    (array(['left', 'right', 'up'], dtype='<U5'), 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit"]), None],
        "otherwise": "no_validation",
    }

    def __init__(self, estimator: Any = None, *, otherwise: Any = None) -> None:
        self.estimator = estimator
        self.otherwise = otherwise

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> OneVsAllClassifier:
        """Fit a model for each class but one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as the models take them.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        validate_data(self, X, skip_check_array=True)
        classes, codes = class_codes(y)
        if len(classes) < 2:
            raise ValueError(f"y must have two classes or more, not one class: {classes.tolist()}.")
        last = len(classes) - 1
        if self.otherwise is not None:
            found = np.flatnonzero(classes == self.otherwise)
            if len(found) != 1:
                raise ValueError(f"{self.otherwise!r} is not among the classes {classes.tolist()}.")
            last = int(found[0])
        base = LogisticRegression() if self.estimator is None else self.estimator
        claimants = np.delete(np.arange(len(classes)), last)
        self.estimators_ = [clone(base).fit(X, (codes == k).astype(np.int64)) for k in claimants]
        self.classes_ = classes
        self.claimants_ = classes[claimants]
        self.otherwise_ = classes[last]
        return self

    def claims(self, X: Any) -> Floats:
        """Return the scores of the classes that have a model; above zero they claim a sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes - 1)
            In the order of ``claimants_``.
        """
        check_is_fitted(self)
        return np.column_stack([side(model, X) for model in self.estimators_])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that claims each sample most, and the other class if none does.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        scores = self.claims(X)
        labels: NDArray[Any] = self.claimants_[scores.argmax(axis=1)]
        labels[scores.max(axis=1) <= 0] = self.otherwise_
        return labels

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: sparse input as the model for two classes takes it."""
        tags = super().__sklearn_tags__()
        base = LogisticRegression() if self.estimator is None else self.estimator
        if hasattr(base, "__sklearn_tags__"):
            tags.input_tags.sparse = base.__sklearn_tags__().input_tags.sparse
        return tags
