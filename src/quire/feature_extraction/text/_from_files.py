"""Vectorizers as model files hold them: they turn texts into rows, and cannot learn.

They have the attributes of the estimators and call the same functions, but need neither these nor
scikit-learn. What the kernels do not do for them is left to the estimators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.accents import without_accents
from quire._shared.fitted import FromFile
from quire._shared.sparse import CsrRows
from quire._shared.threads import effective_threads
from quire.exceptions import UnscorableModelError
from quire.feature_extraction.text._engine import python_reason
from quire.feature_extraction.text._growth import FixedGrowth, TermGrowth
from quire.feature_extraction.text._kernels import KernelMixin, is_native_dtype
from quire.feature_extraction.text._known import count_known, hashed, hashing_reason
from quire.feature_extraction.text._terms import NativeTerms, PythonTerms
from quire.feature_extraction.text._vocabulary import Vocabulary
from quire.feature_extraction.text._weighing import weigh_bm25, weigh_tfidf

__all__ = ["FROM_FILES"]


class _OfFile(FromFile):
    """Attributes from a file; what they must be has been looked at."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


class _Texts(_OfFile, KernelMixin):
    """What reads texts."""

    analyzer: Any
    strip_accents: Any
    lowercase: Any
    encoding: str
    decode_error: str
    n_jobs: int | None
    dtype: Any

    def check_served(self) -> None:
        """Refuse settings that the kernels do not know."""
        reason = self._python_reason()
        if vars(self)["input"] != "content":
            reason = "documents are files"
        if not is_native_dtype(self.dtype):
            reason = "its dtype is none of the kernels"
        if reason is not None:
            raise UnscorableModelError(f"the vectorizer is not scored from its file: {reason}")

    def build_preprocessor(self) -> Callable[[str], str]:
        """Return the function that lower-cases texts and strips accents."""
        if self.strip_accents not in (None, "ascii", "unicode"):
            raise ValueError(f'Invalid value for "strip_accents": {self.strip_accents}')

        def preprocess(text: str) -> str:
            text = text.lower() if self.lowercase else text
            return without_accents(text, self.strip_accents) if self.strip_accents else text

        return preprocess

    def decode(self, document: Any) -> Any:
        """Return a document as a text."""
        if isinstance(document, bytes):
            return document.decode(self.encoding, self.decode_error)
        return document

    def _python_reason(self) -> str | None:
        return python_reason(self, {})

    def _decodes_by_itself(self) -> bool:
        return False

    def _check_words(self, words: frozenset[str], preprocess: Any) -> None:
        """Warn of nothing: whoever fitted the vectorizer has been told."""


