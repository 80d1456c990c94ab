"""What loading a model file may take of memory, and what each thing in a file takes.

A file may take a fixed amount and so many times its own size. Everything that is made of a file is
counted before it is made: arrays by their bytes, objects of Python by the most that they take. The
writer counts the same, and does not compress where a file would be too small for what is in it.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.exceptions import ModelFileError

__all__ = [
    "ENTRY",
    "NUMBER",
    "OBJECT",
    "READING",
    "Account",
    "memory_bound",
    "memory_of_json",
    "memory_of_strings",
    "parsed_json",
]

_ALWAYS = 1 << 28
_TIMES = 100  # the most that uncompressed bytes of a file can take is less

# Bytes in CPython, rounded up. For JSON: by the characters that open or separate something.
_JSON = {b"{": 96, b"[": 112, b",": 48, b":": 136, b'"': 32}
_STRING = 80  # beside its characters
NUMBER = 40  # in a list
READING = 2  # bytes for a byte of text that is read from an archive
ENTRY = 104  # of a dictionary or a set, beside key and value
OBJECT = 2048  # of a class, with the parameters that a file may leave out


def memory_bound(file_size: int) -> int:
    """Return how many bytes loading a file of this size may take, the model included.

    Parameters
    ----------
    file_size : int
        Bytes of the file.

    Returns
    -------
    int
        256 MiB, and 100 times the size.
    """
    return _ALWAYS + _TIMES * file_size


def memory_of_json(content: bytes) -> int:
    """Return how many bytes a JSON text takes at most when it is read and parsed.

    Parameters
    ----------
    content : bytes
        The text. It is not parsed.

    Returns
    -------
    int
        An upper bound.
    """
    characters = 4 if b"\\u" in content else 1  # of a string with one wide character
    made = sum(cost * content.count(mark) for mark, cost in _JSON.items())
    return (READING + 1 + characters) * len(content) + made


def memory_of_strings(text: NDArray[np.uint8], lengths: NDArray[Any]) -> int:
    """Return how many bytes strings in arrays take at most when they are a list.

    Parameters
    ----------
    text : ndarray of uint8
        All of them in UTF-8.
    lengths : ndarray of int
        How many characters each has.

    Returns
    -------
    int
        An upper bound.
    """
    width = 4 if text.max(initial=0) >= 0x80 else 1
    return 2 * width * text.size + 24 * lengths.size + _STRING * int(np.count_nonzero(lengths))


class Account:
    """What loading one file has taken so far.

    Parameters
    ----------
    limit : int
        What it may take, in bytes.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.taken = 0

    def take(self, n_bytes: int) -> None:
        """Count what is about to be made, and refuse it if it is too much."""
        self.taken += n_bytes
        if self.taken > self.limit:
            raise ModelFileError(
                f"the model would take more than {self.limit} bytes of memory, as no model in a "
                "file of this size does"
            )


def parsed_json(content: bytes, account: Account) -> Any:
    """Return what a JSON text holds, if there is memory for it.

    Parameters
    ----------
    content : bytes
        ASCII, without the numbers that JSON does not have. Its reading is counted already.
    account : Account
        Where the rest is counted.

    Returns
    -------
    object
        Plain Python.
    """
    account.take(memory_of_json(content) - READING * len(content))
    return json.loads(content.decode("ascii"), parse_constant=_no_number)


def _no_number(name: str) -> None:
    raise ModelFileError(f"{name} is no number of JSON")
