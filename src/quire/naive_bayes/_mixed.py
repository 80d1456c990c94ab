r"""One naive Bayes over columns of several kinds: categories, measurements, counts, texts.

Naive Bayes takes columns to be independent given the class, so the log-likelihoods of columns add
up whatever their distributions are:

.. math:: \log P(k \mid x) = \log P(k) + \sum_j \log P(x_j \mid k) + \text{const}.

What is missing in a row is left out of the sum. This is exact: integrating a value out of a product
of independent factors removes its factor.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from quire._shared.draws import lengths_of
from quire._shared.evidence import Evidence
from quire._shared.labels import class_codes, codes_among
from quire._shared.negative_weights import negative_counts
from quire._shared.sklearn import (
    Interval,
    StrOptions,
    check_feature_names,
    check_n_features,
    check_partial_fit_first_call,
    check_sample_weight,
    check_y,
    fit_context,
)
from quire._shared.term_weights import TermWeight, rank_terms
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import validate_data
from quire.naive_bayes._base import NaiveBayesMixin
from quire.naive_bayes._class_statistics import (
    CLASS_PRIOR,
    PRIOR_ALPHA,
    join_classes,
    log_class_prior,
    placed,
)
from quire.naive_bayes._columns import NestedKinds, make_parts, read_columns
from quire.naive_bayes._matrix_parts import TextPart
from quire.naive_bayes._mixed_terms import MixedTerms
from quire.naive_bayes._part import Batch, Part, described
from quire.naive_bayes._tables import Table, read_table, table_of

__all__ = ["MixedNB"]


class _Rows(NamedTuple):
    """Rows to score: a table, and where in it each column of the fit lies."""

    table: Table
    place: list[int]


class MixedNB(NaiveBayesMixin, ClassifierMixin, NestedKinds):
    r"""Naive Bayes over categories, measurements, counts, presence and texts at once.

    .. math:: \log P(k \mid x) = \log P(k) + \sum_j \log P(x_j \mid k) + \text{const}

    Each column has the distribution of its kind, and all of them share one prior. Values may be
    missing, categories may be of any type, and texts need no vectorizer before the model.

    Parameters
    ----------
    columns : "auto", list of tuple, or mapping, default="auto"
        Which columns are of which kind. Columns that are not named are left out.

        A list of tuples ``(name, kind, columns)`` as in
        :class:`sklearn.compose.ColumnTransformer`; columns are a name or number, several of them, a
        slice, a mask or a function of `X`. A mapping ``{kind: columns}`` is short for it. Kinds:

        - ``"categorical"``: shares of the categories, smoothed with alpha
          (:class:`~quire.naive_bayes.CategoricalNB`). Values are strings, numbers, booleans: as
          they are. The categories are those of the training data, and those that a type of
          categories (pandas' Categorical, polars' Enum) declares.
        - ``"continuous"``: a normal density (:class:`~quire.naive_bayes.GaussianNB`).
        - ``"counts"``: one multinomial distribution over these columns together
          (:class:`~quire.naive_bayes.MultinomialNB`).
        - ``"presence"``: whether a column is above zero (:class:`~quire.naive_bayes.BernoulliNB`).
        - ``"text"``: for each column a vocabulary and a multinomial distribution over its words.
        - One of these estimators, for its alpha, ``var_smoothing`` or ``binarize``; for texts a
          vectorizer, or a pipeline of a vectorizer and a MultinomialNB or BernoulliNB.

        ``"auto"`` goes by types: floats and integers are continuous, booleans and types of
        categories categorical, a sparse matrix holds counts. Strings are text if, in the first
        10,000 rows, more than half of the values are distinct and more than half of these have
        several words; otherwise they are categorical.
    alpha : float, default=1.0
        Smoothing of categories, counts, presence and words; 0 for maximum likelihood.
    var_smoothing : float, default=1e-9
        This share of the variance of a continuous column is added to its variance in each class.
        Every column has its own: GaussianNB takes the share of the largest variance for all, which
        drowns a column of small numbers beside one of large ones.
    fit_prior : bool, default=True
        Whether the prior is the share of documents; if not, it is uniform.
    class_prior : array-like of shape (n_classes,), {"documents", "uniform"}, default=None
        Probabilities of the classes, or by name the prior that `fit_prior` chooses from.
    unseen : {"ignore", "error"}, default="ignore"
        A category that was not there in fit: left out like a missing value, or a ValueError.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    prior_alpha : float, default=0.0
        What is added to the count of every class before their shares are taken, where the prior
        comes from counts: :math:`P(k) = (N_k + \lambda) / (N + K \lambda)` with :math:`N_k` the
        rows of class :math:`k` and :math:`K` the number of classes. With it
        a class that nothing is known of has a prior above zero.

    Attributes
    ----------
    columns_ : list of tuple
        ``(name, kind, columns)`` as understood, columns by name where they have names.
    parts_ : list
        The fitted distributions. Categories have ``categories_``, ``category_count_`` and
        ``feature_log_prob_``; measurements ``theta_``, ``var_`` and ``epsilon_``, which has
        what smoothing adds to each column; texts ``vectorizer_``.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, weighted by ``sample_weight``.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log P(k).
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Number of columns in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all of them are strings.

    See Also
    --------
    CategoricalNB : Categories alone, as numbers.
    GaussianNB : Measurements alone.

    Notes
    -----
    **Missing values** (NaN, ``None``, pandas' NA, null) in categorical, continuous and text columns
    are left out of the statistics in fit and of the sum in prediction; a row with nothing left gets
    the prior. A class without any value in a continuous column has the density of all classes
    together there; in other columns it has equal shares, as smoothing gives them. A category that
    was never seen has no probability in any class, and no class would be better for having one: it
    is left out too, unless ``unseen="error"``.

    **A continuous column that is the same in all rows** says nothing: it adds 0 to every class,
    whatever its value in a new row. A column that is the same within a class only has the variance
    that smoothing gives it there.

    Columns of counts and presence must be complete. Columns of a data frame are found by name, in
    any order; a data frame may have others besides.

    Cost: one vectorised pass over each column; texts are never densified. Statistics add up, so
    :meth:`partial_fit` and :meth:`merge` give what one fit on all rows gives.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.naive_bayes import MixedNB
    >>> tickets = pl.DataFrame({
    ...     "channel": ["mail", "chat", "mail", "phone", "chat", "mail"],
    ...     "minutes": [3.0, 45.0, 5.0, None, 50.0, 4.0],
    ...     "message": ["refund for my order", "app crashes at login",
    ...                 "refund please", "login error in the app", None, "order refund"],
    ... })
    >>> team = ["billing", "support", "billing", "support", "support", "billing"]
    >>> model = MixedNB().fit(tickets, team)
    >>> print(model.summary())
    MixedNB with 2 classes: billing, support
      categorical  channel (3 categories)
      continuous   minutes
      text         message (12 terms)
    >>> new = pl.DataFrame({"channel": ["mail"], "minutes": [None], "message": ["login error"]})
    >>> model.predict(new)
    array(['support'], dtype='<U7')
    >>> print(model.evidence(new)[0])
       +0.3079  support rather than billing
       +0.0000  before any term
       -1.3863  channel=mail
       +1.0498  message: login
       +0.6444  message: error
    """

    classes_: NDArray[Any]

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "columns": [StrOptions({"auto"}), list, Mapping],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "fit_prior": ["boolean"],
        "class_prior": CLASS_PRIOR,
        "unseen": [StrOptions({"ignore", "error"})],
        "n_jobs": [Integral, None],
        "prior_alpha": PRIOR_ALPHA,
    }

    def __init__(
        self,
        columns: Any = "auto",
        *,
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
        fit_prior: bool = True,
        class_prior: Any = None,
        unseen: str = "ignore",
        n_jobs: int | None = None,
        prior_alpha: float = 0.0,
    ) -> None:
        self.columns = columns
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.prior_alpha = prior_alpha

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the distribution of each column in each class.

        Parameters
        ----------
        X : {data frame, array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        rows, y = self._check_rows_y(X, y, reset=True)
        self._start(rows.table, X)
        self.classes_, codes = class_codes(y)
        self.class_count_ = np.zeros(len(self.classes_))
        parts = make_parts(self._entries, rows.table, len(self.classes_), self)
        return self._add_rows(rows, codes, sample_weight, parts)

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows. The result is that of one fit on all of them.

        Parameters
        ----------
        X : {data frame, array-like, sparse matrix} of shape (n_samples, n_features)
            The rows. Kinds are settled by the first batch. Texts need a vectorizer that does not
            change: one with a given vocabulary, or one that hashes.
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
        first_call = not hasattr(self, "classes_")
        rows, y = self._check_rows_y(X, y, reset=first_call)
        if first_call:
            self._start(rows.table, X)
        for entry in self._entries:
            if not entry.grows:
                raise ValueError(
                    f"partial_fit cannot learn the words of texts batch by batch ({entry.name!r}): "
                    "a word that is new would have no counts from before. Give as kind a "
                    "CountVectorizer with a vocabulary or a HashingVectorizer with "
                    "alternate_sign=False, or use fit."
                )
        if check_partial_fit_first_call(self, classes):
            self.class_count_ = np.zeros(len(self.classes_))
            self.parts_ = make_parts(self._entries, rows.table, len(self.classes_), self)
        return self._add_rows(rows, codes_among(y, self.classes_), sample_weight, self.parts_)

    def merge(self, other: MixedNB) -> Self:
        """Add the statistics of a model that was fitted on other rows.

        Afterwards this model equals one that was fitted on the rows of both.

        Parameters
        ----------
        other : MixedNB
            Fitted on the same columns, of the same kinds and vocabularies; its classes and
            categories may be others. It is not changed.

        Returns
        -------
        self
            The model.
        """
        if not isinstance(other, MixedNB):
            raise TypeError(f"merge expects a fitted MixedNB, got {type(other).__name__}.")
        check_is_fitted(self)
        check_is_fitted(other)
        if self.columns_ != other.columns_:
            raise ValueError(
                f"Cannot merge models of different columns: {self.columns_} and {other.columns_}."
            )
        for mine, theirs in zip(self.parts_, other.parts_, strict=True):
            if isinstance(mine, TextPart):
                mine.check_same_words(theirs)
        self.classes_, here, there = join_classes(self.classes_, other.classes_)
        n_classes = len(self.classes_)
        self.class_count_ = placed(self.class_count_, here, n_classes) + placed(
            other.class_count_, there, n_classes
        )
        self.parts_ = [part.copied() for part in self.parts_]
        for mine, theirs in zip(self.parts_, other.parts_, strict=True):
            mine.spread(here, n_classes)
            mine.merge(theirs, there)
        return self._settle()

    def log_likelihood(self, X: Any) -> Floats:
        """Return log P(x | k), without the prior, for each row x and class k.

        Parameters
        ----------
        X : {data frame, array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Sums over what is there in each row, in the order of ``classes_``; 0 for an empty row.
            Those of counts and texts are without the multinomial coefficient.
        """
        check_is_fitted(self)
        return self._log_likelihood(self._check_X(X))

    def evidence(self, X: Any, *, feature_names: Any = None) -> Evidence:
        """Return what each column, category and word says for and against the classes.

        Parameters
        ----------
        X : {data frame, array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        feature_names : sequence of str, default=None
            Names of the terms, in place of those below.

        Returns
        -------
        Evidence
            Terms are ``"column=category"``, ``"column: word"``, and ``"column"`` for measurements,
            counts and presence. A column that is absent speaks too, for itself if it is a column of
            a table and in the offset if it is a word.
        """
        check_is_fitted(self)
        rows = self._check_X(X)
        pieces = [part.piece(*self._part_of(rows, part)) for part in self.parts_]
        offsets = self.class_log_prior_
        for piece in pieces:
            offsets = offsets if piece.offset is None else offsets + piece.offset
        return Evidence(
            self.classes_,
            self._joint_log_likelihood(rows),
            offsets,
            MixedTerms(pieces),
            prior=self.class_log_prior_,
            feature_names=self._term_names(self.parts_, feature_names),
        )

    def top_terms(
        self, n_terms: int = 10, *, feature_names: Any = None
    ) -> dict[Any, list[TermWeight]]:
        """Return the categories, counts and words that speak most for each class.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each class.
        feature_names : sequence of str, default=None
            Names of the terms, in place of those of :meth:`evidence`.

        Returns
        -------
        dict of list of TermWeight
            For each class, from the most telling down. Continuous columns have no weight that is
            the same for all their values; they are not among them.
        """
        check_is_fitted(self)
        weighed = [(part, part.term_weights()) for part in self.parts_]
        parts = [part for part, weights in weighed if weights is not None]
        found = [weights for _, weights in weighed if weights is not None]
        weights = np.hstack(found) if found else np.zeros((len(self.classes_), 0))
        return rank_terms(self.classes_, weights, n_terms, self._term_names(parts, feature_names))

    def sample(
        self, n_samples: int = 1, *, length: Any = None, random_state: Any = None
    ) -> tuple[Any, NDArray[Any]]:
        """Draw rows from the model: a class from the prior, then a value for each column.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        length : int or array-like of shape (n_samples,), default=None
            Words of texts, and sums of counts. The model says nothing about it; ``None`` means the
            mean of the training rows, rounded, and at least 1.
        random_state : int, RandomState instance or None, default=None
            An integer gives the same rows every time.

        Returns
        -------
        X : polars DataFrame or ndarray of shape (n_samples, n_features)
            As :meth:`predict` takes it. A DataFrame where the columns have names, without those
            that the model leaves out; otherwise an array, in which those are missing values. No
            other value is missing. Texts are words with blanks between them.
        y : ndarray of shape (n_samples,)
            The classes that they were drawn from.

        Examples
        --------
        >>> import polars as pl
        >>> from quire.naive_bayes import MixedNB
        >>> rows = pl.DataFrame({"paid": ["card", "cash", "card"], "amount": [5.0, 30.0, 7.0]})
        >>> model = MixedNB().fit(rows, ["snack", "meal", "snack"])
        >>> X, y = model.sample(2, random_state=0)
        >>> X.columns, y
        (['paid', 'amount'], array(['snack', 'snack'], dtype='<U5'))
        """
        rng, codes = self._draw_classes(n_samples, random_state)
        lengths = None if length is None else lengths_of(length, len(codes), None)
        drawn: dict[int, Any] = {}
        for part in self.parts_:
            columns = part.draw(codes, lengths, float(self.class_count_.sum()), rng)
            drawn |= dict(zip(part.columns, columns, strict=True))
        names = getattr(self, "feature_names_in_", None)
        return table_of(drawn, names, self.n_features_in_, len(codes)), self.classes_[codes]

    def summary(self) -> str:
        """Return the classes and the columns by kind, as lines of text.

        Returns
        -------
        str
            A few lines; long lists are cut.
        """
        check_is_fitted(self)
        return described(f"MixedNB with {len(self.classes_)} classes", self)

    def __str__(self) -> str:
        return self.summary() if hasattr(self, "parts_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags

    def _start(self, table: Table, X: Any) -> None:
        """Settle the kinds of the columns and forget what was learned."""
        self._validate_names([name for name, _ in self._kinds])
        self._entries = read_columns(self.columns, table, X)
        labels = range(table.n_columns) if table.names is None else table.names
        self.columns_ = [
            (entry.name, entry.kind, [labels[j] for j in entry.columns]) for entry in self._entries
        ]

    def _add_rows(
        self, rows: _Rows, codes: NDArray[np.int32], sample_weight: Any, parts: list[Part]
    ) -> Self:
        """Add the statistics of rows that were checked, then compute the parameters."""
        weights = sample_weight
        if weights is not None:
            weights = check_sample_weight(sample_weight, rows.table.data, dtype=np.float64)
        n_classes = len(self.classes_)
        batch = Batch(codes, weights, n_classes, effective_threads(self.n_jobs))
        parts = [part.copied() for part in parts]  # an error leaves the model as it was
        for part in parts:
            part.learn(*self._part_of(rows, part), batch)
        class_count = self.class_count_ + np.bincount(codes, weights, minlength=n_classes)
        if (class_count < 0).any():
            raise negative_counts()
        self.class_count_ = class_count
        self.parts_ = parts
        return self._settle()

    def _settle(self) -> Self:
        """Compute parameters from statistics."""
        for part in self.parts_:
            part.settle()
        self.class_log_prior_ = log_class_prior(
            self.class_prior, self.fit_prior, self.class_count_, alpha=self.prior_alpha
        )
        return self

    def _check_rows_y(self, X: Any, y: Any, *, reset: bool) -> tuple[_Rows, Any]:
        """Check labelled rows."""
        table = read_table(X, self)
        if reset:
            validate_data(self, table.data, y, skip_check_array=True)
        rows = _Rows(table, list(range(table.n_columns)) if reset else self._locate(table))
        y = check_y(y, estimator=self)
        check_consistent_length(table.data, y)
        return rows, y

    def _check_X(self, X: Any) -> _Rows:
        table = read_table(X, self)
        return _Rows(table, self._locate(table))

    def _locate(self, table: Table) -> list[int]:
        """Return where in a table the columns of the fit are, -1 for one that is not needed."""
        if table.is_sparse:
            self._check_sparse()
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is None or table.names is None:
            check_feature_names(self, table.data, reset=False)
            check_n_features(self, table.data, reset=False)
            return list(range(table.n_columns))
        place = {name: j for j, name in enumerate(table.names)}
        needed = {j for entry in self._entries for j in entry.columns}
        missing = [str(fitted[j]) for j in sorted(needed) if fitted[j] not in place]
        if missing:
            raise ValueError(
                f"columns are missing: {missing}. X has {table.names}; this model was fitted with "
                "these columns and needs them by name."
            )
        return [place.get(name, -1) for name in fitted]

    def _check_sparse(self) -> None:
        """Refuse a sparse matrix unless the model reads nothing but counts and presence."""
        for entry in self._entries:
            if entry.kind not in ("counts", "presence"):
                raise ValueError(
                    f"X is sparse, and {entry.name!r} of this model is {entry.kind}: a sparse "
                    "matrix can hold 'counts' or 'presence'. Give rows of the kind that the model "
                    "was fitted on; X.toarray() makes them of a sparse matrix."
                )

    def _part_of(self, rows: _Rows, part: Part) -> tuple[Table, list[int]]:
        return rows.table, [rows.place[j] for j in part.columns]

    def _log_prior(self) -> Floats:
        return self.class_log_prior_

    def _joint_log_likelihood(self, X: _Rows) -> Floats:
        joint: Floats = self._log_likelihood(X) + self.class_log_prior_
        return joint

    def _log_likelihood(self, rows: _Rows) -> Floats:
        scores = np.zeros((rows.table.n_rows, len(self.classes_)))
        n_threads = effective_threads(self.n_jobs)
        for part in self.parts_:
            part.add_scores(scores, *self._part_of(rows, part), n_threads)
        return scores

    def _term_names(self, parts: list[Part], given: Any) -> NDArray[Any]:
        """Return the names of the terms of some parts, or check those that were given."""
        names = np.array([name for part in parts for name in part.term_names()], dtype=object)
        if given is None:
            return names
        if len(given) != len(names):
            raise ValueError(
                f"feature_names has {len(given)} names; this model has {len(names)} terms."
            )
        return np.asarray(given, dtype=object)
