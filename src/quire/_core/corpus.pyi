"""Tokens in their places: patterns among them, and counts.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

import numpy as np
from numpy.typing import NDArray

def token_matches(
    tokens: NDArray[np.int32],
    bounds: NDArray[np.int64],
    type_bounds: NDArray[np.int64],
    type_sets: NDArray[np.int32],
    pattern_bounds: NDArray[np.int64],
    pattern_sets: NDArray[np.int32],
    longest: bool,
    n_threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def token_counts(
    tokens: NDArray[np.int32],
    bounds: NDArray[np.int64],
    columns: NDArray[np.int32],
    n_columns: int,
    n_threads: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]: ...
def token_group_counts(
    tokens: NDArray[np.int32],
    bounds: NDArray[np.int64],
    columns: NDArray[np.int32],
    n_columns: int,
    groups: NDArray[np.int32],
    n_groups: int,
    n_threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
