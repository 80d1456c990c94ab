r"""Logistic regression with L1 and elastic-net penalties: the solver behind the estimators.

.. math:: P(W, b) = \sum_i s_i \, \ell(y_i, x_i W + b) + \lambda_1 \|W\|_1
          + \tfrac{\lambda_2}{2} \|W\|_F^2

For two classes :math:`\ell` is the logistic loss, class 1 is the positive one and W has one column;
for more it is the softmax loss and W has a column for each class. The intercepts are not penalised.

The solver holds a working set of coefficients, takes Newton steps in it, and finds each step by
coordinate descent on the second-order model, with the intercepts eliminated. It stops by the
duality gap, which bounds how far P is from its minimum (the formulas are in
cpp/linear/sparse_logistic.hpp).

References
----------
-  Yuan, Ho, Lin (2012). An improved GLMNET for L1-regularized logistic regression. JMLR 13.
-  Massias, Vaiter, Gramfort, Salmon (2020). Dual extrapolation for sparse generalized linear
   models. JMLR 21.
-  Tibshirani et al. (2012). Strong rules for discarding predictors in lasso-type problems.
   JRSS B 74.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.typing import Codes, Floats

__all__ = [
    "SparseLogisticResult",
    "SparseLogisticTask",
    "l1_max",
    "sparse_logistic",
    "sparse_logistic_path",
]


# The gap is wanted to be tol times the objective of the null model, which is nothing where all the
# weight is in one class; so it counts as at least this much for each unit of weight.
_LEAST_NULL = 1e-6


@dataclass(frozen=True)
class SparseLogisticResult:
    """A minimum, and how sure it is.

    Parameters
    ----------
    coef : ndarray of shape (n_features, width)
        The coefficients; width is 1 for two classes, else the number of classes.
    intercept : ndarray of shape (width,)
        The intercepts. For more than two classes they sum to zero: only differences matter.
    objective : float
        P at the coefficients.
    gap : float
        The duality gap: P is at most this far above its minimum, but for rounding.
    n_iter : int
        Newton steps taken.
    converged : bool
        Whether the gap is as small as was asked for.
    wanted : float
        The gap that was asked for.
    """

    coef: Floats
    intercept: Floats
    objective: float
    gap: float
    n_iter: int
    converged: bool
    wanted: float


def sparse_logistic(
    X: Any,
    codes: Codes,
    n_classes: int,
    *,
    sample_weight: Floats | None = None,
    l1: float,
    l2: float = 0.0,
    fit_intercept: bool = True,
    coef: Floats | None = None,
    intercept: Floats | None = None,
    tol: float = 1e-4,
    max_iter: int = 100,
    n_threads: int = 1,
) -> SparseLogisticResult:
    """Minimise the logistic loss with an L1 or elastic-net penalty.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers, float32 or float64. A sparse matrix is copied by columns; a dense one only
        if it is not in column-major order.
    codes : ndarray of int32 of shape (n_samples,)
        Classes as numbers from 0 to n_classes - 1.
    n_classes : int
        At least 2.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples, not negative.
    l1, l2 : float
        Strengths of the penalties; `l1` is positive, `l2` is not negative. The loss is a sum over
        samples, so scikit-learn's C is 1 / (l1 + l2).
    fit_intercept : bool, default=True
        Whether the model has intercepts.
    coef : ndarray of shape (n_features, width), default=None
        Where to start. Zeros by default.
    intercept : ndarray of shape (width,), default=None
        Where to start. By default those of the model without features.
    tol : float, default=1e-4
        Stop when the duality gap is at most `tol` times P of the null model (zero coefficients and
        the best intercepts). The distance to the minimum is commonly a thousand times smaller.
    max_iter : int, default=100
        Newton steps at most.
    n_threads : int, default=1
        Threads to use; the result does not depend on it.

    Returns
    -------
    SparseLogisticResult
        The solution.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]])
    >>> codes = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> found = sparse_logistic(X, codes, 2, l1=0.5)
    >>> found.coef.ravel().round(3), found.converged
    (array([1.731, 0.   ]), True)
    """
    task = SparseLogisticTask(X, codes, n_classes, sample_weight, fit_intercept, n_threads)
    if coef is not None or intercept is not None:
        task.start(coef, intercept)
    return task.fit(l1, l2, tol, max_iter)


def sparse_logistic_path(
    X: Any,
    codes: Codes,
    n_classes: int,
    penalties: Sequence[tuple[float, float]],
    *,
    sample_weight: Floats | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-4,
    max_iter: int = 100,
    n_threads: int = 1,
) -> list[SparseLogisticResult]:
    """Solve for a sequence of penalties, each from the solution before.

    The columns of X are laid out once. Where `l1` falls, the sequential strong rule says which
    coefficients to look at first; all are checked in the end, so that the rule cannot harm.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        See :func:`sparse_logistic`, also for the parameters that are not described here.
    codes : ndarray of int32 of shape (n_samples,)
        Classes as numbers.
    n_classes : int
        At least 2.
    penalties : sequence of (l1, l2)
        From strong to weak to be fast; any order is right.
    sample_weight, fit_intercept, tol, max_iter, n_threads
        As there; `tol` and `max_iter` hold for each pair.

    Returns
    -------
    list of SparseLogisticResult
        One for each pair.
    """
    task = SparseLogisticTask(X, codes, n_classes, sample_weight, fit_intercept, n_threads)
    return [task.fit(l1, l2, tol, max_iter) for l1, l2 in penalties]


def l1_max(
    X: Any,
    codes: Codes,
    n_classes: int,
    sample_weight: Floats | None = None,
    fit_intercept: bool = True,
    n_threads: int = 1,
) -> float:
    """Return the smallest `l1` for which all coefficients are zero.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        See :func:`sparse_logistic`.
    codes : ndarray of int32 of shape (n_samples,)
        Classes as numbers.
    n_classes : int
        At least 2.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples.
    fit_intercept : bool, default=True
        Whether the model has intercepts.
    n_threads : int, default=1
        Threads to use.
    """
    task = SparseLogisticTask(X, codes, n_classes, sample_weight, fit_intercept, n_threads)
    return task.solver.l1_max(n_threads)


class SparseLogisticTask:
    """The data in the form of the kernel, and where it stands, for one penalty after another.

    Where `l1` falls, the sequential strong rule says which coefficients to look at first.

    Parameters
    ----------
    X, codes, n_classes, sample_weight, fit_intercept, n_threads
        As in :func:`sparse_logistic`.
    """

    def __init__(
        self,
        X: Any,
        codes: Codes,
        n_classes: int,
        sample_weight: Floats | None,
        fit_intercept: bool,
        n_threads: int,
    ) -> None:
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        weights = np.empty(0)
        if sample_weight is not None:
            weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
        total = float(len(codes) if sample_weight is None else weights.sum())
        self.n_threads = n_threads
        self.shape = (X.shape[1], 1 if n_classes == 2 else n_classes)
        self.solver: _core.linear.SparseLogistic
        if sparse.issparse(X):
            arrays = csr_arrays(_floats(X), n_threads, once=True)
            self.solver = _core.linear.csr_sparse_logistic(
                arrays, codes, n_classes, weights, fit_intercept, n_threads
            )
        else:
            columns = np.asfortranarray(_floats(X))
            self.solver = _core.linear.dense_sparse_logistic(
                columns, codes, n_classes, weights, fit_intercept
            )
        self.scale = max(self.solver.null_objective(), _LEAST_NULL * total)
        self._l1_before = np.inf

    def start(self, coef: Floats | None, intercept: Floats | None) -> None:
        """Set the point to start from; what is not given is zero."""
        w = np.zeros(self.shape) if coef is None else np.ascontiguousarray(coef, dtype=np.float64)
        b = np.zeros(self.shape[1]) if intercept is None else intercept
        b = np.ascontiguousarray(b, dtype=np.float64)
        if w.shape != self.shape or b.shape != self.shape[1:]:
            raise ValueError(
                f"the start has coef of shape {w.shape} and intercept of shape {b.shape}; expected "
                f"{self.shape} and {self.shape[1:]}. Start from a result for the same features and "
                "classes."
            )
        self.solver.start(w, b, self.n_threads)
        self._l1_before = np.inf

    def fit(self, l1: float, l2: float, tol: float, max_iter: int) -> SparseLogisticResult:
        """Minimise from where the last call ended."""
        if not (0 < l1 < np.inf and 0 <= l2 < np.inf):
            raise ValueError(
                f"the penalties are l1={l1} and l2={l2}; l1 should be positive, l2 not negative. "
                "Use a solver for smooth penalties where l1 is zero."
            )
        before = self._l1_before if l1 < self._l1_before else np.inf
        wanted = tol * self.scale
        found = self.solver.fit(l1, l2, wanted, max_iter, before, self.n_threads)
        self._l1_before = l1
        return SparseLogisticResult(*found, wanted)


def _floats(X: Any) -> Any:
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
