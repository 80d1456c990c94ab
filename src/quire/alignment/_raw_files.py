"""What the readers of word vectors share: opening, decoding, the line of sizes, encoding."""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from quire._shared.replaced_file import replaced_file

__all__ = [
    "Progress",
    "decoded",
    "encoded",
    "is_compressed",
    "opened",
    "refuse_device",
    "replaced",
    "row_blocks",
    "sizes_of",
]

Progress = Callable[[int, int | None], None]

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_ROWS = 4096  # that are written at a time


def refuse_device(path: Path) -> None:
    """Raise an error if a path is a device, which may never end."""
    if stat.S_ISCHR(path.stat().st_mode):
        raise ValueError(f"{path} is a device, which may never end. Give a file.")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; one that gzip has packed is unpacked on the way.

    Parameters
    ----------
    path : Path
        The file.
    """
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        if start == _ZIP:
            raise ValueError(f"{path} is a zip archive. Unpack it and read the file inside.")
        if not start.startswith(_GZIP):
            yield file
            return
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield cast(BinaryIO, unpacked)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{path} is damaged or was cut off ({error}). Fetch it again.") from (
                error
            )


def is_compressed(path: Path) -> bool:
    """Return whether gzip has packed a file.

    Parameters
    ----------
    path : Path
        The file.
    """
    with path.open("rb") as file:
        return file.read(2) == _GZIP


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing, whole or not at all; packed if its name ends in .gz.

    Parameters
    ----------
    path : Path
        The file.
    """
    with replaced_file(path) as file:
        if path.suffix.lower() != ".gz":
            yield file
            return
        with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
            yield cast(BinaryIO, packed)


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


def encoded(word: str) -> bytes:
    """Return a word in UTF-8.

    Parameters
    ----------
    word : str
        The word.
    """
    try:
        return word.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"The word {word!r} holds half a character and cannot be written in UTF-8. Read it "
            "with errors='replace'."
        ) from error


def row_blocks(
    words: Sequence[str], vectors: Any
) -> Iterator[tuple[Sequence[str], NDArray[np.float32]]]:
    """Yield words and their vectors some thousands at a time; vectors may be mapped from a file.

    Parameters
    ----------
    words : sequence of str
        The words.
    vectors : array of shape (n_words, dimension)
        The vectors.
    """
    for start in range(0, len(words), _ROWS):
        rows = slice(start, start + _ROWS)
        yield words[rows], np.asarray(vectors[rows], dtype=np.float32)
