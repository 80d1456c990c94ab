"""Lloyd's iterations: rows to their nearest centre, centres to the means of their rows.

Both steps can only lower the inertia, the weighted sum of squared distances of the rows to their
centres, so that the labels settle. What is decided here is scikit-learn's way: when to stop, and
where a centre without rows goes. The work is in the kernels (cpp/cluster/kmeans.hpp).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.typing import Codes, Floats
from quire.cluster._k_means_step import KMeansStep
from quire.cluster._rows import Centres, Rows

__all__ = ["Run", "lloyd"]


@dataclass
class Run:
    """One run from one start."""

    labels: Codes
    inertia: float
    centers: NDArray[Any]
    n_iter: int
    trace: dict[str, NDArray[Any]]
    steps: list[KMeansStep]


@dataclass
class _Trace:
    """What each iteration did."""

    inertia: list[float] = field(default_factory=list)
    shift: list[float] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "inertia": np.array(self.inertia),
            "shift": np.array(self.shift),
            "moved": np.array(self.moved, dtype=np.int64),
        }


class _Iterations:
    """The state between iterations.

    `slack` and `drift` are bounds: as long as a row cannot have changed its centre, it is not
    looked at. `rebuild` marks centres that are not the sums of their rows, because a row was moved
    there to fill a cluster.
    """

    def __init__(self, rows: Rows, weights: Floats, centers: NDArray[Any], cosine: bool) -> None:
        self.rows, self.weights = rows, weights
        self.centres = Centres(centers, rows, cosine=cosine)
        n_clusters = len(centers)
        self.labels = np.zeros(rows.n_rows, dtype=np.int32)
        self.before = np.empty(0, dtype=np.int32)  # the labels that the sums are of
        self.slack = np.full(rows.n_rows, -np.inf)
        self.drift = np.zeros(n_clusters)
        self.rebuild = np.ones(n_clusters, dtype=np.uint8)
        self.weighted_squares = float(weights @ rows.squares)

    def assign(self) -> int:
        """Find the nearest centres; return how many rows changed theirs."""
        self.rows.assign(self.centres, self.drift, self.labels, self.slack)
        if len(self.before) == 0:
            return len(self.labels)
        return int(np.count_nonzero(self.labels != self.before))

    def update(self) -> tuple[float, float]:
        """Move the centres; return the sum of squared shifts, and the inertia after it."""
        totals = self._totals()
        if np.all(totals > 0):
            shift = self._move(totals)
            inertia = self._inertia_of_sums(totals)
        else:
            shift = self._move_and_fill(totals)
            inertia = float(self.weights @ self.rows.distances(self.centres, self.labels))
        self.drift = (shift + _largest_other(shift)) * (1 + 1e-12)
        return float(shift @ shift), inertia

    def _totals(self) -> Floats:
        """Return the weight of the rows of each cluster."""
        totals = np.bincount(self.labels, self.weights, minlength=len(self.drift))
        return totals.astype(np.float64, copy=False)

    def _move(self, totals: Floats) -> Floats:
        shift = self.rows.update(
            self.centres, self.weights, self.before, self.labels, self.rebuild, totals
        )
        self.before = self.labels.copy()
        self.rebuild[:] = 0
        return shift

    def _inertia_of_sums(self, totals: Floats) -> float:
        """sum_i w_i |x_i|^2 - 2 sum_j c_j sums_j + sum_j totals_j |c_j|^2; no row is read."""
        c = self.centres
        within = totals * c.norms
        met = np.divide(1.0, c.factor, where=c.factor > 0, out=np.zeros_like(totals))
        products = met if c.cosine else within
        return max(0.0, self.weighted_squares + float(np.sum(within - 2 * products)))

    def _move_and_fill(self, totals: Floats) -> Floats:
        """Move the centres, and those without rows to the rows that lie farthest out."""
        old = self.centres.array()
        distances = self.rows.distances(self.centres, self.labels)
        self._move(totals)
        c, empty = self.centres, np.flatnonzero(totals == 0)
        if distances.max() > 0:  # otherwise there are fewer different rows than clusters
            far = np.argpartition(distances, -len(empty))[: -len(empty) - 1 : -1]
            for number, row in zip(empty, far, strict=True):
                weight, giver = self.weights[row], self.labels[row]
                x = weight * self.rows.row(row)
                c.sums[giver] -= x
                c.sums[number] = x
                totals[number] = weight
                totals[giver] -= weight
        c.sums[totals <= 0] = c.sums[totals.argmax()]  # with the largest cluster, not at zero
        totals[totals <= 0] = totals.max()
        c.factor = 1.0 / totals
        c.refresh(self.rows.n_threads)
        self.rebuild[:] = 1
        gone: Floats = np.linalg.norm(c.array() - old, axis=1)
        return gone

    def step(self, dtype: Any) -> KMeansStep:
        """Return a copy of the state between finding the nearest centres and moving them."""
        inertia = float(self.weights @ self.rows.distances(self.centres, self.labels))
        centers = self.centres.array().astype(dtype, copy=False)
        return KMeansStep(centers, self.labels.copy(), inertia)

    def settle(self, dtype: Any) -> NDArray[Any]:
        """Return the centres; those that are sums of rows are summed up once more.

        Adding and taking away rows leaves rounding errors; a sum in the order of the rows has the
        same bits whatever the way to it was.
        """
        if not self.rebuild.any():
            labels = self.labels
            self.labels = self.before
            self.rebuild[:] = 1
            self._move(self._totals())
            self.labels = labels
        return self.centres.array().astype(dtype, copy=False)


def lloyd(
    rows: Rows,
    weights: Floats,
    centers: NDArray[Any],
    *,
    max_iter: int,
    tol: float,
    cosine: bool = False,
    verbose: bool = False,
    tell: Callable[[int, float], None] | None = None,
    keep_steps: bool = False,
) -> Run:
    """Iterate from given centres until the labels stay or the centres do.

    Parameters
    ----------
    rows : Rows
        The rows; of length one (or zero) for cosine.
    weights : ndarray of shape (n_rows,)
        Their weights.
    centers : ndarray of shape (n_clusters, n_features)
        Where to start.
    max_iter : int
        Iterations at most.
    tol : float
        Stop when the squared shifts of the centres add up to this or less.
    cosine : bool, default=False
        Centres of length one.
    verbose : bool, default=False
        Print the inertia in each iteration.
    tell : callable, default=None
        Called after each iteration with its number, from 1, and the inertia.
    keep_steps : bool, default=False
        Keep the start and the state after each iteration; otherwise `steps` is empty.

    Returns
    -------
    Run
        Codes belong to the centres.
    """
    state, trace = _Iterations(rows, weights, centers, cosine), _Trace()
    steps: list[KMeansStep] = []
    labels_stay = False
    for number in range(max_iter):
        moved = state.assign()
        if keep_steps:
            steps.append(state.step(rows.X.dtype))
        if verbose:
            met = float(weights @ rows.distances(state.centres, state.labels))
            print(f"Iteration {number}, inertia {met}.")
        shift, inertia = state.update()
        trace.inertia.append(inertia)
        trace.shift.append(float(np.sqrt(shift)))
        trace.moved.append(moved)
        if tell is not None:
            tell(number + 1, inertia)
        labels_stay = moved == 0
        if labels_stay or shift <= tol:
            if verbose:
                reason = (
                    "strict convergence"
                    if labels_stay
                    else f"center shift {shift} within tolerance {tol}"
                )
                print(f"Converged at iteration {number}: {reason}.")
            break
    found = state.settle(rows.X.dtype)
    labels_stay = labels_stay and found.dtype == np.float64  # not rounded
    final = Centres(found, rows, cosine=cosine, operand=not labels_stay)
    labels = state.labels if labels_stay else rows.nearest(final)
    inertia = float(weights @ rows.distances(final, labels))
    if keep_steps:
        steps.append(KMeansStep(found, labels, inertia))
    return Run(labels, inertia, found, number + 1, trace.arrays(), steps)


def _largest_other(values: Floats) -> Floats:
    """Return, for each place, the largest of the values at all other places."""
    if len(values) == 1:
        return np.zeros(1)
    first = int(values.argmax())
    others = np.full(len(values), values[first])
    others[first] = np.delete(values, first).max()
    return others
