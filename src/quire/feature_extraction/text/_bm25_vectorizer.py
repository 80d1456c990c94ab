"""Documents to BM25 weights: counting and weighting in one."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import fit_context
from quire.feature_extraction.text._bm25_transformer import CONSTRAINTS, BM25Transformer
from quire.feature_extraction.text._count import CountVectorizer
from quire.feature_extraction.text._growth import FixedGrowth

__all__ = ["BM25Vectorizer"]


class BM25Vectorizer(CountVectorizer):
    r"""Convert documents to a sparse matrix of BM25 weights.

    :class:`CountVectorizer` followed by :class:`BM25Transformer`.

    .. math:: W_{di} = \ln \left(1 + \frac{n - \mathrm{df}_i + 1/2}{\mathrm{df}_i + 1/2}\right)
              \frac{(k_1 + 1)\, c_{di}}{c_{di} + k_1 (1 - b + b\, l_d / \bar l)}

    with counts c of the terms of the vocabulary, their sum :math:`l_d`, and its mean
    :math:`\bar l`.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, analyzer
        As for :class:`CountVectorizer`.
    stop_words, token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary
        As for :class:`CountVectorizer`. ``binary`` makes the counts 0 or 1, not the weights.
    dtype : dtype, default=np.float64
        Of the matrix: float64 or float32.
    k1 : float, default=1.2
        How slowly repetitions lose their weight.
    b : float, default=0.75
        How much of its length is held against a document, between 0 and 1.
    use_idf : bool, default=True
        Weight by inverse document frequency.
    norm : {'l1', 'l2'} or None, default='l2'
        The norm that each row has.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    tokens, stemmer, negation
        As for :class:`CountVectorizer`.

    Attributes
    ----------
    vocabulary_ : dict
        Term to column. Made when it is first asked for.
    idf_ : ndarray of shape (n_terms,)
        The weights of the terms, if ``use_idf``.
    mean_length_ : float
        Mean sum of the counts of a document.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.
    engine_ : str
        ``"native"``, or ``"python: "`` and the setting that the kernels do not know.

    See Also
    --------
    TfidfVectorizer : The same with tf-idf weights.

    Examples
    --------
    >>> from quire.feature_extraction.text import BM25Vectorizer
    >>> vectorizer = BM25Vectorizer(norm=None)
    >>> X = vectorizer.fit_transform(["rain and more rain", "sun", "sun and rain"])
    >>> vectorizer.get_feature_names_out().tolist()
    ['and', 'more', 'rain', 'sun']
    >>> X.toarray().round(2)
    array([[0.39, 0.81, 0.57, 0.  ],
           [0.  , 0.  , 0.  , 0.63],
           [0.45, 0.  , 0.45, 0.45]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CountVectorizer._parameter_constraints,
        **CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        analyzer: Any = "word",
        stop_words: Any = None,
        token_pattern: str | None = r"(?u)\b\w\w+\b",
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.float64,
        k1: float = 1.2,
        b: float = 0.75,
        use_idf: bool = True,
        norm: str | None = "l2",
        n_jobs: int | None = None,
        tokens: str | None = None,
        stemmer: Any = None,
        negation: Any = None,
    ) -> None:
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            analyzer=analyzer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
            n_jobs=n_jobs,
            tokens=tokens,
            stemmer=stemmer,
            negation=negation,
        )
        self.k1 = k1
        self.b = b
        self.use_idf = use_idf
        self.norm = norm

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the vocabulary, the weights of its terms, and how long documents are.

        Parameters
        ----------
        raw_documents : iterable
            The documents.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit(raw_documents, keep_matrix=False)
        self._bm25 = self._weighted_by_growth()
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and the weights, and return the weighted matrix.

        Parameters
        ----------
        raw_documents : iterable
            The documents.
        y : None
            Ignored.

        Returns
        -------
        X : csr_matrix of shape (n_documents, n_terms)
            The weights.
        """
        X = self._fit(raw_documents, keep_matrix=True)
        self._bm25 = self._weighted_by_growth()
        return self._weigh(X)

    def transform(self, raw_documents: Any) -> Any:
        """Weigh the terms of the vocabulary in documents.

        Parameters
        ----------
        raw_documents : iterable
            The documents.

        Returns
        -------
        X : csr_matrix of shape (n_documents, n_terms)
            The weights.
        """
        check_is_fitted(self)
        self._refresh()
        return self._weigh(super().transform(raw_documents))

    @property
    def idf_(self) -> NDArray[Any]:
        """The weights of the terms."""
        weights: NDArray[Any] = self._fitted().idf_
        return weights

    @property
    def mean_length_(self) -> float:
        """Mean sum of the counts of a document."""
        length: float = self._fitted().mean_length_
        return length

    def _fitted(self) -> BM25Transformer:
        check_is_fitted(self)
        self._refresh()
        return self._bm25

    def _weigh(self, X: Any) -> Any:
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        return self._bm25._weigh(X) if X.shape[0] else X

    def _weighted_by_growth(self) -> BM25Transformer:
        """Return a transformer with the weights that the counted frequencies give."""
        transformer = BM25Transformer(
            k1=self.k1, b=self.b, use_idf=self.use_idf, norm=self.norm, n_jobs=self.n_jobs
        )
        growth = self._growth
        assert growth is not None
        if isinstance(growth, FixedGrowth):
            df, total = growth.document_frequency, growth.n_tokens
        else:
            df = self._vocabulary.document_frequency
            counted = df if self.binary else self._vocabulary.term_frequency
            total = float(counted.sum())
        dtype = self.dtype if self.dtype in (np.float32, np.float64) else np.float64
        transformer._learn(df, growth.n_documents, total, dtype)
        transformer.n_features_in_ = len(df)
        return transformer

    def _refresh(self) -> None:
        if getattr(self, "_is_stale", False):
            super()._refresh()
            self._bm25 = self._weighted_by_growth()
