"""One pass over new documents: their terms, and the matrix of those that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from quire import _core
from quire._shared.sparse import as_configured, as_csr
from quire.feature_extraction.text._kernels import matrix_from
from quire.feature_extraction.text._terms import Ints, NativeTerms, PythonTerms, Terms

__all__ = ["Counts", "NativeCounts", "PythonCounts", "kept_terms"]


class Counts(Protocol):
    """The counts of documents whose terms are not chosen yet."""

    @property
    def terms(self) -> Terms:
        """All terms of the documents."""

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""

    def matrix(self, kept: Ints | None, dtype: Any, binary: bool) -> Any:
        """Return the counts of the kept terms (``None``: of all)."""


@dataclass(frozen=True)
class NativeCounts:
    """Counts in a kernel."""

    counter: _core.text.TextCounter
    terms: NativeTerms
    n_documents: int
    n_threads: int

    def matrix(self, kept: Ints | None, dtype: Any, binary: bool) -> Any:
        """Return the counts of the kept terms (``None``: of all)."""
        columns = None
        n_columns = len(self.terms)
        if kept is not None:
            n_columns = len(kept)
            columns = np.full(len(self.terms), -1, dtype=np.int32)
            columns[kept] = np.arange(n_columns, dtype=np.int32)
        return matrix_from(
            self.counter, dtype, n_columns, columns, n_columns, binary, self.n_threads
        )


@dataclass(frozen=True)
class PythonCounts:
    """Counts that scikit-learn's code made, with columns in the order in which terms were met."""

    X: Any
    order: Ints
    terms: PythonTerms

    @classmethod
    def from_vocabulary(cls, vocabulary: dict[Any, int], X: Any) -> PythonCounts:
        """Sort the terms of scikit-learn's ``_count_vocab``."""
        names = sorted(vocabulary)
        order = np.array([vocabulary[name] for name in names], dtype=np.int64)
        documents = np.bincount(X.indices, minlength=len(names))[order]
        terms = np.bincount(X.indices, weights=X.data, minlength=len(names))[order]
        return cls(X, order, PythonTerms(names, documents, terms.astype(np.int64)))

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return int(self.X.shape[0])

    def matrix(self, kept: Ints | None, dtype: Any, binary: bool) -> Any:
        """Return the counts of the kept terms (``None``: of all)."""
        chosen = self.order if kept is None else self.order[kept]
        X = as_csr(self.X)[:, chosen]
        X.sort_indices()
        if binary:
            X.data.fill(1)
        return as_configured(X.astype(dtype, copy=False))


def kept_terms(
    terms: Terms,
    n_documents: int,
    *,
    max_df: Any,
    min_df: Any,
    max_features: int | None,
    binary: bool,
    dtype: Any,
) -> Ints | None:
    """Return the numbers of the terms that stay, or ``None`` for all.

    Parameters
    ----------
    terms : terms
        All terms.
    n_documents : int
        What shares of documents refer to.
    max_df, min_df : float or int
        Bounds of the document frequency: a share if float, a number if int.
    max_features : int or None
        Keep this many of the most frequent terms.
    binary : bool
        Whether a term counts once in a document, however often it occurs there.
    dtype : dtype-like
        Of the matrix. It settles in which dtype frequencies are compared, and so how NumPy breaks
        ties.

    Returns
    -------
    ndarray of int64 or None
        Increasing.
    """
    high = max_df if isinstance(max_df, int | np.integer) else max_df * n_documents
    low = min_df if isinstance(min_df, int | np.integer) else min_df * n_documents
    if high < low:
        raise ValueError("max_df corresponds to < documents than min_df")
    df = terms.document_frequency
    mask = (df <= high) & (df >= low)
    if max_features is not None and mask.sum() > max_features:
        once = binary or np.dtype(dtype) == np.bool_
        tf = (df if once else terms.term_frequency).astype(np.zeros(0, dtype).sum().dtype)
        best = (-tf[mask]).argsort()[:max_features]
        chosen = np.flatnonzero(mask)[best]
        mask = np.zeros(len(df), dtype=bool)
        mask[chosen] = True
    if mask.all():
        return None
    kept = np.flatnonzero(mask)
    if len(kept) == 0:
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    return kept
