r"""Categorical columns: each value is one of a few, and each class has its own shares of them.

.. math:: P(x_j = c \mid k) = \frac{N_{kjc} + \alpha}{N_{kj} + \alpha C_j}

:math:`N_{kjc}` is the number of rows of class :math:`k` with category :math:`c` in column
:math:`j`, :math:`N_{kj}` their sum over the categories and :math:`C_j` the number of categories.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import CategoricalNB as SklearnCategoricalNB
from sklearn.utils.validation import check_is_fitted

from quire._shared.draws import draw_words
from quire._shared.evidence import Evidence
from quire._shared.evidence_terms import LinearTerms
from quire._shared.labels import class_codes, codes_among
from quire._shared.negative_weights import negative_counts
from quire._shared.sklearn import check_partial_fit_first_call, check_sample_weight, fit_context
from quire._shared.term_weights import TermWeight, feature_names_of, rank_terms
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.naive_bayes._base import NaiveBayesMixin
from quire.naive_bayes._category_tables import add_lookups, category_counts, one_hot, widened
from quire.naive_bayes._class_statistics import (
    CLASS_PRIOR,
    PRIOR_ALPHA,
    join_classes,
    log_class_prior,
    log_proportions,
    placed,
)
from quire.naive_bayes._mergeable import check_mergeable

__all__ = ["CategoricalNB"]


class CategoricalNB(NaiveBayesMixin, SklearnCategoricalNB):
    r"""Naive Bayes for categorical columns.

    A drop-in replacement for scikit-learn's class of this name that counts a column in one pass
    whatever the number of classes, can do without smoothing, joins models of parts of the data
    (:meth:`merge`) and says what a decision is made of (:meth:`evidence`).

    .. math:: \log P(k \mid x) = \log P(k) + \sum_j \log P(x_j \mid k) + \text{const}, \qquad
              P(x_j = c \mid k) = \frac{N_{kjc} + \alpha}{N_{kj} + \alpha C_j}

    Parameters
    ----------
    alpha : float, default=1.0
        Smoothing, added to the count of every category; 0 for maximum likelihood.
    force_alpha : bool, default=True
        If ``False``, an alpha below 1e-10 is raised to it, with a warning.
    fit_prior : bool, default=True
        Whether the prior is the share of documents; if not, it is uniform.
    class_prior : array-like of shape (n_classes,), {"documents", "uniform"}, default=None
        Probabilities of the classes, or by name the prior that `fit_prior` chooses from.
    min_categories : int or array-like of shape (n_features,), default=None
        The least number of categories: of all columns, or of each. Categories above those of the
        training data can occur in prediction only if they are covered by it.
    n_jobs : int, default=None
        Number of threads for predictions. ``None`` means all cores that this process may use. The
        result does not depend on it.
    prior_alpha : float, default=0.0
        What is added to the count of every class before their shares are taken, where the prior
        comes from counts: :math:`P(k) = (N_k + \lambda) / (N + K \lambda)` with :math:`N_k` the
        rows of class :math:`k` and :math:`K` the number of classes. With it
        a class that nothing is known of has a prior above zero.

    Attributes
    ----------
    category_count_ : list of ndarray of shape (n_classes, n_categories of the column)
        How often each category occurs in each class, weighted by ``sample_weight``.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, weighted by ``sample_weight``.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log P(k).
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories of the column)
        Log P(x_j = c | k).
    n_categories_ : ndarray of shape (n_features,)
        Number of categories of each column, of all batches together. (In scikit-learn those of the
        latest batch, whatever the tables hold.)
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all of them are strings.

    See Also
    --------
    MixedNB : Categories of any type, beside numbers and text; missing values.

    Notes
    -----
    Categories are the numbers 0, 1, ..., as :class:`sklearn.preprocessing.OrdinalEncoder` gives
    them. With ``alpha=0`` a category that a class does not have makes a row impossible in it; where
    no class can produce a row, the prior decides. A class without any rows has equal shares for all
    categories, the limit for a vanishing alpha.

    Cost: one pass over each column; a table of classes by categories for each of them.

    Examples
    --------
    >>> from quire.naive_bayes import CategoricalNB
    >>> X = [[0, 0], [0, 1], [1, 1], [1, 2], [1, 2]]  # outlook, temperature
    >>> model = CategoricalNB().fit(X, ["out", "out", "in", "in", "in"])
    >>> model.predict([[0, 0], [1, 1]])
    array(['out', 'in'], dtype='<U3')
    >>> print(model.evidence([[1, 1]], feature_names=["outlook", "temperature"])[0])
       +1.3863  in rather than out
       +0.4055  before any term
       +1.1632  outlook=1
       -0.1823  temperature=1
    """

    classes_: NDArray[Any]
    class_count_: Floats
    category_count_: list[Floats]
    n_categories_: NDArray[np.int64]

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnCategoricalNB._parameter_constraints,
        "class_prior": CLASS_PRIOR,
        "n_jobs": [Integral, None],
        "prior_alpha": PRIOR_ALPHA,
    }

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        n_jobs: int | None = None,
        prior_alpha: float = 0.0,
    ) -> None:
        super().__init__(
            alpha=alpha,
            force_alpha=force_alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
            min_categories=min_categories,
        )
        self.n_jobs = n_jobs
        self.prior_alpha = prior_alpha

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count categories by class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Categories 0, 1, ... of each column.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = self._check_X_y(X, y)
        self.classes_, codes = class_codes(y)
        self._init_counters(len(self.classes_), X.shape[1])
        return self._add_rows(X, codes, sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count the categories of more rows. The result is that of one fit on all of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Categories 0, 1, ... of each column.
        y : array-like of shape (n_samples,)
            Classes.
        classes : array-like of shape (n_classes,), default=None
            All classes that will occur; needed at the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = self._check_X_y(X, y, reset=not hasattr(self, "classes_"))
        if check_partial_fit_first_call(self, classes):
            self._init_counters(len(self.classes_), X.shape[1])
        return self._add_rows(X, codes_among(y, self.classes_), sample_weight)

    def merge(self, other: CategoricalNB) -> Self:
        """Add the counts of a model that was fitted on other rows.

        Afterwards this model equals one that was fitted on the rows of both.

        Parameters
        ----------
        other : CategoricalNB
            Fitted on the same columns; its classes and categories may be others. It is not changed.

        Returns
        -------
        self
            The model.
        """
        check_mergeable(self, other, [])
        self.classes_, here, there = join_classes(self.classes_, other.classes_)
        n_classes = len(self.classes_)
        self.class_count_ = placed(self.class_count_, here, n_classes) + placed(
            other.class_count_, there, n_classes
        )
        self.n_categories_ = np.maximum(self.n_categories_, other.n_categories_)
        self.category_count_ = [
            widened(placed(left, here, n_classes), n_categories)
            + widened(placed(right, there, n_classes), n_categories)
            for left, right, n_categories in zip(
                self.category_count_, other.category_count_, self.n_categories_, strict=True
            )
        ]
        return self._settle()

    def log_likelihood(self, X: Any) -> Floats:
        """Return log P(x | k), without the prior, for each row x and class k.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Categories.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log-likelihoods, in the order of ``classes_``.
        """
        check_is_fitted(self)
        return self._log_likelihood(self._check_X(X))

    def evidence(self, X: Any, *, feature_names: Any = None) -> Evidence:
        """Return what each category says for and against the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Categories.
        feature_names : sequence of str of shape (n_features,), default=None
            Names of the columns; those seen in fit, or x0, x1, ..., if ``None``.

        Returns
        -------
        Evidence
            Terms are categories of columns, named ``"column=category"``.
        """
        check_is_fitted(self)
        X = self._check_X(X)
        scores = self._joint_log_likelihood(X)
        return Evidence(
            self.classes_,
            scores,
            self.class_log_prior_,
            LinearTerms(one_hot(list(X.T), self.n_categories_), np.hstack(self.feature_log_prob_)),
            feature_names=self._category_names(feature_names),
        )

    def top_terms(
        self, n_terms: int = 10, *, feature_names: Any = None
    ) -> dict[Any, list[TermWeight]]:
        """Return the categories that speak most for each class.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each class.
        feature_names : sequence of str of shape (n_features,), default=None
            Names of the columns.

        Returns
        -------
        dict of list of TermWeight
            For each class categories, named ``"column=category"``, from the most telling down.
        """
        check_is_fitted(self)
        weights = np.hstack(self.feature_log_prob_)
        return rank_terms(self.classes_, weights, n_terms, self._category_names(feature_names))

    def sample(
        self, n_samples: int = 1, *, random_state: Any = None
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Draw rows from the model: a class from the prior, then a category in each column.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        random_state : int, RandomState instance or None, default=None
            An integer gives the same rows every time.

        Returns
        -------
        X : ndarray of int of shape (n_samples, n_features)
            Categories.
        y : ndarray of shape (n_samples,)
            The classes that they were drawn from.

        Examples
        --------
        >>> from quire.naive_bayes import CategoricalNB
        >>> model = CategoricalNB().fit([[0, 2], [1, 0], [1, 1]], ["a", "b", "b"])
        >>> model.sample(2, random_state=2)
        (array([[1, 0],
               [0, 1]]), array(['b', 'a'], dtype='<U1'))
        """
        rng, codes = self._draw_classes(n_samples, random_state)
        columns = [draw_words(rng, codes, np.exp(table)) for table in self.feature_log_prob_]
        return np.column_stack(columns), self.classes_[codes]

    def _add_rows(self, X: Any, codes: NDArray[np.int32], sample_weight: Any) -> Self:
        """Add counts of rows that were checked."""
        weights = None if sample_weight is None else check_sample_weight(sample_weight, X)
        n_classes = len(self.classes_)
        known = np.array([counts.shape[1] for counts in self.category_count_])
        self.n_categories_ = np.maximum(self._validate_n_categories(X, self.min_categories), known)
        class_count = self.class_count_ + np.bincount(codes, weights, minlength=n_classes)
        if (class_count < 0).any():
            raise negative_counts()
        self.class_count_ = class_count
        for j, n_categories in enumerate(self.n_categories_):
            counts = category_counts(X[:, j], codes, int(n_categories), n_classes, weights)
            self.category_count_[j] = widened(self.category_count_[j], n_categories) + counts
        return self._settle()

    def _settle(self) -> Self:
        """Compute probabilities from counts."""
        alpha = self._check_alpha()
        self.feature_log_prob_ = [log_proportions(count, alpha) for count in self.category_count_]
        self.class_log_prior_ = log_class_prior(
            self.class_prior, self.fit_prior, self.class_count_, alpha=self.prior_alpha
        )
        return self

    def _check_X(self, X: Any) -> Any:
        return SklearnCategoricalNB._check_X(self, X)

    def _log_prior(self) -> Floats:
        prior: Floats = self.class_log_prior_
        return prior

    def _joint_log_likelihood(self, X: Any) -> Floats:
        joint: Floats = self._log_likelihood(X) + self.class_log_prior_
        return joint

    def _log_likelihood(self, X: Any) -> Floats:
        self._check_categories(X)
        scores = np.zeros((len(X), len(self.classes_)))
        add_lookups(scores, self.feature_log_prob_, list(X.T), effective_threads(self.n_jobs))
        return scores

    def _check_categories(self, X: Any) -> None:
        highest = X.max(axis=0)
        unknown = np.flatnonzero(highest >= self.n_categories_)
        if len(unknown) == 0:
            return
        j = unknown[0]
        names = getattr(self, "feature_names_in_", None)
        name = "" if names is None else f" ({names[j]!r})"
        known = self.n_categories_[j]
        raise IndexError(
            f"Column {j}{name} of X holds category {highest[j]}; this model knows {known} "
            f"categories of it, from 0 to {known - 1}. Fit it with min_categories of at least "
            f"{highest[j] + 1} for this column."
        )

    def _category_names(self, given: Any) -> NDArray[Any]:
        names = feature_names_of(self, given, self.n_features_in_)
        if names is None:
            names = np.array([f"x{j}" for j in range(self.n_features_in_)], dtype=object)
        return np.array(
            [
                f"{name}={c}"
                for name, n_categories in zip(names, self.n_categories_, strict=True)
                for c in range(n_categories)
            ],
            dtype=object,
        )
