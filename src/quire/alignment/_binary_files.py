r"""word2vec's binary file: a line of sizes, then each word, a blank and its numbers.

The original program ends every vector with a line break, others do not. Where there are breaks they
tell a word that holds a blank from one that has ended: its numbers would not end with one.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from quire._shared.typing import Singles
from quire.alignment._mapped_rows import MappedRows
from quire.alignment._raw_files import (
    Progress,
    decoded,
    encoded,
    is_compressed,
    opened,
    replaced,
    row_blocks,
    sizes_of,
)

__all__ = ["map_binary", "read_binary", "write_binary"]


_LONGEST_WORD = 1 << 16
_MOST_BLANKS = 32  # in a word
_READ = 1 << 24  # bytes at a time
_MOST_PACKED = 1100  # times smaller that gzip can make a file
_REPORT = 1 << 14  # words between two reports of progress
_FASTTEXT_MODEL = b"\xba\x16\x4f\x2f"


class _Record(NamedTuple):
    word: bytes
    vector: bytes
    offset: int  # of the vector, in the file


def read_binary(
    path: Path, limit: int | None, errors: str, progress: Progress | None = None
) -> tuple[list[str], Singles]:
    """Read a file, packed by gzip or not.

    Parameters
    ----------
    path : Path
        The file.
    limit : int or None
        Words to read.
    errors : str
        What to do about bytes that are not UTF-8.
    progress : callable or None, default=None
        Called with the number of words read and that of all.
    """
    words: list[str] = []
    with opened(path) as file:
        announced, dimension = _sizes(path, file)
        n = announced if limit is None else min(announced, limit)
        # Memory for what the file can hold, whatever it announces.
        most = path.stat().st_size * (_MOST_PACKED if is_compressed(path) else 1)
        vectors = np.empty((min(n, most // (4 * dimension) + 1), dimension), dtype=np.float32)
        window = _Window(file, file.tell())
        for i, record in enumerate(_records(path, window, n, announced, dimension)):
            words.append(decoded(path, f"word {i + 1}", record.word, errors))
            vectors[i] = np.frombuffer(record.vector, dtype="<f4")
            _report(progress, i + 1, n)
    return words, vectors


def map_binary(
    path: Path, limit: int | None, errors: str, progress: Progress | None = None
) -> tuple[list[str], MappedRows]:
    """Read the words of a file, and leave the vectors where they are.

    Parameters
    ----------
    path : Path
        The file, not packed.
    limit : int or None
        Words to read.
    errors : str
        What to do about bytes that are not UTF-8.
    progress : callable or None, default=None
        Called with the number of words read and that of all.
    """
    if is_compressed(path):
        raise ValueError(
            f"{path} is packed by gzip and cannot be memory-mapped. Unpack it, or give cache=True."
        )
    words: list[str] = []
    offsets: list[int] = []
    with path.open("rb") as file:
        announced, dimension = _sizes(path, file)
        n = announced if limit is None else min(announced, limit)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            window = _Window(data, file.tell())
            for i, record in enumerate(_records(path, window, n, announced, dimension)):
                words.append(decoded(path, f"word {i + 1}", record.word, errors))
                offsets.append(record.offset)
                _report(progress, i + 1, n)
    return words, MappedRows(path, np.array(offsets, dtype=np.int64), dimension)


def write_binary(path: Path, words: Sequence[str], vectors: Any) -> None:
    """Write a file.

    Parameters
    ----------
    path : Path
        The file; packed if it ends in .gz.
    words : sequence of str
        The words, without blanks.
    vectors : ndarray of shape (n_words, dimension)
        The vectors.
    """
    spaced = next((word for word in words if " " in word or "\n" in word), None)
    if spaced is not None:
        raise ValueError(
            f"The word {spaced!r} holds a blank, which word2vec's binary format takes for its end. "
            "Write Parquet or npy."
        )
    with replaced(path) as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for some, rows in row_blocks(words, vectors):
            for word, vector in zip(some, rows.astype("<f4", copy=False), strict=True):
                file.write(encoded(word) + b" " + vector.tobytes() + b"\n")


def _sizes(path: Path, file: BinaryIO) -> tuple[int, int]:
    first = file.readline(100)
    if first.startswith(_FASTTEXT_MODEL):
        raise ValueError(
            f"{path} is a model of fastText, not a file of vectors. Read the .vec that comes with "
            "it."
        )
    sizes = sizes_of(first)
    if sizes is None or sizes[1] == 0:
        raise ValueError(
            f"{path} is no binary file of word2vec: it should begin with the number of words "
            "and of dimensions. Give format='text' or 'glove' for text."
        )
    if sizes[0] == 0:
        raise ValueError(f"{path} holds no word vectors.")
    return sizes


class _Window:
    """Bytes of a file from a place on: those of a map, or as many as are needed."""

    def __init__(self, source: BinaryIO | mmap.mmap, at: int) -> None:
        self.mapped = isinstance(source, mmap.mmap)
        self.data: Any = source if self.mapped else b""
        self.source = source
        self.at = at if self.mapped else 0
        self.before = 0 if self.mapped else at  # bytes of the file before the first of data

    def need(self, n_bytes: int) -> None:
        """Have as many bytes from `at` on, if the file has them."""
        if self.mapped or len(self.data) - self.at >= n_bytes:
            return
        self.before += self.at
        self.data = self.data[self.at :] + self.source.read(max(_READ, n_bytes))
        self.at = 0


def _records(
    path: Path, window: _Window, n: int, announced: int, dimension: int
) -> Iterator[_Record]:
    """Yield the first n words and vectors."""
    n_bytes = 4 * dimension
    breaks = False
    for i in range(n):
        window.need(_LONGEST_WORD + n_bytes + 2)
        data = window.data
        end = data.find(b" ", window.at, window.at + _LONGEST_WORD)
        stop = end + 1 + n_bytes
        if end < 0 or stop > len(data):
            raise ValueError(
                f"{path}, word {i + 1} of {announced}: the file ends before its {dimension} "
                "numbers do. It was cut off; fetch it again."
            )
        if i == 0:
            breaks = data[stop : stop + 1] == b"\n"
        if breaks and data[stop : stop + 1] not in (b"\n", b""):
            end = _end_before_break(path, i, data, end, n_bytes)
            stop = end + 1 + n_bytes
        word = data[window.at : end].lstrip(b"\n")
        yield _Record(word, data[end + 1 : stop], window.before + end + 1)
        window.at = stop


def _end_before_break(path: Path, i: int, data: Any, end: int, n_bytes: int) -> int:
    """Return where a word with blanks ends: its numbers are followed by a line break."""
    limit = end + _LONGEST_WORD
    for _ in range(_MOST_BLANKS):
        end = data.find(b" ", end + 1, limit)
        stop = end + 1 + n_bytes
        if end < 0 or stop > len(data):
            break
        if data[stop : stop + 1] in (b"\n", b""):
            return int(end)
    raise ValueError(
        f"{path}, word {i + 1}: its numbers do not end with a line break, as those before do. The "
        "file is damaged; fetch it again."
    )


def _report(progress: Progress | None, n_read: int, n: int) -> None:
    if progress is not None and (n_read % _REPORT == 0 or n_read == n):
        progress(n_read, n)
