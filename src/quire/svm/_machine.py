"""What kernel machines share: fits through the dual, and decisions from support vectors.

The class stands before a class of scikit-learn and takes the places where that calls LIBSVM, so
that checks, parameters and attributes are scikit-learn's.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from quire._shared.sklearn import align_api_if_sparse
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import check_array, looked_at
from quire.exceptions import NotSeparableError
from quire.svm._dual import Box, DualSolution, solve, solve_whole
from quire.svm._kernels import NOT_FINITE, GivenKernel, Kernel, KernelRows, RowSource

__all__ = ["KernelMachine", "not_separable", "products_by_class"]


_LEAST_BUDGET = 512  # megabytes
_WHOLE = 6144  # samples up to which a problem is solved with all variables at once
_BLOCK = 1 << 22  # kernel values that a prediction holds at a time


class KernelMachine:
    """Fit and predict for kernel machines; a mixin."""

    kernel: Any
    degree: int
    coef0: float
    tol: float
    C: float
    cache_size: float
    max_iter: int
    n_jobs: int | None
    _gamma: float
    _sparse: bool
    support_: NDArray[np.int32]
    support_vectors_: Any
    _dual_coef_: Any
    _intercept_: Floats
    _n_support: NDArray[np.int32]
    n_features_in_: int
    fit_status_: int
    _num_iter: NDArray[np.int32]

    def _validate_for_predict(self, X: Any) -> Any:
        theirs: Any = super()
        return theirs._validate_for_predict(looked_at(X))

    def _dense_fit(
        self, X: Any, y: Any, sample_weight: Any, solver_type: int, kernel: str, random_seed: int
    ) -> None:
        if callable(self.kernel):
            self._BaseLibSVM__Xfit = X  # where scikit-learn looks for it in predictions
            X = self._compute_kernel(X)  # type: ignore[attr-defined]
            if X.shape != (len(y), len(y)):
                raise ValueError(
                    "X.shape[0] should be equal to X.shape[1]: the kernel function returned an "
                    f"array of shape {X.shape} for {len(y)} samples."
                )
        if kernel == "precomputed":
            _check_symmetric(X, "The kernel function" if callable(self.kernel) else "X")
        self._fit_dual(X, y, sample_weight, kernel, random_seed)

    def _sparse_fit(
        self, X: Any, y: Any, sample_weight: Any, solver_type: int, kernel: str, random_seed: int
    ) -> None:
        self._fit_dual(X, y, sample_weight, kernel, random_seed)

    def _fit_dual(self, X: Any, y: Any, sample_weight: Any, kernel: str, seed: int) -> None:
        raise NotImplementedError

    def _keep_iterations(self, solutions: list[DualSolution]) -> None:
        """Store how many iterations there were; warn if they were cut short."""
        n_iter = [min(found.n_iter, np.iinfo(np.int32).max) for found in solutions]
        self._num_iter = np.array(n_iter, dtype=np.int32)
        self.fit_status_ = int(not all(found.converged for found in solutions))
        if self.fit_status_ and self.max_iter < 0:
            warnings.warn(
                "Solver terminated early: rounding keeps the optimality conditions from being met "
                f"to tol={self.tol:g}. Increase tol, or consider pre-processing your data with "
                "StandardScaler or MinMaxScaler.",
                ConvergenceWarning,
                stacklevel=5,
            )
        else:
            self._warn_from_fit_status()  # type: ignore[attr-defined]

    @staticmethod
    def _weights(sample_weight: NDArray[Any], n: int) -> Floats:
        """Return the weights of n samples; none given means 1."""
        if sample_weight.ndim != 1:
            raise ValueError(
                f"Sample weights must be 1D array or scalar, got {sample_weight.ndim}D array."
            )
        return sample_weight if len(sample_weight) else np.ones(n)

    def _source(self, X: Any, kernel: str) -> RowSource:
        """Return the kernel of samples with each other."""
        if kernel == "precomputed":
            if not np.isfinite(X).all():
                raise ValueError(NOT_FINITE)
            return GivenKernel(X)
        return KernelRows(X, self._kernel(), effective_threads(self.n_jobs))

    def _kernel(self) -> Kernel:
        return Kernel(self.kernel, self._gamma, self.coef0, self.degree)

    @property
    def _budget(self) -> int:
        """Bytes for kernel matrices."""
        return int(max(self.cache_size, _LEAST_BUDGET) * (1 << 20))

    def _solve_all(
        self,
        source: RowSource,
        problems: list[tuple[list[tuple[int, int]], Box]],
        n_states: int = 0,
    ) -> list[DualSolution]:
        """Solve problems over ranges of the samples; they share one kernel matrix if it fits.

        Parameters
        ----------
        source : RowSource
            The kernel.
        problems : list
            Ranges of samples, as pairs of start and size, and the problem.
        n_states : int, default=0
            How many states on the way to keep.
        """
        n_threads = effective_threads(self.n_jobs)
        shared = source.matrix() if 4 * source.n**2 <= self._budget else None

        def one(problem: tuple[list[tuple[int, int]], Box]) -> DualSolution:
            ranges, box = problem
            if shared is not None and len(box.q) <= _WHOLE:
                return solve_whole(shared, np.array(ranges, dtype=np.int64), box, n_states)
            rows = np.concatenate([np.arange(start, start + size) for start, size in ranges])
            samples, places = np.unique(rows, return_inverse=True)
            kernel = source if shared is None else GivenKernel(shared)
            part = kernel if len(samples) == source.n else kernel.part(samples)
            fits = len(box.q) <= _WHOLE and 4 * part.n**2 <= self._budget
            if fits and len(samples) == len(rows):
                segments = np.array([[0, part.n]], dtype=np.int64)
                return solve_whole(part.matrix(), segments, box, n_states)
            if n_states:
                raise ValueError(
                    f"keep_steps=True is for at most {_WHOLE:,} samples of two classes, whose "
                    f"kernel matrix fits the memory allowed; here are {len(rows):,}. Watch a "
                    "smaller sample, or set keep_steps=False."
                )
            inner = n_threads if len(problems) == 1 else 1
            return solve(part, places, box, self._budget, inner)

        # Products for a working set are small: threads of BLAS would mostly wait, on our cores.
        with threadpool_limits(1, user_api="blas"):
            if len(problems) == 1 or n_threads == 1:
                return [one(problem) for problem in problems]
            with ThreadPoolExecutor(n_threads) as pool:
                return list(pool.map(one, problems))

    def _keep_support(
        self, X: Any, kernel: str, coef: Floats, rows: NDArray[Any], n_support: NDArray[Any]
    ) -> None:
        """Store the support vectors: `coef` has a column for each of the given rows of X."""
        self.support_ = rows.astype(np.int32)
        self._n_support = n_support.astype(np.int32)
        self._probA, self._probB = np.empty(0), np.empty(0)
        if kernel == "precomputed":
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = X[rows]
        if self._sparse:
            self.support_vectors_ = align_api_if_sparse(sparse.csr_array(self.support_vectors_))
            self.dual_coef_ = _stored_whole(coef)
        else:
            self.dual_coef_ = np.ascontiguousarray(coef)
        self._dual_coef_ = self.dual_coef_  # scikit-learn's `fit` does it later, once more

    def _class_products(self, X: Any) -> list[Floats]:
        """Return, for each class of support vectors, their kernel with X times all coefficients.

        Regression has one class. Shapes are (n_samples, n_classes - 1).
        """
        coef = self._dual_coef_
        coef = coef.toarray() if sparse.issparse(coef) else coef
        sizes = self._n_support if hasattr(self, "classes_") else [len(self.support_)]
        n = X.shape[0]
        found = [np.zeros((n, len(coef))) for _ in sizes]
        if coef.shape[1] == 0:
            return found
        source: Any = None
        if not (callable(self.kernel) or self.kernel == "precomputed"):
            n_threads = effective_threads(self.n_jobs)
            source = KernelRows(self.support_vectors_, self._kernel(), n_threads)
        step = max(1, _BLOCK // len(self.support_))
        for start in range(0, n, step):
            rows = slice(start, start + step)
            K = X[rows][:, self.support_] if source is None else source.against(X[rows])
            for whole, block in zip(found, products_by_class(K, coef, sizes), strict=True):
                whole[rows] = block
        return found

    def _dense_decision_function(self, X: Any) -> Floats:
        X = check_array(X, dtype=np.float64, order="C", accept_large_sparse=False)
        return self._decisions(X)

    def _sparse_decision_function(self, X: Any) -> Floats:
        return self._decisions(X)

    def _decisions(self, X: Any) -> Floats:
        raise NotImplementedError


def products_by_class(K: NDArray[Any], coef: Floats, sizes: Any) -> list[Floats]:
    """Return, for each class of support vectors, their kernel values times all coefficients.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_support)
        Kernel values.
    coef : ndarray of shape (n_coefficients, n_support)
        Coefficients.
    sizes : sequence of int
        How many support vectors the classes have, one class after another.

    Returns
    -------
    list of ndarray of shape (n_samples, n_coefficients)
        Sums.
    """
    edges = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    return [K[:, a:b] @ coef[:, a:b].T for a, b in pairwise(edges)]


def _stored_whole(coef: Floats) -> Any:
    """Return a sparse matrix that stores every coefficient, zeros too."""
    n_rows, n = coef.shape
    if n == 0:
        return align_api_if_sparse(sparse.csr_array([[]]))
    indices = np.tile(np.arange(n), n_rows)
    indptr = np.arange(0, n_rows * n + 1, n)
    return align_api_if_sparse(sparse.csr_array((coef.ravel(), indices, indptr), coef.shape))


def _check_symmetric(K: NDArray[Any], what: str) -> None:
    difference = np.abs(K - K.T).max(initial=0.0)
    size = np.abs(K).max(initial=0.0)
    if np.isfinite(size) and difference > 1e-6 * size:
        raise ValueError(
            f"{what} is not a symmetric kernel matrix: entries mirrored at the diagonal differ by "
            f"up to {difference:.3g}. A kernel has k(x, z) = k(z, x); use (K + K.T) / 2 if the "
            "difference is only rounding."
        )


def not_separable(name: str, what: str) -> NotSeparableError:
    """Return the error for a hard margin that does not exist.

    Parameters
    ----------
    name : str
        The class.
    what : str
        What is impossible.
    """
    return NotSeparableError(
        f"{name} was given C=inf, but {what}: the multipliers grow without bound. Use a finite C, "
        "or a kernel that can (a larger gamma, a higher degree)."
    )
