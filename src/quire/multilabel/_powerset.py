r"""Each set of labels that occurs is a class."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from quire._shared.deciding import scores_of
from quire._shared.label_sets import LabelSets, are_sets, label_sets
from quire._shared.labels import class_codes
from quire._shared.sklearn import HasMethods, Interval, fit_context
from quire._shared.typing import Codes, Floats, Ints
from quire.linear_model import LogisticRegression
from quire.multilabel._rows import checked_rows, n_rows

__all__ = ["LabelPowerset"]


class LabelPowerset(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""A model for several classes, which are the sets of labels that occur.

    .. math:: \hat Y(x) = \arg\max_{S \in \mathcal{S}} f_S(x)

    It predicts only sets that it has seen, and so it knows which labels go together. A set with few
    documents is folded into the nearest frequent one: that which differs in the fewest labels, of
    equally near ones the most frequent.

    Parameters
    ----------
    estimator : classifier, default=None
        The model for classes. :class:`quire.linear_model.LogisticRegression` if ``None``.
    min_documents : int, default=2
        Documents that a set must have, not to be folded into another.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The labels; numbers of columns where y was a matrix.
    multilabel_ : bool
        Whether there are several labels for a document. Of a `y` with one label for each, this is
        the model for classes itself.
    sets_ : csr_array of int8 of shape (n_sets, n_labels)
        The sets that are predicted.
    n_folded_ : int
        Training documents whose set was folded into another.
    estimator_ : classifier or None
        The model of the numbers of sets; ``None`` if there is one set only.
    separator_ : str
        What stands between labels where a set is written as text.
    n_features_in_ : int
        Number of features, if rows have them.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if there are any.

    See Also
    --------
    BinaryRelevance : A model and a threshold for each label.

    Notes
    -----
    The decision for a label is the score of the best set with it less that of the best set without:
    it is above 0 where the best set has the label.

    References
    ----------
    G. Tsoumakas, I. Katakis (2007). Multi-label classification: an overview. International Journal
    of Data Warehousing and Mining 3(3), 1-13.

    Examples
    --------
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.multilabel import LabelPowerset
    >>> texts = ["rain and wind", "a storm, rain", "sun", "sun and wind", "rain", "wind"] * 3
    >>> labels = [["wet", "windy"], ["wet", "windy"], ["dry"], ["dry", "windy"], ["wet"], ["windy"]]
    >>> vectorizer = CountVectorizer()
    >>> model = LabelPowerset().fit(vectorizer.fit_transform(texts), labels * 3)
    >>> list(model.predict_labels(vectorizer.transform(["wind and rain", "sun"])))
    [('wet', 'windy'), ('dry',)]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "min_documents": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, estimator: Any = None, *, min_documents: int = 2) -> None:
        self.estimator = estimator
        self.min_documents = min_documents

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> LabelPowerset:
        """Fit the model to the sets of labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.
        y : LabelSets, matrix, or sequence of shape (n_samples,)
            The labels of each, as :func:`label_sets` takes them; texts are taken for one label
            each.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = checked_rows(self, X, reset=True)
        multilabel = are_sets(y)
        if multilabel:
            labels = label_sets(y)
            check_consistent_length(X, labels.indicator)
            if labels.shape[1] == 0:
                raise ValueError("No document has a label, so there is nothing to learn.")
            sets, codes, n_folded = _sets_of(labels.indicator, self.min_documents)
            classes, separator = labels.classes, labels.separator
        else:
            classes, codes = class_codes(y)
            if len(classes) < 2:
                raise ValueError(
                    f"y must have two classes or more, not one class: {classes.tolist()}."
                )
            sets = sparse.csr_array(sparse.eye_array(len(classes), dtype=np.int8))
            n_folded, separator = 0, "|"
            check_consistent_length(X, codes)
        self.estimator_ = None
        if sets.shape[0] > 1:
            self.estimator_ = clone(self._base()).fit(X, codes.astype(np.int64))
        self.classes_, self.multilabel_, self.separator_ = classes, multilabel, separator
        self.sets_, self.n_folded_ = sets, n_folded
        self._is_sparse = sparse.issparse(y)
        return self

    def _base(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def set_scores(self, X: Any) -> Floats:
        """Return the score of each set.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_sets)
            The set with the largest is predicted.
        """
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        n_sets = self.sets_.shape[0]
        if self.estimator_ is None:
            return np.zeros((n_rows(X), 1))
        found = scores_of(self.estimator_, X, np.arange(n_sets), as_logarithms=True)
        if n_sets == 2:
            return np.column_stack([np.zeros(len(found)), found])
        return found

    def decision_function(self, X: Any) -> Floats:
        """Return the score of the best set with a label less that of the best one without.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            A label is predicted where it is above 0. Of a label that all sets have, or none, it is
            beyond all other decisions. Of two classes, one for a sample, that of the second.
        """
        scores = self.set_scores(X)
        if not self.multilabel_:
            return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores
        has_it = self.sets_.toarray() > 0
        n = len(scores)
        best_with, best_without = (np.full((n, len(self.classes_)), -np.inf) for _ in range(2))
        for number, labels in enumerate(has_it):
            column = scores[:, [number]]
            best_with[:, labels] = np.maximum(best_with[:, labels], column)
            best_without[:, ~labels] = np.maximum(best_without[:, ~labels], column)
        beyond = 1.0 + (scores.max(initial=0.0) - scores.min(initial=0.0))
        decisions = np.full(best_with.shape, beyond)
        decisions[:, ~has_it.any(axis=0)] = -beyond
        both = has_it.any(axis=0) & ~has_it.all(axis=0)
        decisions[:, both] = best_with[:, both] - best_without[:, both]
        return decisions

    def predict(self, X: Any) -> Any:
        """Return the labels of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of int or csr_array of shape (n_samples, n_labels)
            1 where a sample has a label; sparse if y was. One label for each, of shape
            (n_samples,), if y had that.
        """
        numbers = self.set_scores(X).argmax(axis=1)
        if not self.multilabel_:
            labels: NDArray[Any] = self.classes_[numbers]
            return labels
        predicted = sparse.csr_array(self.sets_[numbers]).astype(np.int64)
        return predicted if self._is_sparse else predicted.toarray()

    def predict_labels(self, X: Any) -> LabelSets:
        """Return the labels of each sample by their names.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        LabelSets
            A sequence of tuples.
        """
        numbers = self.set_scores(X).argmax(axis=1)
        return LabelSets(self.classes_, sparse.csr_array(self.sets_[numbers]), self.separator_)

    @available_if(lambda self: hasattr(_asked(self), "predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each label: that of all sets that have it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            They do not add up to one, unless y had one label for each sample.
        """
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        if self.estimator_ is None:
            return np.repeat(self.sets_.toarray().astype(np.float64), n_rows(X), axis=0)
        P = np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)
        return np.asarray(P @ self.sets_.astype(np.float64)).clip(0.0, 1.0)

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: several labels, sparse input as the model takes it."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        base = self._base()
        if hasattr(base, "__sklearn_tags__"):
            tags.input_tags = base.__sklearn_tags__().input_tags
        return tags


def _asked(model: LabelPowerset) -> Any:
    return getattr(model, "estimator_", None) or model._base()


def _sets_of(indicator: Any, least: int) -> tuple[Any, Codes, int]:
    """Return the sets that are frequent, the number of that of each document, and how many moved.

    With no set of so many documents, the most frequent size is what counts as frequent.
    """
    keys = [
        tuple(indicator.indices[a:b].tolist())
        for a, b in zip(indicator.indptr[:-1], indicator.indptr[1:], strict=True)
    ]
    known = sorted(set(keys))
    number = {key: k for k, key in enumerate(known)}
    codes: Ints = np.array([number[key] for key in keys], dtype=np.int64)
    sizes = np.bincount(codes, minlength=len(known))
    is_frequent = sizes >= min(least, int(sizes.max(initial=1)))
    places = [k for k in range(len(known)) if is_frequent[k]]
    rows = np.unique(codes, return_index=True)[1]
    frequent = sparse.csr_array(indicator[rows[places]])
    to = np.empty(len(known), dtype=np.int32)
    to[places] = np.arange(len(places), dtype=np.int32)
    rare = np.flatnonzero(~is_frequent)
    if len(rare):
        others = sparse.csr_array(indicator[rows[rare]]).astype(np.int64)
        common = (others @ frequent.astype(np.int64).T).toarray()
        widths = np.diff(frequent.indptr)
        distance = np.diff(others.indptr)[:, None] + widths[None, :] - 2 * common
        order = np.argsort(-sizes[places], kind="stable")  # of equally near ones the most frequent
        to[rare] = order[distance[:, order].argmin(axis=1)]
    return frequent, to[codes], int((~is_frequent)[codes].sum())
