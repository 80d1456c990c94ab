"""Stems in the place of words: of each distinct word once, however often it occurs.

Documents are counted word by word, as they always are. Then every word of the vocabulary has its
stem taken, n-grams become n-grams of stems, and the columns of those that are equal now are added
up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from quire._shared.sparse import as_configured, as_csr, csr_from_arrays
from quire._shared.typing import Ints
from quire.feature_extraction.text._counting import NativeCounts
from quire.feature_extraction.text._kernels import matrix_from
from quire.feature_extraction.text._terms import NativeTerms, Terms, merge_terms_with_places

__all__ = ["StemCounts", "known_stems", "stem_counts"]

Stems: TypeAlias = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class StemCounts:
    """The counts of the stems of some documents."""

    X: Any
    terms: Terms

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return int(self.X.shape[0])

    def matrix(self, kept: Ints | None, dtype: Any, binary: bool) -> Any:
        """Return the counts of the kept terms (``None``: of all)."""
        X = self.X if kept is None else as_csr(self.X)[:, kept]
        X = X.astype(dtype)
        if binary:
            X.data.fill(1)
        return as_configured(X)


def stem_counts(counts: NativeCounts, stems: Stems, options: Any) -> StemCounts:
    """Return the counts of stems.

    Parameters
    ----------
    counts : NativeCounts
        Of words, with the rows of documents; they are used up.
    stems : callable
        From a list of words to their stems.
    options : _core.text.AnalyzerOptions
        How the words were cut.
    """
    terms, places = _joined(counts.terms, stems, options, counts.n_threads)
    X = _matrix(counts, places, len(terms), np.int64)
    df = np.bincount(X.indices, minlength=len(terms)).astype(np.int64)
    return StemCounts(X, replace(terms, document_frequency=df))


def known_stems(
    counts: NativeCounts,
    stems: Stems,
    options: Any,
    columns: dict[Any, int],
    dtype: Any,
    make: Any = csr_from_arrays,
) -> Any:
    """Return the matrix of stems that are in a vocabulary.

    Parameters
    ----------
    counts, stems, options
        As for :func:`stem_counts`.
    columns : dict
        From stems, and n-grams of them, to columns.
    dtype : dtype-like
        Of the matrix.
    make : callable, default=csr_from_arrays
        Makes the matrix of its arrays and the number of columns.
    """
    terms, places = _joined(counts.terms, stems, options, counts.n_threads)
    found = np.array([columns.get(name, -1) for name in terms.names()], dtype=np.int64)
    return _matrix(counts, found[places], len(columns), dtype, make)


def _matrix(
    counts: NativeCounts, columns: Ints, n_columns: int, dtype: Any, make: Any = csr_from_arrays
) -> Any:
    return matrix_from(
        counts.counter,
        dtype,
        n_columns,
        columns.astype(np.int32),
        n_columns,
        False,
        counts.n_threads,
        make=make,
    )


def _joined(
    terms: NativeTerms, stems: Stems, options: Any, n_threads: int
) -> tuple[NativeTerms, Ints]:
    """Return the terms of stems in order, and the place of each given term among them."""
    text = terms.words.tobytes()
    words = [text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(terms.word_offsets)]
    encoded = [stem.encode("utf-8", "surrogatepass") for stem in stems(words)]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(stem) for stem in encoded], out=offsets[1:])
    stemmed = replace(
        terms, words=np.frombuffer(b"".join(encoded), dtype=np.uint8), word_offsets=offsets
    )
    joined, places = merge_terms_with_places([stemmed], options, n_threads)
    assert isinstance(joined, NativeTerms)
    return joined, places[0]
