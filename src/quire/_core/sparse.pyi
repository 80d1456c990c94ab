"""Products with sparse matrices, and their columns.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csr

def csr_matmul(
    X: Csr,
    W: NDArray[np.float64],
    offset: NDArray[np.float64],
    threshold: float | None,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def csr_argmax(
    X: Csr,
    W: NDArray[np.float64],
    offset: NDArray[np.float64],
    threshold: float | None,
    n_threads: int = 1,
) -> tuple[NDArray[np.int64], bool]: ...
def csr_frequent_first(
    X: Csr, n_threads: int = 1
) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.float32], NDArray[Any], NDArray[Any]]: ...
def csr_transpose(
    X: Csr, n_threads: int = 1
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
def csr_check(X: Csr, n_threads: int = 1) -> bool: ...
def csr_matvec(
    X: Csr, v: NDArray[np.float64], offset: float = 0.0, n_threads: int = 1
) -> NDArray[np.float64]: ...
def csr_t_matvec(X: Csr, u: NDArray[np.float64], n_threads: int = 1) -> NDArray[np.float64]: ...
