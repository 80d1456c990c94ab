"""The twins of cpp/margins/kernel_rows."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def csr_gram(X: Array, T: Array) -> Array:
    """The inner products of rows with others, whose columns are the rows of T."""
    return X @ T


def kernel_rows(
    products: Array,
    squares: Array,
    other_squares: Array,
    kind: int,
    gamma: float,
    coef0: float,
    degree: int,
) -> Array:
    """Linear, polynomial, Gaussian and sigmoid kernels, by their numbers, of inner products."""
    if kind == 0:
        return products
    if kind == 1:
        return (gamma * products + coef0) ** degree
    if kind == 2:
        return np.exp(-gamma * (squares[:, None] + other_squares - 2 * products))
    return np.tanh(gamma * products + coef0)


def kernel_rows_into(table: Array, places: NDArray[np.int64], *kernel: object) -> Array:
    """Return a table with these rows at some places."""
    table = table.copy()
    table[places] = kernel_rows(*kernel)
    return table
