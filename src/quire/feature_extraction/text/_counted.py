"""Documents that were counted once, to be divided and learned from many times.

Folds, sizes of training sets and the last fit on everything all need the terms of the same
documents. Cutting texts into terms is most of the work, so it is done once; the vocabulary of some
of the rows is those columns that occur in them, and the limits of document frequency are taken from
these rows (:func:`~quire.feature_extraction.text._counting.kept_terms`, as in every fit).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import FeatureUnion, Pipeline

from quire._shared.notebooks import ShownInNotebooks, named_cells
from quire._shared.sparse import as_configured
from quire._shared.texts import check_documents, python_objects
from quire._shared.typing import AnyArray, Ints
from quire._shared.validation import check_array
from quire.feature_extraction.text._counting import Counts, kept_terms
from quire.feature_extraction.text._growing import GrowingVectorizer
from quire.feature_extraction.text._growth import TermGrowth
from quire.feature_extraction.text._terms import NativeTerms, PythonTerms, Terms

__all__ = ["CountedDocuments"]

_NO_LIMITS = {"min_df": 1, "max_df": 1.0, "max_features": None}


class CountedDocuments(ShownInNotebooks):
    """Texts and the counts of all their terms, which vectorizers take in the place of texts.

    ``fit``, ``fit_transform`` and ``transform`` of a :class:`CountVectorizer` or
    :class:`TfidfVectorizer` that cuts up texts in the same way give the same results as with the
    texts themselves, without reading them again. Any other vectorizer is given the texts.

    Parameters
    ----------
    texts : iterable of documents
        What `vectorizer` reads.
    vectorizer : CountVectorizer or FeatureUnion of them, default=None
        How to cut up texts, and the limits that hold for :meth:`divide`; ``None`` for one with its
        defaults. Of a union such as :func:`words_and_characters` every part is counted once.

    Attributes
    ----------
    texts : Series, list or None
        The documents; ``None`` if they came as a matrix.
    vectorizer : CountVectorizer or None
        The same one, or the first of a union, not fitted; ``None`` if there are no texts.

    Notes
    -----
    ``counted[rows]`` are some of the documents, for an array of numbers or of truth values; they
    share texts and counts with the whole.

    Examples
    --------
    >>> from quire.feature_extraction.text import CountedDocuments, CountVectorizer
    >>> counted = CountedDocuments(["one two", "two three", "three one one"])
    >>> CountVectorizer(min_df=2).fit_transform(counted).toarray()
    array([[1, 0, 1],
           [0, 1, 1],
           [2, 1, 0]])
    >>> CountVectorizer().fit(counted[[0, 1]]).get_feature_names_out()
    array(['one', 'three', 'two'], dtype=object)
    """

    def __init__(self, texts: Any, vectorizer: Any = None, *, least_df: int = 1) -> None:
        check_documents(texts, any_items=True)
        from quire.feature_extraction.text._bm25_vectorizer import BM25Vectorizer
        from quire.feature_extraction.text._count import CountVectorizer
        from quire.feature_extraction.text._tfidf_vectorizer import TfidfVectorizer

        if vectorizer is None:
            vectorizer = CountVectorizer()
        parts = _parts_of(vectorizer)
        vectorizer = parts[0]
        if not (hasattr(texts, "gather") and hasattr(texts, "dtype")):  # a polars Series stays one
            texts = list(python_objects(texts))
        everything: Any = clone(vectorizer)
        if isinstance(vectorizer, BM25Vectorizer | TfidfVectorizer):  # not their weights
            names = CountVectorizer().get_params()
            settings = {k: v for k, v in vectorizer.get_params().items() if k in names}
            everything = CountVectorizer(**{**settings, "dtype": np.int64})
        everything.set_params(**{**_NO_LIMITS, "min_df": least_df})
        counts = everything.fit_transform(texts)
        self._whole = _Whole(counts, texts, vectorizer, _terms_of(everything, least_df), least_df)
        self._rows: AnyArray | None = None
        self._others = tuple(CountedDocuments(texts, p, least_df=least_df) for p in parts[1:])

    def shorter(self, most_words: int) -> CountedDocuments:
        """Return the same documents with n-grams of no more words than this.

        Parameters
        ----------
        most_words : int
            The most words of a term; at least what they begin with.

        Returns
        -------
        CountedDocuments
            As if they had been counted with that ``ngram_range``; texts are not read again.
        """
        own = self.vectorizer
        if own is None or self._rows is not None or self._others:
            raise ValueError("n-grams can be left out of whole documents that were texts only")
        least, most = own.ngram_range
        if not least <= most_words <= most:
            raise ValueError(f"most_words must be from {least} to {most}; got {most_words}")
        if most_words == most:
            return self
        vectorizer = clone(own).set_params(ngram_range=(least, most_words))
        terms = self._whole.terms
        if not isinstance(terms, NativeTerms) or terms.width != most:
            return CountedDocuments(self.texts, vectorizer, least_df=self._whole.least_df)
        n_words = (terms.grams.reshape(-1, terms.width) >= 0).sum(axis=1)
        kept = np.flatnonzero(n_words <= most_words)
        few = terms.take(kept)
        grams = few.grams.reshape(-1, terms.width)[:, :most_words]
        few = replace(few, width=most_words, grams=np.ascontiguousarray(grams).ravel())
        if most_words == 1:
            # Their numbers are in the order of the words, and no word is left without a term.
            few = replace(few, grams=few.grams[:0])
        part = type(self).__new__(type(self))
        counts = self._whole.counts[:, kept]
        part._whole = _Whole(counts, self._whole.texts, vectorizer, few, self._whole.least_df)
        part._rows, part._others = None, ()
        return part

    @classmethod
    def from_matrix(cls, X: Any) -> CountedDocuments:
        """Return documents of which there are only counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_terms)
            The counts; it is not changed.

        Returns
        -------
        CountedDocuments
            Documents that can be divided; all terms of training documents are columns.
        """
        counts = sparse.csr_array(check_array(X, accept_sparse="csr"), copy=True)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        documents = cls.__new__(cls)
        documents._whole = _Whole(counts, None, None, None)
        documents._rows = None
        documents._others = ()
        return documents

    @property
    def texts(self) -> Any:
        """The documents themselves."""
        texts = self._whole.texts
        if texts is None or self._rows is None:
            return texts
        return [texts[row] for row in self._rows] if isinstance(texts, list) else texts[self._rows]

    @property
    def vectorizer(self) -> Any:
        """How texts were cut up, and the limits of :meth:`divide`."""
        return self._whole.vectorizer

    @cached_property
    def counts(self) -> Any:
        """The counts of all terms of the whole, a CSR matrix without stored zeros.

        Of a union, those of its first part.
        """
        counts = self._whole.counts
        return counts if self._rows is None else counts[self._rows]

    def __len__(self) -> int:
        return int(self._whole.counts.shape[0] if self._rows is None else len(self._rows))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._given_texts())

    def __getitem__(self, rows: Any) -> CountedDocuments:
        part = type(self).__new__(type(self))
        part._whole = self._whole
        rows = np.arange(len(self))[rows]
        part._rows = rows if self._rows is None else self._rows[rows]
        part._others = tuple(other[rows] for other in self._others)
        return part

    def __repr__(self) -> str:
        return f"CountedDocuments(n_documents={len(self)}, n_terms={self._whole.counts.shape[1]})"

    def _notebook_cells(self) -> list[list[str]]:
        return named_cells({"documents": len(self), "terms": self._whole.counts.shape[1]})

    def divide(self, train: AnyArray, test: AnyArray) -> tuple[Any, Any]:
        """Return two parts as matrices over the vocabulary of the first.

        Parameters
        ----------
        train, test : ndarray
            Rows. What a fit of `vectorizer` to the texts of `train` would leave out is left out.

        Returns
        -------
        train, test : CSR matrix
            Counts; of a union, those of its parts side by side.
        """
        if self._others:
            blocks = [self._divide(train, test), *(o.divide(train, test) for o in self._others)]
            side_by_side = (sparse.hstack(each, format="csr") for each in zip(*blocks, strict=True))
            return tuple(map(as_configured, side_by_side))
        return self._divide(train, test)

    def _divide(self, train: AnyArray, test: AnyArray) -> tuple[Any, Any]:
        counts = self.counts
        training = counts[train]
        limits = self.vectorizer
        if getattr(limits, "vocabulary", None) is not None:  # given: the same for all
            return training, counts[test]
        df = np.bincount(training.indices, minlength=training.shape[1])
        kept = np.flatnonzero(df)
        if limits is not None and len(kept):
            tf = np.asarray(training.sum(axis=0)).ravel()
            within = kept_terms(
                PythonTerms(range(len(kept)), df[kept], tf[kept]),
                training.shape[0],
                max_df=limits.max_df,
                min_df=limits.min_df,
                max_features=limits.max_features,
                binary=limits.binary,
                dtype=limits.dtype,
            )
            kept = kept if within is None else kept[within]
        return training[:, kept], counts[test][:, kept]

    # For vectorizers, which ask before they read texts

    def _serving(self, vectorizer: GrowingVectorizer) -> CountedDocuments | None:
        """Return the documents as a vectorizer would count them, if they were counted so."""
        for counted in (self, *self._others):
            if counted._serves(vectorizer):
                return counted
        return None

    def _serves(self, vectorizer: GrowingVectorizer) -> bool:
        """Return whether the counts are those that a vectorizer would make."""
        own = self.vectorizer
        return (
            isinstance(own, GrowingVectorizer)
            and own.vocabulary is None
            and vectorizer.vocabulary is None
            and _least_of(vectorizer.min_df) >= self._whole.least_df
            and (vectorizer.binary or not own.binary)
            and own._text_settings() == vectorizer._text_settings()
        )

    def _given_texts(self) -> Any:
        texts = self.texts
        if texts is None:
            raise TypeError(
                "these documents came as a matrix of counts, and a vectorizer needs their texts. "
                "Give a model of numbers, or the texts."
            )
        return texts

    def _new_counts(self) -> Counts:
        """Return the counts of the terms that these documents have."""
        counts, terms = self.counts, self._whole.terms
        assert terms is not None
        if self._rows is not None:
            df = np.bincount(counts.indices, minlength=counts.shape[1])
            tf = np.asarray(counts.sum(axis=0)).ravel().astype(np.int64)
            present = np.flatnonzero(df)
            counts, terms = counts[:, present], terms.take(present)
            terms = replace(
                terms, document_frequency=df[present], term_frequency=tf[present]
            )  # of these rows
        return _CountedRows(counts, terms)

    def _known_counts(self, names: Any, dtype: Any, binary: bool) -> Any:
        """Return the counts of given terms, which are in the order of a vocabulary."""
        places = self._whole.places
        columns = np.array([places.get(name, -1) for name in names], dtype=np.int64)
        there = np.flatnonzero(columns >= 0)
        X = sparse.csr_array(self.counts)[:, columns[there]]
        if len(there) < len(columns):  # terms of other documents
            indices = there.astype(X.indices.dtype)[X.indices]
            X = sparse.csr_array((X.data, indices, X.indptr), (len(self), len(columns)))
        return _as_counted(X, dtype, binary)


@dataclass(frozen=True, eq=False)
class _Whole:
    """What parts of the documents share."""

    counts: Any
    texts: Any
    vectorizer: Any
    terms: Terms | None
    least_df: int = 1

    @cached_property
    def places(self) -> dict[Any, int]:
        assert self.terms is not None
        return {name: column for column, name in enumerate(self.terms.names())}


@dataclass(frozen=True)
class _CountedRows:
    """The counts of some documents, for a fit."""

    X: Any
    terms: Terms

    @property
    def n_documents(self) -> int:
        return int(self.X.shape[0])

    def matrix(self, kept: Ints | None, dtype: Any, binary: bool) -> Any:
        X = sparse.csr_array(self.X)
        return _as_counted(X if kept is None else X[:, kept], dtype, binary)


def _parts_of(vectorizer: Any) -> list[Any]:
    """Return the vectorizers of a union, or the one that is given.

    Parts may be pipelines that begin with one; what follows weighs or chooses.
    """
    if not isinstance(vectorizer, FeatureUnion):
        return [vectorizer]
    parts = [part for _, part in vectorizer.transformer_list if not isinstance(part, str)]
    parts = [part[0] if isinstance(part, Pipeline) else part for part in parts]
    if not parts or not all(isinstance(part, GrowingVectorizer) for part in parts):
        raise TypeError(
            "A union whose documents are counted once consists of CountVectorizers, or classes "
            "derived from it; this one has "
            f"{', '.join(type(part).__name__ for part in parts) or 'no parts'}."
        )
    return parts


def _as_counted(X: Any, dtype: Any, binary: bool) -> Any:
    """Return a matrix with an array of values of its own, which weights are written over."""
    X = X.astype(dtype, copy=True)
    if binary:
        X.data.fill(1)
    return as_configured(X)


def _least_of(min_df: Any) -> int:
    """Return the fewest documents of a term, as far as it does not depend on their number."""
    return int(min_df) if isinstance(min_df, Integral) else 1


def _terms_of(everything: Any, least_df: int) -> Terms | None:
    """Return the terms of a vectorizer without other limits than this."""
    growth = getattr(everything, "_growth", None)
    if not isinstance(growth, TermGrowth):
        return None
    terms: Terms = growth.parts[0]
    kept = np.flatnonzero(terms.document_frequency >= least_df)
    return terms if len(kept) == len(terms) else terms.take(kept)
