"""Centres that batches of rows move: the steps of mini-batch k-means.

A centre is the mean of all rows that it ever got, or their direction. It is kept as the sum of
these rows and a factor, so that a batch of sparse rows changes what its words touch and no more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire import _core
from quire._shared.typing import Floats
from quire.cluster._rows import Centres, Rows

__all__ = ["BatchCentres", "RowSampler"]


class RowSampler:
    """Draws rows with replacement, in proportion to their weights.

    The same rows as ``random_state.choice(n, size, p=weights / weights.sum())``, without going over
    all weights for each batch.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    random_state : RandomState
        Where random numbers come from.
    """

    def __init__(self, weights: NDArray[Any], random_state: Any) -> None:
        total = weights.sum()
        if not total > 0:
            raise ValueError(
                f"sample_weight must have a sum above 0, got {total}: no row could be drawn. "
                "Give at least one row a positive weight."
            )
        self._random_state = random_state
        self._below = np.cumsum(weights / total, dtype=np.float64)
        self._below /= self._below[-1]

    def draw(self, size: int) -> NDArray[np.intp]:
        """Return the numbers of the drawn rows."""
        drawn = self._random_state.random_sample(size)
        return np.asarray(self._below.searchsorted(drawn, side="right"))


class BatchCentres:
    """Centres, and the weight that each has got so far.

    Parameters
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        Where they are; of length one (or zero) for cosine.
    counts : ndarray of shape (n_clusters,)
        The weight of the rows that each has got.
    lengths : ndarray of shape (n_clusters,)
        What the centre is the sum of its rows divided by: the weight, or the length of the sum.
    rows : Rows
        Rows, for the size of numbers in them and the number of threads.
    cosine : bool, default=False
        Centres are directions.
    """

    def __init__(
        self,
        centers: NDArray[Any],
        counts: NDArray[Any],
        lengths: NDArray[Any],
        rows: Rows,
        *,
        cosine: bool = False,
    ) -> None:
        self.counts = counts.astype(np.float64)
        self._n_threads = rows.n_threads
        lengths = np.where(self.counts > 0, lengths, 1.0)  # a centre without rows is one row
        self._centres = Centres(centers * lengths[:, np.newaxis], rows, cosine=cosine)
        self._squares = np.einsum("ij,ij->i", self._centres.sums, self._centres.sums)
        self._finish()

    @property
    def lengths(self) -> Floats:
        """What the sums are divided by."""
        factor = self._centres.factor
        return np.divide(1.0, factor, where=factor > 0, out=np.zeros_like(factor))

    def array(self) -> Floats:
        """Return the centres."""
        return self._centres.array()

    def step(self, rows: Rows, weights: Floats) -> float:
        """Move the centres by a batch.

        Parameters
        ----------
        rows : Rows
            The batch; rows of length one (or zero) for cosine.
        weights : ndarray of shape (n_rows,)
            Weights of the rows.

        Returns
        -------
        float
            Weighted sum of squared distances to the nearest centres, before they move.
        """
        labels = rows.nearest(self._centres)
        inertia = float(weights @ rows.distances(self._centres, labels))
        n_clusters = len(self.counts)
        parts = (weights, labels, np.arange(rows.n_rows + 1, dtype=np.int32))
        belongs = sp.csr_matrix(parts, shape=(rows.n_rows, n_clusters)).T.tocsr()
        arrived = np.bincount(labels, weights, minlength=n_clusters)
        fresh = np.flatnonzero((self.counts == 0) & (arrived > 0))
        if len(fresh):
            self._forget(fresh)
        self.counts += arrived
        self._add(belongs @ rows.X)
        self._finish()
        return inertia

    def move_rare(self, rows: Rows, ratio: float, random_state: Any) -> int:
        """Put centres that got few rows onto rows of the batch, as scikit-learn does.

        Parameters
        ----------
        rows : Rows
            The batch.
        ratio : float
            Centres with less than this share of the largest weight move, half as many as there are
            rows at most.
        random_state : RandomState
            Draws the rows.

        Returns
        -------
        int
            How many centres moved.
        """
        is_rare = self.counts < ratio * self.counts.max()
        most = int(0.5 * rows.n_rows)
        if is_rare.sum() > 0.5 * rows.n_rows:
            is_rare[np.argsort(self.counts)[most:]] = False
        rare = np.flatnonzero(is_rare)
        if len(rare) == 0:
            return 0
        chosen = random_state.choice(rows.n_rows, replace=False, size=len(rare))
        self.counts[rare] = self.counts[~is_rare].min()
        factor = np.where(self.counts[rare] > 0, self.counts[rare], 1.0)
        self._forget(rare)
        places = (factor, (rare, chosen))
        onto = sp.csr_matrix(places, shape=(len(self.counts), rows.n_rows))
        self._add(onto @ rows.X)
        self._finish()
        return len(rare)

    def _forget(self, clusters: NDArray[np.intp]) -> None:
        c = self._centres
        for number in clusters:  # the columns of the operand are far apart: what is zero stays
            c.operand[np.flatnonzero(c.sums[number]), number] = 0.0
        c.sums[clusters] = 0.0
        self._squares[clusters] = 0.0

    def _add(self, sums: Any) -> None:
        """Add to the sums; what is sparse touches its own entries only."""
        c = self._centres
        if not sp.issparse(sums):
            c.sums += sums
            self._squares = np.einsum("ij,ij->i", c.sums, c.sums)
            c.operand = _core.cluster.kmeans_operand(c.sums, c.scale, self._n_threads)
            return
        number = np.repeat(np.arange(sums.shape[0]), np.diff(sums.indptr))
        place = number * np.int64(sums.shape[1]) + sums.indices
        flat = c.sums.reshape(-1)
        before = flat[place]
        after = before + sums.data
        flat[place] = after
        c.operand[sums.indices, number] = c.scale * after
        gained = (after - before) * (after + before)
        self._squares += np.bincount(number, gained, minlength=len(self._squares))

    def _finish(self) -> None:
        """Make factors and norms fit the sums."""
        c = self._centres
        if c.cosine:
            with np.errstate(divide="ignore"):
                c.factor = np.where(self._squares > 0, 1.0 / np.sqrt(self._squares), 0.0)
            c.norms = (self._squares > 0).astype(np.float64)
        else:
            c.factor = 1.0 / np.where(self.counts > 0, self.counts, 1.0)
            c.norms = np.maximum(self._squares, 0.0) * c.factor**2
