"""Trees and forests.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csr

class TreeData:
    def __init__(
        self, X: NDArray[np.float32] | Csr, n_threads: int, categories: NDArray[np.uint8]
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    def stop(self) -> None: ...
    def grow_class_tree(
        self,
        codes: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.float64],
        criterion: int,
        random_splits: bool,
        seed: int,
        limits: tuple[Any, ...],
    ) -> tuple[
        NDArray[np.uint8], int, NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]
    ]: ...
    def grow_value_tree(
        self,
        y: NDArray[np.float64],
        weights: NDArray[np.float64],
        criterion: int,
        random_splits: bool,
        seed: int,
        limits: tuple[Any, ...],
    ) -> tuple[
        NDArray[np.uint8], int, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]
    ]: ...

def forest_check(
    nodes: NDArray[np.uint8], begin: NDArray[np.int64], n_cols: int
) -> NDArray[np.int64]: ...
def forest_check_sums(
    nodes: NDArray[np.uint8],
    begin: NDArray[np.int64],
    sum_begin: NDArray[np.int64],
    sum_class: NDArray[np.int32],
    sum_weight: NDArray[np.float64],
    n_classes: int,
) -> None: ...
def forest_leaves(
    nodes: NDArray[np.uint8],
    begin: NDArray[np.int64],
    X: NDArray[np.float32] | Csr,
    n_threads: int = 1,
) -> NDArray[np.int32]: ...
def forest_shares(
    nodes: NDArray[np.uint8],
    begin: NDArray[np.int64],
    sum_begin: NDArray[np.int64],
    sum_class: NDArray[np.int32],
    sum_weight: NDArray[np.float64],
    n_classes: int,
    hard: bool,
    X: NDArray[np.float32] | Csr,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def forest_values(
    nodes: NDArray[np.uint8],
    begin: NDArray[np.int64],
    values: NDArray[np.float64],
    X: NDArray[np.float32] | Csr,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def tree_class_sums(
    nodes: NDArray[np.uint8],
    sum_begin: NDArray[np.int64],
    sum_class: NDArray[np.int32],
    sum_weight: NDArray[np.float64],
    n_classes: int,
) -> NDArray[np.float64]: ...
