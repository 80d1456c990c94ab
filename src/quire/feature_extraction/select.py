"""Choosing terms: which columns of a document-term matrix say most about the class of a document.

Two scores for one column at a time: Pearson's chi-squared statistic of the class totals
(:func:`chi2`) and the mutual information of the class and the presence of the term
(:func:`mutual_info`; McCallum and Nigam 1998 choose the vocabulary of naive Bayes so).
:class:`SelectTerms` keeps the columns that score highest, or those that also say least of what the
others say already (``_redundancy``). Nothing is densified: time is in
proportion to the stored values and memory to the number of columns, for any number of classes.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import chdtrc
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, check_non_negative

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.labels import class_codes
from quire._shared.sklearn import Interval, RealNotInt, StrOptions, fit_context
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import check_array, looks_first, validate_data
from quire.feature_extraction._redundancy import least_redundant

__all__ = ["SelectTerms", "chi2", "mutual_info"]

_DTYPES = [np.float64, np.float32, np.int64]  # what the kernels read as it is


def chi2(X: Any, y: Any, *, n_jobs: int | None = None) -> tuple[Floats, Floats]:
    r"""Chi-squared statistic of each column and the class, and its p-value.

    With :math:`O_{kj}` the sum of column :math:`j` over the :math:`n_k` documents of class
    :math:`k` and :math:`N_j = \sum_k O_{kj}`,

    .. math::
        \chi^2_j = \sum_k \frac{(O_{kj} - E_{kj})^2}{E_{kj}}, \qquad E_{kj} = N_j \frac{n_k}{n}.

    The p-value is the upper tail, at that value, of the chi-squared distribution with one degree of
    freedom less than there are classes.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Counts or other frequencies, not negative.
    y : array-like of shape (n_samples,) or indicator matrix of shape (n_samples, n_classes)
        Class labels; an indicator matrix where a document may have several.
    n_jobs : int, default=None
        Number of threads; ``None`` and -1 mean all that may be used.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        The statistics; NaN for a column of zeros, and for every column if there is one class only.
    p_values : ndarray of shape (n_features,)
        Their p-values.

    Notes
    -----
    Equal to :func:`sklearn.feature_selection.chi2` up to rounding. Sums are in double precision
    also for float32 input, and do not depend on the number of threads.

    Examples
    --------
    >>> X = [[1, 1, 3], [0, 1, 5], [5, 4, 1], [6, 6, 2], [1, 4, 0], [0, 0, 0]]
    >>> scores, p_values = chi2(X, ["b", "b", "a", "a", "c", "c"])
    >>> scores.round(2)
    array([15.38, 6.5 , 8.91])
    >>> p_values.round(4)
    array([0.0005, 0.0388, 0.0116])
    """
    X = check_array(X, accept_sparse="csr", dtype=_DTYPES, for_kernels=True)
    if np.any((X.data if sparse.issparse(X) else X) < 0):
        raise ValueError("Input X must be non-negative.")
    check_consistent_length(X, y)
    return _chi2(X, y, n_jobs)


def mutual_info(X: Any, y: Any, *, n_jobs: int | None = None) -> Floats:
    r"""Mutual information, in nats, of the class and the presence of each term.

    With :math:`T_j` true where column :math:`j` is not zero,

    .. math::
        I(C; T_j) = \sum_k \sum_{t} P(C = k, T_j = t)
                    \log \frac{P(C = k, T_j = t)}{P(C = k)\, P(T_j = t)},

    probabilities being shares of the documents. It is computed exactly from counts, not estimated.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Only whether an entry is zero matters.
    y : array-like of shape (n_samples,)
        Class labels.
    n_jobs : int, default=None
        Number of threads; ``None`` and -1 mean all that may be used.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Between 0 (the term says nothing) and log 2.

    Notes
    -----
    Equal to :func:`sklearn.feature_selection.mutual_info_classif` of ``X != 0`` with
    ``discrete_features=True``, up to rounding.

    References
    ----------
    A. McCallum and K. Nigam, "A comparison of event models for naive Bayes text classification",
    AAAI workshop on learning for text categorization, 1998.

    Examples
    --------
    The first term tells the classes apart, the second is in every document:

    >>> mutual_info([[3, 1], [1, 1], [0, 2], [0, 1]], ["sport", "sport", "law", "law"]).round(3)
    array([0.693, 0. ])
    """
    X = check_array(X, accept_sparse="csr", dtype=_DTYPES, for_kernels=True)
    check_consistent_length(X, y)
    return _mutual_info(X, y, n_jobs)


class SelectTerms(SelectorMixin, BaseEstimator):
    r"""Keep the columns that say most about the class.

    Every column is scored by itself, against the class labels; the best ``k`` stay, in their order
    in the matrix. With `redundancy`, columns are chosen one after the other, and what those chosen
    before have said already counts against a column: the next one has the largest

    .. math:: I(C; T_j) - \frac{w}{|S|} \sum_{s \in S} I(T_j; T_s),

    with :math:`w` the `redundancy`, :math:`S` the columns chosen so far and :math:`I` the mutual
    information of :func:`mutual_info`, of the class and a term or of two terms.

    Parameters
    ----------
    score_func : {"chi2", "mutual_info"} or callable, default="chi2"
        What to rank columns by: :func:`chi2`, :func:`mutual_info`, or a function of ``(X, y)`` that
        returns the scores, or a pair of scores and p-values.
    k : int, float or "all", default=10000
        How many columns to keep: an int is a number of columns (all of them, if there are fewer), a
        float in (0, 1] a share of the columns, rounded, at least one; "all" only scores them.
    n_jobs : int, default=None
        Number of threads; ``None`` and -1 mean all that may be used.
    redundancy : float, default=0.0
        The :math:`w` above: 0 ranks columns one by one, 1 is minimum redundancy and maximum
        relevance. Above 0 it needs ``score_func="mutual_info"``.
    n_candidates : int, default=None
        With `redundancy`, how many columns can be chosen: those with the highest scores. ``None``
        means ten times as many as are to be kept.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        The score of each column.
    pvalues_ : ndarray of shape (n_features_in_,) or None
        The p-values; ``None`` if the score has none.
    support_ : ndarray of shape (n_features_in_,), dtype bool
        Whether a column is kept.
    order_ : ndarray of int
        With `redundancy`: the kept columns in the order in which they were chosen.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` had names that are all strings.

    See Also
    --------
    sklearn.feature_selection.SelectKBest : The same for any score of dense or sparse columns.

    Notes
    -----
    Ties: of columns with equal scores the earlier ones are kept. Columns without a score (NaN: with
    "chi2", those that are zero in every document) come after all others. The result does not depend
    on the number of threads. Sparse input gives sparse output of the same type of values.

    With `redundancy` each chosen column costs one look at the documents that have the term (or at
    the others, if they are fewer) and a few operations for each candidate.

    References
    ----------
    Y. Yang and J. O. Pedersen, "A comparative study on feature selection in text categorization",
    ICML 1997. H. Peng, F. Long and C. Ding, "Feature selection based on mutual information:
    criteria of max-dependency, max-relevance, and min-redundancy", IEEE Transactions on Pattern
    Analysis and Machine Intelligence 27, 2005.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[2, 0, 1, 1], [1, 0, 0, 1], [0, 2, 1, 1], [0, 1, 0, 1]])
    >>> selector = SelectTerms(k=2).fit(X, ["sport", "sport", "law", "law"])
    >>> selector.scores_
    array([3., 3., 0., 0.])
    >>> selector.get_feature_names_out(["goal", "court", "said", "the"])
    array(['goal', 'court'], dtype=object)
    >>> selector.transform(X).shape
    (4, 2)

    The first two terms always come together, so that one of them is enough:

    >>> X = [[1, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0], [1, 1, 1], [0, 0, 1], [0, 0, 1]]
    >>> labels = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> SelectTerms("mutual_info", k=2).fit(X, labels).get_support(indices=True)
    array([0, 1])
    >>> SelectTerms("mutual_info", k=2, redundancy=1.0).fit(X, labels).get_support(indices=True)
    array([0, 2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "score_func": [StrOptions({"chi2", "mutual_info"}), callable],
        "k": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
            StrOptions({"all"}),
        ],
        "n_jobs": [Integral, None],
        "redundancy": [Interval(Real, 0, None, closed="left")],
        "n_candidates": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        score_func: str | Callable[[Any, Any], Any] = "chi2",
        *,
        k: int | float | str = 10_000,
        n_jobs: int | None = None,
        redundancy: float = 0.0,
        n_candidates: int | None = None,
    ) -> None:
        self.score_func = score_func
        self.k = k
        self.n_jobs = n_jobs
        self.redundancy = redundancy
        self.n_candidates = n_candidates

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Score the columns and choose those to keep.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Document-term matrix; for "chi2" without negative values.
        y : array-like of shape (n_samples,) or (n_samples, n_classes)
            Class labels; "chi2" also takes an indicator matrix.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=_DTYPES, multi_output=True)
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)

        if self.redundancy > 0 and self.score_func not in ("mutual_info", mutual_info):
            raise ValueError(
                f"redundancy={self.redundancy!r} is weighed against mutual information, and "
                f"score_func is {self.score_func!r}. Use score_func='mutual_info'."
            )
        p_values = None
        if callable(self.score_func):
            result = self.score_func(X, y)
            scores, p_values = result if isinstance(result, tuple) else (result, None)
        elif self.score_func == "chi2":
            check_non_negative(X, "SelectTerms (fit) with score_func='chi2'")
            scores, p_values = _chi2(X, y, self.n_jobs, least_classes=2)
        else:
            scores = _mutual_info(X, y, self.n_jobs, least_classes=2)
        scores = np.asarray(scores)
        if scores.shape != (X.shape[1],):
            raise ValueError(
                f"score_func returned scores of shape {scores.shape} for X with {X.shape[1]} "
                "columns; it must return one score for each column."
            )

        self.scores_ = scores
        self.pvalues_ = None if p_values is None else np.asarray(p_values)
        n_kept = self._n_kept(X.shape[1])
        self.__dict__.pop("order_", None)  # of a fit before
        if self.redundancy == 0:
            self.support_ = _best(scores, n_kept)
        else:
            self.order_ = self._one_by_one(X, scores, n_kept)
            self.support_ = np.isin(np.arange(X.shape[1]), self.order_)
        return self

    def _one_by_one(self, X: Any, scores: Floats, n_kept: int) -> NDArray[np.intp]:
        n_candidates = 10 * n_kept if self.n_candidates is None else self.n_candidates
        candidates = _best(scores, min(max(n_candidates, n_kept), X.shape[1]))
        return least_redundant(X, scores, np.flatnonzero(candidates), n_kept, self.redundancy)

    def _n_kept(self, n_features: int) -> int:
        if isinstance(self.k, str):
            return n_features
        if isinstance(self.k, Integral):
            return min(int(self.k), n_features)
        return max(1, round(self.k * n_features))

    transform = looks_first(SelectorMixin.transform)
    inverse_transform = looks_first(SelectorMixin.inverse_transform)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.score_func in ("chi2", chi2)
        tags.target_tags.required = True
        return tags


def _best(scores: Floats, n_kept: int) -> NDArray[np.bool_]:
    """Mark the n_kept highest scores; earlier columns win ties, NaN comes last."""
    mask = ~np.isnan(scores)
    n_missing = n_kept - np.count_nonzero(mask)
    if n_missing >= 0:
        mask[np.flatnonzero(~mask)[:n_missing]] = True
        return mask
    threshold = -np.partition(-scores[mask], n_kept - 1)[n_kept - 1]
    best: NDArray[np.bool_] = scores > threshold
    best[np.flatnonzero(scores == threshold)[: n_kept - np.count_nonzero(best)]] = True
    return best


# The scores past validation: X is a CSR matrix or an array, of one of _DTYPES.


def _chi2(X: Any, y: Any, n_jobs: int | None, least_classes: int = 1) -> tuple[Floats, Floats]:
    if sparse.issparse(y) or (np.ndim(y) == 2 and np.shape(y)[1] > 1):
        return _chi2_multilabel(X, y)
    codes, n_classes = _class_codes(y, least_classes)
    if n_classes == 1:
        return np.full(X.shape[1], np.nan), np.full(X.shape[1], np.nan)
    scores = _core.counts.csr_chi2(
        csr_arrays(sparse.csr_array(X)), codes, n_classes, effective_threads(n_jobs)
    )
    return scores, chdtrc(n_classes - 1, scores)


def _chi2_multilabel(X: Any, y: Any) -> tuple[Floats, Floats]:
    """Score columns against classes that overlap: the totals are not the sums over classes."""
    Y = LabelBinarizer(sparse_output=True).fit_transform(y)
    observed = safe_sparse_dot(Y.T, X, dense_output=True)  # n_classes x n_features
    observed = observed.toarray() if sparse.issparse(observed) else observed
    totals = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
    expected = np.outer(np.asarray(Y.mean(axis=0)).ravel(), totals)
    with np.errstate(invalid="ignore"):
        scores = ((observed - expected) ** 2 / expected).sum(axis=0)
    return scores, chdtrc(len(observed) - 1, scores)


def _mutual_info(X: Any, y: Any, n_jobs: int | None, least_classes: int = 1) -> Floats:
    codes, n_classes = _class_codes(column_or_1d(y), least_classes)
    arrays = csr_arrays(sparse.csr_array(X), effective_threads(n_jobs), once=True)
    return _core.counts.csr_mutual_info(arrays, codes, n_classes, effective_threads(n_jobs))


def _class_codes(y: Any, least_classes: int) -> tuple[NDArray[np.int32], int]:
    """Replace labels by their place among the sorted classes."""
    if np.asarray(y).dtype.kind not in "biuUSO":
        LabelBinarizer().fit(y)  # for its errors, which are those of scikit-learn's chi2
    classes, codes = class_codes(y)
    if len(classes) < least_classes:
        raise ValueError(
            f"SelectTerms needs at least {least_classes} classes in y to score terms; y has only "
            f"one class: {classes[0]!r}."
        )
    return codes, len(classes)
