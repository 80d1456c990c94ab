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
    closest = _squared_distances(rows, chosen[:1])[0]
    potential = closest @ weights
    for number in range(1, n_clusters):
        draws = random_state.uniform(size=n_trials) * potential
        candidates = np.searchsorted(np.cumsum(weights * closest), draws)
        candidates = np.minimum(candidates, rows.n_rows - 1)
        distances = _squared_distances(rows, candidates)
        np.minimum(distances, closest, out=distances)
        potentials = distances @ weights
        best = int(potentials.argmin())
        potential, closest, chosen[number] = potentials[best], distances[best], candidates[best]
    return chosen


def _squared_distances(rows: Rows, chosen: NDArray[np.int64]) -> Floats:
    """Return the squared distances of chosen rows (by rows of the result) to all rows."""
    if rows.is_sparse:
        W = np.ascontiguousarray(rows.X[chosen].toarray().T, dtype=np.float64)
        products = _core.sparse.csr_matmul(rows.X, W, np.empty(0), None, rows.n_threads).T
    else:
        products = np.empty((len(chosen), rows.n_rows))
        candidates = rows.X[chosen].astype(np.float64, copy=False)
        step = rows.n_rows if rows.X.dtype == np.float64 else 1 << 16
        for first in range(0, rows.n_rows, step):
            part = rows.X[first : first + step].astype(np.float64, copy=False)
            np.matmul(candidates, part.T, out=products[:, first : first + step])
    distances = np.multiply(products, -2.0, order="C")
    distances += rows.squares
    distances += rows.squares[chosen, np.newaxis]
    return np.maximum(distances, 0.0, out=distances)
