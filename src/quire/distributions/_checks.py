"""Checks of what users give to a distribution over proportions: parameters, proportions, counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.typing import Floats

__all__ = ["check_alpha", "check_counts", "check_proportions", "check_weights", "count_pairs"]


def check_alpha(alpha: Any) -> Floats:
    """Return the parameters of a Dirichlet distribution as an array of their own."""
    values = np.array(alpha, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(
            f"alpha has shape {values.shape}; expected one positive number for each category. "
            "For K equal numbers pass numpy.full(K, value)."
        )
    wrong = np.flatnonzero(~((values > 0) & np.isfinite(values)))
    if len(wrong):
        raise ValueError(
            f"alpha[{wrong[0]}] is {values[wrong[0]]}; parameters of a Dirichlet distribution are "
            "positive and finite."
        )
    values.flags.writeable = False
    return values


def check_proportions(x: Any, n_categories: int) -> Floats:
    """Return points of the simplex with all their coordinates, of shape (..., n_categories)."""
    given = np.asarray(x)
    tolerance = 1e-5 if given.dtype in (np.float32, np.float16) else 1e-9
    points = given.astype(np.float64)
    if points.ndim == 0 or points.shape[-1] not in (n_categories, n_categories - 1):
        raise ValueError(
            f"x has shape {points.shape}; expected {n_categories} proportions along the last axis, "
            f"one for each entry of alpha (or {n_categories - 1}, without the last)."
        )
    if points.shape[-1] == n_categories - 1:
        rest = 1.0 - points.sum(axis=-1, keepdims=True)
        rest[np.abs(rest) < tolerance] = 0.0
        points = np.concatenate([points, rest], axis=-1)
    if np.isnan(points).any() or points.min(initial=0.0) < 0 or points.max(initial=0.0) > 1:
        if np.isnan(points).any():
            found = "NaN"
        else:
            found = str(points.min() if points.min() < 0 else points.max())
        raise ValueError(f"x contains {found}; proportions lie between 0 and 1.")
    sums = points.sum(axis=-1)
    apart = np.abs(sums - 1.0)
    if apart.size and apart.max() > tolerance:
        raise ValueError(
            f"x has proportions that sum to {sums.flat[int(apart.argmax())]:.10g}; expected 1. "
            "Divide them by their sum."
        )
    return points


def check_counts(counts: Any, n_categories: int | None = None) -> Any:
    """Return counts as a float64 CSR array of shape (n_rows, n_categories)."""
    if not sparse.issparse(counts):
        counts = np.atleast_2d(np.asarray(counts, dtype=np.float64))
        if counts.ndim != 2:
            raise ValueError(f"counts have {counts.ndim} dimensions; expected rows of counts.")
    rows = sparse.csr_array(counts).astype(np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if n_categories is not None and rows.shape[1] != n_categories:
        raise ValueError(
            f"counts have {rows.shape[1]} columns; expected {n_categories}, one for each entry of "
            "alpha."
        )
    values = rows.data
    wrong = ~((values >= 0) & np.isfinite(values) & (values == np.floor(values)))
    if wrong.any():
        raise ValueError(
            f"counts contain {values[wrong][0]}; expected whole numbers that are not negative. "
            "For proportions use Dirichlet.fit."
        )
    return rows


def check_weights(sample_weight: Any, n_rows: int) -> Floats:
    """Return a weight for each row: ones if none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; expected ({n_rows},), a weight for each row."
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise ValueError(
            "sample_weight has to be finite and not negative, with a positive sum; leave rows out "
            "by a weight of 0."
        )
    return weights


def count_pairs(rows: Any, weights: Floats) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return the distinct pairs (column, count) with the weight of the rows that have them."""
    weight = np.repeat(weights, np.diff(rows.indptr))
    kept = (rows.data > 0) & (weight > 0)
    columns, values = rows.indices[kept].astype(np.int64), rows.data[kept]
    order = np.lexsort((values, columns))
    columns, values, weight = columns[order], values[order], weight[kept][order]
    starts = np.ones(len(columns), dtype=bool)
    starts[1:] = (columns[1:] != columns[:-1]) | (values[1:] != values[:-1])
    first = np.flatnonzero(starts)
    sums = np.add.reduceat(weight, first) if len(first) else weight
    return columns[first], values[first], sums
