"""The twin of cpp/csr_frequent: frequent columns first, the most frequent of them dense."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def csr_frequent_first(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], n_cols: int
) -> tuple[NDArray[Any], ...]:
    """Return the order of the columns, the dense head, and the tail as CSR."""
    n_rows = len(indptr) - 1
    count = np.bincount(indices[: indptr[-1]], minlength=n_cols)
    is_frequent = count > n_rows // 4
    rank = np.where(is_frequent, 64, [int(c).bit_length() for c in count])
    order = np.argsort(-rank, kind="stable")
    n_head = min(int(is_frequent.sum()), 256) // 8 * 8
    place = np.argsort(order)
    head = np.zeros((n_rows, n_head), dtype=np.float32)
    tail_data, tail_indices, tail_indptr = [], [], [0]
    for row in range(n_rows):
        for i in range(indptr[row], indptr[row + 1]):
            at = place[indices[i]]
            if at < n_head:
                head[row, at] += np.float32(data[i])
            else:
                tail_data.append(data[i])
                tail_indices.append(at)
        tail_indptr.append(len(tail_data))
    index = indptr.dtype
    return (
        order.astype(index),
        head,
        np.array(tail_data, dtype=np.float32),
        np.array(tail_indices, dtype=index),
        np.array(tail_indptr, dtype=index),
    )
