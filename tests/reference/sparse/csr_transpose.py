"""The columns of a sparse matrix, entry by entry."""

import numpy as np


def csr_transpose(data, indices, indptr, n_cols):
    """Put every stored entry at the end of its column."""
    columns = [[] for _ in range(n_cols)]
    for row in range(len(indptr) - 1):
        for i in range(indptr[row], indptr[row + 1]):
            columns[indices[i]].append((row, data[i]))
    entries = [entry for column in columns for entry in column]
    rows = np.array([row for row, _ in entries], dtype=indices.dtype)
    values = np.array([value for _, value in entries], dtype=data.dtype)
    lengths = [len(column) for column in columns]
    return values, rows, np.concatenate([[0], np.cumsum(lengths)]).astype(indptr.dtype)
