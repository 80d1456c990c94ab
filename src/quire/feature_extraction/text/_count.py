r"""Documents to a matrix of counts.

The document-feature matrix :math:`X` has a row for each document and a column for each term of the
vocabulary, in string order; :math:`X_{di}` is how often term :math:`i` occurs in document
:math:`d`.

Reference: scikit-learn's ``CountVectorizer``, whose parameters, attributes and results these are.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer

from quire._shared.sklearn import fit_context
from quire._shared.sparse import as_configured
from quire._shared.threads import effective_threads
from quire.feature_extraction.text._counted import CountedDocuments
from quire.feature_extraction.text._counting import (
    Counts,
    PythonCounts,
    kept_terms,
)
from quire.feature_extraction.text._growing import GrowingVectorizer
from quire.feature_extraction.text._growth import FixedGrowth, TermGrowth
from quire.feature_extraction.text._known import count_known, count_words, takes_stems
from quire.feature_extraction.text._negation import negating_words
from quire.feature_extraction.text._stemming import check_stemmer
from quire.feature_extraction.text._stems import stem_counts
from quire.feature_extraction.text._terms import Terms
from quire.feature_extraction.text._vocabulary import Vocabulary

__all__ = ["CountVectorizer"]


class CountVectorizer(GrowingVectorizer):
    r"""Convert documents to a sparse matrix of token counts.

    A drop-in replacement for scikit-learn's class of this name, many times faster, that can also
    grow (:meth:`partial_fit`) and join what was fitted on different parts of a corpus
    (:meth:`merge`).

    .. math:: X_{di} = \#\{\text{occurrences of term } i \text{ in document } d\}

    Parameters
    ----------
    input : {'filename', 'file', 'content'}, default='content'
        What documents are: paths, open files (anything with ``read``), or the texts themselves.
    encoding : str, default='utf-8'
        How bytes are decoded.
    decode_error : {'strict', 'ignore', 'replace'}, default='strict'
        What to do with bytes that do not fit the encoding.
    strip_accents : {'ascii', 'unicode'} or callable, default=None
        Remove accents after decomposing characters (NFKD): 'unicode' drops combining marks, 'ascii'
        drops whatever is not ASCII.
    lowercase : bool, default=True
        Lower-case texts as ``str.lower`` does.
    preprocessor : callable, default=None
        Replaces lower-casing and stripping of accents.
    tokenizer : callable, default=None
        Replaces ``token_pattern``. Only if ``analyzer == 'word'``.
    stop_words : str or list, default=None
        Words to drop: 'english' for scikit-learn's list, the name of another language (see
        :func:`~quire.feature_extraction.text.stop_words`), or the words themselves.
    token_pattern : str or None, default=r"(?u)\b\w\w+\b"
        What a word is: the tokens of ``re.findall``. Patterns are compiled, such as
        ``\w+|[^\w\s]`` for words and punctuation; those that look around or back go through
        Python.
    ngram_range : tuple (min_n, max_n), default=(1, 1)
        Count n-grams for n from min_n to max_n.
    analyzer : {'word', 'char', 'char_wb'} or callable, default='word'
        Whether terms are made of words, of characters, or of characters within words.
    max_df, min_df : float in [0.0, 1.0] or int, default=1.0 and 1
        Leave out terms with a document frequency above or below; a share of documents if float.
    max_features : int, default=None
        Keep only this many of the most frequent terms.
    vocabulary : Mapping or iterable, default=None
        Count these terms and no others.
    binary : bool, default=False
        Record only whether a term occurs.
    dtype : dtype, default=np.int64
        Of the matrix.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    tokens : str, default=None
        Kinds of tokens in the place of ``token_pattern``, with ``+`` between them: ``"words"`` (by
        the rules of Unicode, UAX #29: vowel signs, apostrophes and numbers stay together),
        ``"punctuation"``, ``"emoji"``, ``"hashtags"``, ``"mentions"``, ``"urls"``. As in
        ``"words+emoji"``. Only if ``analyzer == 'word'``.
    stemmer : str or callable, default=None
        Count stems of words: the English name of a language, for the algorithms of Snowball
        (``pip install quire[stem]``), or a function from a word to its stem. Each distinct word is
        stemmed once. Stop words are dropped before, as they stand in the text. Only if
        ``analyzer == 'word'``.
    negation : 'english' or list of str, default=None
        Mark words behind a negation, up to the next punctuation: "not so good." has the words not,
        not_so and not_good. The English negations (with all words that end with n't), or the words
        that negate. Stop words are dropped with their marks. Only if ``analyzer == 'word'``.

    Attributes
    ----------
    vocabulary_ : dict
        Term to column. Made when it is first asked for.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.
    engine_ : str
        ``"native"``, or ``"python: "`` and the setting that the kernels do not know.

    See Also
    --------
    TfidfVectorizer : The same with tf-idf weights.
    HashingVectorizer : Needs no vocabulary and no fit.

    Notes
    -----
    Cost: one pass over the text; memory for the distinct terms and the nonzeros. An n-gram is a few
    integers, never a string, until its name is asked for.

    Documents may be a list or any iterable of ``str`` or bytes, a NumPy array, a pandas or polars
    Series or an Arrow array; strings of lists and Arrow columns are read in place.

    The terms that ``min_df``, ``max_df`` and ``max_features`` leave out are remembered with their
    frequencies, so that :meth:`partial_fit` and :meth:`merge` can give what one fit on everything
    gives. :meth:`compact` forgets them.

    Examples
    --------
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> corpus = ["This is the first document.", "This document is the second document."]
    >>> vectorizer = CountVectorizer()
    >>> X = vectorizer.fit_transform(corpus)
    >>> vectorizer.get_feature_names_out()
    array(['document', 'first', 'is', 'second', 'the', 'this'], dtype=object)
    >>> X.toarray()
    array([[1, 1, 1, 0, 1, 1],
           [2, 0, 1, 1, 1, 1]])
    >>> vectorizer.partial_fit(["And a third one."]).vocabulary_["third"]
    7
    """

    _vocabulary: Vocabulary

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnCountVectorizer._parameter_constraints,
        "stop_words": [str, list, tuple, set, frozenset, None],
        "n_jobs": [Integral, None],
        "tokens": [str, None],
        "stemmer": [str, callable, None],
        "negation": [str, list, tuple, set, frozenset, None],
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
        stop_words: Any = None,
        token_pattern: str | None = r"(?u)\b\w\w+\b",
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.int64,
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
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
        )
        self.n_jobs = n_jobs
        self.tokens = tokens
        self.stemmer = stemmer
        self.negation = negation

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the vocabulary.

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
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and return the matrix of counts, in one pass.

        Parameters
        ----------
        raw_documents : iterable
            The documents.
        y : None
            Ignored.

        Returns
        -------
        X : csr_matrix of shape (n_documents, n_terms)
            The counts.
        """
        return self._fit(raw_documents, keep_matrix=True)

    def transform(self, raw_documents: Any) -> Any:
        """Count the terms of the vocabulary in documents.

        Parameters
        ----------
        raw_documents : iterable
            The documents.

        Returns
        -------
        X : csr_matrix of shape (n_documents, n_terms)
            The counts.
        """
        self._check_documents(raw_documents)
        self._check_vocabulary()
        return self._count_known(raw_documents)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the terms in the order of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects
            The terms.
        """
        self._check_vocabulary()
        return self._vocabulary.names.copy()

    @property
    def vocabulary_(self) -> dict[Any, Any]:
        """Term to column."""
        try:
            self._refresh()
        except ValueError as error:
            raise AttributeError(f"there is no vocabulary yet: {error}") from error
        if "_vocabulary" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'vocabulary_'")
        return self._vocabulary.mapping

    @vocabulary_.setter
    def vocabulary_(self, mapping: Mapping[Any, Any]) -> None:
        self._vocabulary = Vocabulary(None, mapping)
        self._growth = None
        self._is_stale = False

    @vocabulary_.deleter
    def vocabulary_(self) -> None:
        del self._vocabulary

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a vocabulary."""
        return "_vocabulary" in vars(self) or getattr(self, "_growth", None) is not None

    # How a fit goes

    def _check_fit_input(self, raw_documents: Any) -> None:
        self._check_documents(raw_documents)
        self._validate_ngram_range()
        self._warn_for_unused_params()
        check_stemmer(self.stemmer)
        if self.negation is not None and self.analyzer == "word":
            negating_words(self.negation, lowercase=self.lowercase)

    def _fit(self, raw_documents: Any, *, keep_matrix: bool) -> Any:
        self._check_fit_input(raw_documents)
        if self.vocabulary is not None:
            self._validate_vocabulary()
            self._warn_for_upper_case(stacklevel=5)
            X = self._count_known(raw_documents)
            self._growth = FixedGrowth.from_matrix(X, effective_threads(self.n_jobs))
            self._is_stale = self._is_compact = False
            return X
        if self._ranks_by_narrow_counts():
            return self._fit_narrow(raw_documents)
        counts = self._count_new(raw_documents, keep_rows=keep_matrix)
        kept = self._kept_terms(counts.terms, counts.n_documents)
        X = counts.matrix(kept, self.dtype, self.binary) if keep_matrix else None
        self._learn(counts.terms, kept, counts.n_documents)
        return X

    def _ranks_by_narrow_counts(self) -> bool:
        """Return whether ``max_features`` ranks terms by counts that the dtype may not hold."""
        dtype = np.dtype(self.dtype)
        return (
            self.max_features is not None
            and not self.binary
            and dtype.kind in "iu"
            and dtype.itemsize < 4
        )

    def _fit_narrow(self, raw_documents: Any) -> Any:
        """Choose the terms as scikit-learn does: by the sums of the counts as the matrix has them.

        A count of 300 in one document is 44 in a matrix of int8.
        """
        counts = self._count_new(raw_documents, keep_rows=True)
        X = counts.matrix(None, self.dtype, self.binary)
        sums = np.asarray(X.sum(axis=0), dtype=np.int64).ravel()
        kept = self._kept_terms(replace(counts.terms, term_frequency=sums), counts.n_documents)
        self._learn(counts.terms, kept, counts.n_documents)
        return X if kept is None else as_configured(X[:, kept])

    def _learn(self, terms: Terms, kept: NDArray[np.int64] | None, n_documents: int) -> None:
        """Take over the terms of documents, of which ``kept`` are columns (``None``: all)."""
        self.fixed_vocabulary_ = False
        self._vocabulary = Vocabulary(terms if kept is None else terms.take(kept))
        self._growth = TermGrowth([terms], n_documents)
        self._grown_with = self._text_settings()
        self._is_stale = self._is_compact = False

    def _kept_terms(self, terms: Terms, n_documents: int) -> NDArray[np.int64] | None:
        if len(terms) == 0:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        return kept_terms(
            terms,
            n_documents,
            max_df=self.max_df,
            min_df=self.min_df,
            max_features=self.max_features,
            binary=self.binary,
            dtype=self.dtype,
        )

    def _count_new(self, raw_documents: Any, *, keep_rows: bool) -> Counts:
        """Count documents with whatever terms they have."""
        if isinstance(raw_documents, CountedDocuments):
            counted = raw_documents._serving(self)
            if counted is not None:
                return counted._new_counts()
            raw_documents = raw_documents._given_texts()
        if not self._is_native():
            return self._count_new_in_python(raw_documents)
        options, _, stop_words = self._kernel_options()
        stems = takes_stems(self)
        counts = count_words(self, raw_documents, options, stop_words, keep_rows or stems)
        return stem_counts(counts, self.stems, options) if stems else counts

    def _count_new_in_python(self, raw_documents: Any) -> Counts:
        n_documents = 0

        def counted() -> Iterator[Any]:
            nonlocal n_documents
            for document in self._python_documents(raw_documents):
                n_documents += 1
                yield document

        try:
            vocabulary, X = SklearnCountVectorizer._count_vocab(self, counted(), False)
        except ValueError as error:
            if "empty vocabulary" not in str(error):
                raise
            vocabulary, X = {}, sparse.csr_array((n_documents, 0), dtype=self.dtype)
        return PythonCounts.from_vocabulary(vocabulary, X)

    def _count_known(self, raw_documents: Any) -> Any:
        """Count documents in the vocabulary there is."""
        if isinstance(raw_documents, CountedDocuments):
            counted = raw_documents._serving(self)
            if counted is not None:
                names = self._vocabulary.names
                return counted._known_counts(names, self.dtype, self.binary)
            raw_documents = raw_documents._given_texts()
        if not self._is_native():
            documents = self._python_documents(raw_documents)
            _, X = SklearnCountVectorizer._count_vocab(self, documents, True)
            if self.binary:
                X.data.fill(1)
            return X
        return count_known(self, raw_documents)

    def _warn_for_upper_case(self, stacklevel: int) -> None:
        if self.lowercase and any(any(map(str.isupper, term)) for term in self.vocabulary):
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. These "
                "entries will not be matched with any documents",
                stacklevel=stacklevel,
            )

    def _refresh(self) -> None:
        """Bring the vocabulary up to what was counted."""
        if not getattr(self, "_is_stale", False):
            return
        growth = self._growth
        if isinstance(growth, TermGrowth):
            terms = growth.total(self._merge_options(), effective_threads(self.n_jobs))
            kept = self._kept_terms(terms, growth.n_documents)
            self._vocabulary = Vocabulary(terms if kept is None else terms.take(kept))
        self._is_stale = False

    def _check_vocabulary(self) -> None:
        self._refresh()
        if "_vocabulary" not in vars(self):
            self._validate_vocabulary()
            if not self.fixed_vocabulary_:
                raise NotFittedError("Vocabulary not fitted or provided")
        if len(self._vocabulary) == 0:
            raise ValueError("Vocabulary is empty")
