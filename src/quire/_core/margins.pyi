"""Support vector machines.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csr

def csr_svm_descent(
    X: Csr,
    codes: NDArray[np.int32],
    costs: NDArray[np.float64],
    positives: NDArray[np.int32],
    positive_costs: NDArray[np.float64],
    negative_costs: NDArray[np.float64],
    squared: bool,
    bias: float,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def csr_svr_descent(
    X: Csr,
    y: NDArray[np.float64],
    costs: NDArray[np.float64],
    epsilon: float,
    squared: bool,
    bias: float,
    tol: float,
    max_passes: int,
    seed: int,
) -> tuple[NDArray[np.float64], int]: ...
def csr_gram(X: Csr, T: Csr, n_threads: int = 1) -> NDArray[np.float64]: ...
def kernel_rows(
    products: NDArray[np.float64],
    squares: NDArray[np.float64],
    other_squares: NDArray[np.float64],
    kind: int,
    gamma: float,
    coef0: float,
    degree: int,
    single: bool,
    n_threads: int = 1,
) -> NDArray[Any]: ...
def kernel_rows_into(
    products: NDArray[np.float64],
    squares: NDArray[np.float64],
    other_squares: NDArray[np.float64],
    kind: int,
    gamma: float,
    coef0: float,
    degree: int,
    places: NDArray[np.int64],
    table: NDArray[np.float32],
    n_threads: int = 1,
) -> None: ...
def smo(
    K: NDArray[np.float32],
    segments: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    tol: float,
    max_iter: int,
    beta: NDArray[np.float64],
    slack: NDArray[np.float64],
) -> tuple[int, float]: ...
def smo_slack(
    table: NDArray[np.float32],
    which: NDArray[np.int64],
    change: NDArray[np.float64],
    slack: NDArray[np.float64],
    n_threads: int = 1,
) -> None: ...
