"""Models of counts: what multinomial, complement and Bernoulli naive Bayes share.

All three learn from one table, how often term i occurs in the documents of class k (or in how many
of them), and all three score a document with a linear form. The table adds up: over batches
(:meth:`partial_fit`), over models (:meth:`merge`), over documents that are never held as a matrix
(:meth:`fit_text`).
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from quire._shared.class_sums import class_counts, class_sums
from quire._shared.labels import class_codes, codes_among
from quire._shared.naive_bayes import CountDecisions
from quire._shared.negative_weights import negative_counts
from quire._shared.sklearn import (
    BaseDiscreteNB,
    StrOptions,
    check_partial_fit_first_call,
    check_sample_weight,
    fit_context,
)
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import validate_data
from quire.naive_bayes._base import NaiveBayesMixin
from quire.naive_bayes._class_statistics import (
    PRIOR_ALPHA,
    join_classes,
    log_class_prior,
    placed,
)
from quire.naive_bayes._mergeable import check_same_columns, check_same_kind
from quire.naive_bayes._text import FromText

__all__ = ["COUNTS_CONSTRAINTS", "CountsNB"]


COUNTS_CONSTRAINTS: dict[str, Any] = {
    **BaseDiscreteNB._parameter_constraints,
    "class_prior": ["array-like", StrOptions({"documents", "tokens", "uniform"}), None],
    "n_jobs": [Integral, None],
    "prior_alpha": PRIOR_ALPHA,
}


class CountsNB(FromText, CountDecisions, NaiveBayesMixin, BaseDiscreteNB):
    """Counting, priors, predictions and evidence; subclasses say what the counts mean."""

    _parameter_constraints: ClassVar[dict[str, Any]] = COUNTS_CONSTRAINTS

    class_count_: Floats
    alpha: Any
    fit_prior: bool
    class_prior: Any
    prior_alpha: float
    n_jobs: int | None

    @property
    def feature_count_(self) -> Floats:
        """How often each term occurs in each class."""
        # Half the memory until someone asks; from then on the array that they were given is it.
        counts = self._counts()
        if counts.dtype != np.float64:
            counts = self._feature_count = counts.astype(np.float64)
        return counts

    @feature_count_.setter
    def feature_count_(self, counts: Floats) -> None:
        self._feature_count = np.ascontiguousarray(counts)  # as the kernels read it

    # What a subclass says

    @abstractmethod
    def _update_parameters(self, token_count: Floats, alpha: Floats) -> None:
        """Set ``feature_log_prob_`` from the counts.

        token_count is their sum over the features, alpha has one entry or n_features.
        """

    def _check_values(self, X: Any) -> None:
        """Raise an error if X has values that the model has no use for."""

    # Learning

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the terms of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Documents.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each document counts; 1 if not given.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", for_kernels=True)
        self._check_values(X)
        classes, codes = class_codes(y)
        counts = self._count_documents(X, codes, len(classes), sample_weight)
        self._forget_text()
        self._set_counts(classes, *counts)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more documents.

        After any number of calls the model equals one that was fitted on all documents at once.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            More documents.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All classes there may be. Needed at the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each document counts; 1 if not given.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        first_call = not hasattr(self, "classes_")
        X, y = validate_data(self, X, y, accept_sparse="csr", reset=first_call, for_kernels=True)
        check_partial_fit_first_call(self, classes)
        try:
            self._check_values(X)
            codes = codes_among(y, self.classes_)
            class_count, feature_count, _ = self._count_documents(
                X, codes, len(self.classes_), sample_weight
            )
            if not first_call:
                class_count += self.class_count_
                feature_count = feature_count + self.feature_count_
            self._check_counts(class_count, feature_count)
        except BaseException:
            if first_call:
                del self.classes_  # nothing was learned
            raise
        if not first_call:
            self._forget_pruned()
        self._set_counts(self.classes_, class_count, feature_count)
        return self

    def merge(self, other: CountsNB) -> Self:
        """Take over what another model has counted, on other documents.

        Afterwards this model equals one that was fitted on the documents of both: fit parts of a
        corpus in different processes or on different machines and merge the models. Models of
        :meth:`fit_text` may have different vocabularies, which are merged too.

        Parameters
        ----------
        other : object
            A fitted model of the same class. It is not changed.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_same_kind(self, other, ["binarize"] if hasattr(self, "binarize") else [])
        if self._merge_text(other):
            return self
        check_same_columns(self, other)
        classes, here, there = join_classes(self.classes_, other.classes_)
        class_count = placed(self.class_count_, here, len(classes))
        class_count[there] += other.class_count_
        feature_count = placed(self.feature_count_, here, len(classes))
        feature_count[there] += other._counts()
        self._set_counts(classes, class_count, feature_count)
        return self

    def _count_documents(
        self, X: Any, codes: NDArray[np.int32], n_classes: int, sample_weight: Any
    ) -> tuple[Floats, NDArray[Any], Floats]:
        threshold, n_threads = self._threshold(), effective_threads(self.n_jobs)
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, X, dtype=np.float64)
        if weights is None:
            sums = class_counts(X, codes, n_classes, threshold, n_threads)
        else:
            sums = class_sums(X, codes, n_classes, weights, threshold, n_threads)
        class_count = np.bincount(codes, weights, minlength=n_classes).astype(np.float64)
        return class_count, *sums

    def _check_counts(self, class_count: Floats, feature_count: NDArray[Any]) -> None:
        """Raise if negative weights leave less than nothing."""
        least = float(feature_count.min(initial=0)) + float(np.min(self._check_alpha()))
        if least < 0 or (class_count < 0).any():
            raise negative_counts()

    def _set_counts(
        self,
        classes: NDArray[Any],
        class_count: Floats,
        feature_count: NDArray[Any],
        token_count: Floats | None = None,
    ) -> None:
        self._check_counts(class_count, feature_count)
        self.classes_ = classes
        self.class_count_ = class_count
        self.feature_count_ = feature_count
        self._estimate(token_count)

    def smooth(self) -> Self:
        """Estimate the parameters anew from the counts, after a change of alpha or of the prior.

        Returns
        -------
        self
            The model, equal to one that was fitted with its parameters.

        Examples
        --------
        >>> from quire.naive_bayes import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 0], [0, 2]], ["a", "b"])
        >>> model.set_params(alpha=0.5).smooth().feature_log_prob_.round(3)
        array([[-0.182, -1.792],
               [-1.792, -0.182]])
        """
        check_is_fitted(self)
        self._validate_params()
        self._estimate()
        return self

    def _estimate(self, token_count: Floats | None = None) -> None:
        """Set all parameters from the counts."""
        alpha = np.atleast_1d(np.asarray(self._check_alpha(), dtype=np.float64))
        self._is_smooth = bool(alpha.min() > 0)
        if token_count is None:
            token_count = self._counts().sum(axis=1, dtype=np.float64)
        self._update_parameters(token_count, alpha)
        self.class_log_prior_ = log_class_prior(
            self.class_prior,
            self.fit_prior,
            self.class_count_,
            token_count,
            alpha=self.prior_alpha,
        )

    # Deciding

    def _check_X(self, X: Any) -> Any:
        return validate_data(self, X, accept_sparse="csr", reset=False, for_kernels=True)
