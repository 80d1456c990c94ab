r"""Counts to BM25 weights.

A count says less with every repetition, and less in a long document than in a short one. With the
counts c, the length :math:`l_d` of a document (the sum of its counts) and the mean length
:math:`\bar l`,

.. math::

    W_{di} = \mathrm{idf}_i \, \frac{(k_1 + 1)\, c_{di}}{c_{di} + k_1 (1 - b + b\, l_d / \bar l)},
    \qquad
    \mathrm{idf}_i = \ln \left(1 + \frac{n - \mathrm{df}_i + 1/2}{\mathrm{df}_i + 1/2}\right)

This idf, of n documents, is never negative. (The older one, without the 1, is negative for terms of
more than half of the documents.)

Reference: S. Robertson, H. Zaragoza (2009). The probabilistic relevance framework: BM25 and beyond.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from quire import _core
from quire._shared.sklearn import Interval, StrOptions, fit_context
from quire._shared.sparse import as_configured
from quire._shared.threads import effective_threads
from quire.feature_extraction.text._count_matrix import count_matrix
from quire.feature_extraction.text._weighing import weigh_bm25

__all__ = ["BM25Transformer", "bm25_idf"]

CONSTRAINTS: dict[str, Any] = {
    "k1": [Interval(Real, 0, None, closed="left")],
    "b": [Interval(Real, 0, 1, closed="both")],
    "use_idf": ["boolean"],
    "norm": [StrOptions({"l1", "l2"}), None],
    "n_jobs": [Integral, None],
}


class BM25Transformer(  # type: ignore[call-arg]  # scikit-learn has no types
    OneToOneFeatureMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None
):
    r"""Weight a matrix of counts by BM25.

    .. math:: W_{di} = \ln \left(1 + \frac{n - \mathrm{df}_i + 1/2}{\mathrm{df}_i + 1/2}\right)
              \frac{(k_1 + 1)\, c_{di}}{c_{di} + k_1 (1 - b + b\, l_d / \bar l)}

    with counts c, the sum of the counts of a document :math:`l_d`, and its mean over the documents
    of the fit :math:`\bar l`.

    Parameters
    ----------
    k1 : float, default=1.2
        How slowly repetitions lose their weight. 0 looks at presence alone; the larger, the nearer
        to the counts themselves.
    b : float, default=0.75
        How much of its length is held against a document, between 0 and 1.
    use_idf : bool, default=True
        Weight by inverse document frequency.
    norm : {'l1', 'l2'} or None, default='l2'
        The norm that each row of the result has, which is best for classifiers. ``None`` leaves the
        rows as they are in a search, where b alone sees to their lengths.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.

    Attributes
    ----------
    idf_ : ndarray of shape (n_features,)
        The weights of the columns, if ``use_idf``.
    mean_length_ : float
        Mean sum of the counts of a document.
    n_features_in_ : int
        The number of columns.

    See Also
    --------
    BM25Vectorizer : Documents to weights.
    TfidfTransformer : Tf-idf.

    References
    ----------
    S. Robertson, H. Zaragoza, "The probabilistic relevance framework: BM25 and beyond", Foundations
    and Trends in Information Retrieval 3 (2009).

    Examples
    --------
    >>> from quire.feature_extraction.text import BM25Transformer
    >>> BM25Transformer(norm=None).fit_transform([[1, 1, 1], [1, 2, 0]]).toarray().round(3)
    array([[0.182, 0.182, 0.693],
           [0.182, 0.251, 0.   ]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS

    def __init__(
        self,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        use_idf: bool = True,
        norm: str | None = "l2",
        n_jobs: int | None = None,
    ) -> None:
        self.k1 = k1
        self.b = b
        self.use_idf = use_idf
        self.norm = norm
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the weights of the columns, and how long documents are.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts, not negative.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = count_matrix(self, X, reset=True)
        n_threads = effective_threads(self.n_jobs)
        indices = np.require(X.indices, X.indices.dtype.newbyteorder("="), ["C", "A"])
        df = _core.text.csr_document_frequency(indices, X.shape[1], n_threads)
        self._learn(df, X.shape[0], float(X.data.sum(dtype=np.float64)), X.dtype)
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
        return as_configured(self._weigh(count_matrix(self, X, reset=False)))

    def _learn(self, df: NDArray[np.int64], n_documents: int, total: float, dtype: Any) -> None:
        """Learn from document frequencies and the sum of all counts."""
        self.mean_length_ = total / max(n_documents, 1)
        if self.use_idf:
            self.idf_ = bm25_idf(df, n_documents).astype(dtype)

    def _weigh(self, X: Any) -> Any:
        """Weight a CSR matrix of floats in place."""
        return weigh_bm25(self, X, effective_threads(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def bm25_idf(document_frequency: NDArray[np.int64], n_documents: int) -> NDArray[np.float64]:
    """Return ln(1 + (n - df + 1/2) / (df + 1/2)).

    Parameters
    ----------
    document_frequency : ndarray of int64
        In how many documents each term occurs.
    n_documents : int
        The number of documents.

    Examples
    --------
    >>> bm25_idf(np.array([1, 2]), 2).round(3)
    array([0.693, 0.182])
    """
    df = document_frequency.astype(np.float64)
    return np.log1p((n_documents - df + 0.5) / (df + 0.5))
