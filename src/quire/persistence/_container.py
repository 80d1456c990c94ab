"""The container: a zip archive that opens with a mark and lists the checksums of its members.

``mimetype`` comes first and is not compressed, so that the file can be told by its first bytes.
``manifest.json`` comes last, with size and SHA-256 of all others; its own stands in the archive's
comment. The standard library reads and writes all of it, and so does any zip program.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar

from numpy.typing import NDArray

from quire.exceptions import ModelFileError
from quire.persistence._account import (
    READING,
    Account,
    memory_bound,
    memory_of_json,
    parsed_json,
)
from quire.persistence._members import (
    Payload,
    Receipt,
    compression_pays,
    payload_size,
    read_array,
    read_bytes,
    write_payload,
)
from quire.persistence._nodes import shown

__all__ = ["FORMAT", "TREE", "ContainerReader", "one_line", "opened_container", "write_container"]

TREE = "model.json"

FORMAT = 1
_MIMETYPE = b"application/x-quire-model"
_MANIFEST = "manifest.json"
_COMMENT = b"quire model, manifest sha256 "
_SMALLEST_COMPRESSED = 256
_LARGE = 1 << 30  # members beyond need the 64-bit fields of zip
_MAX_MANIFEST = 1 << 28
_MEMBER = re.compile(r"arrays/(0|[1-9][0-9]{0,8})\.npy")
_RECEIPT = {"size": int, "sha256": str}
_ENTRY = 1 << 10  # bytes of Python for a member, at most
_LONGEST = 500  # characters of an error
_VERSION = re.compile(r"[0-9A-Za-z.+!-]{1,40}")

_T = TypeVar("_T")


def write_container(
    file: BinaryIO, members: Mapping[str, Payload], manifest: dict[str, Any], memory: int = 0
) -> None:
    """Write members and manifest.

    Parameters
    ----------
    file : file object
        Binary, empty, for writing and seeking.
    members : mapping
        Name to array or bytes.
    manifest : dict
        What JSON can hold; ``format`` and ``members`` are added.
    memory : int, default=0
        Bytes that the objects which are made of the arrays take, beside the arrays themselves.
    """
    for compress in (True, False):
        file.seek(0)
        file.truncate()
        total = memory + _write(file, members, manifest, compress)
        if total <= memory_bound(file.tell()):
            return


def _write(
    file: BinaryIO, members: Mapping[str, Payload], manifest: dict[str, Any], compress: bool
) -> int:
    receipts: dict[str, Receipt] = {}
    with zipfile.ZipFile(file, "w") as archive:
        _write_member(archive, "mimetype", _MIMETYPE, False)
        for name, payload in members.items():
            large = payload_size(payload) >= _SMALLEST_COMPRESSED
            pays = compress and large and compression_pays(payload)
            receipts[name] = _write_member(archive, name, payload, pays)
        whole = {"format": FORMAT, **manifest, "members": receipts}
        content = json.dumps(whole, allow_nan=False, indent=1).encode("ascii")
        if len(content) > _MAX_MANIFEST:
            raise ValueError(
                f"The manifest of the model would have {len(content)} bytes; no more than "
                f"{_MAX_MANIFEST} are allowed. Give less metadata."
            )
        _write_member(archive, _MANIFEST, content, compress)
        archive.comment = _COMMENT + hashlib.sha256(content).hexdigest().encode("ascii")
    texts = [content, *(payload for payload in members.values() if isinstance(payload, bytes))]
    total: int = sum(receipt["size"] for receipt in receipts.values())
    return total + _ENTRY * (len(members) + 2) + sum(map(memory_of_json, texts))


def _write_member(archive: zipfile.ZipFile, name: str, payload: Payload, compress: bool) -> Receipt:
    archive.compression = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    archive.compresslevel = 1
    with archive.open(name, "w", force_zip64=payload_size(payload) > _LARGE) as member:
        return write_payload(member, payload)


@contextmanager
def opened_container(source: Path | BinaryIO) -> Iterator[ContainerReader]:
    """Open a model file and read its manifest.

    Parameters
    ----------
    source : Path or file object
        The file. A file object is read from where it stands to its end, and not closed.

    Yields
    ------
    ContainerReader
        Reads the members.

    Raises
    ------
    ModelFileError
        If this is not a whole model file of a version that can be read.
    OSError
        If the file cannot be opened.
    """
    path = source if isinstance(source, Path) else Path(str(getattr(source, "name", "The file")))
    file = _open(source) if isinstance(source, Path) else io.BytesIO(source.read())
    with file:
        size = file.seek(0, 2)
        file.seek(0)
        _check_kind(path, file.read(30 + 8 + len(_MIMETYPE)))
        archive = _guarded(path, lambda: zipfile.ZipFile(file))
        with archive:
            yield ContainerReader(path, archive, size)


def _open(path: Path) -> BinaryIO:
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a model file")
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{path} does not exist (looked in {path.absolute().parent})"
        ) from error


def _check_kind(path: Path, start: bytes) -> None:
    mark = b"PK\x03\x04", b"mimetype" + _MIMETYPE
    if start[:4] == mark[0] and start[30:] == mark[1]:
        return
    if not start:
        kind = "it is empty"
    elif start[:1] == b"\x80":
        kind = "it looks like a pickle, which can run code and is never opened"
    elif start[:4] == mark[0]:
        whole = len(start) == 30 + len(mark[1])
        kind = "it is another zip archive" if whole else "it is cut off"
    else:
        kind = f"it starts with {start[:12]!r}"
    raise ModelFileError(f"{path} is not a model saved by quire.save: {kind}")


def _guarded(path: Path, read: Callable[[], _T]) -> _T:
    """Read something; the many things that a damaged archive can raise become one error."""
    try:
        return read()
    except (ModelFileError, MemoryError) as error:
        if isinstance(error, ModelFileError) and not str(error).startswith(str(path)):
            raise ModelFileError(f"{path}: {error}") from error
        raise
    except Exception as error:
        raise ModelFileError(
            f"{path} is truncated or damaged ({one_line(error)}). Copy or save it again."
        ) from error


class ContainerReader:
    """The manifest of an opened file, and its members on demand.

    Parameters
    ----------
    path : Path
        For messages.
    archive : ZipFile
        The opened file.
    size : int
        Bytes of the file.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile, size: int) -> None:
        self.path = path
        self.size = size
        self.account = Account(memory_bound(size))
        self._archive = archive
        self.manifest = _guarded(path, self._read_manifest)
        self._receipts: dict[str, Receipt] = self.manifest["members"]
        self._unread = set(self._receipts)

    def tree(self) -> Any:
        """Return what stands in the tree of the model."""

        def read(member: IO[bytes], name: str, receipt: Receipt) -> Any:
            self.account.take(READING * receipt["size"])
            return parsed_json(read_bytes(member, name, receipt), self.account)

        return self._read(TREE, read)

    def array(self, name: Any) -> NDArray[Any]:
        """Return the array in a member; each is read once, because the tree names each once."""
        if not isinstance(name, str) or name not in self._unread or name == TREE:
            raise ModelFileError(f"the tree names {shown(name)}, which is not an array of its own")

        def read(member: IO[bytes], name: str, receipt: Receipt) -> NDArray[Any]:
            return read_array(member, name, receipt, self.account)

        return self._read(name, read)

    def check_all_read(self) -> None:
        """Refuse arrays that are no part of the model."""
        if self._unread:
            raise ModelFileError(f"{shown(min(self._unread))} is no part of the model")

    def _read(self, name: str, read: Callable[[IO[bytes], str, Receipt], _T]) -> _T:
        def opened() -> _T:
            with self._archive.open(name) as member:
                return read(member, name, self._receipts[name])

        self._unread.discard(name)
        return _guarded(self.path, opened)

    def _read_manifest(self) -> dict[str, Any]:
        infos = self._archive.infolist()
        self.account.take(_ENTRY * len(infos))
        total = sum(info.file_size for info in infos)
        if total > self.account.limit - self.account.taken:
            raise ModelFileError(f"{self.size} bytes would unpack to {total}, as no model does")
        for info in infos:
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ModelFileError(f"{shown(info.filename)} is compressed in an unknown way")
        info = self._archive.getinfo(_MANIFEST)
        if info.file_size > _MAX_MANIFEST:
            raise ModelFileError(f"{_MANIFEST} would unpack to {info.file_size} bytes")
        self.account.take(READING * info.file_size)
        with self._archive.open(info) as member:
            content = member.read(_MAX_MANIFEST)
        expected = _COMMENT + hashlib.sha256(content).hexdigest().encode("ascii")
        if self._archive.comment != expected:
            raise ModelFileError(f"{_MANIFEST} is truncated or damaged: its checksum is wrong")
        manifest = parsed_json(content, self.account)
        if not isinstance(manifest, dict):
            raise ModelFileError(f"{_MANIFEST} is not a dictionary")
        _check_format(manifest)
        self._check_members(manifest["members"])
        return manifest

    def _check_members(self, receipts: Any) -> None:
        if not isinstance(receipts, dict) or not all(map(_is_receipt, receipts.values())):
            raise ModelFileError(f"the members in {_MANIFEST} are not sizes and checksums")
        infos = self._archive.infolist()
        names = [info.filename for info in infos]
        if sorted(names) != sorted([*receipts, "mimetype", _MANIFEST]):
            raise ModelFileError("the members of the archive are not those of its manifest")
        for name in receipts:
            if name != TREE and not _MEMBER.fullmatch(name):
                raise ModelFileError(f"{shown(name)} is not the name of a member")
        for info in infos:
            if info.filename in receipts and info.file_size != receipts[info.filename]["size"]:
                raise ModelFileError(f"{info.filename} is damaged: it has another size than saved")


def _is_receipt(receipt: Any) -> bool:
    return (
        isinstance(receipt, dict)
        and receipt.keys() == _RECEIPT.keys()
        and all(type(receipt[name]) is kind for name, kind in _RECEIPT.items())
        and receipt["size"] >= 0
    )


def _check_format(manifest: dict[str, Any]) -> None:
    number = manifest["format"]
    if type(number) is not int or number < 1:
        raise ModelFileError(f"format {shown(number)} is not known")
    if number > FORMAT:
        versions = manifest.get("versions")
        writer = versions.get("quire") if isinstance(versions, dict) else None
        said = writer if isinstance(writer, str) and _VERSION.fullmatch(writer) else "a later one"
        raise ModelFileError(
            f"written by quire {said} in format {number}; this quire reads formats up to "
            f"{FORMAT}. Upgrade it: pip install -U quire"
        )


def one_line(error: Exception) -> str:
    """Return the kind and the message of an error without line breaks.

    Parameters
    ----------
    error : Exception
        Any.

    Returns
    -------
    str
        For the message of another error.
    """
    text = " ".join(str(error)[:_LONGEST].split())
    printable = "".join(c if c.isprintable() else "?" for c in text)
    return f"{type(error).__name__}: {printable}"
