"""Drawing the words of documents from word distributions, and writing them down.

Documents are kept as one flat array of word numbers and the offsets at which each document starts;
counts and texts are two views of that array, so they always agree.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from quire.datasets._dataset import Dataset

__all__ = ["IntArray", "TokenDataset", "document_lengths"]

IntArray = npt.NDArray[np.int64]


class TokenDataset(Dataset):
    """A dataset of tokens, as counts and as texts; it has `vocabulary`, `tokens` and `offsets`."""

    vocabulary: list[str]
    tokens: IntArray
    offsets: IntArray

    @cached_property
    def X(self) -> Any:
        """Counts as a CSR matrix of shape (n_documents, n_words)."""
        return _count_matrix(self.tokens, self.offsets, len(self.vocabulary))

    @cached_property
    def texts(self) -> list[str]:
        """The documents written out; vectorised over `vocabulary` they give `X` back."""
        return _join_words(self.tokens, self.offsets, self.vocabulary)


def document_lengths(rng: np.random.Generator, n_documents: int, mean_length: float) -> IntArray:
    """Draw Poisson document lengths, at least one token each; shape (n_documents,)."""
    return np.maximum(rng.poisson(mean_length, n_documents), 1).astype(np.int64)


def _count_matrix(tokens: IntArray, offsets: IntArray, n_words: int) -> Any:
    """Count words per document: CSR of int64, shape (n_documents, n_words), sorted indices."""
    counts = sparse.csr_matrix(
        (np.ones(tokens.size, dtype=np.int64), tokens, offsets),
        shape=(offsets.size - 1, n_words),
        copy=True,  # summing works in place, and the tokens must stay in order
    )
    counts.sum_duplicates()
    return counts


def _join_words(tokens: IntArray, offsets: IntArray, words: list[str]) -> list[str]:
    """Write each document as its words in order, separated by spaces."""
    spelled = np.array(words, dtype=object)[tokens].tolist()
    return [" ".join(spelled[start:end]) for start, end in pairwise(offsets.tolist())]
