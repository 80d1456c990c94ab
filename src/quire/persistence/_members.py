"""Members of a model file: arrays as ``.npy``, checked by size and SHA-256.

Nothing here makes objects out of bytes: an array is its type, its shape and its raw values, and an
array of Python objects is refused.
"""

from __future__ import annotations

import hashlib
import io
import math
import zlib
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from quire.exceptions import ModelFileError
from quire.persistence._account import Account
from quire.persistence._arrays import checked_size, checked_values
from quire.persistence._nodes import checked_shape

__all__ = [
    "Payload",
    "Receipt",
    "compression_pays",
    "payload_size",
    "read_array",
    "read_bytes",
    "write_payload",
]

Payload: TypeAlias = "NDArray[Any] | bytes"
Receipt: TypeAlias = "dict[str, Any]"  # "size" and "sha256" of a member

_CHUNK = 1 << 22
_SAMPLE = 1 << 15
_WORTH = 0.7  # compress where a sample shrinks below this


def payload_size(payload: Payload) -> int:
    """Return how many bytes an array or bytes have, without a header.

    Parameters
    ----------
    payload : ndarray or bytes
        What is to be written.

    Returns
    -------
    int
        Number of bytes.
    """
    return len(payload) if isinstance(payload, bytes) else payload.nbytes


def write_payload(file: IO[bytes], payload: Payload) -> Receipt:
    """Write an array or bytes.

    Parameters
    ----------
    file : file object
        Where to.
    payload : ndarray or bytes
        No Python objects.

    Returns
    -------
    dict
        Size and SHA-256 of what was written.
    """
    digest = hashlib.sha256()
    size = 0
    for part in _parts(payload):
        for start in range(0, len(part), _CHUNK):
            chunk = part[start : start + _CHUNK]
            digest.update(chunk)
            file.write(chunk)
        size += len(part)
    return {"size": size, "sha256": digest.hexdigest()}


def _parts(payload: Payload) -> list[Any]:
    if isinstance(payload, bytes):
        return [memoryview(payload)]
    header = io.BytesIO()
    npy.write_array_header_1_0(header, npy.header_data_from_array_1_0(payload))
    return [memoryview(header.getvalue()), _raw(payload).data]


def _raw(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the values as bytes in the order of the header, without a copy where possible."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    flat = np.ascontiguousarray(array.T if fortran else array)
    return flat.reshape(-1).view(np.uint8) if flat.nbytes else np.empty(0, dtype=np.uint8)


def compression_pays(payload: Payload) -> bool:
    """Say whether pieces from the start, the middle and the end shrink enough to compress all.

    Parameters
    ----------
    payload : ndarray or bytes
        What is to be written.

    Returns
    -------
    bool
        Words and counts shrink; coefficients as a rule do not.
    """
    part = _parts(payload)[-1]
    last = max(len(part) - _SAMPLE, 0)
    sample = b"".join(bytes(part[at : at + _SAMPLE]) for at in sorted({0, last // 2, last}))
    return len(zlib.compress(sample, 1)) < _WORTH * len(sample)


def read_bytes(file: IO[bytes], name: str, receipt: Receipt) -> bytes:
    """Read a member whole and check it.

    Parameters
    ----------
    file : file object
        The opened member.
    name : str
        For messages.
    receipt : dict
        What :func:`write_payload` returned.

    Returns
    -------
    bytes
        The content.
    """
    content = file.read(int(receipt["size"]) + 1)
    _check(name, receipt, len(content), hashlib.sha256(content))
    return content


def read_array(file: IO[bytes], name: str, receipt: Receipt, account: Account) -> NDArray[Any]:
    """Read an array into new memory and check it.

    Parameters
    ----------
    file : file object
        The opened member.
    name : str
        For messages.
    receipt : dict
        What :func:`write_payload` returned.
    account : Account
        Where its bytes are counted.

    Returns
    -------
    ndarray
        Of the type, shape and order that was saved.
    """
    hashed = _HashedReader(file)
    if npy.read_magic(hashed) != (1, 0):
        raise ModelFileError(f"{name} is not an array of the kind that quire writes")
    shape, fortran, dtype = npy.read_array_header_1_0(hashed)
    if dtype.hasobject:
        raise ModelFileError(f"{name} is an array of Python objects, which could hold code")
    checked_shape(list(shape))
    account.take(checked_size(shape, dtype, account.limit))
    size = math.prod(shape) * dtype.itemsize
    if not dtype.itemsize or hashed.size + size != receipt["size"]:
        raise ModelFileError(f"{name} has {receipt['size']} bytes, and its header says otherwise")
    array: NDArray[Any] = np.empty(shape[::-1] if fortran else shape, dtype=dtype)
    view, at = _raw(array).data, 0
    while at < size and (chunk := hashed.read(min(_CHUNK, size - at))):
        view[at : at + len(chunk)] = chunk
        at += len(chunk)
    hashed.read(1)  # nothing more; zipfile compares its own checksum at the end
    _check(name, receipt, hashed.size, hashed.digest)
    return checked_values(array.T if fortran else array)


class _HashedReader:
    """Reads from a file and keeps the digest of what was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()
        self.size = 0

    def read(self, size: int = -1, /) -> bytes:
        content = self._file.read(size)
        self.digest.update(content)
        self.size += len(content)
        return content


def _check(name: str, receipt: Receipt, size: int, digest: Any) -> None:
    if size != receipt["size"] or digest.hexdigest() != receipt["sha256"]:
        raise ModelFileError(f"{name} is damaged: it does not have the checksum it was saved with")
