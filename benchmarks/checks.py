"""Did the sides do the same work? Comparisons of the subject's result with every peer's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.records import Json, Quality

__all__ = ["same_arrays", "same_matrix", "same_vectorizer"]

RELATIVE_TOLERANCE = 1e-10  # for floats, whose sums may be taken in another order


def same_vectorizer(results: Mapping[str, Any]) -> Quality:
    """Compare (vectorizer, matrix) pairs: the whole matrix, and the vocabulary term by term."""
    quality = same_matrix(results)
    if not quality.passed:
        return quality
    (_, (first, _)), *others = results.items()
    vocabulary = dict(first.vocabulary_)
    for name, (vectorizer, _) in others:
        if vocabulary != dict(vectorizer.vocabulary_):
            return Quality(
                False,
                f"vocabulary differs from that of {name}: {len(vocabulary):,} terms, "
                f"{len(vectorizer.vocabulary_):,} there",
            )
    return Quality(
        True,
        f"{quality.summary}, vocabulary equal",
        {**quality.figures, "vocabulary": len(vocabulary)},
    )


def same_matrix(results: Mapping[str, Any]) -> Quality:
    """Compare sparse matrices, given alone or as the second of a pair: shape, places, values."""
    matrices = {name: _matrix(result) for name, result in results.items()}
    (_, first), *others = matrices.items()
    if not first.has_sorted_indices:
        return Quality(False, "the columns of a row are not in order")
    for _, other in others:
        other.sort_indices()  # scikit-learn's vectorizers leave them in the order of the text
    figures: Json = {
        "shape": list(first.shape),
        "nnz": int(first.nnz),
        "dtype": str(first.dtype),
    }
    largest = 0.0
    for name, other in others:
        problem = _difference(first, other)
        if problem is not None:
            return Quality(False, f"differs from {name}: {problem}", figures)
        largest = max(largest, _relative_difference(first.data, other.data))
    figures["largest_relative_difference"] = largest
    if largest > RELATIVE_TOLERANCE:
        return Quality(False, f"values differ by up to {largest:.1e} of their size", figures)
    rows, columns = first.shape
    return Quality(True, f"{_equal(largest)}: {rows:,} x {columns:,}, nnz {first.nnz:,}", figures)


def same_arrays(results: Mapping[str, Any], *, tolerance: float = 1e-9) -> Quality:
    """Compare dense arrays of scores, relative to the largest score."""
    arrays = {name: np.asarray(result, dtype=np.float64) for name, result in results.items()}
    (_, first), *others = arrays.items()
    largest = 0.0
    for name, other in others:
        if first.shape != other.shape:
            return Quality(False, f"shape {first.shape}; {name} has {other.shape}")
        if not np.array_equal(np.isnan(first), np.isnan(other)):
            return Quality(False, f"NaN stands in other places than with {name}")
        scale = np.nanmax(np.abs(other), initial=np.finfo(float).tiny)
        largest = max(largest, float(np.nanmax(np.abs(first - other), initial=0.0) / scale))
    figures = {"shape": list(first.shape), "largest_relative_difference": largest}
    if largest > tolerance:
        return Quality(False, f"scores differ by up to {largest:.1e} of the largest", figures)
    return Quality(True, f"{_equal(largest)}: {first.size:,} scores", figures)


def _equal(largest: float) -> str:
    return "equal" if largest == 0 else f"equal to {largest:.0e}"


def _matrix(result: Any) -> Any:
    matrix = result[1] if isinstance(result, tuple) else result
    if isinstance(matrix, list):
        matrix = sparse.vstack(matrix, format="csr")
    return matrix


def _difference(first: Any, other: Any) -> str | None:
    """Say what differs in the structure of two CSR matrices; None for nothing."""
    if first.shape != other.shape:
        return f"shape {first.shape}, there {other.shape}"
    if first.nnz != other.nnz:
        return f"nnz {first.nnz:,}, there {other.nnz:,}"
    if first.dtype != other.dtype:
        return f"dtype {first.dtype}, there {other.dtype}"
    if not np.array_equal(first.indptr, other.indptr):
        return "rows of other lengths (indptr)"
    if not np.array_equal(first.indices, other.indices):
        return "nonzeros in other columns, or in another order (indices)"
    return None


def _relative_difference(values: Any, others: Any) -> float:
    if np.array_equal(values, others):
        return 0.0
    size = np.maximum(np.abs(others), np.finfo(float).tiny)
    return float(np.max(np.abs(values - others) / size))
