"""Documents to tf-idf weights: counting and weighting in one.

Reference: scikit-learn's ``TfidfVectorizer``, whose parameters, attributes and results these are.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer as SklearnTfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import fit_context
from quire._shared.threads import effective_threads
from quire.feature_extraction.text._count import CountVectorizer
from quire.feature_extraction.text._growth import FixedGrowth
from quire.feature_extraction.text._tfidf_transformer import TfidfTransformer, idf_weights

__all__ = ["TfidfVectorizer"]

_FLOATS = (np.float64, np.float32, np.float16)


class TfidfVectorizer(CountVectorizer, SklearnTfidfVectorizer):
    r"""Convert documents to a sparse matrix of tf-idf weights.

    :class:`CountVectorizer` followed by :class:`TfidfTransformer`; a drop-in replacement for
    scikit-learn's class of this name.

    .. math:: W_{di} = X_{di} \left(\ln \frac{1 + n}{1 + \mathrm{df}_i} + 1\right), \quad
              \text{rows scaled to norm 1}

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, analyzer
        As for :class:`CountVectorizer`.
    stop_words, token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary
        As for :class:`CountVectorizer`. ``binary`` makes the counts 0 or 1, not the weights.
    dtype : dtype, default=np.float64
        Of the matrix: float64 or float32.
    norm : {'l1', 'l2'} or None, default='l2'
        The norm that each row has.
    use_idf : bool, default=True
        Weight by inverse document frequency.
    smooth_idf : bool, default=True
        Count one document more that holds every term.
    sublinear_tf : bool, default=False
        Replace a count c by 1 + ln(c).
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
        The weights of the terms.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.
    engine_ : str
        ``"native"``, or ``"python: "`` and the setting that the kernels do not know.

    Examples
    --------
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> corpus = ["This is the first document.", "This document is the second document."]
    >>> vectorizer = TfidfVectorizer()
    >>> vectorizer.fit_transform(corpus).toarray().round(2)
    array([[0.41, 0.57, 0.41, 0.  , 0.41, 0.41],
           [0.67, 0.  , 0.33, 0.47, 0.33, 0.33]])
    >>> vectorizer.idf_.round(2)
    array([1.  , 1.41, 1.  , 1.41, 1.  , 1.  ])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnTfidfVectorizer._parameter_constraints,
        **CountVectorizer._parameter_constraints,
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
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
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
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the vocabulary and the weights of its terms.

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
        self._tfidf = self._weighted_by_growth()
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
        self._tfidf = self._weighted_by_growth()
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
        check_is_fitted(self, msg="The TF-IDF vectorizer is not fitted")
        X = super().transform(raw_documents)
        if "_tfidf" not in vars(self):  # given a vocabulary by hand, but no weights
            raise NotFittedError("The TF-IDF vectorizer is not fitted")
        return self._weigh(X)

    @property
    def idf_(self) -> NDArray[Any]:
        """The weights of the terms."""
        self._refresh()
        if "_tfidf" not in vars(self):
            raise NotFittedError(
                f"{type(self).__name__} is not fitted yet. Call 'fit' with appropriate arguments "
                "before using this attribute."
            )
        weights: NDArray[Any] = self._tfidf.idf_
        return weights

    @idf_.setter
    def idf_(self, value: Any) -> None:
        if not self.use_idf:
            raise ValueError("`idf_` cannot be set when `user_idf=False`.")
        if "_tfidf" not in vars(self):
            self._tfidf = self._new_transformer()
        self._validate_vocabulary()
        if "_vocabulary" in vars(self) and len(self._vocabulary) != len(value):
            raise ValueError(
                f"idf length = {len(value)} must be equal to vocabulary size = "
                f"{len(self._vocabulary)}"
            )
        self._tfidf.idf_ = value

    def _new_transformer(self) -> TfidfTransformer:
        return TfidfTransformer(
            norm=self.norm,
            use_idf=self.use_idf,
            smooth_idf=self.smooth_idf,
            sublinear_tf=self.sublinear_tf,
            n_jobs=self.n_jobs,
        )

    def _weigh(self, X: Any) -> Any:
        if X.shape[0] == 0 or X.dtype not in (np.float32, np.float64):
            return self._tfidf.transform(X, copy=False)  # which converts, or refuses
        n_threads = 1 if X.shape[0] == 1 else effective_threads(self.n_jobs)
        return self._tfidf._weigh(X, n_threads)

    def _weighted_by_growth(self) -> TfidfTransformer:
        """Return a transformer with the weights that the counted frequencies give."""
        transformer = self._new_transformer()
        growth = self._growth
        assert growth is not None
        counted = growth if isinstance(growth, FixedGrowth) else self._vocabulary
        df = counted.document_frequency
        transformer.n_features_in_ = len(df)
        if self.use_idf:
            dtype = self.dtype if self.dtype in (np.float32, np.float64) else np.float64
            transformer.idf_ = idf_weights(
                df, growth.n_documents, smooth=self.smooth_idf, dtype=dtype
            )
        return transformer

    def _refresh(self) -> None:
        if getattr(self, "_is_stale", False):
            super()._refresh()
            self._tfidf = self._weighted_by_growth()

    def _check_fit_input(self, raw_documents: Any) -> None:
        super()._check_fit_input(raw_documents)
        if self.dtype not in _FLOATS:
            warnings.warn(
                f"Only {_FLOATS} 'dtype' should be used. {self.dtype} 'dtype' will be converted to "
                "np.float64.",
                UserWarning,
                stacklevel=5,  # the caller of fit, past its decorator
            )
