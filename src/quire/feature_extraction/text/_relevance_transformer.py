r"""Counts to weights that know the classes: tf-idf times relevance frequency.

A term that is in many documents of one class for each document of the others says more about the
classes than one that is as rare and evenly spread. With :math:`a_{ki}` the documents of class k
that have term i, and :math:`c_{ki}` those of the other classes,

.. math:: \mathrm{rf}_i = \max_k \log_2
          \left(2 + \frac{a_{ki} + \alpha}{c_{ki} + \alpha}\right),

which is 1 at least.

Reference: M. Lan, C. L. Tan, J. Su, Y. Lu (2009). Supervised and traditional term weighting methods
for automatic text categorization. There it stands in the place of idf, and what is divided by is
:math:`\max(1, c)`. On the corpora that we tried both factors together were better than either, and
so was the smoothing.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from quire._shared.class_sums import class_sums
from quire._shared.labels import class_codes
from quire._shared.sklearn import Interval, StrOptions, fit_context
from quire._shared.sparse import as_configured
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.feature_extraction.text._count_matrix import count_matrix
from quire.feature_extraction.text._tfidf_transformer import idf_weights
from quire.feature_extraction.text._weighing import normalize_rows

__all__ = ["RelevanceTransformer"]


class RelevanceTransformer(  # type: ignore[call-arg]  # scikit-learn has no types
    OneToOneFeatureMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None
):
    r"""Weight a matrix of counts by tf-idf, and by how unevenly terms are spread over classes.

    .. math:: W_{di} = (1 + \ln c_{di}) \left(\ln \frac{1 + n}{1 + \mathrm{df}_i} + 1\right)
              \max_k \log_2 \left(2 + \frac{a_{ki} + \alpha}{\mathrm{df}_i - a_{ki} + \alpha}\right)

    with counts c, and :math:`a_{ki}` the documents of class k that have term i; each row is divided
    by its norm.

    Parameters
    ----------
    alpha : float, default=0.5
        What is added to the documents of a class and to the others: the larger, the less the
        weights of rare terms differ.
    norm : {'l1', 'l2'} or None, default='l2'
        The norm that each row of the result has.
    use_idf : bool, default=True
        Weight by inverse document frequency, too.
    smooth_idf : bool, default=True
        Count one document more that holds every term.
    sublinear_tf : bool, default=True
        Replace a count c by 1 + ln(c).
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_features,)
        The last factor of the formula.
    idf_ : ndarray of shape (n_features,)
        The factor before it, if ``use_idf``.
    n_features_in_ : int
        The number of columns.

    See Also
    --------
    TfidfTransformer : The same without classes.
    quire.svm.NBSVM : A model that weighs features by classes, each class by ratios of its own.

    Notes
    -----
    The weights know the labels of the documents that they were fitted to. Score models on documents
    that are new to both: put this into the pipeline that is cross-validated.

    References
    ----------
    M. Lan, C. L. Tan, J. Su, Y. Lu, "Supervised and traditional term weighting methods for
    automatic text categorization", IEEE Transactions on Pattern Analysis and Machine Intelligence
    31 (2009).

    Examples
    --------
    >>> from quire.feature_extraction.text import RelevanceTransformer
    >>> X, y = [[1, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0]], ["a", "a", "b", "c"]
    >>> model = RelevanceTransformer(norm=None).fit(X, y)
    >>> model.relevance_.round(2)  # the last term is in both documents of the first class alone
    array([1.58, 1.58, 2.81])
    >>> model.transform([[1, 1, 1]]).toarray().round(2)
    array([[1.58, 2.39, 4.24]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "norm": [StrOptions({"l1", "l2"}), None],
        "use_idf": ["boolean"],
        "smooth_idf": ["boolean"],
        "sublinear_tf": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        alpha: float = 0.5,
        *,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the weights of the columns.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts, not negative.
        y : array-like of shape (n_samples,)
            Classes of the documents, at least two.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = count_matrix(self, X, reset=True)
        if y is None:
            raise ValueError(
                "RelevanceTransformer requires y to be passed, but the target y is None: it weighs "
                "terms by classes. TfidfTransformer needs none."
            )
        classes, codes = class_codes(y)
        check_consistent_length(X, codes)
        if len(classes) < 2:
            raise ValueError(
                "RelevanceTransformer needs documents of at least 2 classes, but the data contains "
                f"only one class: {classes.tolist()[0]!r}"
            )
        n_threads = effective_threads(self.n_jobs)
        present, _ = class_sums(X, codes, len(classes), None, 0.0, n_threads)
        df = present.sum(axis=0)
        self.relevance_ = _relevance(present, df, self.alpha).astype(X.dtype)
        if self.use_idf:
            self.idf_ = idf_weights(
                df.astype(np.int64), X.shape[0], smooth=self.smooth_idf, dtype=X.dtype
            )
        elif hasattr(self, "idf_"):
            del self.idf_
        return self

    def transform(self, X: Any) -> Any:
        """Weight counts.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts, not negative.

        Returns
        -------
        csr_matrix of shape (n_samples, n_features)
            The weights.
        """
        check_is_fitted(self)
        X = count_matrix(self, X, reset=False)
        if self.sublinear_tf:
            np.log(X.data, out=X.data)
            X.data += 1.0
        weights = self.relevance_ * self.idf_ if hasattr(self, "idf_") else self.relevance_
        normalize_rows(X, weights, self.norm, effective_threads(self.n_jobs))
        return as_configured(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _relevance(present: Floats, df: Floats, alpha: float) -> Floats:
    """Return the largest log2(2 + (a + alpha) / (df - a + alpha)); a row has the a of a class."""
    largest = np.zeros_like(df)
    for a in present:
        np.maximum(largest, (a + alpha) / (df - a + alpha), out=largest)
    relevance: Floats = np.log2(2.0 + largest)
    return relevance
