"""Nearest rows, and nearly equal ones.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csr

def csr_min_hashes(X: Csr, n_hashes: int, n_threads: int = 1) -> NDArray[np.uint32]: ...
def csr_nearest(
    X: Csr, Q: Csr, distance: int, k: int, n_threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def dense_nearest(
    X: NDArray[Any], Q: NDArray[Any], distance: int, k: int, n_threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def tile_top_k(
    tile: NDArray[np.float32],
    first_column: int,
    penalty: NDArray[np.float32],
    best: NDArray[np.float32],
    ids: NDArray[np.int64],
    n_threads: int = 1,
) -> None: ...
def tile_top_k_columns(
    tile: NDArray[np.float32],
    first_row: int,
    best: NDArray[np.float32],
    ids: NDArray[np.int64],
    n_threads: int = 1,
) -> None: ...
