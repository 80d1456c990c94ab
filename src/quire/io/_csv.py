"""Delimited text: CSV and TSV, streamed in blocks of whole records.

polars parses the records. Before that a scan with NumPy finds where records end (a line break in
quotes is text), counts the fields of each and checks the quotes, so that a malformed line is
reported by its number instead of being repaired by guesswork. All columns come out as strings; an
empty field is null and a quoted empty field (``""``) is an empty string.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

import numpy as np
import polars as pl

from quire.exceptions import CorpusError
from quire.io._encoding import Utf8Blocks
from quire.io._limits import Limits, too_long
from quire.io._options import Notes, Options, listing
from quire.io._types import FAILURES

_NEWLINE, _RETURN = ord("\n"), ord("\r")
_ALTERNATIVES = ",;\t|"

_Positions: TypeAlias = np.ndarray[tuple[int], np.dtype[np.intp]]
_Buffer: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint8]]


def csv_frames(
    blocks: Utf8Blocks, options: Options, delimiter: str, name: str, notes: Notes
) -> Iterator[pl.DataFrame]:
    """Yield frames of string columns from blocks of UTF-8; ``delimiter`` is the format's own."""
    pending, line, n_rows = b"", 1, 0
    scanner: _Scanner | None = None
    while not blocks.at_end:
        pending = blocks.read(pending)
        if blocks.at_end and pending and not pending.endswith(b"\n"):
            pending += b"\n"
        if not pending:
            continue
        if scanner is None:
            scanner = _make_scanner(pending, options, delimiter, name, notes)
        scan = scanner.scan(pending, line, final=blocks.at_end)
        scanner.check_size(scan)
        if scan.end:
            frame = scanner.parse(scan)
            if frame is not None:
                n_rows += frame.height
                yield frame
            line += scan.n_lines
            pending = pending[scan.end :]
    if scanner is not None and scanner.columns is not None and not n_rows:
        yield pl.DataFrame(schema=dict.fromkeys(scanner.columns, pl.String))


@dataclass(frozen=True, slots=True)
class _Scan:
    """Where the whole records of a piece of text lie."""

    data: bytes
    line: int  # number of its first line
    ends: _Positions  # the line break that ends each record
    separators: _Positions  # the delimiters outside quotes
    n_lines: int

    @property
    def end(self) -> int:
        return int(self.ends[-1]) + 1 if len(self.ends) else 0


