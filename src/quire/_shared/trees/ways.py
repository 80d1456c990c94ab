"""Which nodes rows pass on their way to a leaf."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.sklearn import align_api_if_sparse

__all__ = ["ways_to"]


def ways_to(nodes: NDArray[Any], leaves: NDArray[np.int64]) -> Any:
    """Return the nodes between the root and the leaf of each row.

    The way is found from the leaf upwards, so that no row has to be asked again.

    Parameters
    ----------
    nodes : ndarray of NODE
        Those of one tree, looked at by :func:`quire._shared.trees.arrays.check_trees`.
    leaves : ndarray of shape (n_samples,)
        The leaf of each row.

    Returns
    -------
    sparse matrix of shape (n_samples, n_nodes)
        Ones at the nodes of the way, as scikit-learn's ``decision_path`` has it.
    """
    inner = np.flatnonzero(nodes["left"] >= 0)
    parent = np.full(len(nodes), -1, dtype=np.int64)
    parent[nodes["left"][inner]] = parent[nodes["right"][inner]] = inner
    rows, at = np.arange(len(leaves)), np.asarray(leaves)
    levels = []
    while len(rows):
        levels.append((rows, at))
        above = parent[at]
        rows, at = rows[above >= 0], above[above >= 0]
    indptr = np.zeros(len(leaves) + 1, dtype=np.int64)
    for rows, _ in levels:
        indptr[rows + 1] += 1
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], dtype=np.int64)
    for level, (rows, at) in enumerate(levels):  # the root is the first of a row
        indices[indptr[rows + 1] - 1 - level] = at
    ones = np.ones(len(indices), dtype=np.int64)
    ways = sparse.csr_array((ones, indices, indptr), shape=(len(leaves), len(nodes)))
    return align_api_if_sparse(ways)
