"""A copy of a slow file as .npy beside it, made once and used while the file has not changed.

A text of a million vectors takes a minute to read, its copy none: it is mapped. Three files are
written beside ``name``: ``name.npy``, ``name.words.txt``, and at last ``name.cache.json``, which
says of what state of the file it is a copy. Without the last the others count for nothing, so that
a copy that was interrupted is made again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quire._shared.replaced_file import replaced_file
from quire.alignment._other_files import read_npy, write_npy

__all__ = ["cached", "state_of", "write_cache"]


def cached(path: Path, state: dict[str, Any], mmap: bool) -> tuple[list[str], Any] | None:
    """Return what the copy of a file holds, or None if there is none that will do.

    Parameters
    ----------
    path : Path
        The file that was copied.
    state : dict
        What the copy must be of, from `state_of`.
    mmap : bool
        Leave the vectors on the disk.
    """
    try:
        found = json.loads(_stamp(path).read_text(encoding="utf-8"))
        limit, whole = found["limit"], found["n_read"] == found["n_words"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    wanted = state["limit"]
    # Words that came twice are once in the copy: a smaller limit would count others there.
    covers = whole and (limit is None or (wanted is not None and wanted <= limit))
    same = all(found.get(key) == value for key, value in state.items() if key != "limit")
    if not same or not (covers or wanted == limit):
        return None
    try:
        return read_npy(_copy(path), wanted, mmap)
    except (FileNotFoundError, ValueError):  # one of the files was removed or written over
        return None


def state_of(path: Path, kind: str, errors: str, limit: int | None) -> dict[str, Any]:
    """Return what tells one reading of a file from another.

    Parameters
    ----------
    path : Path
        The file.
    kind : str
        Its format.
    errors : str
        What to do about bytes that are not UTF-8.
    limit : int or None
        Words to read.
    """
    stat = path.stat()
    return {
        "size": stat.st_size,
        "modified": stat.st_mtime_ns,
        "format": kind,
        "errors": errors,
        "limit": limit,
    }


def write_cache(
    path: Path, state: dict[str, Any], words: list[str], vectors: Any, n_read: int
) -> None:
    """Write the copy.

    Parameters
    ----------
    path : Path
        The file that is copied.
    state : dict
        Of the file before it was read, from `state_of`.
    words : list of str
        Distinct words.
    vectors : ndarray of shape (n_words, dimension)
        Their vectors.
    n_read : int
        Words that were read, with those that came twice.
    """
    _stamp(path).unlink(missing_ok=True)
    write_npy(_copy(path), words, vectors)
    found = {**state, "n_read": n_read, "n_words": len(words)}
    with replaced_file(_stamp(path)) as file:
        file.write(json.dumps(found).encode())


def _copy(path: Path) -> Path:
    return path.with_name(path.name + ".npy")


def _stamp(path: Path) -> Path:
    return path.with_name(path.name + ".cache.json")
