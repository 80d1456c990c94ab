r"""Support vector machines with kernels, for numbers."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.svm import SVR as SklearnSVR

from quire._shared.typing import Floats
from quire._shared.validation import looks_first
from quire.exceptions import NotSeparableError
from quire.svm._dual import Box
from quire.svm._machine import KernelMachine, not_separable

__all__ = ["SVR"]


class SVR(KernelMachine, SklearnSVR):
    r"""Support vector machine for numbers, with a kernel.

    .. math:: \max_\beta \sum_i y_i \beta_i - \epsilon \sum_i |\beta_i|
              - \tfrac12 \sum_{ij} \beta_i \beta_j k(x_i, x_j),
              \qquad |\beta_i| \le C c_i, \quad \sum_i \beta_i = 0

    A drop-in replacement for scikit-learn's class of this name.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel, as for :class:`SVC`.
    degree : int, default=3
        Of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of the kernels "poly", "rbf" and "sigmoid".
    coef0 : float, default=0.0
        Of the kernels "poly" and "sigmoid".
    tol : float, default=1e-3
        By how much the optimality conditions may be missed.
    C : float, default=1.0
        What an error beyond epsilon costs; with ``np.inf`` none may be there.
    epsilon : float, default=0.1
        Errors that cost nothing, in the units of y.
    shrinking : bool, default=True
        Accepted; working sets do the same here.
    cache_size : float, default=200
        Megabytes for kernel values, and 512 if it is less.
    verbose : bool, default=False
        Accepted.
    max_iter : int, default=-1
        Iterations at most; -1 for no limit.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used. The result does not depend on it.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Rows of the support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors; empty for precomputed kernels.
    n_support_ : ndarray of shape (1,)
        How many there are.
    dual_coef_ : ndarray or sparse matrix of shape (1, n_support)
        :math:`\beta` of the support vectors.
    intercept_ : ndarray of shape (1,)
        Intercept.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Weights, for the linear kernel.
    dual_objective_ : float
        The maximum above.
    fit_status_ : int
        0, or 1 if `max_iter` was reached.
    n_iter_ : int
        Iterations.
    shape_fit_ : tuple of int
        Shape of X.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    LinearSVR : For many samples, if the kernel is linear.

    Examples
    --------
    >>> from quire.svm import SVR
    >>> model = SVR(kernel="linear", C=10, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[3.0]]).round(1)
    array([7.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnSVR._parameter_constraints,
        "n_jobs": [None, Integral],
    }

    fit = looks_first(SklearnSVR.fit)

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            tol=tol,
            C=C,
            epsilon=epsilon,
            shrinking=shrinking,
            cache_size=cache_size,
            verbose=verbose,
            max_iter=max_iter,
        )
        self.n_jobs = n_jobs

    def _fit_dual(self, X: Any, y: Any, sample_weight: Any, kernel: str, seed: int) -> None:
        weights = self._weights(sample_weight, len(y))
        kept = np.flatnonzero(weights > 0)
        n = len(kept)
        if n == 0:
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        upper, target = self.C * weights[kept], y[kept]
        zero = np.zeros(n)
        box = Box(
            np.concatenate([target - self.epsilon, target + self.epsilon]),
            np.concatenate([zero, -upper]),
            np.concatenate([upper, zero]),
            self.tol,
            self.max_iter,
        )
        source = self._source(X[np.ix_(kept, kept)] if kernel == "precomputed" else X[kept], kernel)
        try:
            (found,) = self._solve_all(source, [([(0, n), (0, n)], box)])
        except NotSeparableError:
            message = "no such function is within epsilon of all targets"
            raise not_separable(type(self).__name__, message) from None

        beta = found.beta[:n] + found.beta[n:]
        support = np.flatnonzero(beta)
        counts = np.full(2, len(support))
        self._keep_support(X, kernel, beta[None, support], kept[support], counts)
        self.intercept_ = np.array([found.intercept])
        rows = X[self.support_] if kernel == "precomputed" else self.support_vectors_
        square = float(beta[support] @ self._class_products(rows)[0][:, 0])
        self.dual_objective_ = float(box.q @ found.beta) - 0.5 * square
        self._keep_iterations([found])

    def _decisions(self, X: Any) -> Floats:
        found: Floats = self._class_products(X)[0] + self._intercept_
        return found

    def _dense_predict(self, X: Any) -> Floats:
        return self._decisions(self._compute_kernel(X))[:, 0]

    def _sparse_predict(self, X: Any) -> Floats:
        return self._decisions(X)[:, 0]
