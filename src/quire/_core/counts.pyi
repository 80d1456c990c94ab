"""Sums by class, and what naive Bayes makes of them.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csr

def csr_class_sums(
    X: Csr,
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    threshold: float | None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def csr_class_counts(
    X: Csr, labels: NDArray[np.int32], n_classes: int, threshold: float | None, n_threads: int = 1
) -> tuple[NDArray[np.uint32], NDArray[np.float64]] | None: ...
def csr_has_duplicates(X: Csr, n_threads: int = 1) -> bool: ...
def csr_chi2(
    X: Csr, labels: NDArray[np.int32], n_classes: int, n_threads: int = 1
) -> NDArray[np.float64]: ...
def csr_mutual_info(
    X: Csr, labels: NDArray[np.int32], n_classes: int, n_threads: int = 1
) -> NDArray[np.float64]: ...
def dense_class_sums(
    X: NDArray[Any],
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    threshold: float | None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def dense_class_moments(
    X: NDArray[Any],
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def dense_gaussian_log_likelihood(
    X: NDArray[Any],
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    offset: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def factorize(
    bytes: NDArray[np.uint8], item_size: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def multinomial_log_prob(
    counts: NDArray[Any],
    totals: NDArray[np.float64],
    alpha: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def bernoulli_log_prob(
    counts: NDArray[Any], n: NDArray[np.float64], alpha: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.float64]: ...
def bernoulli_weights(
    counts: NDArray[Any], n: NDArray[np.float64], alpha: NDArray[np.float64], n_threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def complement_weights(
    counts: NDArray[Any],
    totals: NDArray[np.float64],
    alpha: NDArray[np.float64],
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
