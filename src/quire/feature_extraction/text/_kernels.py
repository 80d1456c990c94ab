"""What all vectorizers share: reading documents, options, stop words, the choice of the path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from quire._shared.sparse import csr_from_arrays
from quire._shared.texts import check_documents, is_missing, missing_document, python_objects
from quire._shared.threads import effective_threads
from quire.feature_extraction.text._documents import document_batches
from quire.feature_extraction.text._engine import analyzer_options, encodable, python_reason
from quire.feature_extraction.text._negation import MARK, marked, negating_words, with_marked
from quire.feature_extraction.text._stemming import stems_of
from quire.feature_extraction.text._stop_words import stop_words
from quire.feature_extraction.text._tokens import pattern_of_kinds

__all__ = ["KernelMixin", "is_native_dtype", "matrix_from"]

_NATIVE_DTYPES = ("int32", "int64", "float32", "float64")


class KernelMixin:
    """The link between a vectorizer with scikit-learn's parameters and the kernels."""

    @property
    def engine_(self) -> str:
        """``"native"``, or ``"python: "`` and the setting that the kernels do not know."""
        reason = self._python_reason()
        return "native" if reason is None else f"python: {reason}"

    def get_stop_words(self) -> frozenset[str] | None:
        """Return the stop words that are dropped from texts.

        Returns
        -------
        frozenset of str or None
            ``None`` if no words are dropped.
        """
        words: Any = self.stop_words  # type: ignore[attr-defined]
        if words is None:
            return None
        return stop_words(words) if isinstance(words, str) else frozenset(words)

    def build_tokenizer(self) -> Any:
        """Return the function that cuts a text into words.

        Returns
        -------
        callable
            From a text, lower-cased if that is wanted, to the list of its words.
        """
        v: Any = self
        if v.tokens is None and v.negation is None:
            from sklearn.feature_extraction.text import CountVectorizer

            return CountVectorizer.build_tokenizer(v)
        pattern = re.compile(self.word_pattern() or "")
        if pattern.groups > 1:
            raise ValueError(
                "More than 1 capturing group in token pattern. Only a single group "
                "should be captured."
            )
        if v.negation is None:
            return pattern.findall

        def tokenize(text: str) -> list[str]:
            found = pattern.finditer(text)
            return self.marked(text, [match.span(pattern.groups) for match in found])

        return tokenize

    def marked(self, text: str, spans: list[tuple[int, int]]) -> list[str]:
        """Return the words at places of a text, with marks behind negations if that is wanted.

        Parameters
        ----------
        text : str
            A text, lower-cased if that is wanted.
        spans : list of (int, int)
            Where words begin and end.

        Returns
        -------
        list of str
            As many.
        """
        v: Any = self
        if v.negation is None:
            return [text[start:end] for start, end in spans]
        return marked(text, spans, negating_words(v.negation, lowercase=bool(v.lowercase)))

    def word_pattern(self) -> str | None:
        """Return the regular expression of words.

        Returns
        -------
        str or None
            ``token_pattern``, or what ``tokens`` stands for.
        """
        v: Any = self
        if v.tokenizer is not None and (v.tokens is not None or v.negation is not None):
            name = "tokens" if v.tokens is not None else "negation"
            raise ValueError(f"Give either {name} or a tokenizer: both say what words are.")
        pattern: str | None = v.token_pattern
        return pattern if v.tokens is None else pattern_of_kinds(v.tokens)

    def _python_reason(self) -> str | None:
        own = {name: getattr(KernelMixin, name) for name in ("build_tokenizer", "_word_ngrams")}
        return python_reason(self, own)

    def stems(self, words: list[str]) -> list[str]:
        """Return what is counted in the place of words: their stems, if that is wanted.

        Parameters
        ----------
        words : list of str
            The words of a text.

        Returns
        -------
        list of str
            As many.
        """
        v: Any = self
        if v.stemmer is None:
            return words
        if v.negation is None:
            return stems_of(words, v.stemmer)
        bare = stems_of([word.removeprefix(MARK) or word for word in words], v.stemmer)
        marks = [MARK if len(word) > len(MARK) and word.startswith(MARK) else "" for word in words]
        return [mark + stem for mark, stem in zip(marks, bare, strict=True)]

    def _word_ngrams(self, tokens: Any, stop_words: Any = None) -> Any:
        v: Any = self
        if v.stemmer is not None or v.negation is not None:
            dropped = self._dropped(stop_words or ())
            tokens, stop_words = self.stems([word for word in tokens if word not in dropped]), None
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer._word_ngrams(v, tokens, stop_words)

    def _dropped(self, words: Any) -> frozenset[Any]:
        """Return stop words with those that have a mark."""
        v: Any = self
        return frozenset(words if v.negation is None else with_marked(words))

    def _is_native(self) -> bool:
        return self._python_reason() is None

    def _kernel_options(self) -> tuple[Any, tuple[Any, ...], list[str]]:
        """Return the kernels' options, a key that stands for them, and the stop words."""
        v: Any = self
        words = None
        preprocess = v.build_preprocessor()  # refuses what is no way of stripping accents
        if v.analyzer == "word":
            words = v.get_stop_words()
            if words is not None:
                self._check_words(words, preprocess)
        elif v.analyzer not in ("char", "char_wb"):
            raise ValueError(f"{v.analyzer} is not a valid tokenization scheme/analyzer")
        low, high = v.ngram_range
        key = (
            v.analyzer,
            high,
            low,
            v.lowercase,
            v.strip_accents,
            v.token_pattern,
            v.tokens,
            None if v.negation is None else tuple(v.negation),
            words,
        )
        return analyzer_options(self), key, encodable(self._dropped(words or ()))

    def _check_words(self, words: frozenset[str], preprocess: Any) -> None:
        """Warn of stop words that no text has after it is cut, once for each list."""
        v: Any = self
        v._check_stop_words_consistency(words, preprocess, v.build_tokenizer())

    def _document_batches(self, raw_documents: Any) -> Iterator[tuple[Any, int]]:
        """Yield the documents in batches, each with the number of threads for it."""
        v: Any = self
        decode_all = v.input != "content" or self._decodes_by_itself()
        for documents in document_batches(raw_documents, v.decode, decode_all=decode_all):
            yield documents, 1 if len(documents) == 1 else effective_threads(v.n_jobs)

    def _decodes_by_itself(self) -> bool:
        """Return whether documents are read by a method that is not scikit-learn's."""
        from sklearn.feature_extraction.text import CountVectorizer

        return "decode" in vars(self) or type(self).decode is not CountVectorizer.decode  # type: ignore[attr-defined]

    def _python_documents(self, raw_documents: Any) -> Iterator[Any]:
        """Yield the documents for scikit-learn's code, which would stumble over missing ones."""
        v: Any = self
        takes_anything = self._takes_anything()
        items = raw_documents if v.input != "content" else python_objects(raw_documents)
        for row, document in enumerate(items):
            if not takes_anything and is_missing(document):
                raise missing_document(document, row)
            yield document

    def _check_documents(self, raw_documents: Any) -> None:
        check_documents(raw_documents, any_items=self._takes_anything())

    def _takes_anything(self) -> bool:
        """Return whether a function of the caller's own reads the documents."""
        v: Any = self
        return callable(v.analyzer) or v.preprocessor is not None


def matrix_from(
    counts: Any, dtype: Any, n_columns: int, *arguments: Any, make: Any = csr_from_arrays
) -> Any:
    """Return the matrix of counted documents with a dtype that need not be one of the kernels'.

    Parameters
    ----------
    counts : object
        Has ``to_csr(dtype, *arguments)``.
    dtype : dtype-like
        Of the values.
    n_columns : int
        The number of columns.
    *arguments : object
        For ``to_csr``.
    make : callable, default=csr_from_arrays
        Makes the matrix of its arrays and the number of columns.
    """
    wanted = np.dtype(dtype)
    native = is_native_dtype(wanted)
    arrays = counts.to_csr(wanted.name if native else "int64", *arguments)
    X = make(arrays[0], arrays[1], arrays[2], n_columns)
    return X if native else type(X)(X, dtype=wanted)


def is_native_dtype(dtype: Any) -> bool:
    """Return whether the kernels can write values of this dtype."""
    return np.dtype(dtype).name in _NATIVE_DTYPES and np.dtype(dtype).isnative
