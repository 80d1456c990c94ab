"""The Gram matrix of sparse rows, some rows at a time.

Few columns have most of the pairs: words that nearly every document has. They go to a dense
product, the others to a sparse one, so that neither is slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from quire._shared.typing import Floats

__all__ = ["gram", "gram_blocks"]


_BLOCK = 4_000_000  # numbers in a block of the result
_FREQUENT = 1 / 16  # share of the rows from which on a column is taken as dense
_DENSE = 16_000_000  # numbers in the dense columns, at most


def gram(rows: Any) -> Floats:
    """Return all of rows rows'.

    Parameters
    ----------
    rows : CSR array of shape (n, p)
        Of float64.
    """
    n = rows.shape[0]
    result = np.empty((n, n))
    for start, block in gram_blocks(rows):
        result[start : start + len(block)] = block
    return result


def gram_blocks(rows: Any, *, upper: bool = False) -> Iterator[tuple[int, Floats]]:
    """Yield the place of some rows and their products with all rows.

    Parameters
    ----------
    rows : CSR array of shape (n, p)
        Of float64.
    upper : bool, default=False
        Only the products with themselves and the rows that follow.
    """
    n, p = rows.shape
    frequency = np.bincount(rows.indices, minlength=p)
    frequent = np.flatnonzero(frequency > max(8, n * _FREQUENT))
    most = _DENSE // max(n, 1)
    if len(frequent) > most:
        frequent = np.sort(frequent[np.argsort(-frequency[frequent], kind="stable")[:most]])
    columns = sparse.csc_array(rows)
    common: Floats = columns[:, frequent].toarray()
    rare = sparse.csr_array(columns[:, np.setdiff1d(np.arange(p), frequent)])
    size = max(1, min(n, _BLOCK // max(n, 1)))
    transposed = sparse.csr_array(rare.T)
    for start in range(0, n, size):
        first = start if upper else 0
        stop = min(start + size, n)
        if upper and start:
            transposed = sparse.csr_array(rare[start:].T)
        block: Floats = (rare[start:stop] @ transposed).toarray()
        block += common[start:stop] @ common[first:].T
        yield start, block
