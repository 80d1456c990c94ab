"""The compact protocol of Thrift, in which Parquet files say what they hold: bytes to plain values.

Anything that is not sound raises `NotThriftError`. What is read is never longer than the bytes are.
"""

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Fields", "NotThriftError", "Reader"]

Fields: TypeAlias = dict[int, "object"]

_DEEPEST = 16  # values inside values: Parquet has some nine
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_RANGES = {4: 15, 5: 31, 6: 63}  # 16, 32 and 64 bits: numbers with a sign


class NotThriftError(ValueError):
    """Bytes that are no structure of Thrift."""


class Reader:
    """Reads values one after the other.

    Parameters
    ----------
    data : bytes or mmap
        Where they lie.
    place : int
        Where the first one begins.
    end : int
        Where nothing more may be read.
    """

    def __init__(self, data: bytes, place: int, end: int) -> None:
        self.data, self.place, self.end = data, place, end
        self._readers: dict[int, Callable[[int], object]] = {
            _BYTE: lambda depth: self._take(1)[0],
            _DOUBLE: lambda depth: self._take(8),
            _BINARY: lambda depth: self._take(self._varint()),
            _LIST: self._list,
            _SET: self._list,
            _MAP: self._map,
            _STRUCT: self.struct,
        }

    def struct(self, depth: int = 0) -> Fields:
        """Return the fields of a structure by their numbers."""
        fields: Fields = {}
        number = 0
        while head := self._byte():
            kind = head & 15
            number = number + (head >> 4) if head >> 4 else self._signed(4)
            if number in fields:
                raise NotThriftError("a field is there twice")
            if kind in (_TRUE, _FALSE):
                fields[number] = kind == _TRUE
            else:
                fields[number] = self._value(kind, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> object:
        if depth > _DEEPEST:
            raise NotThriftError("values lie too deep in each other")
        if kind in _RANGES:
            return self._signed(kind)
        reader = self._readers.get(kind)
        if reader is None:
            raise NotThriftError("a value has a type that there is not")
        return reader(depth)

    def _list(self, depth: int) -> list[object]:
        head = self._byte()
        kind, size = head & 15, head >> 4
        if size == 15:
            size = self._varint()
        if size > self.end - self.place:  # each takes a byte at least
            raise NotThriftError("a list is longer than the bytes are")
        if kind in (_TRUE, _FALSE):
            return [byte == _TRUE for byte in self._take(size)]
        return [self._value(kind, depth + 1) for _ in range(size)]

    def _map(self, depth: int) -> None:
        """Go past a map: nothing that matters is one."""
        size = self._varint()
        if size > self.end - self.place:
            raise NotThriftError("a map is longer than the bytes are")
        if size:
            kinds = self._byte()
            for _ in range(size):
                self._value(kinds >> 4, depth + 1)
                self._value(kinds & 15, depth + 1)

    def _byte(self) -> int:
        if self.place >= self.end:
            raise NotThriftError("it is cut short")
        self.place += 1
        return self.data[self.place - 1]

    def _take(self, size: int) -> bytes:
        if size > self.end - self.place:
            raise NotThriftError("it is cut short")
        self.place += size
        return self.data[self.place - size : self.place]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise NotThriftError("a number is too long")

    def _signed(self, kind: int) -> int:
        value = self._varint()
        if value >> (_RANGES[kind] + 1):
            raise NotThriftError("a number is too large for its type")
        return -(value >> 1) - 1 if value & 1 else value >> 1
