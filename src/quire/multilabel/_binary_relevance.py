r"""A model for each label, and a threshold for each that is learned from held-out documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from quire._shared.deciding import by_share, scores_of
from quire._shared.label_folds import label_folds
from quire._shared.label_sets import LabelSets, are_sets, label_sets
from quire._shared.label_thresholds import Corners, corners_of, thresholds_of
from quire._shared.labels import class_codes
from quire._shared.sklearn import HasMethods, Interval, StrOptions, fit_context, safe_indexing
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.linear_model import LogisticRegression
from quire.multilabel._rows import checked_rows, n_rows

__all__ = ["BinaryRelevance"]

_TWO = np.array([0, 1])
_FEW = 20_000  # rows times labels


class BinaryRelevance(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""A model for two classes for each label: it has the label, or it has not.

    .. math:: \hat Y(x) = \{\, l : f_l(x) > t_l \,\}

    The threshold :math:`t_l` is chosen on documents while they are held out, for the F1 of all
    decisions together or for the mean of the labels' F1. Zero, the usual one, is too high for most
    labels that few documents have.

    This is scikit-learn's ``OneVsRestClassifier`` for sets of labels, with thresholds, for labels
    of any kind, and with decisions that are explained.

    Parameters
    ----------
    estimator : classifier, default=None
        The model for two classes, with ``decision_function`` or ``predict_proba``.
        :class:`quire.linear_model.LogisticRegression` if ``None``.
    threshold : {"f1_micro", "f1_macro"} or None, default="f1_micro"
        What thresholds are chosen for: F1 of all decisions together, or the mean over labels.
        ``None`` leaves them where they are, at decisions of 0 or probabilities of one half.
    cv : int, default=3
        Folds that are held out to choose thresholds; every label is spread over them evenly.
    min_documents : float, default=5
        So many documents, as it were, speak for the median threshold of all labels beside those of
        the label: with few of its own, a label is decided as others are.
    n_jobs : int, default=None
        Labels that are learned side by side; ``None`` means as many as there are threads. The
        result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The labels; numbers of columns where y was a matrix.
    multilabel_ : bool
        Whether there are several labels for a document. Of a `y` with one label for each, this is a
        classifier of one against the rest: the largest score decides, without thresholds.
    estimators_ : list of classifiers
        The models, of the labels that some training documents have and others have not.
    constants_ : ndarray of int8 of shape (n_labels,)
        0 for these; 1 for labels that all training documents have, and are predicted always; -1 for
        those that none has, which are predicted never.
    thresholds_ : ndarray of shape (n_labels,)
        What a score has to be above.
    default_threshold_ : float
        The usual one: 0 for decisions and log-odds, 0.5 for probabilities.
    best_score_ : float
        The score of held-out documents with the thresholds that are best for them; NaN if none
        were chosen. It is flattered by the choice.
    separator_ : str
        What stands between labels where a set is written as text.
    n_features_in_ : int
        Number of features, if rows have them.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if there are any.

    See Also
    --------
    LabelPowerset : Knows which labels go together.

    Notes
    -----
    A sparse X is never made dense, and its rows are taken once for each fold and not for each
    label. With L labels there are L (cv + 1) fits. What is kept for the choice of thresholds grows
    with the labels that documents have, and not with documents times labels.

    References
    ----------
    G. Tsoumakas, I. Katakis (2007). Multi-label classification: an overview. International Journal
    of Data Warehousing and Mining 3(3), 1-13.

    Examples
    --------
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> from quire.multilabel import BinaryRelevance
    >>> texts = ["rain and wind", "a storm, rain", "sun", "sun and wind", "rain", "wind"] * 5
    >>> labels = [["wet", "windy"], ["wet", "windy"], ["dry"], ["dry", "windy"], ["wet"], ["windy"]]
    >>> vectorizer = TfidfVectorizer()
    >>> model = BinaryRelevance().fit(vectorizer.fit_transform(texts), labels * 5)
    >>> X = vectorizer.transform(["wind and sun", "rain"])
    >>> model.predict(X)
    array([[1, 0, 1],
           [0, 1, 0]])
    >>> list(model.predict_labels(X))
    [('dry', 'windy'), ('wet',)]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "threshold": [StrOptions({"f1_micro", "f1_macro"}), None],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "min_documents": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        threshold: str | None = "f1_micro",
        cv: int = 3,
        min_documents: float = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.cv = cv
        self.min_documents = min_documents
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> BinaryRelevance:
        """Fit a model for each label, and choose the thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the models take them.
        y : LabelSets, matrix, or sequence of shape (n_samples,)
            The labels of each, as :func:`label_sets` takes them; texts are taken for one label
            each.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = checked_rows(self, X, reset=True)
        if are_sets(y):
            sets = label_sets(y)
            multilabel = True
        else:
            sets, multilabel = _one_each(y), False
        check_consistent_length(X, sets.indicator)
        if sets.shape[1] == 0:
            raise ValueError("No document has a label, so there is nothing to learn.")
        by_label = sets.indicator.tocsc()
        n, n_labels = sets.shape
        sizes = np.diff(by_label.indptr)
        constants = np.where(sizes == 0, -1, np.where(sizes == n, 1, 0)).astype(np.int8)
        asked = np.flatnonzero(constants == 0)
        if not multilabel and n_labels == 2:
            asked = asked[1:]  # one model for two classes
        parts = []
        if multilabel and self.threshold is not None:
            folds = label_folds(sets.indicator, min(self.cv, n), random_state=0)
            for fold in range(self.cv):
                train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
                parts.append((train, test, safe_indexing(X, train), safe_indexing(X, test)))
        base = self._base()

        def learn(label: int) -> tuple[Any, Corners | None]:
            has_it = np.zeros(n, dtype=np.int64)
            has_it[by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]] = 1
            held_out = []
            for train, test, X_train, X_test in parts:
                if len(test) and 0 < has_it[train].sum() < len(train):
                    model = _fitted(base, X_train, has_it[train])
                    held_out.append((scores_of(model, X_test, _TWO, as_logarithms=False), test))
            corners = None
            if held_out:
                rows = np.concatenate([test for _, test in held_out])
                scores = np.concatenate([score for score, _ in held_out])
                corners = corners_of(scores, has_it[rows] == 1)
            return _fitted(base, X, has_it), corners

        learned = _side_by_side(learn, asked.tolist(), self.n_jobs)
        self.estimators_ = [model for model, _ in learned]
        self.default_threshold_ = 0.0
        if self.estimators_ and by_share(self.estimators_[0]):
            self.default_threshold_ = 0.5
        self.thresholds_ = np.full(n_labels, self.default_threshold_)
        self.best_score_ = float("nan")
        if parts:
            assert self.threshold is not None
            found, self.best_score_ = thresholds_of(
                [corners for _, corners in learned],
                self.threshold,
                self.default_threshold_,
                float(self.min_documents),
            )
            self.thresholds_[asked] = found
        self.constants_ = constants
        self.classes_, self.multilabel_ = sets.classes, multilabel
        self.separator_ = sets.separator
        self._is_sparse = sparse.issparse(y)
        return self

    def _base(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def label_scores(self, X: Any) -> Floats:
        """Return the scores of the labels, before thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the models take them.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Decisions or log-odds, or else probabilities. Of labels without a model, 1 above or
            below the threshold.
        """
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)

        def ask(model: Any) -> Floats:
            return scores_of(model, X, _TWO, as_logarithms=False)

        columns = _side_by_side(ask, self.estimators_, self.n_jobs, n_rows(X))
        scores = np.empty((n_rows(X), len(self.classes_)))
        scores[:] = self.thresholds_ + self.constants_
        if not self.multilabel_ and len(self.classes_) == 2:
            scores[:, 1] = columns[0]
            scores[:, 0] = 2 * self.default_threshold_ - columns[0]
            return scores
        for place, column in zip(np.flatnonzero(self.constants_ == 0), columns, strict=True):
            scores[:, place] = column
        return scores

    def decision_function(self, X: Any) -> Floats:
        """Return by how much the scores of labels are above their thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the models take them.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            A label is predicted where it is above 0. Of two classes, one for a sample, that of the
            second, of shape (n_samples,).
        """
        decisions: Floats = self.label_scores(X) - self.thresholds_
        if not self.multilabel_ and len(self.classes_) == 2:
            return decisions[:, 1]
        return decisions

    def predict(self, X: Any) -> Any:
        """Return the labels of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the models take them.

        Returns
        -------
        ndarray of int or csr_array of shape (n_samples, n_labels)
            1 where a sample has a label; sparse if y was. One label for each, of shape
            (n_samples,), if y had that.
        """
        check_is_fitted(self)
        decisions = self.decision_function(X)
        if not self.multilabel_:
            if decisions.ndim == 1:
                decisions = np.column_stack([-decisions, decisions])
            labels: NDArray[Any] = self.classes_[decisions.argmax(axis=1)]
            return labels
        predicted = (decisions > 0).astype(np.int64)
        return sparse.csr_array(predicted) if self._is_sparse else predicted

    def predict_labels(self, X: Any) -> LabelSets:
        """Return the labels of each sample by their names.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the models take them.

        Returns
        -------
        LabelSets
            A sequence of tuples.
        """
        return _named(self, self.predict(X))

    @available_if(lambda self: hasattr(_asked(self), "predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each label by itself; thresholds do not change it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or documents
            Samples, as the models take them.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            They do not add up to one, unless y had one label for each sample.
        """
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)

        def ask(model: Any) -> Floats:
            return np.asarray(model.predict_proba(X), dtype=np.float64)[:, 1]

        columns = _side_by_side(ask, self.estimators_, self.n_jobs, n_rows(X))
        if not self.multilabel_ and len(self.classes_) == 2:
            return np.column_stack([1 - columns[0], columns[0]])
        P = np.empty((n_rows(X), len(self.classes_)))
        P[:] = self.constants_ > 0
        for place, column in zip(np.flatnonzero(self.constants_ == 0), columns, strict=True):
            P[:, place] = column
        if not self.multilabel_:
            P /= np.maximum(P.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        return P

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: several labels, sparse input as the model takes it."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        base = self._base()
        if hasattr(base, "__sklearn_tags__"):
            tags.input_tags = base.__sklearn_tags__().input_tags
        return tags


def _asked(model: BinaryRelevance) -> Any:
    fitted = getattr(model, "estimators_", None)
    return fitted[0] if fitted else model._base()


def _one_each(y: Any) -> LabelSets:
    classes, codes = class_codes(y)
    if len(classes) < 2:
        raise ValueError(f"y must have two classes or more, not one class: {classes.tolist()}.")
    ends = np.arange(len(codes) + 1)
    Y = sparse.csr_array(
        (np.ones(len(codes), dtype=np.int8), codes, ends), shape=(len(codes), len(classes))
    )
    return LabelSets(classes, Y)


def _fitted(base: Any, X: Any, y: Any) -> Any:
    return clone(base).fit(X, y)


def _named(model: Any, predicted: Any) -> LabelSets:
    """Return predictions of labels by their names."""
    if model.multilabel_:
        found = label_sets(predicted)
        return LabelSets(model.classes_, found.indicator, model.separator_)
    return label_sets([[label] for label in predicted.tolist()])


def _side_by_side(
    work: Callable[[Any], Any], items: Sequence[Any], n_jobs: int | None, rows: int | None = None
) -> list[Any]:
    """Return what a function makes of items, several at a time and each on one thread.

    A few rows are asked about one after the other: to start threads would take longer.
    """
    if rows is not None and rows * len(items) < _FEW:
        return [work(item) for item in items]
    n_threads = min(effective_threads(n_jobs), len(items))
    with threadpool_limits(1, "blas"):  # the same bits, whatever the number of threads
        if n_threads <= 1:
            return [work(item) for item in items]
        with ThreadPoolExecutor(n_threads, initializer=_alone) as pool:
            return list(pool.map(work, items))


def _alone() -> None:
    """Hold our kernels to one thread in this thread, which is one of several."""
    threadpool_limits(1, "quire")
