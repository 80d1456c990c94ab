"""Bytes from a path, standard input or a file object, decompressed on the way.

Compression is recognised by the first bytes, not by the name, so that it works for pipes as well.
"""

import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from quire.exceptions import CorpusError, MissingExtraError
from quire.io._limits import Limits
from quire.io._options import Format

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
FREE_BYTES = 2**26  # that compressed data may become in any case
_EXPANDED_BLOCK = 2**17
_STANDARD_INPUT = (Path("/dev/null"),)
_SNIFFED = 4096  # bytes
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_NAME = re.compile(r"^[^\W\d_](?:[\w .()/#%-]{0,40}[\w)%#])?$")  # of a column
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


def as_bytes(source: object, limits: Limits) -> Bytes:
    """Give a path as a `Path` and anything readable as a decompressed buffer.

    Raises
    ------
    FileNotFoundError
        If nothing is at the path.
    TypeError
        If ``source`` is neither a path nor readable.
    """
    if isinstance(source, str | os.PathLike) and source != "-":
        if isinstance(source, str) and _ADDRESS.match(source):
            raise FileNotFoundError(
                f"{source} is an address, and only files are read. Save it as a file first."
            )
        path = Path(cast("str | os.PathLike[str]", source)).expanduser()
        try:
            path.stat()
        except FileNotFoundError:
            pass
        except OSError as error:  # links that lead to each other, a folder that is closed
            message = f"{path} cannot be read: {error.strerror}"
            raise type(error)(error.errno, message) from None
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
    return _decompressed(io.BufferedReader(_Adapter(source)), source_name(source), limits)


@contextmanager
def open_bytes(
    source: Bytes, name: str, limits: Limits | None = None
) -> Iterator[io.BufferedReader]:
    """Open ``source`` for reading bytes, decompressed, and close it if it is a path."""
    try:
        if isinstance(source, Path):
            with (
                _opened(source) as file,
                _decompressed(file, name, limits or Limits()) as stream,
            ):
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


def _opened(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except PermissionError as error:
        message = f"{path} cannot be read: {error.strerror}. Make it readable, or choose another."
        raise PermissionError(error.errno, message) from None


def check_ends(path: Path, name: str) -> None:
    """Refuse what is no file and never ends or cannot be opened: a device, a socket.

    A pipe is read as far as it goes: shells give the output of a command as one.
    """
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISDIR(mode)):
        kind = "a socket" if stat.S_ISSOCK(mode) else "a device"
        if not (stat.S_ISCHR(mode) and path.resolve() in _STANDARD_INPUT):
            raise CorpusError(f"{name} is {kind}, not a file or a pipe. Give a file, or - to read.")


def check_regular(path: Path) -> None:
    """Refuse what lies in a folder and is no file.

    Raises
    ------
    CorpusError
        If it is a pipe, a socket or a device: reading might never end.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise CorpusError(
                f"{path} is not a file but a pipe, a socket or a device; a folder is read only if "
                "it holds files. Move it away, or leave it out with pattern=."
            )
    except OSError as error:
        raise CorpusError(f"{path} cannot be read ({error.strerror}).") from error


def too_large(name: str, limits: Limits) -> str:
    """Write the message for compressed data past the limit."""
    return (
        f"{name}: the compressed data becomes more than {limits.expansion:,} times as large. If it "
        f"is meant to be so, pass limits='expansion={10 * limits.expansion}'."
    )


def is_compressed(path: Path) -> bool:
    """Whether the file begins as gzip or Zstandard data does."""
    with path.open("rb") as file:
        return file.read(4).startswith((GZIP_MAGIC, ZSTD_MAGIC))


def guess_format(source: Bytes, name: str, otherwise: Format | None = None) -> tuple[Format, bool]:
    """Tell the format from the name's extension, or else from the first bytes.

    Parameters
    ----------
    source : Path or buffer
        What is to be read.
    name : str
        What it is called.
    otherwise : str, default=None
        The format if neither says it.

    Returns
    -------
    format : str
        The format.
    is_guessed : bool
        Whether a first line like that of a table is all that says so.

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
        return SUFFIXES[suffix], False
    if isinstance(source, Path) and not source.is_file():
        check_ends(source, name)
        raise CorpusError(f"{name}: a pipe or device does not tell its format. Pass format=.")
    with open_bytes(source, name) as stream:
        start = stream.peek(_SNIFFED)[:_SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip()
    for magic, found in _MAGIC:
        if start.startswith(magic) and suffix != ".txt":
            return found, False
    if otherwise is not None:
        return otherwise, False
    delimiter = None if suffix == ".txt" else _delimiter_of(start)
    if delimiter is not None:
        return "tsv" if delimiter == "\t" else "csv", True
    what = f"the extension {suffix!r}" if suffix else "a name without a known extension"
    raise CorpusError(
        f"{name}: {what} does not tell the format. Pass format='csv', 'tsv', 'ndjson', 'json', "
        "'parquet', 'excel', 'mbox', or 'lines' when every line is one text."
    )


def _delimiter_of(start: bytes) -> str | None:
    """Return what parts the names of a first line, if that is what it holds.

    Names of columns are short, each is another one, and no blank follows what parts them, as it
    does in sentences.
    """
    line = start.split(b"\n", 1)[0].decode("utf-8", errors="replace").rstrip("\r")
    for delimiter in ",\t;|":
        names = [part.strip('"') for part in line.split(delimiter)]
        if len(names) > 1 and len(set(names)) == len(names) and all(map(_NAME.match, names)):
            return delimiter
    return None


def _decompressed(file: io.BufferedReader, name: str, limits: Limits) -> io.BufferedReader:
    start = file.peek(4)[:4]
    is_gzip = start.startswith(GZIP_MAGIC)
    if not is_gzip and start != ZSTD_MAGIC:
        return file
    counted = _Counted(file)
    opened = gzip.GzipFile(fileobj=counted) if is_gzip else _zstd_file(counted)
    return io.BufferedReader(_Expanded(opened, counted, name, limits), _EXPANDED_BLOCK)


class _Counted:
    """A file that knows how much of it was read."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.n_read = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self.n_read += len(data)
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Expanded(io.RawIOBase):
    """Decompressed bytes, as long as they are in proportion to what they come from."""

    def __init__(self, opened: Any, counted: _Counted, name: str, limits: Limits) -> None:
        self._opened, self._counted = opened, counted
        self._name, self._limits = name, limits
        self._n_given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        n = int(self._opened.readinto(buffer))
        self._n_given += n
        if self._n_given > FREE_BYTES + self._limits.expansion * self._counted.n_read:
            raise CorpusError(too_large(self._name, self._limits))
        return n

    def close(self) -> None:
        if not self.closed:
            self._opened.close()
        super().close()


def _zstd_file(file: Any) -> Any:
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
