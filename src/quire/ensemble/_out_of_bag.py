"""What the trees of a forest say of rows that they have not seen, for many trees at a time.

scikit-learn asks one tree after another about a copy of the rows it was not grown on. Here the
leaves of all rows are found for a group of trees at once, and those of rows in a tree's bootstrap
sample are left out.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire import _core
from quire._shared.sklearn import generate_unsampled_indices
from quire._shared.threads import effective_threads
from quire._shared.trees.arrays import Arrays, leaf_sums, pack
from quire._shared.trees.rows import as_rows

__all__ = ["out_of_bag", "votes"]

_TREES = 32  # whose leaves are in memory at a time


def out_of_bag(forest: Any, X: Any, n_classes: int, hard: bool = False) -> NDArray[np.float64]:
    """Return mean class shares, or mean values, of the trees that have not seen a row.

    Parameters
    ----------
    forest : PackedForest
        A forest in the making: its trees are grown.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The training rows.
    n_classes : int
        How many classes there are; 0 for numbers.
    hard : bool, default=False
        Whether trees vote for one class each.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (n_samples, 1)
        Zeros for rows that all trees have seen; there is a warning then.
    """
    rows, n_samples = as_rows(X), X.shape[0]
    sums = np.zeros((n_samples, max(n_classes, 1)))
    counts = np.zeros(n_samples, dtype=np.int64)
    trees = forest.estimators_
    for start in range(0, len(trees), _TREES):
        group = trees[start : start + _TREES]
        packed = pack([tree._arrays for tree in group])
        leaves = _core.trees.forest_leaves(
            packed["nodes"].view(np.uint8), packed["begin"], rows, effective_threads(forest.n_jobs)
        )
        for place, tree in enumerate(group):
            unseen = generate_unsampled_indices(
                tree.random_state, n_samples, forest._n_samples_bootstrap, forest._sample_weight
            )
            found = _answers(tree._arrays, leaves[unseen, place], n_classes)
            sums[unseen] += votes(found) if hard else found
            counts[unseen] += 1
    if (counts == 0).any():
        warnings.warn(
            "Some inputs do not have OOB scores. This probably means too few trees were used to "
            "compute any reliable OOB estimates.",
            UserWarning,
            stacklevel=2,
        )
    return np.asarray(sums / np.maximum(counts, 1)[:, None], dtype=np.float64)


def votes(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 for the class with the largest share of each row, the first of several."""
    chosen = np.zeros_like(shares)
    chosen[np.arange(len(shares)), np.argmax(shares, axis=1)] = 1.0
    return chosen


def _answers(arrays: Arrays, leaves: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    if n_classes == 0:
        return np.asarray(arrays["value"][leaves], dtype=np.float64).reshape(-1, 1)
    begin, classes, weights = leaf_sums(arrays)
    table = sparse.csr_array((weights, classes, begin), shape=(len(begin) - 1, n_classes))
    found = table[leaves].toarray()
    return np.asarray(found / found.sum(axis=1, keepdims=True), dtype=np.float64)
