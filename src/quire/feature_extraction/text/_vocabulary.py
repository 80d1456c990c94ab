"""A fitted vocabulary: which term has which column.

It keeps the compact arrays of a fit and makes the expensive things (a Python ``dict`` of strings,
the kernel's hash table) only when they are asked for. Only arrays and plain Python are pickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire.feature_extraction.text._mapping import TermMapping
from quire.feature_extraction.text._terms import Ints, NativeTerms, Terms

__all__ = ["Vocabulary"]

_FEW_DOCUMENTS = 4
_FEW_WORDS = 2_000
_MANY_TERMS = 20_000


class Vocabulary:
    """Terms and their columns.

    Parameters
    ----------
    terms : terms
        As many as there are columns; term ``i`` has column ``i``.
    mapping : mapping or None
        Given instead of terms: term to column, as scikit-learn's ``vocabulary_``.
    """

    def __init__(self, terms: Terms | None, mapping: Mapping[Any, Any] | None = None) -> None:
        self._terms = terms
        self._mapping = None if mapping is None else TermMapping(mapping)
        self._names: NDArray[np.object_] | None = None
        self._lookup: tuple[Any, Any] | None = None
        self._was_asked = False  # about a few documents

    def __len__(self) -> int:
        if self._mapping is not None:
            return len(self._mapping)
        assert self._terms is not None
        return len(self._terms)

    def __getstate__(self) -> dict[str, Any]:
        self._follow_changes()
        return {"terms": self._terms, "mapping": self._mapping if self._terms is None else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["terms"], state["mapping"])  # type: ignore[misc]

    @property
    def mapping(self) -> dict[Any, Any]:
        """Term to column."""
        if self._mapping is None:
            assert self._terms is not None
            self._mapping = TermMapping(
                {name: column for column, name in enumerate(self._terms.names())}
            )
        return self._mapping

    def _follow_changes(self) -> None:
        """If the mapping was edited, it is the vocabulary now."""
        if self._mapping is not None and self._mapping.changed:
            self._terms = self._names = self._lookup = None
            self._mapping.changed = False

    @property
    def document_frequency(self) -> Ints:
        """In how many documents of the fit each term occurs."""
        assert self._terms is not None
        return self._terms.document_frequency

    @property
    def term_frequency(self) -> Ints:
        """How often each term occurs."""
        assert self._terms is not None
        return self._terms.term_frequency

    @property
    def names(self) -> NDArray[np.object_]:
        """The terms in the order of the columns."""
        self._follow_changes()
        if self._names is None:
            if self._mapping is None:
                assert self._terms is not None
                by_column = self._terms.names()
            else:
                by_column = sorted(self._mapping, key=self._mapping.__getitem__)
            self._names = _objects(by_column)
        return self._names

    def names_at(self, columns: NDArray[Any]) -> NDArray[np.object_]:
        """Return the terms of some columns; those of all are not made for it.

        Parameters
        ----------
        columns : ndarray of int
            Columns.
        """
        if self._names is not None or self._mapping is not None or self._terms is None:
            named: NDArray[np.object_] = self.names[columns]
            return named
        return _objects(self._terms.names_at(np.asarray(columns, dtype=np.int64)))

    def lookup(self, options: Any, key: Any, stop_words: list[str]) -> Any:
        """Return the kernel that counts documents in this vocabulary.

        Parameters
        ----------
        options : _core.text.AnalyzerOptions
            How texts are cut up.
        key : hashable
            Stands for the options and the stop words: the kernel is made again when it changes.
        stop_words : list of str
            Words that are dropped.
        """
        self._follow_changes()
        if self._lookup is None or self._lookup[0] != key:
            terms, columns = self._native(key)
            self._lookup = (
                key,
                _core.text.TextLookup(
                    options,
                    stop_words,
                    terms.words,
                    terms.word_offsets,
                    terms.width,
                    terms.grams,
                    columns,
                ),
            )
        return self._lookup[1]

    def lookup_for(self, documents: Any, options: Any, key: Any, stop_words: list[str]) -> Any:
        """Return a kernel that counts these documents in this vocabulary.

        To make the table of a large vocabulary takes much longer than to count a few documents:
        when they are the first ones, the table has only what may be in them.

        Parameters
        ----------
        documents : _core.text.Documents
            A batch.
        options, key, stop_words
            As for :meth:`lookup`.
        """
        self._follow_changes()
        is_first = self._lookup is None and not self._was_asked
        if not is_first or len(documents) > _FEW_DOCUMENTS or len(self) < _MANY_TERMS:
            return self.lookup(options, key, stop_words)
        self._was_asked = True
        terms = self._terms
        if not isinstance(terms, NativeTerms) or terms.width != _width(key):
            return self.lookup(options, key, stop_words)
        counter = _core.text.TextCounter(options, stop_words, False)
        counter.add_documents(documents, 1)
        there = NativeTerms(*counter.finish(1))
        chosen = terms.perhaps_of(there) if len(there.word_offsets) <= _FEW_WORDS else None
        if chosen is None:
            return self.lookup(options, key, stop_words)
        few = terms.take(chosen)
        return _core.text.TextLookup(
            options,
            stop_words,
            few.words,
            few.word_offsets,
            few.width,
            few.grams,
            chosen.astype(np.int32),
        )

    def _native(self, key: Any) -> tuple[NativeTerms, NDArray[np.int32]]:
        """Return the terms in the kernels' form and their columns."""
        wanted_width = _width(key)
        native = self._terms
        if isinstance(native, NativeTerms) and native.width == wanted_width:
            return native, np.arange(len(native), dtype=np.int32)
        # Terms that no text can yield (numbers, empty strings, too many words) have no place here.
        terms: list[tuple[list[str], int]] = []
        for term, column in self.mapping.items():
            if not isinstance(term, str):
                continue
            words = term.split(" ") if wanted_width > 1 else [term]
            if len(words) <= wanted_width and all(words):
                terms.append((words, column))
        return _native_terms(terms, wanted_width)


def _width(key: Any) -> int:
    """Return how many words a term may have."""
    kind, max_n = key[0], key[1]
    width: int = max_n if kind == "word" else 1
    return width


def _objects(values: list[Any]) -> NDArray[np.object_]:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _native_terms(
    terms: list[tuple[list[str], int]], width: int
) -> tuple[NativeTerms, NDArray[np.int32]]:
    numbers: dict[str, int] = {}
    grams = np.full((len(terms), width), -1, dtype=np.int32)
    for row, (words, _) in enumerate(terms):
        for place, word in enumerate(words):
            grams[row, place] = numbers.setdefault(word, len(numbers))
    encoded = [word.encode("utf-8", "surrogatepass") for word in numbers]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(word) for word in encoded], out=offsets[1:])
    none = np.zeros(len(terms), dtype=np.int64)
    native = NativeTerms(
        np.frombuffer(b"".join(encoded), dtype=np.uint8),
        offsets,
        width,
        grams.ravel() if width > 1 else np.empty(0, dtype=np.int32),
        none,
        none,
    )
    return native, np.array([column for _, column in terms], dtype=np.int32)
