"""k-means++: first centres that are far apart, drawn as scikit-learn draws them.

Each next centre is a row, drawn with a probability proportional to its squared distance to the
nearest centre so far; of several candidates the one that lowers the sum of these distances most is
taken (D. Arthur and S. Vassilvitskii, 2007). The random numbers are used in scikit-learn's order,
so that the same seed gives the same start.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.typing import Floats
from quire.cluster._rows import Rows

__all__ = ["plus_plus"]


def plus_plus(
    rows: Rows, n_clusters: int, weights: NDArray[Any], random_state: Any
) -> NDArray[np.int64]:
    """Draw the rows that are the first centres.

    Parameters
    ----------
    rows : Rows
        The rows.
    n_clusters : int
        How many to draw.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    random_state : RandomState
        Where random numbers come from.

    Returns
    -------
    ndarray of shape (n_clusters,)
        Numbers of rows.
    """
    n_trials = 2 + int(np.log(n_clusters))
    chosen = np.empty(n_clusters, dtype=np.int64)
    chosen[0] = random_state.choice(rows.n_rows, p=weights / weights.sum())
    weights = weights.astype(np.float64, copy=False)
    left, potentials = _left(rows, chosen[:1], np.full(rows.n_rows, np.inf), weights)
    closest, potential = left[0], potentials[0]
    for number in range(1, n_clusters):
        draws = random_state.uniform(size=n_trials) * potential
        candidates = np.searchsorted(np.cumsum(weights * closest), draws)
        candidates = np.minimum(candidates, rows.n_rows - 1)
        left, potentials = _left(rows, candidates, closest, weights)
        best = int(potentials.argmin())
        potential, closest, chosen[number] = potentials[best], left[best], candidates[best]
    return chosen


def _left(
    rows: Rows, chosen: NDArray[np.int64], closest: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Return what is left of the squared distances of all rows if a row becomes a centre.

    By rows of the result, one for each of the chosen ones; and the weighted sums of that.
    """
    if not rows.is_sparse:
        left, potentials = _core.cluster.dense_kmeans_candidates(
            rows.X, rows.squares, weights, closest, chosen, rows.n_threads
        )
        return left, potentials
    W = np.ascontiguousarray(rows.X[chosen].toarray().T, dtype=np.float64)
    products = _core.sparse.csr_matmul(rows.X, W, np.empty(0), None, rows.n_threads).T
    left = np.multiply(products, -2.0, order="C")
    left += rows.squares
    left += rows.squares[chosen, np.newaxis]
    np.maximum(left, 0.0, out=left)
    np.minimum(left, closest, out=left)
    return left, left @ weights
