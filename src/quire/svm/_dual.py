r"""The dual problem of kernel machines, solved for one pair of classes or for one regression.

.. math:: \min_\beta \; \tfrac12 \beta' K \beta - q'\beta, \qquad
          l \le \beta \le h, \quad \textstyle\sum_t \beta_t = 0

In the usual variables :math:`\beta_t = y_t \alpha_t`. A classifier has q = y and
:math:`0 \le y_t \beta_t \le C_t`; a regression has two variables for every sample, with
:math:`q = y - \epsilon` and bounds 0 and C, and :math:`q = y + \epsilon` and bounds -C and 0. The
slack :math:`q - K\beta` is the intercept b wherever :math:`\beta` is strictly within its bounds.

A kernel matrix that fits the budget is solved whole. Otherwise a working set of variables is
optimised at a time, and only their rows of the kernel are made.

References
----------
-  R.-E. Fan, P.-H. Chen, C.-J. Lin (2005). Working set selection using second order information
   for training support vector machines. Journal of Machine Learning Research 6, 1889-1918.
-  T. Joachims (1999). Making large-scale SVM learning practical. Advances in Kernel Methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire import _core
from quire._shared.typing import Floats, Singles
from quire.exceptions import NotSeparableError
from quire.svm._kernels import RowSource

__all__ = ["Box", "DualSolution", "DualState", "solve", "solve_whole"]


_WORKING = 1024  # variables of a working set
_ROUND = 10_000_000  # iterations that raise the objective, or never will
_ROUNDING = 1e-15
_BLOCK = 256  # rows of the kernel
_HARD_MARGINS = (1e3, 1e6, 1e9)  # bounds to try where there is none, over the size of the kernel


@dataclass(frozen=True)
class Box:
    """The problem without its kernel.

    Attributes
    ----------
    q, low, high : ndarray of shape (n_variables,)
        See above.
    tol : float
        By how much the optimality conditions may be missed.
    max_iter : int
        Iterations at most; -1 for as many as it takes.
    """

    q: Floats
    low: Floats
    high: Floats
    tol: float
    max_iter: int

    @property
    def is_hard(self) -> bool:
        """Whether some variable has no bound."""
        return bool(np.isinf(self.low).any() or np.isinf(self.high).any())


@dataclass(frozen=True)
class DualSolution:
    r"""Where the solver stopped.

    Attributes
    ----------
    beta : ndarray of shape (n_variables,)
        Signed multipliers.
    intercept : float
        b.
    objective : float
        The dual objective, as it is maximised: :math:`q'\beta - \beta' K \beta / 2`.
    square : float
        :math:`\|w\|^2 = \beta' K \beta`.
    n_iter : int
        Iterations.
    gap : float
        By how much the optimality conditions are missed.
    converged : bool
        Whether that is within the tolerance.
    slack : ndarray of shape (n_variables,)
        :math:`q - K\beta`.
    states : list of DualState
        The first states on the way, if they were asked for.
    """

    beta: Floats
    intercept: float
    objective: float
    square: float
    n_iter: int
    gap: float
    converged: bool
    slack: Floats
    states: list[DualState]


@dataclass(frozen=True)
class DualState:
    """Where the solver was after some updates.

    Attributes
    ----------
    changed : ndarray of int
        The variables of the last update: the one that rose and the one that fell.
    beta : ndarray of shape (n_variables,)
        Signed multipliers.
    intercept, objective, gap : float
        As in `DualSolution`.
    """

    changed: NDArray[np.int64]
    beta: Floats
    intercept: float
    objective: float
    gap: float


def solve_whole(
    K: NDArray[np.float32], segments: NDArray[np.int64], box: Box, n_states: int = 0
) -> DualSolution:
    """Solve with the whole kernel matrix.

    Parameters
    ----------
    K : ndarray of float32 of shape (n_samples, n_samples)
        The kernel.
    segments : ndarray of int64 of shape (n_segments, 2)
        The variables: first row of K, and how many.
    box : Box
        The problem.
    n_states : int, default=0
        How many states to keep, the start among them.

    Returns
    -------
    DualSolution
        The solution.

    Notes
    -----
    The kernel goes on from any state, which is all in its arguments. To keep states it is therefore
    called for one update at a time, and takes the same ones to the last bit.
    """
    beta, slack = np.zeros(len(box.q)), box.q.copy()
    states: list[DualState] = []
    rows = np.concatenate([np.arange(first, first + size) for first, size in segments])
    scale = float(np.abs(K[rows, rows]).max(initial=0.0))

    def go_on(low: Floats, high: Floats, limit: int) -> tuple[int, float]:
        return _core.margins.smo(K, segments, low, high, box.tol, limit, beta, slack)

    def run(low: Floats, high: Floats, limit: int) -> tuple[int, float]:
        done = 0
        while len(states) < n_states:
            before = beta.copy()
            made, gap = go_on(low, high, min(limit - done, 1) if states else 0)
            if states and made == 0:
                return done, gap
            done += made
            changed = np.argsort(before - beta, kind="stable")[[0, -1]] if made else np.empty(0)
            found = _solution(box, beta, slack, _End(done, gap, is_cut=True))
            states.append(
                DualState(
                    changed.astype(np.int64), beta.copy(), found.intercept, found.objective, gap
                )
            )
        made, gap = go_on(low, high, limit - done)
        return done + made, gap

    def refresh() -> float:
        of_sample = np.bincount(rows, beta, minlength=len(K)).astype(np.float64)
        slack[:] = box.q - _product(lambda part: K[part], of_sample)[rows]
        return float(np.dot(beta, box.q + slack))

    return _solution(box, beta, slack, _with_bounds(run, box, beta, scale, refresh), states)


def solve(
    source: RowSource, rows: NDArray[Any], box: Box, budget: int, n_threads: int
) -> DualSolution:
    """Solve with the rows of the kernel that fit a budget.

    Parameters
    ----------
    source : RowSource
        The kernel.
    rows : ndarray of shape (n_variables,)
        The sample of every variable.
    box : Box
        The problem.
    budget : int
        Bytes for rows of the kernel.
    n_threads : int
        Threads to use; they change no bit.

    Returns
    -------
    DualSolution
        The solution.
    """
    search = _WorkingSets(source, rows, box, budget, n_threads)
    end = _with_bounds(search.run, box, search.beta, search.scale, search.refresh)
    return _solution(box, search.beta, search.slack, end)


class _End(NamedTuple):
    """How iterations ended: how many there were, the gap, and whether they were cut short."""

    n_iter: int
    gap: float
    is_cut: bool


def _with_bounds(
    run: Any, box: Box, beta: Floats, scale: float, refresh: Callable[[], float]
) -> _End:
    """Run with the bounds of the box; where there are none, with bounds that must not be met."""
    if not box.is_hard:
        if box.max_iter < 0:
            return _to_the_end(run, box, refresh)
        n_iter, gap = run(box.low, box.high, box.max_iter)
        return _End(n_iter, gap, gap > box.tol and n_iter >= box.max_iter)
    total = 0
    limit = box.max_iter if box.max_iter >= 0 else max(1_000_000, 100 * len(beta))
    for bound in _HARD_MARGINS:
        most = bound / (scale or 1.0)
        low, high = np.maximum(box.low, -most), np.minimum(box.high, most)
        n_iter, gap = run(low, high, limit)
        total += n_iter
        met = (np.isinf(box.low) & (beta == low)) | (np.isinf(box.high) & (beta == high))
        if not met.any() and (gap <= box.tol or box.max_iter >= 0):
            return _End(total, gap, gap > box.tol and total >= limit)
        if gap > box.tol:
            break
    raise NotSeparableError


def _to_the_end(run: Any, box: Box, refresh: Callable[[], float]) -> _End:
    """Run until the conditions hold, or until rounding keeps the objective from rising.

    `refresh` makes the slacks anew, which have gathered rounding errors, and returns the objective,
    doubled.
    """
    total, highest = 0, -np.inf
    while True:
        n_iter, gap = run(box.low, box.high, _ROUND)
        total += n_iter
        if not gap > box.tol or n_iter < _ROUND:
            return _End(total, gap, is_cut=False)
        reached = refresh()
        if not reached > highest + _ROUNDING * abs(reached):
            return _End(total, gap, is_cut=True)
        highest = reached


def _product(rows: Callable[[NDArray[np.intp]], Singles], weights: Floats) -> Floats:
    """Return K times weights in double precision, from rows of the symmetric K."""
    found = np.zeros(len(weights))
    some = np.flatnonzero(weights)
    for start in range(0, len(some), _BLOCK):
        part = some[start : start + _BLOCK]
        found += weights[part] @ rows(part)
    return found


def _solution(
    box: Box, beta: Floats, slack: Floats, end: _End, states: list[DualState] | None = None
) -> DualSolution:
    free = (beta > box.low) & (beta < box.high)
    if free.any():
        intercept = float(slack[free].mean())
    else:
        rising, falling = slack[beta < box.high], slack[beta > box.low]
        intercept = 0.5 * (_or_zero(rising, np.max) + _or_zero(falling, np.min))
    square = float(np.dot(beta, box.q - slack))
    objective = float(0.5 * np.dot(beta, box.q + slack))
    square = max(square, 0.0)
    n_iter, gap, is_cut = end
    return DualSolution(
        beta, intercept, objective, square, n_iter, gap, not is_cut, slack, states or []
    )


def _or_zero(values: Floats, reduce: Any) -> float:
    return float(reduce(values)) if len(values) else 0.0


class _WorkingSets:
    """Optimises some variables at a time; keeps the rows of the kernel that it used last."""

    def __init__(
        self, source: RowSource, rows: NDArray[Any], box: Box, budget: int, n_threads: int
    ) -> None:
        self.source, self.box, self.n_threads = source, box, n_threads
        self.row_of = np.asarray(rows, dtype=np.int64)
        self.beta = np.zeros(len(box.q))
        self.product = np.zeros(source.n)  # minus K beta, by samples
        n = source.n
        n_slots = int(np.clip(budget // (4 * n), min(2 * _WORKING, n), n))
        self.table = np.empty((n_slots, n), dtype=np.float32)
        self.slot_of = np.full(n, -1, dtype=np.int64)
        self.row_in = np.full(n_slots, -1, dtype=np.int64)
        self.used = np.zeros(n_slots, dtype=np.int64)
        self.round = 0
        first = self._slots(self.row_of[:1])
        self.scale = float(np.abs(self.table[first, self.row_of[:1]]).max(initial=0.0))

    @property
    def slack(self) -> Floats:
        """Slack of every variable."""
        found: Floats = self.box.q + self.product[self.row_of]
        return found

    def run(self, low: Floats, high: Floats, limit: int) -> tuple[int, float]:
        """Optimise until the conditions hold; return iterations and the gap that is left."""
        beta, n_iter = self.beta, 0
        before = np.empty(0, dtype=np.int64)
        while True:
            slack = self.slack
            rising = np.where(beta < high, slack, -np.inf)
            falling = np.where(beta > low, slack, np.inf)
            gap = float(rising.max() - falling.min())
            if not gap > self.box.tol or n_iter >= limit:
                return n_iter, gap
            working = _working_set(rising, falling, before)
            made = self._optimise(working, slack, low, high, gap, limit - n_iter)
            n_iter += made
            if made == 0:
                return n_iter, gap
            before = working

    def refresh(self) -> float:
        """Compute the product with K anew, and return the objective, doubled."""
        sums = np.bincount(self.row_of, self.beta, minlength=self.source.n)
        of_sample = sums.astype(np.float64)
        self.product[:] = -_product(self.source.rows, of_sample)
        return float(np.dot(self.beta, self.box.q + self.slack))

    def _optimise(
        self,
        working: NDArray[Any],
        slack: Floats,
        low: Floats,
        high: Floats,
        gap: float,
        limit: int,
    ) -> int:
        working = working[np.argsort(self.row_of[working], kind="stable")]
        samples, place = np.unique(self.row_of[working], return_inverse=True)
        slots = self._slots(samples)
        inner = np.empty((len(samples), len(samples)), dtype=np.float32)
        for row, slot in zip(inner, slots.tolist(), strict=True):
            np.take(self.table[slot], samples, out=row, mode="clip")
        if len(samples) < len(working):  # two variables of a sample
            inner = np.ascontiguousarray(inner[np.ix_(place, place)])
        beta, part = self.beta[working], slack[working]
        segments = np.array([[0, len(working)]], dtype=np.int64)
        made, _ = _core.margins.smo(
            inner,
            segments,
            low[working],
            high[working],
            max(0.1 * gap, 0.5 * self.box.tol),
            min(limit, 50 * _WORKING),
            beta,
            part,
        )
        change: Any = np.bincount(place, beta - self.beta[working], minlength=len(samples))
        _core.margins.smo_slack(self.table, slots, change, self.product, self.n_threads)
        self.beta[working] = beta
        return made

    def _slots(self, samples: NDArray[Any]) -> NDArray[np.int64]:
        """Return where the rows of some samples lie in the table, after making those not there."""
        self.round += 1
        there = self.slot_of[samples]
        self.used[there[there >= 0]] = self.round
        missing = samples[there < 0]
        if len(missing):
            free = np.argpartition(self.used, len(missing) - 1)[: len(missing)]
            free.sort()
            gone = self.row_in[free]
            self.slot_of[gone[gone >= 0]] = -1
            self.source.rows_into(missing, self.table, free)
            self.row_in[free] = missing
            self.slot_of[missing] = free
            self.used[free] = self.round
        found: NDArray[np.int64] = self.slot_of[samples]
        return found


def _working_set(rising: Floats, falling: Floats, before: NDArray[Any]) -> NDArray[Any]:
    """Return the variables to optimise: the worst on both sides, and half of the last ones."""
    n = len(rising)
    if n <= _WORKING:
        return np.arange(n)
    kept = before[: _WORKING // 2]
    room = (_WORKING - len(kept)) // 2
    taken = np.zeros(n, dtype=bool)
    taken[kept] = True
    chosen = []
    for badness in (rising, -falling):
        open_ones = np.where(taken, -np.inf, badness)
        worst = np.argpartition(-open_ones, room)[:room]
        worst = np.sort(worst[np.isfinite(open_ones[worst])])
        taken[worst] = True
        chosen.append(worst)
    # New ones first: they are kept for the next round.
    return np.concatenate([*chosen, kept])
