"""What a vectorizer remembers so that it can grow: frequencies, which only ever add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quire import _core
from quire.feature_extraction.text._terms import Ints, Terms, merge_terms

__all__ = ["FixedGrowth", "TermGrowth"]

_SMALL = 10_000


@dataclass(eq=False)
class TermGrowth:
    """Terms counted in several parts, joined when the total is asked for.

    Parts are joined as soon as the later ones together outweigh the first, so that the cost of
    joining stays in proportion to what was added, however small the steps.
    """

    parts: list[Terms]
    n_documents: int

    @classmethod
    def empty(cls) -> TermGrowth:
        """Return what was counted in no documents."""
        return cls([], 0)

    def plus(self, other: TermGrowth) -> TermGrowth:
        """Return the counts of both."""
        return TermGrowth(self.parts + other.parts, self.n_documents + other.n_documents)

    def settle(self, options: Any, n_threads: int) -> None:
        """Join the parts if the later ones together outweigh the first (see :meth:`total`)."""
        if sum(map(len, self.parts[1:])) > max(len(self.parts[0]), _SMALL):
            self.total(options, n_threads)

    def total(self, options: Any, n_threads: int) -> Terms:
        """Return all terms.

        Parameters
        ----------
        options : _core.text.AnalyzerOptions or None
            How native terms were counted.
        n_threads : int
            Threads for sorting.
        """
        self.parts = [merge_terms(self.parts, options, n_threads)]
        return self.parts[0]


@dataclass(eq=False)
class FixedGrowth:
    """Document frequencies of the columns of a given vocabulary."""

    document_frequency: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    n_documents: int = 0
    n_tokens: float = 0.0  # sum of all counts

    @classmethod
    def empty(cls) -> FixedGrowth:
        """Return what was counted in no documents."""
        return cls()

    @classmethod
    def from_matrix(cls, X: Any, n_threads: int) -> FixedGrowth:
        """Return the frequencies of a matrix of counts."""
        frequency = _core.text.csr_document_frequency(X.indices, X.shape[1], n_threads)
        return cls(frequency, X.shape[0], float(X.data.sum(dtype=np.float64)))

    def plus(self, other: FixedGrowth) -> FixedGrowth:
        """Return the counts of both."""
        if len(self.document_frequency) == 0 or len(other.document_frequency) == 0:
            return self if len(self.document_frequency) else other
        total = self.document_frequency + other.document_frequency
        n_tokens = self.n_tokens + other.n_tokens
        return FixedGrowth(total, self.n_documents + other.n_documents, n_tokens)
