"""Vectors that stay in their file: rows that lie anywhere in it, read when they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MappedRows"]


class MappedRows:
    """A matrix of float32 whose rows are in a file, with other bytes between them.

    Indexing by a row, a slice or an array of rows returns ordinary arrays; ``numpy.asarray`` reads
    all. What the system has read it may forget again, so that a file larger than the memory can be
    used.

    Parameters
    ----------
    path : Path
        The file.
    offsets : ndarray of int64 of shape (n_rows,)
        Bytes before each row.
    dimension : int
        Numbers of a row, little-endian.
    """

    ndim = 2

    def __init__(self, path: Path, offsets: NDArray[np.int64], dimension: int) -> None:
        self.path = path
        self.offsets = offsets
        self.dtype = np.dtype(np.float32)
        self.shape = (len(offsets), dimension)
        raw = np.memmap(path, dtype=np.uint8, mode="r")
        n_bytes = 4 * dimension
        # A record at every byte: taking some of them copies whole rows.
        self._records: NDArray[Any] = np.ndarray(
            (len(raw) - n_bytes + 1,), dtype=f"V{n_bytes}", buffer=raw, strides=(1,)
        )

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> NDArray[np.float32]:
        """Return the rows as an array."""
        taken = self._records[np.asarray(self.offsets[rows])]
        numbers = np.frombuffer(taken.tobytes(), dtype="<f4").astype(np.float32, copy=False)
        return numbers.reshape(*np.shape(taken), self.shape[1])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("Rows of a file cannot become an array without a copy.")
        return np.asarray(self[:], dtype=dtype)

    def selected(self, rows: NDArray[np.int64]) -> MappedRows:
        """Return some of the rows, still in the file.

        Parameters
        ----------
        rows : ndarray of int
            Which.
        """
        return MappedRows(self.path, self.offsets[rows], self.shape[1])
