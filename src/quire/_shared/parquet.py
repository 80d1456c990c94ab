"""What a Parquet file says of itself, checked before it is read.

polars takes memory by the numbers of values that a file names, and ends the process if there is not
so much. Here the description of the file and the headers of all its pages are looked at first: what
they say must fit together and lie inside the file. Texts and numbers are not looked at.
"""

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quire._shared.thrift import Fields, NotThriftError, Reader

__all__ = ["Contents", "DamagedParquetError", "check_parquet"]

_MARK = b"PAR1"
_AROUND = 12  # bytes of the marks and of the length of the description
_DEEPEST = 64  # columns inside columns
_REQUIRED, _REPEATED = 0, 2
_INT96, _FIXED = 3, 7
_DATA, _INDEX, _DICTIONARY, _DATA_V2 = range(4)
# Fixed numbers of bytes by physical type: boolean, int32, int64, int96, float, double.
_PLAIN, _OLD_DICTIONARY, _RLE, _BIT_PACKED, _DICTIONARY_INDEX = 0, 2, 3, 4, 8
_SIMPLE = {_PLAIN, _OLD_DICTIONARY, _RLE, _BIT_PACKED, _DICTIONARY_INDEX}
_N_ENCODINGS, _N_TYPES, _N_CODECS = 10, 8, 8


