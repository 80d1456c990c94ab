"""Word vectors in text files: word2vec and fastText with a first line of sizes, GloVe without.

A line is a word and its numbers, parted by blanks or by tabs. Words may hold blanks themselves
(GloVe has some), so the numbers are counted from the end. Numbers are read for thousands of lines
at a time; only where that fails, line by line, to say which one is at fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from quire._shared.typing import Singles
from quire.alignment._raw_files import (
    Progress,
    decoded,
    encoded,
    opened,
    replaced,
    row_blocks,
    sizes_of,
)

__all__ = ["read_text", "write_text"]


_LINES = 4096  # read at a time
_MARK = b"\xef\xbb\xbf"  # of byte order, which some editors put before UTF-8


class _Shape(NamedTuple):
    """What the first lines say about all of them."""

    dimension: int
    separator: bytes


def read_text(
    path: Path,
    limit: int | None,
    errors: str,
    header: bool | None = None,
    progress: Progress | None = None,
) -> tuple[list[str], Singles]:
    """Read a text file of either kind.

    Parameters
    ----------
    path : Path
        The file, in UTF-8.
    limit : int or None
        Words to read.
    errors : str
        What to do about bytes that are not UTF-8, as in ``bytes.decode``.
    header : bool or None, default=None
        Whether the first line gives the sizes; ``None`` looks at it.
    progress : callable or None, default=None
        Called with the number of words read and that of all, or None.

    Returns
    -------
    words : list of str
        The words.
    vectors : ndarray of float32 of shape (n_words, dimension)
        The vectors.
    """
    words: list[str] = []
    blocks: list[Singles] = []
    with opened(path) as file:
        first = file.readline().removeprefix(_MARK)
        sizes = None if header is False else sizes_of(first)
        lines = enumerate(file, start=2) if sizes else enumerate(chain([first], file), start=1)
        total = sizes[0] if sizes else None
        if limit is not None:
            total = limit if total is None else min(limit, total)
        shape = None
        for numbered in _chunks(lines, limit):
            if shape is None:
                shape = _shape_of(path, *numbered[0], sizes)
            parts = [_parted(path, i, line, shape, errors) for i, line in numbered]
            words.extend(word for word, _ in parts)
            rest = [rest for _, rest in parts]
            blocks.append(_numbers(path, [i for i, _ in numbered], rest, shape.dimension))
            if progress is not None:
                progress(len(words), total)
    if not words:
        raise ValueError(f"{path} holds no word vectors; a line should be a word and its numbers.")
    if sizes is not None and limit is None and len(words) != sizes[0]:
        raise ValueError(
            f"{path} announces {sizes[0]} words in line 1 and has {len(words)}: it was cut off or "
            "joined. Correct the first line, or give limit."
        )
    return words, np.concatenate(blocks)


def write_text(path: Path, words: Sequence[str], vectors: Any, header: bool) -> None:
    """Write a text file; numbers are as long as float32 needs to come back unchanged.

    Parameters
    ----------
    path : Path
        The file; packed if it ends in .gz.
    words : sequence of str
        The words.
    vectors : ndarray of shape (n_words, dimension)
        The vectors.
    header : bool
        Whether a line of sizes comes first.
    """
    broken = next((word for word in words if "\n" in word or "\r" in word), None)
    if broken is not None:
        raise ValueError(f"The word {broken!r} holds a line break. Write Parquet.")
    with replaced(path) as file:
        if header:
            file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for some, rows in row_blocks(words, vectors):
            for word, vector in zip(some, rows, strict=True):
                file.write(encoded(word) + b" " + " ".join(map(str, vector)).encode() + b"\n")


def _chunks(
    lines: Iterator[tuple[int, bytes]], limit: int | None
) -> Iterator[list[tuple[int, bytes]]]:
    """Yield numbered lines that are not empty, thousands at a time."""
    full = islice(((i, line) for i, line in lines if not line.isspace() and line), limit)
    while chunk := list(islice(full, _LINES)):
        yield chunk


def _shape_of(path: Path, number: int, line: bytes, sizes: tuple[int, int] | None) -> _Shape:
    line = line.strip(b" \r\n")
    separator = b"\t" if line.count(b"\t") > line.count(b" ") else b" "
    return _Shape(sizes[1] if sizes else _dimension_of(path, number, line), separator)


def _dimension_of(path: Path, number: int, line: bytes) -> int:
    """Return the number of fields at the end of a line that are numbers, less the word."""
    fields = line.split()
    count = 0
    for field in reversed(fields):
        if not _is_number(field):
            break
        count += 1
    count = min(count, len(fields) - 1)
    if count < 1:
        raise ValueError(
            f"{path}, line {number}: expected a word and its numbers, or the number of words and "
            f"dimensions; found {line[:60]!r}."
        )
    return count


def _parted(path: Path, number: int, line: bytes, shape: _Shape, errors: str) -> tuple[str, bytes]:
    """Return the word of a line, and its numbers as they are written."""
    line = line.rstrip(b" \t\r\n")
    word, _, rest = line.partition(shape.separator)
    if rest.count(shape.separator) + 1 != shape.dimension:
        fields = line.rsplit(shape.separator, shape.dimension)
        found = len(line.split(shape.separator)) - 1
        # A number before the numbers is no part of a word but one too many.
        odd = _is_number(fields[0].rsplit(shape.separator, 1)[-1])
        if len(fields) <= shape.dimension or not _is_number(fields[1]) or odd:
            raise ValueError(
                f"{path}, line {number}: expected a word and {shape.dimension} numbers, found "
                f"{found}. The line was cut off or is of another file."
            )
        word, rest = fields[0], b" ".join(fields[1:])
    return decoded(path, f"line {number}", word, errors), rest


def _numbers(path: Path, numbers: list[int], parts: list[bytes], dimension: int) -> Singles:
    try:
        values = np.array(b" ".join(parts).split(), dtype=np.float32)
        if values.size == len(parts) * dimension and np.isfinite(values).all():
            return values.reshape(len(parts), dimension)
    except ValueError:
        pass
    for number, part in zip(numbers, parts, strict=True):
        fields = part.split()
        bad = next((f for f in fields if not _is_number(f)), None)
        if bad is not None or len(fields) != dimension:
            what = f"{bad!r} is not a finite number" if bad else f"{len(fields)} numbers"
            raise ValueError(
                f"{path}, line {number}: expected a word and {dimension} numbers; {what}."
            )
    raise ValueError(f"{path}: lines from {numbers[0]} on hold numbers beyond single precision.")


def _is_number(field: bytes) -> bool:
    try:
        return bool(np.isfinite(float(field)))
    except ValueError:
        return False
