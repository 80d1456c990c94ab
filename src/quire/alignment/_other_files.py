"""Word vectors in Parquet, and in NumPy's files, which map into memory as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quire._shared.parquet import DamagedParquetError, check_parquet
from quire._shared.replaced_file import replaced_file
from quire._shared.typing import Singles
from quire.alignment._raw_files import encoded

__all__ = ["read_npy", "read_parquet", "write_npy", "write_parquet"]


def read_parquet(path: Path, limit: int | None) -> tuple[list[str], Singles]:
    """Read a Parquet file with the columns ``word`` and ``vector`` (lists of one length).

    Parameters
    ----------
    path : Path
        The file.
    limit : int or None
        Words to read.

    Raises
    ------
    ValueError
        If it is damaged, holds no vectors of one length, or is written in a rare encoding.
    """
    import polars as pl
    from polars.exceptions import PanicException, PolarsError

    try:
        if not check_parquet(path).is_simple:  # a forged one can end the process of its reader
            raise ValueError(
                f"{path} is written in an encoding of Parquet that is rare. Write it again with "
                "plain values or dictionaries (pyarrow's write_table and polars do)."
            )
        table = pl.read_parquet(path, n_rows=limit, glob=False)
    except (DamagedParquetError, PanicException, PolarsError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is not a Parquet file, or a damaged one ({reason}).") from error
    if not {"word", "vector"} <= set(table.columns):
        raise ValueError(
            f"{path} has the columns {', '.join(table.columns)}; expected 'word' and 'vector'."
        )
    lists = table["vector"]
    lengths = (lists.arr if isinstance(lists.dtype, pl.Array) else lists.list).len()
    odd = (lengths != lengths[0]).fill_null(True).arg_true() if len(table) else lengths
    if len(table) == 0 or len(odd):
        what = f"row {odd[0] + 1} has a vector of {lengths[odd[0]]}" if len(table) else "no rows"
        expected = f" numbers, the first one {lengths[0]}" if len(table) else ""
        raise ValueError(f"{path}: {what}{expected}. All vectors need the same length.")
    flat = lists.explode().cast(pl.Float32).to_numpy()
    return table["word"].cast(pl.String).to_list(), flat.reshape(len(table), -1).copy()


def write_parquet(path: Path, words: Sequence[str], vectors: Singles) -> None:
    """Write a Parquet file with the columns ``word`` and ``vector``.

    Parameters
    ----------
    path : Path
        The file.
    words : sequence of str
        The words.
    vectors : ndarray of shape (n_words, dimension)
        The vectors.
    """
    import polars as pl

    kind = pl.Array(pl.Float32, vectors.shape[1])
    column = pl.Series("vector", np.ascontiguousarray(vectors, dtype=np.float32), dtype=kind)
    with replaced_file(path) as file:
        pl.DataFrame({"word": list(words)}).with_columns(column).write_parquet(file)


def read_npy(path: Path, limit: int | None, mmap: bool) -> tuple[list[str], Any]:
    """Read NumPy's file; the words are lines of a file beside it.

    Parameters
    ----------
    path : Path
        The file, ``name.npy``; the words are in ``name.words.txt``.
    limit : int or None
        Words to read.
    mmap : bool
        Leave the vectors on the disk until they are used.
    """
    vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    beside = path.with_suffix(".words.txt")
    if not beside.exists():
        raise FileNotFoundError(f"{path} needs its words, one in each line of {beside}.")
    words = beside.read_bytes().decode("utf-8").split("\n")[:-1]
    if vectors.ndim != 2 or len(words) != len(vectors):
        raise ValueError(
            f"{path} has the shape {vectors.shape} and {beside} {len(words)} words; expected one "
            "row for each word."
        )
    return words[:limit], vectors[:limit] if mmap else np.array(vectors[:limit])


def write_npy(path: Path, words: Sequence[str], vectors: Any) -> None:
    """Write NumPy's file, and the words beside it.

    Parameters
    ----------
    path : Path
        The file, ``name.npy``.
    words : sequence of str
        The words.
    vectors : ndarray of shape (n_words, dimension)
        The vectors.
    """
    broken = next((word for word in words if "\n" in word), None)
    if broken is not None:
        raise ValueError(f"The word {broken!r} holds a line break. Write Parquet.")
    with replaced_file(path.with_suffix(".words.txt")) as file:
        file.writelines(encoded(word) + b"\n" for word in words)
    with replaced_file(path) as file:
        np.save(file, np.ascontiguousarray(vectors))
