"""An index of words that a page can hold: which documents contain a term, in few bytes."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.typing import AnyArray, Ints

__all__ = ["MapIndex", "term_index"]

_MOST = 4_000_000  # entries of the index; a byte each or a little more


@dataclass(frozen=True)
class MapIndex:
    """Which of the documents that are drawn contain a term.

    `places` holds the documents of all terms one after the other as base64: steps to the next
    document, seven bits to the byte, lower bits first. `lengths` are bytes for each term.
    """

    terms: list[str]
    lengths: list[int]
    places: str
    left_out: int


def term_index(X: Any, names: AnyArray, most: int = _MOST) -> MapIndex:
    r"""Return which rows have which terms.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        Rows, of which no more than two million.
    names : ndarray of str
        The terms.
    most : int, default=4_000_000
        Entries at most; the rarest terms are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1, 0], [1, 0], [1, 2]])
    >>> index = term_index(X, np.array(["film", "vote"]))
    >>> index.terms, index.lengths, base64.b64decode(index.places)
    (['film', 'vote'], [3, 1], b'\x00\x01\x01\x02')
    """
    columns = X.tocsc()
    columns.sort_indices()
    counts = np.diff(columns.indptr)
    order = np.argsort(-counts, kind="stable")
    n_kept = int(np.searchsorted(np.cumsum(counts[order]), most, side="right"))
    n_terms = int(np.count_nonzero(counts))
    order = order[: min(n_kept, n_terms)]
    columns = columns[:, order]
    counts = counts[order]
    steps = np.diff(columns.indices, prepend=0).astype(np.int64)
    first = columns.indptr[:-1]
    steps[first] = columns.indices[first]
    data, sizes = _varints(steps)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    lengths = ends[columns.indptr[1:]] - ends[columns.indptr[:-1]]
    return MapIndex(
        terms=[str(name) for name in names[order]],
        lengths=[int(n) for n in lengths],
        places=base64.b64encode(data).decode("ascii"),
        left_out=n_terms - len(order),
    )


def _varints(values: Ints) -> tuple[bytes, Ints]:
    """Return numbers below 2^21 in one to three bytes, and how many each takes."""
    sizes = 1 + (values >= 1 << 7).astype(np.int64) + (values >= 1 << 14)
    parts = np.stack([values & 127, values >> 7 & 127, values >> 14], axis=1)
    number = np.arange(3)
    more = number < sizes[:, None] - 1
    used = number < sizes[:, None]
    return (parts | np.where(more, 128, 0))[used].astype(np.uint8).tobytes(), sizes
