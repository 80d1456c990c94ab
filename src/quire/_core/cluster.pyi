"""k-means and mixtures.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csr

def kmeans_operand(
    sums: NDArray[np.float64], scale: float, n_threads: int = 1
) -> NDArray[np.float32]: ...
def csr_kmeans_assign(
    X: Csr,
    lengths: NDArray[np.float64],
    sums: NDArray[np.float64],
    factor: NDArray[np.float64],
    norms: NDArray[np.float64],
    operand: NDArray[np.float32],
    scale: float,
    drift: NDArray[np.float64],
    labels: NDArray[np.int32],
    slack: NDArray[np.float64],
    n_threads: int = 1,
) -> None: ...
def csr_kmeans_update(
    X: Csr,
    weights: NDArray[np.float64],
    before: NDArray[np.int32],
    labels: NDArray[np.int32],
    rebuild: NDArray[np.uint8],
    totals: NDArray[np.float64],
    cosine: bool,
    scale: float,
    sums: NDArray[np.float64],
    factor: NDArray[np.float64],
    norms: NDArray[np.float64],
    operand: NDArray[np.float32],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def csr_kmeans_distances(
    X: Csr,
    sums: NDArray[np.float64],
    factor: NDArray[np.float64],
    norms: NDArray[np.float64],
    labels: NDArray[np.int32],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def dense_kmeans_assign(
    X: NDArray[Any],
    lengths: NDArray[np.float64],
    sums: NDArray[np.float64],
    factor: NDArray[np.float64],
    norms: NDArray[np.float64],
    operand: NDArray[np.float32],
    scale: float,
    drift: NDArray[np.float64],
    labels: NDArray[np.int32],
    slack: NDArray[np.float64],
    n_threads: int = 1,
) -> None: ...
def dense_kmeans_update(
    X: NDArray[Any],
    weights: NDArray[np.float64],
    before: NDArray[np.int32],
    labels: NDArray[np.int32],
    rebuild: NDArray[np.uint8],
    totals: NDArray[np.float64],
    cosine: bool,
    scale: float,
    sums: NDArray[np.float64],
    factor: NDArray[np.float64],
    norms: NDArray[np.float64],
    operand: NDArray[np.float32],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def dense_kmeans_distances(
    X: NDArray[Any],
    sums: NDArray[np.float64],
    factor: NDArray[np.float64],
    norms: NDArray[np.float64],
    labels: NDArray[np.int32],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def dense_kmeans_candidates(
    X: NDArray[Any],
    squares: NDArray[np.float64],
    weights: NDArray[np.float64],
    closest: NDArray[np.float64],
    chosen: NDArray[np.int64],
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def dense_mahalanobis(
    X: NDArray[Any],
    means: NDArray[np.float64],
    factors: NDArray[np.float64],
    upper: bool,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def dense_responsibilities(
    X: NDArray[Any],
    means: NDArray[np.float64],
    factors: NDArray[np.float64],
    offsets: NDArray[np.float64],
    upper: bool,
    least: float,
    likely: NDArray[np.int32],
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def log_responsibilities(
    offsets: NDArray[np.float64], logs: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.float64]: ...
