"""Files that are replaced whole or not at all.

What is written goes to a temporary file beside the target, which takes the target's name when all
of it is on the disk. A process that is killed leaves the old file as it was, and a temporary file,
which the next save to the same target removes: a lock tells which ones are still being written.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed: a lock by itself
    fcntl = None  # type: ignore[assignment]

__all__ = ["replaced_file"]

_MARK = ".tmp-"


@contextmanager
def replaced_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    Parameters
    ----------
    path : Path
        Links are followed. The rights of an existing file are kept.

    Yields
    ------
    file
        Binary, for writing and seeking.

    Raises
    ------
    OSError
        If the file cannot be written; the old one is whole.
    """
    target = Path(os.path.realpath(path))
    _check_target(path, target)
    try:
        with suppress(OSError):  # a folder that cannot be listed
            _remove_abandoned(target)
        temporary, file = _open_temporary(target)
        try:
            with file:
                _keep_mode(target, file)
                yield file
                file.flush()
                os.fsync(file.fileno())
                if fcntl is not None:
                    os.replace(temporary, target)  # while the lock is held: nobody tidies it away
            if fcntl is None:
                os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        _sync_folder(target.parent)
    except OSError as error:
        raise _explained(error, path) from error


def _check_target(path: Path, target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError(
            f"{path} is a folder; give the path of a file in it, such as {path / 'model.quire'}"
        )
    if target.exists() and not target.is_file():
        raise OSError(f"{path} is not a regular file and cannot be replaced by one")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{path} cannot be written: there is no folder {target.parent}. Make it first."
        )


def _explained(error: OSError, path: Path) -> OSError:
    """Return the error with one line that names the target and the remedy."""
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        reason += ". Free some space or choose another disk"
    explained = type(error)(f"{path} cannot be written: {reason}; a file that was there is whole")
    explained.errno = error.errno
    return explained


def _open_temporary(target: Path) -> tuple[Path, BinaryIO]:
    while True:
        temporary = target.with_name(f"{target.name}{_MARK}{secrets.token_hex(6)}")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        file = os.fdopen(os.open(temporary, flags, 0o666), "w+b")
        # Somebody who tidies up may come between opening and locking; then this waits for them.
        _lock(file, wait=True)
        if temporary.exists():
            return temporary, file
        file.close()


def _lock(file: BinaryIO, *, wait: bool = False) -> bool:
    """Lock a file; ``False`` if somebody else has and it is not to wait, or locks are not known."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # held by another, or a file system without locks
        return False
    return True


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of saves to the same target whose process has ended."""
    start = target.name + _MARK
    for entry in target.parent.iterdir():
        if entry.name.startswith(start):
            with suppress(OSError), entry.open("rb") as file:
                if _lock(file) and fcntl is not None:
                    entry.unlink()
            if fcntl is None:
                with suppress(OSError):
                    entry.unlink()


def _keep_mode(target: Path, file: BinaryIO) -> None:
    with suppress(OSError, AttributeError):  # no such file yet; no such call on Windows
        os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
