"""The twin of cpp/sparse/csr_columns."""

from itertools import pairwise


def csr_check(data, indices, indptr, n_cols):
    """Say whether the columns of every row rise; all must be there."""
    rows = [indices[begin:end] for begin, end in pairwise(indptr)]
    for number, row in enumerate(rows):
        if any(not 0 <= column < n_cols for column in row):
            raise ValueError(f"row {number} has a column outside [0, {n_cols})")
    return all(one < other for row in rows for one, other in pairwise(row))
