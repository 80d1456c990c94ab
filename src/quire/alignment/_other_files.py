"""Word vectors in binary files: word2vec's own, Parquet, and NumPy's, which maps into memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._replaced_file import replaced_file
from quire.alignment._text_files import decoded, sizes_of

__all__ = [
    "read_binary",
    "read_npy",
    "read_parquet",
    "write_binary",
    "write_npy",
    "write_parquet",
]

Singles = NDArray[np.float32]

_LONGEST_WORD = 1 << 16


def read_binary(path: Path, limit: int | None, errors: str) -> tuple[list[str], Singles]:
    """Read word2vec's binary file: sizes, then each word, a blank and its numbers.

    Parameters
    ----------
    path : Path
        The file.
    limit : int or None
        Words to read.
    errors : str
        What to do about bytes that are not UTF-8.
    """
    with path.open("rb") as file:
        sizes = sizes_of(file.readline(100))
        if sizes is None or sizes[1] == 0:
            raise ValueError(
                f"{path} is no binary file of word2vec: it should begin with the number of words "
                "and of dimensions. Give format='text' or 'glove' for text."
            )
        n = sizes[0] if limit is None else min(sizes[0], limit)
        dimension = sizes[1]
        words: list[str] = []
        vectors = np.empty((n, dimension), dtype=np.float32)
        data, at = np.memmap(path, dtype=np.uint8, mode="r"), file.tell()
        for i in range(n):
            end, start = _word_end(data, at), at
            stop = end + 1 + 4 * dimension
            if end < 0 or stop > len(data):
                raise ValueError(
                    f"{path}, word {i + 1} of {sizes[0]}: the file ends before its "
                    f"{dimension} numbers do. It was cut off; fetch it again."
                )
            word = data[start:end].tobytes().lstrip(b"\n")
            words.append(decoded(path, f"word {i + 1}", word, errors))
            vectors[i] = data[end + 1 : stop].view(np.dtype("<f4"))
            at = stop
    return words, vectors


def write_binary(path: Path, words: Sequence[str], vectors: Singles) -> None:
    """Write word2vec's binary file.

    Parameters
    ----------
    path : Path
        The file.
    words : sequence of str
        The words, without blanks.
    vectors : ndarray of shape (n_words, dimension)
        The vectors.
    """
    spaced = next((word for word in words if " " in word), None)
    if spaced is not None:
        raise ValueError(
            f"The word {spaced!r} holds a blank, which word2vec's binary format takes for its end. "
            "Write Parquet or npy."
        )
    with replaced_file(path) as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for word, vector in zip(words, np.asarray(vectors, dtype="<f4"), strict=True):
            file.write(word.encode() + b" " + vector.tobytes() + b"\n")


def read_parquet(path: Path, limit: int | None) -> tuple[list[str], Singles]:
    """Read a Parquet file with the columns ``word`` and ``vector`` (lists of one length).

    Parameters
    ----------
    path : Path
        The file.
    limit : int or None
        Words to read.
    """
    import polars as pl

    table = pl.read_parquet(path, n_rows=limit)
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
    vectors = np.load(path, mmap_mode="r" if mmap else None, allow_pickle=False)
    beside = path.with_suffix(".words.txt")
    if not beside.exists():
        raise FileNotFoundError(f"{path} needs its words, one in each line of {beside}.")
    words = beside.read_text(encoding="utf-8").split("\n")[:-1]
    if vectors.ndim != 2 or len(words) != len(vectors):
        raise ValueError(
            f"{path} has the shape {vectors.shape} and {beside} {len(words)} words; expected one "
            "row for each word."
        )
    return words[:limit], vectors[:limit]


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
        file.write("".join(f"{word}\n" for word in words).encode())
    with replaced_file(path) as file:
        np.save(file, np.ascontiguousarray(vectors))


def _word_end(data: NDArray[np.uint8], at: int) -> int:
    """Return where the next blank is; -1 if there is none near."""
    blanks = np.flatnonzero(data[at : at + 64] == 32)
    if not len(blanks):
        blanks = np.flatnonzero(data[at : at + _LONGEST_WORD] == 32)
    return at + int(blanks[0]) if len(blanks) else -1
