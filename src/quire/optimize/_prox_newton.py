"""Proximal Newton on working sets: absolute values with many features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.design import Design
from quire._shared.typing import Floats
from quire._shared.vectors import conjugate_gradients, inner, norm
from quire.optimize._datafit import Datafit
from quire.optimize._loop import backtrack, descend
from quire.optimize._objective import Objective, ObjectivePoint
from quire.optimize._penalty import ElasticNetPenalty, Penalty
from quire.optimize._profiled import Profiled
from quire.optimize._result import Callback, OptimizeResult

__all__ = ["prox_newton"]


_SMALLEST_WORKING_SET = 200
_MAX_ROUNDS = 100  # in one iteration: some passes, then conjugate gradients
_MAX_ATTEMPTS = 8  # with growing damping, until the model is right about the objective
_PASSES = 3
_MAX_PRODUCTS = 100


def prox_newton(
    datafit: Datafit,
    penalty: Penalty | None = None,
    x0: Floats | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    callback: Callback | None = None,
    keep_steps: bool = False,
) -> OptimizeResult:
    r"""Minimise a quadratic model of the loss plus the penalty itself, again and again.

    An iteration takes the features that are in the model or want to be (those with a subgradient
    other than zero), makes the quadratic model of the loss in them,

    .. math:: \nabla f' d + \tfrac12 d' H d + g(w + d),

    and minimises it: compiled coordinate descent on the columns of X, in turns with conjugate
    gradients on the coefficients that are not zero. Intercept or thresholds always follow. A line
    search on the objective comes last. Where the objective falls much less than the model said, the
    curvature of the rows is raised until it does not.

    Parameters
    ----------
    datafit : Datafit
        The loss; any. Its design must not be centred.
    penalty : Penalty, default=None
        A separable one; none at all if not given. With an elastic net the passes are compiled.
    x0 : ndarray of shape (n_parameters,), default=None
        Where to start.
    tol : float, default=1e-6
        Norm of the smallest subgradient to reach.
    max_iter : int, default=100
        The most iterations.
    callback : callable, default=None
        Called with iteration, parameters and objective.
    keep_steps : bool, default=False
        Whether the result has ``steps``: the start and where every iteration led.

    Returns
    -------
    OptimizeResult
        Parameters, objective, and the record of the way.

    References
    ----------
    J. D. Lee, Y. Sun and M. A. Saunders, "Proximal Newton-type methods for minimizing composite
    functions", SIAM Journal on Optimization, 2014.

    Examples
    --------
    >>> from quire.optimize import ElasticNetPenalty, SquaredLoss, prox_newton
    >>> loss = SquaredLoss([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [1.0, 3.0, 5.0])
    >>> prox_newton(loss, ElasticNetPenalty(l1=0.1)).x.round(4)
    array([1.85, 0.  , 1.15])
    """
    if datafit.design.center is not None:
        raise ValueError("prox_newton needs X itself, not centred; fit an intercept instead.")
    objective = Objective(datafit, penalty or ElasticNetPenalty())
    if not objective.penalty.is_separable:
        raise ValueError(
            f"prox_newton needs a sum over coefficients, which {objective.penalty!r} is not; use "
            "proximal_gradient."
        )

    damping = 0.0

    def step(point: ObjectivePoint) -> tuple[ObjectivePoint, float] | None:
        nonlocal damping
        model = _Quadratic(point, _working_set(point))
        for _ in range(_MAX_ATTEMPTS):
            promised = model.minimise(max(0.1 * point.gradient_norm, 0.3 * tol), damping)
            found = _line_search(objective, point, model.direction())
            if promised <= 100 * objective.slack(point.value):  # too little to judge the model
                return found
            kept = 0.0 if found is None else (point.value - found[0].value) / promised
            if kept > 0.75:
                damping = damping / 4 if damping > 1e-5 else 0.0
            elif kept < 0.25:
                damping = max(4 * damping, 1e-3)
            if kept > 0.1:
                return found
        return found

    start = objective.start(x0)
    return descend("prox_newton", start, step, tol, max_iter, callback, keep_steps)


def _working_set(point: ObjectivePoint) -> NDArray[np.int64]:
    """Return the features in the model, and the worst of those that want to be in it."""
    k = point.objective.n_coefficients
    w = point.x[:k]
    wants = np.abs(point.objective.penalty.least_subgradient(w, point.loss.gradient[:k]))
    active = w != 0
    wants[active] = np.inf
    size = max(_SMALLEST_WORKING_SET, 2 * int(active.sum()))
    found = np.flatnonzero(wants)
    if len(found) > size:
        found = np.sort(found[np.argsort(-wants[found], kind="stable")[:size]])
    return found.astype(np.int64)


class _Block:
    """The members of a working set that belong to one output of the loss."""

    def __init__(self, output: int, members: NDArray[np.int64], columns: Any) -> None:
        self.output, self.members, self.columns = output, members, columns
        self.squares = columns.copy()
        self.squares.data = self.squares.data.astype(np.float64) ** 2

    def part(self, chosen: NDArray[np.bool_]) -> tuple[int, NDArray[np.int64], Any]:
        """Return the output, the members that were chosen, and their columns."""
        mine = chosen[self.members]
        return self.output, self.members[mine], self.columns[np.flatnonzero(mine)]


class _Quadratic:
    """The quadratic model of the loss in the features of a working set, and the penalty."""

    def __init__(self, point: ObjectivePoint, working: NDArray[np.int64]) -> None:
        self.point, self.working = point, working
        self.penalty, self.rows = point.objective.penalty.at(working), point.loss.rows
        self.before = point.x[working]
        datafit = point.objective.datafit
        features, outputs = np.divmod(working, datafit.n_outputs)
        self.blocks = [
            _Block(int(k), members, _columns(datafit.design, features[members]))
            for k in np.unique(outputs)
            for members in [np.flatnonzero(outputs == k)]
        ]

    def minimise(self, target: float, damping: float) -> float:
        """Descend until the norm of the smallest subgradient of the model is at most `target`.

        Passes of coordinate descent decide which coefficients are zero; conjugate gradients then
        settle the others together, which passes do slowly where features go with each other.

        Parameters
        ----------
        target : float
            Norm to reach.
        damping : float
            Added to the curvature of the rows.

        Returns
        -------
        float
            By how much the model fell.
        """
        self.profiled = Profiled(self.point.loss, damping)
        self.h = self.rows.curvature + self.profiled.damping
        self.curvature = np.empty(len(self.working))
        for block in self.blocks:
            self.curvature[block.members] = block.squares @ self.h[:, block.output]
        self._move_to(self.before.copy())
        for _ in range(_MAX_ROUNDS):
            for block in self.blocks:
                self._passes(block)
                self._move_to(self.w)
            if norm(self._subgradient()) <= target:
                break
            self._settle(target)
            if norm(self._subgradient()) <= target:
                break
        return self.penalty.value(self.before) - self.value

    def direction(self) -> Floats:
        """Return the way from the point to the minimum of the model."""
        direction = np.zeros_like(self.point.x)
        direction[self.working] = self.w - self.before
        direction[self.point.objective.n_coefficients :] = self.extra
        return direction

    def _move_to(self, w: Floats) -> None:
        """Go to coefficients `w`; intercept or thresholds follow."""
        self.w = w
        move = w - self.before
        scores = np.zeros_like(self.rows.slope)
        for block in self.blocks:
            scores[:, block.output] = block.columns.T @ move[block.members]
        self.extra = self.profiled.best_extra(scores, self.rows.extra_slope)
        rows, extra = self.profiled.curve_with(scores, self.extra)
        self.residual = self.rows.slope + rows
        self.value = self.penalty.value(w) + sum(
            inner(slope + change / 2, move)
            for slope, change, move in (
                (self.rows.slope, rows, scores),
                (self.rows.extra_slope, extra, self.extra),
            )
        )

    def _passes(self, block: _Block) -> None:
        """Descend in one coefficient of an output after the other, some times."""
        weights = self.penalty.elastic_net()
        w, curvature = self.w[block.members], self.curvature[block.members]
        h = np.ascontiguousarray(self.h[:, block.output])
        residual = np.ascontiguousarray(self.residual[:, block.output])
        if weights is not None:
            every = np.arange(len(w), dtype=np.int64)
            _core.linear.csc_quadratic_descent(
                csr_arrays(block.columns), every, curvature, h, residual, w,
                *weights, 0.0, _PASSES,
            )  # fmt: skip
        else:
            data, indices, indptr, _ = csr_arrays(block.columns)
            for _ in range(_PASSES):
                for j in np.flatnonzero(curvature > 0):
                    stored = slice(indptr[j], indptr[j + 1])
                    rows, values = indices[stored], data[stored]
                    step = values @ residual[rows] / curvature[j]
                    old = w[j : j + 1].copy()
                    own = self.penalty.at(block.members[j : j + 1])
                    new = own.prox(old - step, 1.0 / curvature[j])
                    residual[rows] += h[rows] * (new - old) * values
                    w[j] = new[0]
        self.w[block.members] = w

    def _subgradient(self) -> Floats:
        slope = np.empty(len(self.working))
        for block in self.blocks:
            slope[block.members] = block.columns @ self.residual[:, block.output]
        return self.penalty.least_subgradient(self.w, slope)

    def _settle(self, target: float) -> None:
        """Minimise in the coefficients that are not zero, as long as none changes its sign."""
        is_active = self.w != 0
        active = np.flatnonzero(is_active)
        parts = [block.part(is_active) for block in self.blocks]
        own = self.penalty.smooth_curvature(self.w)
        scores = np.zeros_like(self.rows.slope)
        whole = np.zeros(len(self.working))

        def product(v: Floats) -> Floats:
            whole[active] = v
            for output, members, columns in parts:
                scores[:, output] = columns.T @ whole[members]
            rows = self.profiled.curve(scores)
            image = own * whole
            for output, members, columns in parts:
                image[members] += columns @ rows[:, output]
            return image[active]

        diagonal = self.curvature[active] + own[active]
        inverse = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
        slope = -self._subgradient()[active]
        change, _ = conjugate_gradients(
            product, slope, inverse, share=0.0, tol=target / 3, max_products=_MAX_PRODUCTS
        )
        w, value = self.w, self.value
        old = w[active]
        crossed = np.sign(old + change) != np.sign(old)
        new = w.copy()
        new[active] = np.where(crossed, 0.0, old + change)
        self._move_to(new)
        if crossed.any() and self.value > value:  # zeros were too many at once: up to the first
            new = w.copy()
            new[active] += change * np.min(-old[crossed] / change[crossed])
            self._move_to(new)
        if self.value > value and self.penalty.elastic_net() is None:
            self._move_to(w)  # the penalty is no parabola between its kinks


def _columns(design: Design, working: NDArray[np.int64]) -> Any:
    """Return some columns of X as the rows of a CSR matrix."""
    if not design.is_sparse:
        return sparse.csr_array(np.ascontiguousarray(design.X[:, working].T))
    data, indices, indptr, n_samples = design.columns
    every = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_samples))
    return every[working]


def _line_search(
    objective: Objective, point: ObjectivePoint, direction: Floats
) -> tuple[ObjectivePoint, float] | None:
    """Halve the step until the objective falls by a share of what the model promised."""
    k, penalty = objective.n_coefficients, objective.penalty
    w, d = point.x[:k], direction[:k]
    promise = inner(point.loss.gradient, direction) + penalty.value(w + d) - penalty.value(w)
    return backtrack(objective, point, direction, slope=min(promise, 0.0))
