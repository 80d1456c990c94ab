"""Which bytes a source held when it was read, so that it can be told from others later."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quire._shared.digests import file_digest, files_digest
from quire._shared.notebooks import ShownInNotebooks

__all__ = ["Hashed", "Origin"]


class Hashed:
    """A file object whose bytes are hashed as they are read.

    Parameters
    ----------
    source : file object
        Binary or text; text becomes UTF-8.
    """

    def __init__(self, source: Any) -> None:
        self._source = source
        self._hash = hashlib.sha256()
        self.n_bytes = 0
        self.at_end = False
        self.name = getattr(source, "name", None)

    def read(self, size: int = -1, /) -> bytes:
        """Read as the file object does."""
        data = self._source.read(size)
        if isinstance(data, str):
            data = data.encode("utf-8")
        data = bytes(data or b"")
        self._hash.update(data)
        self.n_bytes += len(data)
        self.at_end = not data or size < 0
        return data

    def digest(self) -> str | None:
        """Return the SHA-256 of what was read; None if that is not all of it."""
        return self._hash.hexdigest() if self.at_end else None


@dataclass(frozen=True, eq=False, slots=True)
class Origin(ShownInNotebooks):
    """Which bytes a corpus was read from.

    Files are hashed when somebody asks, not while they are read. What can be read only once, such
    as standard input, is hashed on its way.

    Attributes
    ----------
    name : str
        The name of the file or the folder, without the folder that it is in; "-" for standard
        input.
    """

    name: str
    _path: Path | None = field(default=None, repr=False)
    _signature: tuple[int, ...] | None = field(default=None, repr=False)
    _files: tuple[str, ...] | None = field(default=None, repr=False)
    _since: int = field(default=0, repr=False)  # nanoseconds
    _stream: Hashed | None = field(default=None, repr=False)

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Origin:
        """Return what a file is now; of a folder, where it is.

        Parameters
        ----------
        path : str or path
            It is not opened before its digest is asked for.
        """
        place = Path(path)
        name = place.absolute().name
        return cls(name, place, _signature_of(place), _since=time.time_ns())

    def sha256(self) -> str | None:
        """Return the SHA-256 of the file's bytes, as they are on the disk.

        Of a folder it is that of the names of its files and their digests.

        Returns
        -------
        str or None
            Hexadecimal digits. None if the file has changed since it was read, is not there any
            more, was not read to its end, or can be read only once.
        """
        if self._stream is not None:
            return self._stream.digest()
        if self._path is None:
            return None
        try:
            if self._files is not None:
                return self._of_files([(name, self._path / name) for name in self._files])
            if self._signature is None or _signature_of(self._path) != self._signature:
                return None
            digest = file_digest(self._path)
            return digest if _signature_of(self._path) == self._signature else None
        except OSError:
            return None

    def _of_files(self, files: list[tuple[str, Path]]) -> str | None:
        digest = files_digest((name, file_digest(path)) for name, path in files)
        newest = max((path.stat().st_mtime_ns for _, path in files), default=0)
        return digest if newest <= self._since else None

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the digest, ready for JSON."""
        return {"name": self.name, "sha256": self.sha256()}


def _signature_of(path: Path) -> tuple[int, ...] | None:
    """Return what changes when somebody writes to a file; None of what is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino
