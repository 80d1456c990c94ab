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
from quire._shared.design import Design
from quire._shared.sklearn import check_solver as sklearn_check_solver
from quire._shared.typing import Floats
from quire.linear_model._engines.descend_logistic import descend_logistic
from quire.linear_model._engines.logistic_problem import LogisticProblem
from quire.linear_model._engines.logistic_steps import StepRecord, sparse_step
from quire.linear_model._engines.path_start import PathStart
from quire.linear_model._engines.reference_logistic import reference_logistic
from quire.linear_model._engines.separation import separating_columns
from quire.linear_model._engines.smooth_logistic import (
    USUAL_TOL,
    SmoothResult,
    smooth_logistic,
    usual_gap,
)
from quire.linear_model._engines.sparse_logistic import SparseLogisticResult, SparseLogisticTask
from quire.optimize import DescentStep

__all__ = ["OWN_SOLVERS", "Fitted", "Fitter", "check_solver"]


# Solvers for smooth objectives by name. scikit-learn's names stand for what they minimise.
OWN_SOLVERS: dict[str, Callable[..., SmoothResult]] = {
    "auto": smooth_logistic,
    "newton": partial(smooth_logistic, method="cholesky"),
    "gradient-descent": descend_logistic,
}
# What scikit-learn says of its solver of that name; people filter warnings by it.
_THEIR_WORDS = {
    "lbfgs": "lbfgs failed to converge after {n_iter} iteration(s).",
    "liblinear": "Liblinear failed to converge, increase the number of iterations.",
    "newton-cg": "newton-cg failed to converge. Increase the number of iterations.",
    "newton-cholesky": "Newton solver did not converge after {n_iter} iterations.",
    "sag": "The max_iter was reached which means the coef_ did not converge.",
    "saga": "The max_iter was reached which means the coef_ did not converge.",
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
    steps : list of DescentStep or None
        Where it stood at the start and after every iteration, if that was to be kept.
    """

    coef: Floats
    intercept: Floats
    gap: float
    n_iter: int
    solver: str
    steps: list[DescentStep] | None = None


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
    keep_steps : bool, default=False
        Whether to keep where the optimiser stands after every iteration.
    reference : int, default=None
        The class whose weights are fixed at zero, if any; with two classes that is the first.
    describe : callable, default=None
        Puts columns into words, for warnings.
    n_alike : int, default=1
        How many problems of this size make one model.
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
        keep_steps: bool = False,
        reference: int | None = None,
        describe: Callable[[NDArray[np.intp]], str] | None = None,
        n_alike: int = 1,
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
        self.keep_steps = keep_steps
        self.reference = None if n_classes == 2 else reference
        self.describe = describe
        self.n_alike = n_alike
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
        if self.reference is not None:
            fitted, converged = self._fit_reference(self.reference, strength, l1_ratio, start)
        elif strength > 0 and l1_ratio > 0:
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
                n_alike=self.n_alike,
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
        record = StepRecord(self.fit_intercept) if self.keep_steps else None
        found = run(
            self._problem,
            l2=l2,
            intercept_l2=intercept_l2,
            **options,
            tol=self.tol,
            gap_tol=gap_tol,
            certain=certain,
            max_iter=self.max_iter,
            record=record,
        )
        separated = l2 == 0 and self._warn_separated(
            self._problem.design, found.scores, found.separable
        )
        if not found.converged and not separated:
            self._warn(found.n_iter, "largest component of the gradient", found.gradient, self.tol)
        ran = self.solver if self.solver in OWN_SOLVERS and self.solver != "auto" else "newton-cg"
        steps = None if record is None else record.steps
        self._last = Fitted(found.coef, found.intercept, found.gap, found.n_iter, ran, steps)
        if self.is_path:
            if self._path is None or start is None:
                self._path = PathStart(self._problem)
            self._path.add(found)
        return self._last, found.converged

    def _fit_reference(
        self, reference: int, strength: float, l1_ratio: float, start: Fitted | None
    ) -> tuple[Fitted, bool]:
        design = Design(self.X, self.n_threads)
        found = reference_logistic(
            design,
            self.codes,
            self.n_classes,
            reference,
            self.sample_weight,
            self.fit_intercept,
            l1=strength * l1_ratio,
            l2=strength * (1 - l1_ratio),
            solver=self.solver,
            start=None if start is None else (start.coef, start.intercept),
            tol=self.tol,
            max_iter=self.max_iter,
            keep_steps=self.keep_steps,
        )
        separated = strength == 0 and self._warn_separated(
            design, design.dot(found.coef) + found.intercept, found.separable
        )
        if not found.converged and not separated:
            self._warn(found.n_iter, "norm of the gradient", found.gradient, found.wanted)
        self._last = Fitted(
            found.coef, found.intercept, found.gap, found.n_iter, found.solver, found.steps
        )
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
            self._task = self._sparse_task()
        if start is not None and start is not self._last:
            self._start_sparse(self._task, start)
        penalty = strength * l1_ratio, strength * (1 - l1_ratio)
        found = self._task.fit(*penalty, self.tol, self.max_iter)
        steps = self._sparse_steps(penalty, start, found) if self.keep_steps else None
        if not found.converged:
            self._warn(found.n_iter, "duality gap", found.gap, found.wanted)
        coef, intercept = found.coef, found.intercept
        if self.penalizes_intercept:
            coef, intercept = coef[:-1], coef[-1] * scale
        self._last = Fitted(coef, intercept, found.gap, found.n_iter, "working-set", steps)
        return self._last, bool(found.converged)

    def _sparse_task(self) -> SparseLogisticTask:
        is_constant = self.penalizes_intercept
        return SparseLogisticTask(
            _with_constant(self.X, self.intercept_scaling) if is_constant else self.X,
            self.codes,
            self.n_classes,
            self.sample_weight,
            self.fit_intercept and not is_constant,
            self.n_threads,
        )

    def _start_sparse(self, task: SparseLogisticTask, start: Fitted) -> None:
        if self.penalizes_intercept:
            constant = start.intercept[None, :] / self.intercept_scaling
            task.start(np.vstack([start.coef, constant]), None)
        else:
            task.start(start.coef, start.intercept)

    def _sparse_steps(
        self, penalty: tuple[float, float], start: Fitted | None, last: SparseLogisticResult
    ) -> list[DescentStep]:
        """Run the compiled solver again for 0, 1, 2, ... iterations: each run begins like the last.

        That is much work for large data, and none where steps are not kept.
        """
        if self.penalizes_intercept:
            X: Any = _with_constant(self.X, self.intercept_scaling)
            fit_intercept = False
        else:
            X, fit_intercept = self.X, self.fit_intercept
        steps = []
        for n_iter in range(last.n_iter + 1):
            found = last
            if n_iter < last.n_iter:
                task = self._sparse_task()
                if start is not None:
                    self._start_sparse(task, start)
                found = task.fit(*penalty, self.tol, n_iter)
            step = sparse_step(
                X, self.codes, self.n_classes, self.sample_weight, fit_intercept, penalty,
                found.coef, found.intercept,
            )  # fmt: skip
            if self.penalizes_intercept:
                step.point[:, -1] *= self.intercept_scaling
            steps.append(step)
        return steps

    def _warn_separated(self, design: Design, scores: Floats, completely: bool) -> bool:
        """Warn if no best weights exist; return whether that is so."""
        if self.is_path and not completely:
            return False
        if completely:
            what = "the classes are separated without error (perfect separation)"
        else:
            columns = separating_columns(
                design, self.codes, self.sample_weight, self.fit_intercept, scores
            )
            if columns is None:
                return False
            where = self.describe(columns) if self.describe else f"{len(columns)} columns"
            what = (
                f"some samples are separated from another class without error by {where} "
                "(quasi-complete separation)"
            )
        warnings.warn(
            f"{self.name}: {what}, so without a penalty the weights grow for ever and no best ones "
            "exist; they were stopped where the gradient fell below tol. Use a penalty: a finite "
            "C, such as C=1.0.",
            ConvergenceWarning,
            stacklevel=5,
        )
        return True

    def _warn(self, n_iter: int, measure: str, reached: float, wanted: float) -> None:
        warn_not_converged(
            self.name,
            n_iter,
            measure,
            reached,
            wanted,
            remedy="scale the features, or decrease C",
            first=_THEIR_WORDS.get(self.solver, "").format(n_iter=n_iter),
        )


def _with_constant(X: Any, value: float) -> Any:
    """Return X with a constant column at its end."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    if sparse.issparse(X):
        return sparse.hstack([X, sparse.csr_array(column)], format="csr", dtype=X.dtype)
    return np.hstack([X, column])