@dataclass(slots=True)
class _Scanner:
    """The dialect of one file and, once the first record is read, its columns."""

    delimiter: str
    quotechar: str | None
    columns: list[str] | None  # None until the first record is read
    name: str
    limits: Limits
    has_header: bool = True

    def scan(self, data: bytes, line: int, final: bool) -> _Scan:
        """Find the whole records at the start of ``data`` and check their quotes."""
        buffer = np.frombuffer(data, dtype=np.uint8)
        newlines = np.flatnonzero(buffer == _NEWLINE)
        separators = np.flatnonzero(buffer == ord(self.delimiter))
        ends = newlines
        if self.quotechar is not None and self.quotechar.encode() in data:
            quotes = np.flatnonzero(buffer == ord(self.quotechar))
            self._check_quotes(buffer, quotes, newlines, separators, line, final)
            ends = newlines[np.searchsorted(quotes, newlines) % 2 == 0]
            separators = separators[np.searchsorted(quotes, separators) % 2 == 0]
        n_lines = int(np.searchsorted(newlines, ends[-1])) + 1 if len(ends) else 0
        return _Scan(data, line, ends, separators, n_lines)

    def check_size(self, scan: _Scan) -> None:
        """Refuse a record that is longer, or has more fields, than records do."""
        limits, line = self.limits, scan.line + scan.n_lines
        ends = np.append(scan.ends, len(scan.data) - 1)
        if len(scan.data) > limits.record and np.diff(ends, prepend=-1).max() > limits.record:
            which = int(np.diff(ends, prepend=-1).argmax())
            start = int(ends[which - 1]) if which else 0
            line = scan.line + scan.data.count(b"\n", 0, start + 1)
            hint = " Most likely a quote is never closed." if self._is_open(scan) else ""
            what = "this record"
            raise CorpusError(too_long(f"{self.name}, line {line:,}", what, limits, hint))
        most = limits.columns if self.columns is None else max(limits.columns, len(self.columns))
        after = len(scan.separators) - int(np.searchsorted(scan.separators, scan.end))
        if scan.end < len(scan.data) and after >= most:
            self._fail(line, _too_many(f"more than {most:,} fields", most))

    def _is_open(self, scan: _Scan) -> bool:
        quote = self.quotechar
        return quote is not None and quote.encode() in scan.data[scan.end : scan.end + 2**16]

    def parse(self, scan: _Scan) -> pl.DataFrame | None:
        """Check the number of fields of each record and parse the records; blank lines are skipped.

        The first record that is not blank becomes the header unless the columns are known.
        """
        buffer = np.frombuffer(scan.data, dtype=np.uint8)
        starts = np.concatenate([[0], scan.ends[:-1] + 1])
        lengths = scan.ends - starts
        blank = (lengths == 0) | ((lengths == 1) & (buffer[starts] == _RETURN))
        first = 0
        if self.columns is None:
            content = np.flatnonzero(~blank)
            if not len(content):
                return None
            first = int(content[0]) + 1
            header = scan.data[starts[first - 1] : scan.ends[first - 1]].decode("utf-8")
            self.columns = self._parse_header(header.removesuffix("\r"))
            if not self.has_header:
                first -= 1
        n_fields = np.diff(np.searchsorted(scan.separators, scan.ends), prepend=0) + 1
        wrong = np.flatnonzero((n_fields != len(self.columns)) & ~blank)
        wrong = wrong[wrong >= first]
        if len(wrong):
            found = int(n_fields[wrong[0]])
            self._fail(
                scan.line + scan.data[: starts[wrong[0]]].count(b"\n"),
                f"{found} field{'s' * (found != 1)} where {len(self.columns)} "
                f"({listing(self.columns)}) were expected. A field that holds "
                f"{self.delimiter!r} or a line break must stand in quotes",
            )
        n_rows = len(blank) - first - int(blank[first:].sum())
        if not n_rows:
            return None
        body = scan.data[starts[first] : scan.end]
        if blank[first:].any():
            keep = np.repeat(~blank[first:], lengths[first:] + 1)
            body = np.frombuffer(body, dtype=np.uint8)[keep].tobytes()
        try:
            frame = pl.read_csv(
                body,
                has_header=False,
                schema=dict.fromkeys(self.columns, pl.String),
                separator=self.delimiter,
                quote_char=self.quotechar,
            )
        except FAILURES as error:
            self._fail(scan.line, f"a record from there on cannot be read ({error})")
        if frame.height != n_rows:
            raise RuntimeError(
                f"{self.name}: {n_rows} records from line {scan.line} on were parsed as "
                f"{frame.height} rows. This is a bug in quire: please report it with the file."
            )
        return frame

    def _parse_header(self, header: str) -> list[str]:
        if self.quotechar is None:
            columns = header.split(self.delimiter)
        else:
            columns = self._split_quoted(header)
        if len(columns) > self.limits.columns:
            message = _too_many(f"the header names {len(columns):,} columns", self.limits.columns)
            raise CorpusError(f"{self.name}: {message}.")
        if not self.has_header:
            return [str(number) for number in range(1, len(columns) + 1)]
        repeated = sorted(column for column, count in Counter(columns).items() if count > 1)
        if repeated:
            raise CorpusError(
                f"{self.name}: the header names a column more than once ({listing(repeated)}). "
                "Rename it, or pass header=False if the file has no header."
            )
        return columns

    def _split_quoted(self, header: str) -> list[str]:
        try:
            return next(csv.reader([header], delimiter=self.delimiter, quotechar=self.quotechar))
        except csv.Error as error:
            raise CorpusError(
                f"{self.name}: the header cannot be read ({error}). Expected column names in the "
                "first line, and lines that end with a line feed."
            ) from None

    def _check_quotes(
        self,
        buffer: _Buffer,
        quotes: _Positions,
        newlines: _Positions,
        separators: _Positions,
        line: int,
        final: bool,
    ) -> None:
        """Refuse quotes that leave in doubt where a field ends.

        Quotes are taken in pairs. A pair that follows another at once continues it (``""`` is an
        escaped quote); such a run either begins a field, and then the field must end with it, or
        it lies inside a field that has no quotes around it, and then it must hold no delimiter
        and no line break.
        """
        opens, closes = quotes[::2], quotes[1::2]
        unclosed = len(opens) > len(closes)
        if unclosed:
            closes = np.append(closes, len(buffer))
        padded = np.append(buffer, np.array([_NEWLINE, _NEWLINE, _NEWLINE], dtype=np.uint8))
        begins = np.append(True, opens[1:] != closes[:-1] + 1)
        run = np.cumsum(begins) - 1
        before = padded[opens - 1]  # padded[-1], the text's own start, counts as a line break
        delimiter = ord(self.delimiter)
        enclosing = ((before == _NEWLINE) | (before == delimiter))[begins][run]

        after = padded[closes + 1]
        ends_field = (after == _NEWLINE) | (after == delimiter)
        ends_field |= (after == _RETURN) & (padded[closes + 2] == _NEWLINE)
        trailing = enclosing & np.append(begins[1:], True) & ~ends_field
        wrong = trailing
        if not enclosing.all():
            for breaks in (newlines, separators):
                holds_break = np.searchsorted(breaks, opens) < np.searchsorted(breaks, closes)
                wrong = wrong | (~enclosing & holds_break)
        quote = self.quotechar
        remedy = (
            f"Inside a quoted field write a quote twice ({quote}{quote}); if {quote} does not "
            "enclose fields in this file, pass quotechar=None"
        )
        if wrong.any():
            i = int(wrong.argmax())
            at = int(closes[i] if trailing[i] else opens[i])
            number = line + int(np.searchsorted(newlines, at))
            if trailing[i]:
                self._fail(number, f"text follows the {quote} that closes a field. {remedy}")
            self._fail(number, f"a {quote} stands inside a field that has none around it. {remedy}")
        if unclosed and final:
            number = line + int(np.searchsorted(newlines, opens[-1]))
            self._fail(number, f"the field opened by {quote} here is never closed. {remedy}")

    def _fail(self, line: int, message: str) -> NoReturn:
        raise CorpusError(f"{self.name}, line {line:,}: {message}.")


def _too_many(what: str, most: int) -> str:
    return (
        f"{what}; at most {most:,} are read. If so many are meant, pass limits='columns={2 * most}'"
    )


def _make_scanner(
    start: bytes, options: Options, delimiter: str, name: str, notes: Notes
) -> _Scanner:
    """Settle the dialect, from the first line where the caller left it open."""
    columns = None if options.names is None else list(options.names)
    if options.delimiter is not None:
        delimiter = options.delimiter
    else:
        line = start.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8")
        others = [other for other in _ALTERNATIVES if other in line]
        if delimiter not in line and len(others) == 1 and columns is None:
            delimiter = others[0]
            notes.add(f"fields are separated by {delimiter!r} (pass delimiter= if this is wrong)")
    has_header = options.header and columns is None
    return _Scanner(delimiter, options.quotechar, columns, name, options.limits, has_header)