class DamagedParquetError(ValueError):
    """A file that is no Parquet file, or one that contradicts itself."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds, by what it says."""

    n_rows: int
    n_values: int  # of all columns
    n_bytes: int  # of all pages, decompressed
    is_simple: bool  # values are written plainly or by a dictionary, as nearly everybody does


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A column that holds values."""

    type: int
    is_repeated: bool


def check_parquet(source: Path | bytes) -> Contents:
    """Check a file, and say what it holds.

    Raises
    ------
    DamagedParquetError
        If it is no Parquet file, or a damaged one.
    """
    with _mapped(source) as data:
        try:
            return _checked(data)
        except NotThriftError as error:
            raise DamagedParquetError(str(error)) from None


@contextmanager
def _mapped(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
    elif not source.stat().st_size:
        yield b""
    else:
        with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as map:
            yield map  # type: ignore[misc]  # what is asked of it, bytes have as well


def _checked(data: bytes) -> Contents:
    size = len(data)
    if size < _AROUND or data[:4] != _MARK or data[-4:] != _MARK:
        raise DamagedParquetError("it does not begin and end as one")
    length = int.from_bytes(data[-8:-4], "little")
    start = size - 8 - length
    _demand(start >= len(_MARK), "its description is longer than it is")
    description = Reader(data, start, size - 8).struct()
    leaves = _leaves(_structs(description, 2))
    n_rows = _number(description, 3)
    n_values = n_bytes = found = 0
    is_simple = True
    for group in _structs(description, 4):
        columns, rows = _structs(group, 1), _number(group, 3)
        _demand(len(columns) == len(leaves), "a part of it has other columns than it has")
        found += rows
        for column, leaf in zip(columns, leaves, strict=True):
            _demand(1 not in column, "a column lies in another file")
            chunk = _Chunk(data, _struct(column, 3), leaf, rows, start)
            n_bytes += chunk.check_pages()
            n_values += chunk.n_values
            is_simple = is_simple and chunk.is_simple
    _demand(found == n_rows, "its parts have more or fewer rows than it has")
    return Contents(n_rows, n_values, n_bytes, is_simple)


class _Chunk:
    """A column of a group of rows: a run of pages."""

    def __init__(self, data: bytes, meta: Fields, leaf: _Leaf, n_rows: int, end: int) -> None:
        self.data, self.leaf, self.n_rows = data, leaf, n_rows
        self.n_values = _number(meta, 5)
        self.is_simple = True
        _demand(_number(meta, 1) == leaf.type, "a column has another type than it is said to have")
        _demand(_number(meta, 4) < _N_CODECS, "a column is compressed in a way that there is not")
        for encoding in _list(meta, 2):
            self._note_encoding(encoding)
        if leaf.is_repeated:
            _demand(self.n_values >= n_rows, "a column has fewer values than rows")
        else:
            _demand(self.n_values == n_rows, "a column has more or fewer values than rows")
        self.start = _number(meta, 9)
        dictionary = _number(meta, 11) if 11 in meta else 0
        if dictionary:
            self.start = min(self.start, dictionary)
        self.end = self.start + _number(meta, 7)
        inside = self.start >= len(_MARK) and self.end <= end
        _demand(inside or not self.n_values, "a column lies outside of it")

    def _note_encoding(self, encoding: object) -> None:
        known = isinstance(encoding, int) and 0 <= encoding < _N_ENCODINGS
        _demand(known, "values are written in a way that there is not")
        self.is_simple = self.is_simple and encoding in _SIMPLE

    def check_pages(self) -> int:
        """Go over the headers of the pages; return how many bytes they have decompressed."""
        place, n_values, n_rows, n_bytes = self.start, 0, 0, 0
        is_first, counts_rows = True, True
        while n_values < self.n_values:
            reader = Reader(self.data, place, self.end)
            header = reader.struct()
            kind, size = _number(header, 1), _number(header, 2)
            stored = _number(header, 3)
            place = reader.place + stored
            _demand(place <= self.end, "a page lies outside of its column")
            n_bytes += size
            if kind == _DICTIONARY:
                _demand(is_first, "a dictionary stands behind what it is for")
                self._check_dictionary(_struct(header, 7), size)
            elif kind in (_DATA, _DATA_V2):
                page = _struct(header, 5 if kind == _DATA else 8)
                n_values += _number(page, 1)
                self._note_encoding(page.get(2 if kind == _DATA else 4))
                if kind == _DATA_V2:
                    n_rows += _number(page, 3)
                    _demand(_number(page, 2) <= _number(page, 1), "a page has too many gaps")
                    levels = _number(page, 5) + _number(page, 6)
                    _demand(levels <= min(size, stored), "a page has too many levels")
                else:
                    counts_rows = False
                    for field in (3, 4):
                        self._note_encoding(page.get(field))
            else:
                _demand(kind == _INDEX, "a page is of a kind that there is not")
            is_first = False
        _demand(n_values == self.n_values, "a column has more values than it is said to have")
        if counts_rows and self.n_values:
            _demand(n_rows == self.n_rows, "a column has more or fewer rows than it should")
        return n_bytes

    def _check_dictionary(self, page: Fields, size: int) -> None:
        """Refuse a dictionary with more values than there is room for: each takes a bit or more."""
        _demand(_number(page, 1) <= 8 * size, "a dictionary has more values than room for them")
        self._note_encoding(page.get(2))


def _leaves(elements: list[Fields]) -> list[_Leaf]:
    """Return the columns with values, in the order in which they are stored."""
    _demand(bool(elements), "it has no columns")
    leaves: list[_Leaf] = []
    # Elements still to come at each level, and whether what holds them is repeated.
    open_levels = [(_number(elements[0], 5) if 5 in elements[0] else 0, False)]
    for element in elements[1:]:
        while open_levels and open_levels[-1][0] == 0:
            open_levels.pop()
        _demand(0 < len(open_levels) <= _DEEPEST, "its columns do not fit into each other")
        left, is_repeated = open_levels[-1]
        open_levels[-1] = left - 1, is_repeated
        repetition = _number(element, 3)
        _demand(repetition <= _REPEATED, "a column is there in a way that there is not")
        _demand(isinstance(element.get(4), bytes), "a column has no name")
        is_repeated = is_repeated or repetition == _REPEATED
        n_children = _number(element, 5) if 5 in element else 0
        if n_children:
            open_levels.append((n_children, is_repeated))
        else:
            leaves.append(_leaf(element, is_repeated))
    _demand(not any(left for left, _ in open_levels), "its columns do not fit into each other")
    return leaves


def _leaf(element: Fields, is_repeated: bool) -> _Leaf:
    kind = _number(element, 1)
    _demand(kind < _N_TYPES, "a column has a type that there is not")
    if kind == _FIXED:
        _demand(0 < _number(element, 2) < 2**24, "a column has values of no length")
    return _Leaf(kind, is_repeated)


def _demand(holds: bool, what: str) -> None:
    if not holds:
        raise DamagedParquetError(what)


def _number(fields: Fields, number: int) -> int:
    """Return a field that is a number from 0."""
    value = fields.get(number)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DamagedParquetError("a number is missing, or below 0")
    return value


def _struct(fields: Fields, number: int) -> Fields:
    value = fields.get(number)
    if not isinstance(value, dict):
        raise DamagedParquetError("a part of its description is missing")
    return value


def _list(fields: Fields, number: int) -> list[object]:
    value = fields.get(number)
    if not isinstance(value, list):
        raise DamagedParquetError("a part of its description is missing")
    return value


def _structs(fields: Fields, number: int) -> list[Fields]:
    found = _list(fields, number)
    return [one for one in found if isinstance(one, dict)]
