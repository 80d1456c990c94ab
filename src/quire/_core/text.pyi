"""Texts counted, hashed and weighed.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csr

class Documents:
    """Borrowed strings of a list or an Arrow column."""

    @staticmethod
    def from_list(documents: list[Any]) -> Documents: ...
    @staticmethod
    def from_arrow(column: Any) -> Documents: ...
    @property
    def bad_row(self) -> int: ...
    def __len__(self) -> int: ...

unicode_version: str

def character_set(name: str) -> NDArray[np.int32]: ...

class TokenAutomaton:
    """Finds the tokens of a regular expression."""

    def __init__(
        self,
        starts: NDArray[np.int32],
        classes: NDArray[np.uint8],
        n_classes: int,
        next: NDArray[np.uint16],
        accepts: NDArray[np.uint8],
        first: NDArray[np.uint16],
        skip: int,
        keep: int,
        drop: int,
    ) -> None: ...

class AnalyzerOptions:
    def __init__(
        self,
        kind: str,
        lowercase: bool,
        accents: str | None,
        shortest_word: int,
        min_n: int,
        max_n: int,
        automaton: TokenAutomaton | None = None,
        negations: Sequence[str] | None = None,
    ) -> None: ...

class TextCounter:
    """Counts documents while the vocabulary grows."""

    def __init__(
        self,
        options: AnalyzerOptions,
        stop_words: Sequence[str],
        keep_rows: bool,
        threshold: float | None = None,
        move_limit: int = 2147483648,
    ) -> None: ...
    def add_documents(self, documents: Documents, n_threads: int) -> None: ...
    def add_labelled(
        self,
        documents: Documents,
        labels: NDArray[np.int32],
        weights: NDArray[np.float64],
        n_threads: int,
    ) -> None: ...
    def add_terms(
        self,
        words: NDArray[np.uint8],
        word_offsets: NDArray[np.int64],
        width: int,
        grams: NDArray[np.int32],
        document_frequency: NDArray[np.int64],
        term_frequency: NDArray[np.int64],
    ) -> NDArray[np.uint32]: ...
    def finish(
        self, n_threads: int
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.int64],
        int,
        NDArray[np.int32],
        NDArray[np.int64],
        NDArray[np.int64],
    ]: ...
    def places_of(self, numbers: NDArray[np.uint32]) -> NDArray[np.int64]: ...
    def class_counts(self, n_classes: int, n_threads: int) -> NDArray[np.float64]: ...
    def to_csr(
        self,
        dtype: str,
        column_of_term: NDArray[np.int32] | None,
        n_columns: int,
        binary: bool,
        n_threads: int,
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...

class CountRows:
    """Counts by column, one row a document."""

    def to_csr(
        self, dtype: str, n_columns: int, binary: bool, n_threads: int
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...

class TextLookup:
    """Counts documents in a fixed vocabulary."""

    def __init__(
        self,
        options: AnalyzerOptions,
        stop_words: Sequence[str],
        words: NDArray[np.uint8],
        word_offsets: NDArray[np.int64],
        width: int,
        grams: NDArray[np.int32],
        columns: NDArray[np.int32],
    ) -> None: ...
    def count(self, documents: Documents, n_threads: int) -> CountRows: ...

def hash_documents(
    documents: Documents,
    options: AnalyzerOptions,
    stop_words: Sequence[str],
    n_features: int,
    alternate_sign: bool,
    n_threads: int,
) -> CountRows | int: ...
def index_tokens(
    documents: Documents, options: AnalyzerOptions, n_threads: int
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
]: ...
def term_strings(
    words: NDArray[np.uint8],
    word_offsets: NDArray[np.int64],
    width: int,
    grams: NDArray[np.int32],
    chosen: NDArray[np.int64],
) -> list[str]: ...
def json_shape(text: bytes) -> tuple[int, int, int]: ...
def csr_tfidf(X: Csr, idf: NDArray[Any] | None, norm: str | None, n_threads: int) -> None: ...
def csr_document_frequency(
    indices: NDArray[Any], n_cols: int, n_threads: int
) -> NDArray[np.int64]: ...
