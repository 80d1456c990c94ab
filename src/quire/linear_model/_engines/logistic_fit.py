"""One logistic regression at one penalty: what the estimators ask the optimisers for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from quire._shared.convergence import warn_not_converged
from quire._shared.sklearn import check_solver as sklearn_check_solver
from quire._shared.typing import Floats
from quire.linear_model._engines.descend_logistic import descend_logistic
from quire.linear_model._engines.logistic_problem import LogisticProblem
from quire.linear_model._engines.path_start import PathStart
from quire.linear_model._engines.smooth_logistic import (
    USUAL_TOL,
    SmoothResult,
    smooth_logistic,
    usual_gap,
)
from quire.linear_model._engines.sparse_logistic import SparseLogisticTask

__all__ = ["OWN_SOLVERS", "Fitted", "Fitter", "check_solver"]


# Solvers for smooth objectives by name. scikit-learn's names stand for what they minimise.
OWN_SOLVERS: dict[str, Callable[..., SmoothResult]] = {
    "auto": smooth_logistic,
    "newton": partial(smooth_logistic, method="cholesky"),
    "gradient-descent": descend_logistic,
}
_MOST_UNKNOWNS = 8192  # of an exact Newton step: the Hessian has the square of that


@dataclass(frozen=True)
class Fitted:
    """Weights at one penalty.

    Attributes
    ----------
    coef : ndarray of shape (n_features, width)
        A column for each class, or one column for two classes.
    intercept : ndarray of shape (width,)
        Zero if there is none.
    gap : float
        How far the objective is above its minimum at most.
    n_iter : int
        Iterations of the optimiser.
    solver : str
        The optimiser that ran.
    """

    coef: Floats
    intercept: Floats
    gap: float
    n_iter: int
    solver: str


def check_solver(solver: str, penalty: str | None, dual: bool) -> None:
    """Raise a ValueError, scikit-learn's where it has one, if a solver does not take a penalty.

    Parameters
    ----------
    solver : str
        Its name.
    penalty : {"l1", "l2", "elasticnet", None}
        The penalty.
    dual : bool
        Whether the dual problem is asked for.
    """
    if solver not in OWN_SOLVERS:
        sklearn_check_solver(solver, penalty, dual)
    elif dual:
        raise ValueError(f"Solver {solver} supports only dual=False, got dual={dual}")
    elif solver != "auto" and penalty not in ("l2", None):
        raise ValueError(
            f"Solver {solver} supports only 'l2' or None penalties, got {penalty} penalty. "
            "Use solver='auto'."
        )


_RUNG = 8.0
_MOST_RUNGS = 6
_ROUGH_TOL, _ROUGH_GAP = 0.1, 0.01
_LEAST_ITERATIONS = 50  # with fewer, someone wants to see how far these lead


class Fitter:
    """Data, and all options but the penalty.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers.
    codes : ndarray of int32 of shape (n_samples,)
        Classes, as numbers.
    n_classes : int
        How many there are.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights, those of the classes included.
    solver : str
        Its name. "liblinear" penalises the intercept.
    fit_intercept : bool
        Whether there is one.
    intercept_scaling : float
        The constant feature whose weight is penalised by "liblinear".
    tol : float
        Tolerance.
    max_iter : int
        Iterations at most.
    verbose : int
        Whether to print a line for each fit.
    n_threads : int
        Threads to use.
    name : str
        The estimator, for messages.
    gap_tol : float, default=None
        If given, smooth objectives are also within about this distance of their minimum,
        relatively, by Newton's estimate. At weak penalties `tol` alone leaves more.
    is_path : bool, default=False
        Whether fits are of many penalties that are only compared: each starts from the best
        combination of those before, and `gap_tol`, which must be given, is enough where a single
        fit would be more precise because its X is small.
    """

    def __init__(
        self,
        X: Any,
        codes: NDArray[np.int32],
        n_classes: int,
        sample_weight: Floats | None,
        *,
        solver: str,
        fit_intercept: bool,
        intercept_scaling: float,
        tol: float,
        max_iter: int,
        verbose: int,
        n_threads: int,
        name: str,
        gap_tol: float | None = None,
        is_path: bool = False,
    ) -> None:
        self.X, self.codes, self.n_classes = X, codes, n_classes
        self.sample_weight = sample_weight
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.intercept_scaling = float(intercept_scaling)
        self.tol, self.max_iter = float(tol), int(max_iter)
        self.verbose = verbose
        self.n_threads = n_threads
        self.name = name
        self.gap_tol, self.is_path = gap_tol, is_path
        self._problem: LogisticProblem | None = None
        self._path: PathStart | None = None
        self._task: SparseLogisticTask | None = None
        self._last: Fitted | None = None  # where the task, or the path, stands

    @property
    def penalizes_intercept(self) -> bool:
        """Whether the intercept is the weight of a constant feature."""
        return self.fit_intercept and self.solver == "liblinear"

    def fit(self, C: float, l1_ratio: float, start: Fitted | None = None) -> Fitted:
        """Minimise ``sum_i s_i loss_i + l1_ratio / C |W|_1 + (1 - l1_ratio) / (2 C) |W|^2``.

        Parameters
        ----------
        C : float
            Inverse strength of the penalty; may be infinite.
        l1_ratio : float
            Share of the L1 penalty.
        start : Fitted, default=None
            Where to start.
        """
        strength = 0.0 if np.isinf(C) else 1.0 / C
        if strength > 0 and l1_ratio > 0:
            fitted, converged = self._fit_sparse(strength, l1_ratio, start)
        else:
            fitted, converged = self._fit_smooth(strength, start)
        if self.verbose:
            print(
                f"[{self.name}] C={C:g}, l1_ratio={l1_ratio:g}: {fitted.n_iter} iterations of "
                f"{fitted.solver}, gap {fitted.gap:.3g}{'' if converged else ', not converged'}"
            )
        return fitted

    def _fit_smooth(self, l2: float, start: Fitted | None) -> tuple[Fitted, bool]:
        if self._problem is None:
            self._problem = LogisticProblem(
                self.X,
                self.codes,
                self.n_classes,
                sample_weight=self.sample_weight,
                fit_intercept=self.fit_intercept,
                n_threads=self.n_threads,
            )
        unknowns = (self.X.shape[1] + 1) * self._problem.width
        if self.solver == "newton" and unknowns > _MOST_UNKNOWNS:
            raise ValueError(
                f"solver='newton' factorises a Hessian of {unknowns:,} rows; at most "
                f"{_MOST_UNKNOWNS:,} are sensible. Use solver='auto'."
            )
        run = OWN_SOLVERS.get(self.solver, smooth_logistic)
        intercept_l2 = l2 / self.intercept_scaling**2 if self.penalizes_intercept else 0.0
        options: dict[str, Any] = {}
        if start is not None:
            options = {"coef": start.coef, "intercept": start.intercept}
        if run is smooth_logistic and start is None and self._gains_from_a_ladder:
            options = self._climb(l2, intercept_l2)
        elif run is smooth_logistic and self._path is not None and start is self._last:
            options = self._path.options(l2, intercept_l2)
        gap_tol = usual_gap(self._problem, l2, self.tol)
        certain = self.tol <= USUAL_TOL
        if self.gap_tol is not None and (self.is_path or self.gap_tol < gap_tol):
            gap_tol, certain = self.gap_tol, False
        found = run(
            self._problem,
            l2=l2,
            intercept_l2=intercept_l2,
            **options,
            tol=self.tol,
            gap_tol=gap_tol,
            certain=certain,
            max_iter=self.max_iter,
        )
        if found.separable:
            warnings.warn(
                f"{self.name}: the classes are separated without error (perfect separation), so "
                "without a penalty the weights grow for ever and no best ones exist; they were "
                "stopped where the gradient fell below tol. Use a penalty: a finite C, such as "
                "C=1.0.",
                ConvergenceWarning,
                stacklevel=4,
            )
        elif not found.converged:
            self._warn(found.n_iter, "largest component of the gradient", found.gradient, self.tol)
        ran = self.solver if self.solver in OWN_SOLVERS and self.solver != "auto" else "newton-cg"
        self._last = Fitted(found.coef, found.intercept, found.gap, found.n_iter, ran)
        if self.is_path:
            if self._path is None or start is None:
                self._path = PathStart(self._problem)
            self._path.add(found)
        return self._last, found.converged

    @property
    def _gains_from_a_ladder(self) -> bool:
        """Whether products with X are so many and so large that a better start saves time."""
        assert self._problem is not None
        worth_it = not self._problem.is_small or self.tol > USUAL_TOL
        is_sparse = self._problem.design.is_sparse
        return is_sparse and worth_it and self.max_iter >= _LEAST_ITERATIONS

    def _climb(self, l2: float, intercept_l2: float) -> dict[str, Any]:
        """Return where to start at a weak penalty: beyond rough solutions at stronger ones.

        Far from the minimum, Newton's steps are short and their systems hard to solve in vain. With
        a penalty as strong as a sample is, the problem is easy, and from there the penalty falls by
        :data:`_RUNG` at a time.
        """
        problem = self._problem
        assert problem is not None
        path = PathStart(problem)
        size = problem.mean_square
        n_rungs = int(np.log(size / l2) / np.log(_RUNG)) if 0 < l2 < size < np.inf else 0
        for rung in range(min(n_rungs, _MOST_RUNGS), 0, -1):
            stronger = _RUNG**rung
            found = smooth_logistic(
                problem,
                l2=l2 * stronger,
                intercept_l2=intercept_l2 * stronger,
                **path.options(l2 * stronger, intercept_l2 * stronger),
                tol=_ROUGH_TOL,
                gap_tol=_ROUGH_GAP,
                certain=False,
                max_iter=self.max_iter,
            )
            path.add(found)
        return path.options(l2, intercept_l2)

    def _fit_sparse(
        self, strength: float, l1_ratio: float, start: Fitted | None
    ) -> tuple[Fitted, bool]:
        scale = self.intercept_scaling
        if self._task is None:
            self._task = SparseLogisticTask(
                _with_constant(self.X, scale) if self.penalizes_intercept else self.X,
                self.codes,
                self.n_classes,
                self.sample_weight,
                self.fit_intercept and not self.penalizes_intercept,
                self.n_threads,
            )
        if start is not None and start is not self._last:
            if self.penalizes_intercept:
                self._task.start(np.vstack([start.coef, start.intercept[None, :] / scale]), None)
            else:
                self._task.start(start.coef, start.intercept)
        found = self._task.fit(
            strength * l1_ratio, strength * (1 - l1_ratio), self.tol, self.max_iter
        )
        if not found.converged:
            self._warn(found.n_iter, "duality gap", found.gap, found.wanted)
        coef, intercept = found.coef, found.intercept
        if self.penalizes_intercept:
            coef, intercept = coef[:-1], coef[-1] * scale
        self._last = Fitted(coef, intercept, found.gap, found.n_iter, "working-set")
        return self._last, bool(found.converged)

    def _warn(self, n_iter: int, measure: str, reached: float, wanted: float) -> None:
        warn_not_converged(
            self.name,
            n_iter,
            measure,
            reached,
            wanted,
            remedy="scale the features, or decrease C",
        )


def _with_constant(X: Any, value: float) -> Any:
    """Return X with a constant column at its end."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    if sparse.issparse(X):
        return sparse.hstack([X, sparse.csr_array(column)], format="csr", dtype=X.dtype)
    return np.hstack([X, column])
