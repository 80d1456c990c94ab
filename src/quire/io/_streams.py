"""Bytes from a path, standard input or a file object, decompressed on the way.

Compression is recognised by the first bytes, not by the name, so that it works for pipes as well.
"""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias, cast, runtime_checkable

from quire.exceptions import CorpusError, MissingExtraError
from quire.io._options import Format

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
COMPRESSION_SUFFIXES = (".gz", ".zst")
SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".mbox": "mbox",
}
_MAGIC: tuple[tuple[bytes, Format], ...] = (
    (b"PAR1", "parquet"),
    (b"PK\x03\x04", "excel"),
    (b"From ", "mbox"),
    (b"[", "json"),
    (b"{", "ndjson"),
)


@runtime_checkable
class Readable(Protocol):
    """Anything with a ``read`` method: an open file, a buffer, a socket's file."""

    def read(self, size: int = -1, /) -> Any:
        """Read up to ``size`` bytes or characters."""


Bytes: TypeAlias = Path | io.BufferedReader


class _Adapter(io.RawIOBase):
    """A file object as raw bytes; text is encoded as UTF-8; closing it leaves the object open."""

    def __init__(self, source: Readable) -> None:
        self._source = source
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._left:
            data = self._source.read(len(buffer))
            if isinstance(data, str):
                data = data.encode("utf-8")
            self._left = bytes(data or b"")
        part, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def source_name(source: object) -> str:
    """Name a source for messages."""
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fspath(cast("os.PathLike[str]", source))
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"


def as_bytes(source: object) -> Bytes:
    """Give a path as a `Path` and anything readable as a decompressed buffer.

    Raises
    ------
    FileNotFoundError
        If nothing is at the path.
    TypeError
        If ``source`` is neither a path nor readable.
    """
    if isinstance(source, str | os.PathLike) and source != "-":
        path = Path(cast("str | os.PathLike[str]", source)).expanduser()
        if not path.exists():
            raise FileNotFoundError(
                f"{path} does not exist (looked in {path.absolute().parent}); "
                "source must be a file, a folder, '-' for standard input, a file object or a frame"
            )
        return path
    if isinstance(source, str):
        source = getattr(sys.stdin, "buffer", sys.stdin)
    if not isinstance(source, Readable):
        raise TypeError(
            "source must be a path, '-' for standard input, a file object, or a polars, pandas or "
            f"Arrow data frame; got {type(source).__name__}. Texts in a list need no reading: "
            "give them to an estimator as they are."
        )
    return _decompressed(io.BufferedReader(_Adapter(source)))


@contextmanager
def open_bytes(source: Bytes, name: str) -> Iterator[io.BufferedReader]:
    """Open ``source`` for reading bytes, decompressed, and close it if it is a path."""
    try:
        if isinstance(source, Path):
            with source.open("rb") as file, _decompressed(file) as stream:
                yield stream
        else:
            yield source
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError(
            f"{name}: the compressed data is cut short or damaged ({error})"
        ) from error
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            message = f"{name}: the compressed data is cut short or damaged ({error})"
            raise CorpusError(message) from error
        raise


def is_compressed(path: Path) -> bool:
    """Whether the file begins as gzip or Zstandard data does."""
    with path.open("rb") as file:
        return file.read(4).startswith((GZIP_MAGIC, ZSTD_MAGIC))


def guess_format(source: Bytes, name: str) -> Format:
    """Tell the format from the name's extension, or else from the first bytes.

    Raises
    ------
    CorpusError
        If neither says it.
    """
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] in COMPRESSION_SUFFIXES:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if isinstance(source, Path) and not source.is_file():
        raise CorpusError(f"{name}: a pipe or device does not tell its format. Pass format=.")
    with open_bytes(source, name) as stream:
        start = stream.peek(64)[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    for magic, found in _MAGIC:
        if start.startswith(magic) and suffix != ".txt":
            return found
    what = f"the extension {suffix!r}" if suffix else "a name without a known extension"
    raise CorpusError(
        f"{name}: {what} does not tell the format. Pass format='csv', 'tsv', 'ndjson', 'json', "
        "'parquet', 'excel', 'mbox', or 'lines' when every line is one text."
    )


def _decompressed(file: io.BufferedReader) -> io.BufferedReader:
    start = file.peek(4)[:4]
    if start.startswith(GZIP_MAGIC):
        return io.BufferedReader(cast("io.RawIOBase", gzip.GzipFile(fileobj=file)))
    if start == ZSTD_MAGIC:
        return io.BufferedReader(cast("io.RawIOBase", _zstd_file(file)))
    return file


def _zstd_file(file: IO[bytes]) -> object:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError as error:
        raise MissingExtraError(
            "reading Zstandard (.zst) data before Python 3.14 needs backports.zstd: "
            "pip install quire[zstd]"
        ) from error
    return zstd.ZstdFile(file)
