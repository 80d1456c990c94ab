"""The twins of cpp/class_sums and cpp/term_scores, on dense arrays, as the formulas are written."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def csr_class_sums(X: Array, labels: Array, n_classes: int, weights: Array | None = None) -> Array:
    """S_kj = sum over rows i of class k of w_i x_ij."""
    X = np.asarray(X, dtype=np.float64)
    w = np.ones(len(X)) if weights is None else weights
    return np.stack([w[labels == k] @ X[labels == k] for k in range(n_classes)])


def csr_class_presence(
    X: Array,
    labels: Array,
    n_classes: int,
    weights: Array | None = None,
    threshold: float = 1.0,
) -> Array:
    """S_kj = sum over rows i of class k of w_i [x_ij > threshold]."""
    return csr_class_sums(X > threshold, labels, n_classes, weights)


def csr_class_counts(
    X: Array, labels: Array, n_classes: int, threshold: float | None
) -> NDArray[np.uint32] | None:
    """Either of the two in 32 bits, if nothing is negative or too large for them."""
    values = X if threshold is None else X > threshold
    sums = csr_class_sums(values, labels, n_classes)
    fits = (values >= 0).all() and (sums < 2**32).all()
    return sums.astype(np.uint32) if fits else None


def csr_has_duplicates(indices: NDArray[np.int32], indptr: NDArray[np.int32]) -> bool:
    """Say whether a row has two entries in one column."""
    rows = [indices[begin:end] for begin, end in pairwise(indptr)]
    return any(len(set(row)) < len(row) for row in rows)


def dense_class_sums(
    X: Array, labels: Array, n_classes: int, weights: Array | None, threshold: float | None
) -> Array:
    """Either of the two."""
    values = X if threshold is None else X > threshold
    return csr_class_sums(values, labels, n_classes, weights)


def csr_chi2(X: Array, labels: Array, n_classes: int) -> Array:
    """Sum over k of (O_kj - E_kj)^2 / E_kj; classes without rows are left out."""
    observed = csr_class_sums(X, labels, n_classes)
    share = np.bincount(labels, minlength=n_classes) / len(labels)
    expected = np.outer(share, observed.sum(axis=0))[share > 0]
    with np.errstate(invalid="ignore"):
        return ((observed[share > 0] - expected) ** 2 / expected).sum(axis=0)


def csr_mutual_info(X: Array, labels: Array, n_classes: int) -> Array:
    """Sum over k and t of p_kt log(p_kt / (p_k p_t)), t = is x_ij not zero."""
    n = len(labels)
    scores = np.zeros(X.shape[1])
    for t in (False, True):
        p_t = ((X != 0) == t).mean(axis=0)
        for k in range(n_classes):
            p_k = (labels == k).mean()
            p_kt = ((X[labels == k] != 0) == t).sum(axis=0) / n
            with np.errstate(divide="ignore", invalid="ignore"):
                scores += np.where(p_kt > 0, p_kt * np.log(p_kt / (p_k * p_t)), 0.0)
    return np.maximum(scores, 0)