class _Counts(_Texts):
    """CountVectorizer."""

    _vocabulary: Vocabulary

    def check_served(self) -> None:
        """Refuse what has no vocabulary yet, or not all of it."""
        super().check_served()
        if "_vocabulary" not in vars(self) or vars(self).get("_is_stale", False):
            raise UnscorableModelError("the vectorizer of the file is not fitted")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the terms in the order of the columns."""
        return self._vocabulary.names.copy()

    def feature_names_at(self, columns: Any) -> NDArray[np.object_]:
        """Return the terms of some columns, without making all of them."""
        return self._vocabulary.names_at(columns)

    def transform(self, raw_documents: Any) -> CsrRows:
        """Count the terms of the vocabulary in documents."""
        self._check_documents(raw_documents)
        if len(self._vocabulary) == 0:
            raise ValueError("Vocabulary is empty")
        counts: CsrRows = count_known(self, raw_documents, CsrRows)
        return counts


class _TfidfTexts(_Counts):
    """TfidfVectorizer."""

    _tfidf: Any

    def check_served(self) -> None:
        """Refuse what has no weights, or counts in numbers that weights do not fit into."""
        super().check_served()
        if "_tfidf" not in vars(self) or np.dtype(self.dtype) not in (np.float32, np.float64):
            raise UnscorableModelError("the weights of the file are not those of its vectorizer")

    def transform(self, raw_documents: Any) -> CsrRows:
        """Weigh the terms of the vocabulary in documents."""
        X = super().transform(raw_documents)
        weighed: CsrRows = weigh_tfidf(self._tfidf, X, _threads(X, self.n_jobs))
        return weighed


class _Bm25Texts(_Counts):
    """BM25Vectorizer."""

    _bm25: Any

    def check_served(self) -> None:
        """Refuse what has no weights."""
        super().check_served()
        if "_bm25" not in vars(self):
            raise UnscorableModelError("the vectorizer of the file is not fitted")

    def transform(self, raw_documents: Any) -> CsrRows:
        """Weigh the terms of the vocabulary in documents."""
        X = super().transform(raw_documents)
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        weighed: CsrRows = weigh_bm25(self._bm25, X, _threads(X, self.n_jobs))
        return weighed


class _Hashes(_Texts):
    """HashingVectorizer."""

    n_features: int

    def _python_reason(self) -> str | None:
        return hashing_reason(self) or super()._python_reason()

    def transform(self, raw_documents: Any) -> CsrRows:
        """Hash the terms of documents."""
        self._check_documents(raw_documents)
        options, _, stop_words = self._kernel_options()
        parts = [
            hashed(self, documents, 0, options, stop_words, threads, CsrRows)
            for documents, threads in self._document_batches(raw_documents)
        ]
        if len(parts) != 1:
            raise ValueError("Cannot vectorize empty sequence.")
        rows: CsrRows = parts[0]
        return rows


class _Tfidf(_OfFile):
    """TfidfTransformer."""

    n_jobs: int | None

    def get_feature_names_out(self, input_features: Any) -> NDArray[np.object_]:
        """Return the names as they were given."""
        return np.asarray(input_features, dtype=object)

    def transform(self, X: CsrRows) -> CsrRows:
        """Weigh counts."""
        weighed: CsrRows = weigh_tfidf(self, _floats(X), _threads(X, self.n_jobs))
        return weighed


class _Bm25(_OfFile):
    """BM25Transformer."""

    n_jobs: int | None

    def get_feature_names_out(self, input_features: Any) -> NDArray[np.object_]:
        """Return the names as they were given."""
        return np.asarray(input_features, dtype=object)

    def transform(self, X: CsrRows) -> CsrRows:
        """Weigh counts."""
        if X.data.min(initial=0) < 0:
            raise ValueError("BM25Transformer takes counts, and there are negative values.")
        weighed: CsrRows = weigh_bm25(self, _floats(X), _threads(X, self.n_jobs))
        return weighed


def _floats(X: CsrRows) -> CsrRows:
    """Return a copy that can be weighted in place."""
    return X.astype(X.dtype if X.dtype in (np.float32, np.float64) else np.float64)


def _threads(X: Any, n_jobs: int | None) -> int:
    return 1 if X.shape[0] <= 1 else effective_threads(n_jobs)


_TEXT = "quire.feature_extraction.text"
FROM_FILES: dict[str, type] = {
    f"{_TEXT}.BM25Transformer": _Bm25,
    f"{_TEXT}.BM25Vectorizer": _Bm25Texts,
    f"{_TEXT}.ClassCounts": _OfFile,
    f"{_TEXT}.CountVectorizer": _Counts,
    f"{_TEXT}.FixedGrowth": FixedGrowth,
    f"{_TEXT}.HashingVectorizer": _Hashes,
    f"{_TEXT}.NativeTerms": NativeTerms,
    f"{_TEXT}.PythonTerms": PythonTerms,
    f"{_TEXT}.TermGrowth": TermGrowth,
    f"{_TEXT}.TfidfTransformer": _Tfidf,
    f"{_TEXT}.TfidfVectorizer": _TfidfTexts,
    f"{_TEXT}.Vocabulary": Vocabulary,
}
