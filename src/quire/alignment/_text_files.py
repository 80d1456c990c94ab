"""Word vectors in text files: word2vec and fastText with a first line of sizes, GloVe without.

A line is a word and its numbers, parted by blanks. Words may hold blanks themselves (GloVe has
some), so the numbers are counted from the end. Numbers are read for thousands of lines at a time;
only where that fails, line by line, to say which one is at fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from quire._replaced_file import replaced_file

__all__ = ["decoded", "read_text", "sizes_of", "write_text"]

Singles = NDArray[np.float32]

_LINES = 4096  # read at a time


def read_text(path: Path, limit: int | None, errors: str) -> tuple[list[str], Singles]:
    """Read a text file of either kind.

    Parameters
    ----------
    path : Path
        The file, in UTF-8.
    limit : int or None
        Words to read.
    errors : str
        What to do about bytes that are not UTF-8, as in ``bytes.decode``.

    Returns
    -------
    words : list of str
        The words.
    vectors : ndarray of float32 of shape (n_words, dimension)
        The vectors.
    """
    words: list[str] = []
    blocks: list[Singles] = []
    with path.open("rb") as file:
        first = file.readline()
        sizes = sizes_of(first)
        if sizes is None:
            file.seek(0)
            dimension, number = _dimension_of(path, first), 1
        else:
            dimension, number = sizes[1], 2
        for lines in _chunks(file, limit):
            parts = [
                _parted(path, number + i, line, dimension, errors) for i, line in enumerate(lines)
            ]
            words.extend(word for word, _ in parts)
            blocks.append(_numbers(path, number, [rest for _, rest in parts], dimension))
            number += len(lines)
    if not words:
        raise ValueError(f"{path} holds no word vectors; a line should be a word and its numbers.")
    if sizes is not None and limit is None and len(words) != sizes[0]:
        raise ValueError(
            f"{path} announces {sizes[0]} words in line 1 and has {len(words)}: it was cut off or "
            "joined. Correct the first line, or give limit."
        )
    return words, np.concatenate(blocks)


def write_text(path: Path, words: Sequence[str], vectors: Singles, header: bool) -> None:
    """Write a text file; numbers are as long as float32 needs to come back unchanged.

    Parameters
    ----------
    path : Path
        The file.
    words : sequence of str
        The words.
    vectors : ndarray of shape (n_words, dimension)
        The vectors.
    header : bool
        Whether a line of sizes comes first.
    """
    with replaced_file(path) as file:
        if header:
            file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for word, vector in zip(words, np.asarray(vectors, dtype=np.float32), strict=True):
            numbers = " ".join(map(str, vector))
            file.write(f"{word} {numbers}\n".encode())


def sizes_of(line: bytes) -> tuple[int, int] | None:
    """Return the number of words and of dimensions if a line says them.

    Parameters
    ----------
    line : bytes
        The first of a file.
    """
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def decoded(path: Path, where: str, word: bytes, errors: str) -> str:
    """Return the word, or an error that says where it stands.

    Parameters
    ----------
    path : Path
        The file.
    where : str
        Place in it, such as "line 7".
    word : bytes
        The word.
    errors : str
        What to do about bytes that are not UTF-8.
    """
    try:
        return word.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}, {where}: the word {word!r} is not UTF-8. Read with errors='replace'."
        ) from error


def _dimension_of(path: Path, line: bytes) -> int:
    """Return the number of fields at the end of a line that are numbers, less the word."""
    fields = line.split()
    count = 0
    for field in reversed(fields):
        try:
            float(field)
        except ValueError:
            break
        count += 1
    count = min(count, len(fields) - 1)
    if count < 1:
        raise ValueError(
            f"{path}, line 1: expected a word and its numbers, or the number of words and "
            f"dimensions; found {line[:60]!r}."
        )
    return count


def _chunks(file: BinaryIO, limit: int | None) -> Iterator[list[bytes]]:
    lines = iter(file) if limit is None else islice(file, limit)
    while chunk := list(islice(lines, _LINES)):
        yield chunk


def _parted(path: Path, number: int, line: bytes, dimension: int, errors: str) -> tuple[str, bytes]:
    """Return the word of a line, and its numbers as they are written."""
    line = line.rstrip(b" \t\r\n")
    word, _, rest = line.partition(b" ")
    if rest.count(b" ") + 1 != dimension:
        fields = line.rsplit(b" ", dimension)
        found = len(line.split(b" ")) - 1
        if len(fields) <= dimension or not _is_number(fields[1]) or _is_number(fields[0][-1:]):
            raise ValueError(
                f"{path}, line {number}: expected a word and {dimension} numbers, found {found}. "
                "The line was cut off or is of another file."
            )
        word, rest = fields[0], b" ".join(fields[1:])
    return decoded(path, f"line {number}", word, errors), rest


def _numbers(path: Path, number: int, parts: list[bytes], dimension: int) -> Singles:
    try:
        values = np.array(b" ".join(parts).split(), dtype=np.float32)
        if values.size == len(parts) * dimension and np.isfinite(values).all():
            return values.reshape(len(parts), dimension)
    except ValueError:
        pass
    for i, part in enumerate(parts):
        fields = part.split()
        bad = next((f for f in fields if not _is_number(f)), None)
        if bad is not None or len(fields) != dimension:
            what = f"{bad!r} is not a finite number" if bad else f"{len(fields)} numbers"
            raise ValueError(
                f"{path}, line {number + i}: expected a word and {dimension} numbers; {what}."
            )
    raise ValueError(f"{path}: lines from {number} on hold numbers beyond single precision.")


def _is_number(field: bytes) -> bool:
    try:
        return bool(np.isfinite(float(field)))
    except ValueError:
        return False
