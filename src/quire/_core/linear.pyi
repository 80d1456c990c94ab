"""Logistic regression, the lasso and Krylov spaces.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csc, Csr

def block_project(
    Q: NDArray[np.float64], n_used: int, Z: NDArray[np.float64], n_threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def csc_enet_path(
    X: Csc,
    means: NDArray[np.float64],
    root_weights: NDArray[np.float64],
    y: NDArray[np.float64],
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    start: NDArray[np.float64],
    tol: float,
    max_iter: int,
    positive: bool,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...
def dense_enet_path(
    X: NDArray[Any],
    y: NDArray[np.float64],
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    start: NDArray[np.float64],
    tol: float,
    max_iter: int,
    positive: bool,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...
def gram_enet_path(
    gram: NDArray[np.float64],
    Xy: NDArray[np.float64],
    yy: float,
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    start: NDArray[np.float64],
    tol: float,
    max_iter: int,
    positive: bool,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...
def csc_quadratic_descent(
    X: Csc,
    working: NDArray[np.int64],
    curvature: NDArray[np.float64],
    h: NDArray[np.float64],
    residual: NDArray[np.float64],
    w: NDArray[np.float64],
    l1: float,
    l2: float,
    tol: float,
    max_passes: int,
) -> float: ...
def logistic_loss(
    scores: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    direction: NDArray[np.float64],
    step: float,
    n_threads: int = 1,
) -> float: ...
def logistic_state(
    scores: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    single: bool,
    n_threads: int = 1,
) -> tuple[float, NDArray[np.float64], NDArray[Any]]: ...
def logistic_gradient(
    Xt: Csr,
    residuals: NDArray[np.float64],
    weights: NDArray[np.float64],
    l2: float,
    intercept_l2: float,
    has_intercept: bool,
    single: bool,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], float, float]: ...
def logistic_newton(
    X: Csr,
    Xt: Csr,
    curvature: NDArray[Any],
    weights: NDArray[np.float64],
    l2: float,
    intercept_l2: float,
    has_intercept: bool,
    squares: NDArray[np.float64],
    head: NDArray[Any],
    gradient: NDArray[np.float64],
    accuracy: float,
    largest: float,
    max_products: int,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, float, float]: ...
def logistic_hessian_product(
    X: Csr,
    Xt: Csr,
    curvature: NDArray[Any],
    weights: NDArray[np.float64],
    l2: float,
    intercept_l2: float,
    has_intercept: bool,
    head: NDArray[Any],
    vector: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...

class SparseLogistic:
    def null_objective(self) -> float: ...
    def l1_max(self, n_threads: int = 1) -> float: ...
    def start(
        self, coef: NDArray[np.float64], intercept: NDArray[np.float64], n_threads: int = 1
    ) -> None: ...
    def fit(
        self,
        l1: float,
        l2: float,
        wanted: float,
        max_iter: int,
        l1_before: float,
        n_threads: int = 1,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float, float, int, bool]: ...

def csr_sparse_logistic(
    X: Csr,
    codes: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    fit_intercept: bool,
    n_threads: int = 1,
) -> SparseLogistic: ...
def dense_sparse_logistic(
    X: NDArray[Any],
    codes: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    fit_intercept: bool,
) -> SparseLogistic: ...
