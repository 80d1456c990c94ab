"""Fits of linear support vector machines: which optimiser runs, and on what.

Dual coordinate descent (`csr_svm_descent`) takes every loss, and all one-vs-rest problems in one
pass over the rows. Squared losses of many samples with few columns go by Newton's method with
factorised Hessians. (Conjugate gradients on all threads were slower than one thread of coordinate
descent on sparse text with two classes.)
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from quire import _core
from quire._shared.class_sums import csr_arrays
from quire._shared.sklearn import check_sample_weight
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.svm._linear_newton import NewtonSystem, newton

__all__ = ["Linear", "LinearFit"]


_FEW_COLUMNS = 512
_SINGLE_TOL = 1e-5  # multipliers in single precision are good for this


@dataclass(frozen=True)
class Linear:
    """What a fit found.

    Attributes
    ----------
    coef : ndarray of shape (n_problems, n_features)
        Weights.
    intercept : ndarray of shape (n_problems,) or float
        Intercepts; 0.0 if there is none.
    n_iter : int
        Most passes or Newton steps of any problem.
    """

    coef: Floats
    intercept: Any
    n_iter: int


@dataclass(frozen=True)
class LinearFit:
    """The data and settings of a fit.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features)
        Checked numbers.
    costs : ndarray of shape (n_samples,)
        C times the weights of the samples.
    squared : bool
        Whether the losses are squared.
    bias : float
        Value of the constant feature that carries the intercept; 0 for none.
    primal : bool
        Whether the primal problem was asked for, by name or because samples outnumber features.
    tol : float
        Tolerance.
    max_iter : int
        Passes or Newton steps at most.
    seed : int
        Of the orders of coordinate descent.
    n_threads : int
        Threads to use.
    """

    X: Any
    costs: Floats
    squared: bool
    bias: float
    primal: bool
    tol: float
    max_iter: int
    seed: int
    n_threads: int

    @classmethod
    def of(cls, model: Any, X: Any, sample_weight: Any, dual: bool) -> LinearFit:
        """Return the fit of a model: its parameters, and the data.

        Parameters
        ----------
        model : LinearSVC or LinearSVR
            The model.
        X : CSR matrix or ndarray of shape (n_samples, n_features)
            Checked numbers, float64.
        sample_weight : array-like of shape (n_samples,) or None
            Weights of the samples.
        dual : bool
            Which problem is solved.
        """
        return cls(
            X,
            model.C * check_sample_weight(sample_weight, X, dtype=np.float64),
            squared=model.loss.startswith("squared_"),
            bias=float(model.intercept_scaling) if model.fit_intercept else 0.0,
            primal=not dual,
            tol=model.tol,
            max_iter=model.max_iter,
            seed=int(check_random_state(model.random_state).randint(np.iinfo("i").max)),
            n_threads=effective_threads(model.n_jobs),
        )

    def classes(self, codes: NDArray[np.int32], n_classes: int, class_weight: Floats) -> Linear:
        """Fit one problem for two classes, and one for each class against the rest for more.

        Parameters
        ----------
        codes : ndarray of int32 of shape (n_samples,)
            Classes, as numbers.
        n_classes : int
            How many there are, 2 or more.
        class_weight : ndarray of shape (n_classes,)
            Weights of the classes. Against the rest, only the class itself has its weight.

        Returns
        -------
        Linear
            Rows for the second class of two, or for all.
        """
        if n_classes == 2:
            positives = np.array([1], dtype=np.int32)
            negative_costs = class_weight[:1].copy()
        else:
            positives = np.arange(n_classes, dtype=np.int32)
            negative_costs = np.ones(n_classes)
        positive_costs = class_weight[positives]
        system = self._system()
        if system is None:
            data, indices, indptr, n_columns = self._rows()
            data = data.astype(np.float32 if self._fits_single(data) else np.float64, copy=False)
            W, n_passes = _core.margins.csr_svm_descent(
                (data, indices, indptr, n_columns),
                codes,
                self.costs,
                positives,
                positive_costs,
                negative_costs,
                self.squared,
                self.bias,
                self.tol,
                self.max_iter,
                self.seed,
                self.n_threads,
            )
            return self._found(W.T, int(n_passes.max(initial=0)))
        found = []
        pairs = zip(positives, positive_costs, negative_costs, strict=True)
        for positive, ours, others in pairs:
            y = np.where(codes == positive, 1.0, -1.0)
            costs = self.costs * np.where(y > 0, ours, others)
            n_positive = int((y > 0).sum())
            share = max(min(n_positive, len(y) - n_positive), 1) / len(y)

            def pull(z: Floats, y: Floats = y) -> Floats:
                return y * np.maximum(1.0 - y * z, 0.0)

            found.append(newton(system, pull, costs, self.tol * share, self.max_iter))
        n_iter = max(n for _, n in found)
        W = np.array([w if self.bias else np.append(w, 0.0) for w, _ in found])
        return self._found(W, n_iter)

    def numbers(self, y: Floats, epsilon: float) -> Linear:
        """Fit numbers, with losses that begin at a distance of epsilon.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Targets.
        epsilon : float
            Distance without loss.

        Returns
        -------
        Linear
            One row.
        """
        system = self._system()
        if system is None:
            w, n_iter = _core.margins.csr_svr_descent(
                self._rows(),
                y,
                self.costs,
                epsilon,
                self.squared,
                self.bias,
                self.tol,
                self.max_iter,
                self.seed,
            )
            return self._found(w[None], n_iter)

        def pull(z: Floats) -> Floats:
            residual = y - z
            beyond: Floats = residual - np.clip(residual, -epsilon, epsilon)
            return beyond

        w, n_iter = newton(system, pull, self.costs, self.tol, self.max_iter)
        return self._found((w if self.bias else np.append(w, 0.0))[None], n_iter)

    def _system(self) -> NewtonSystem | None:
        """Return what Newton's method works on, or ``None`` for coordinate descent."""
        if self.squared and self.primal and self.X.shape[1] <= _FEW_COLUMNS:
            return NewtonSystem(self.X, self.bias)
        return None

    def _fits_single(self, data: Floats) -> bool:
        """Return whether single precision is good for the tolerance and holds all numbers."""
        costs = self.costs[self.costs > 0]
        largest = max(float(np.abs(data).max(initial=0.0)), float(costs.max(initial=0.0)))
        return self.tol >= _SINGLE_TOL and largest < 1e6 and float(costs.min(initial=1.0)) > 1e-6

    def _rows(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]:
        X = self.X if sparse.issparse(self.X) else sparse.csr_array(self.X)
        return csr_arrays(X, self.n_threads, once=True)

    def _found(self, W: Floats, n_iter: int) -> Linear:
        if n_iter >= self.max_iter:
            warnings.warn(
                "Liblinear failed to converge, increase the number of iterations. There were "
                f"max_iter={self.max_iter}; scaled features or a smaller C help as well.",
                ConvergenceWarning,
                stacklevel=4,
            )
        coef = np.ascontiguousarray(W[:, :-1])
        return Linear(coef, self.bias * W[:, -1] if self.bias else 0.0, n_iter)
