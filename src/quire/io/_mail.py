"""Mail from mbox files and Maildir folders: headers and the readable text of the body.

Mail in the wild breaks its own rules, so nothing here raises on a single bad message: bytes that do
not fit the declared character set are replaced by U+FFFD and counted in a note.
"""

import io
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import polars as pl

from quire.exceptions import CorpusError
from quire.io._folders import natural_key
from quire.io._options import Notes

SCHEMA: dict[str, pl.DataType] = {
    "message_id": pl.String(),
    "date": pl.Datetime("us", "UTC"),
    "from": pl.String(),
    "to": pl.String(),
    "subject": pl.String(),
    "body": pl.String(),
}
TEXT_COLUMNS = ("subject", "body")
_BLOCK_BYTES = 1 << 22


def mail_frames(
    messages: Iterable[bytes], fallback: str, batch_size: int | None, notes: Notes
) -> Iterator[pl.DataFrame]:
    """Yield frames with one row a message; ``fallback`` is tried where no character set fits."""
    rows: list[tuple[object, ...]] = []
    size = n_replaced = 0
    for raw in messages:
        row, replaced = _row(raw, "utf-8" if fallback == "auto" else fallback)
        rows.append(row)
        size += len(raw)
        n_replaced += replaced
        if size > _BLOCK_BYTES or len(rows) == batch_size:
            yield pl.DataFrame(rows, schema=SCHEMA, orient="row")
            rows, size = [], 0
    if n_replaced:
        notes.add(
            f"bytes outside the declared character set were replaced by U+FFFD in {n_replaced:,} "
            "messages (pass encoding= to try another where none fits)"
        )
    if rows:
        yield pl.DataFrame(rows, schema=SCHEMA, orient="row")


def mbox_messages(stream: io.BufferedReader, name: str) -> Iterator[bytes]:
    """Split an mbox stream at its ``From `` lines.

    Raises
    ------
    CorpusError
        If the stream does not begin with such a line.
    """
    lines: list[bytes] = []
    started, after_blank = False, True
    for number, line in enumerate(stream, 1):
        if line.startswith(b"From ") and after_blank:
            if started:
                yield _message(lines)
            lines, started = [], True
        elif started:
            lines.append(line)
        elif line.strip():
            raise CorpusError(
                f"{name}, line {number:,}: an mbox file begins with a line 'From address date'; "
                f"found {line[:40]!r}. Pass format= if this is no mbox file."
            )
        after_blank = not line.strip()
    if started:
        yield _message(lines)


def maildir_messages(folder: Path) -> Iterator[bytes]:
    """Yield the messages of a Maildir (``cur`` and ``new``) in natural order of their names.

    Raises
    ------
    CorpusError
        If there are none.
    """
    found = [
        path
        for part in ("cur", "new")
        if (folder / part).is_dir()
        for path in (folder / part).iterdir()
        if path.is_file() and not path.name.startswith(".")
    ]
    if not found:
        raise CorpusError(f"{folder}: expected a Maildir with messages in cur or new; found none.")
    for path in sorted(found, key=lambda path: natural_key(path.name)):
        yield path.read_bytes()


def html_to_text(html: str) -> str:
    r"""Give the text that a reader of the page would see, one line per block.

    Examples
    --------
    >>> html_to_text("<style>p {}</style><p>Fish &amp; <b>chips</b></p><p>Tea</p>")
    'Fish & chips\nTea'
    """
    parser = _TextParser()
    try:
        parser.feed(html)
        parser.close()
    except AssertionError:  # html.parser gives up on declarations that it does not know
        parser.parts = [unescape(re.sub(r"<[^>]*>", "\n", html))]
    lines = (
        re.sub(r"[ \t\r\f\v]+", " ", line).strip() for line in "".join(parser.parts).split("\n")
    )
    return re.sub(r"\n{2,}", "\n", "\n".join(lines)).strip("\n")


class _TextParser(HTMLParser):
    """Collects text; a block element ends the line; scripts, styles and the head are left out."""

    BLOCKS = frozenset(
        "address article blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 "
        "header hr li main nav ol p pre section table td th tr ul".split()
    )
    HIDDEN = frozenset(("script", "style", "title", "template"))

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in self.HIDDEN
        if tag in self.BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        if tag in self.BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data.replace("\n", " "))


def _message(lines: list[bytes]) -> bytes:
    """Join the lines of a message, less the blank line that the format puts after it."""
    return b"".join(lines if lines and lines[-1].strip() else lines[:-1])


def _row(raw: bytes, fallback: str) -> tuple[tuple[object, ...], bool]:
    message = message_from_bytes(raw)
    headers = {name: _header(message, name, fallback) for name in ("message-id", "from", "to")}
    subject = _header(message, "subject", fallback)
    body = _body(message, fallback)
    row = (*headers.values(), subject, body)
    replaced = any("\ufffd" in (value or "") for value in row) and "\ufffd".encode() not in raw
    return (row[0], _date(message), *row[1:]), replaced


def _header(message: "Message[str, str]", name: str, fallback: str) -> str | None:
    """Decode a header and unfold it; None if the message has none."""
    value = message.get(name)
    if value is None:
        return None
    try:
        text = "".join(
            _decoded(
                piece.encode("ascii", "surrogateescape") if isinstance(piece, str) else piece,
                charset,
                fallback,
            )
            for piece, charset in decode_header(value)
        )
    except (MessageError, ValueError, AttributeError):  # broken base64 and the like
        text = str(value).encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"\r?\n[ \t]+", " ", text)


def _date(message: "Message[str, str]") -> datetime | None:
    try:
        date = parsedate_to_datetime(str(message["date"]))
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _body(part: "Message[str, str]", fallback: str) -> str:
    """Give the readable text of a message part: plain text where there is a choice."""
    if part.is_multipart():
        parts = [piece for piece in part.get_payload() if isinstance(piece, Message)]
        if part.get_content_type() == "multipart/alternative":
            parts.sort(key=lambda piece: piece.get_content_type() != "text/plain")
            return next((body for piece in parts if (body := _body(piece, fallback))), "")
        bodies = [_body(piece, fallback) for piece in parts]
        return "\n".join(body for body in bodies if body)
    kind = part.get_content_type()
    if part.get_content_disposition() == "attachment" or kind not in ("text/plain", "text/html"):
        return ""
    payload = part.get_payload(decode=True)
    text = _decoded(payload if isinstance(payload, bytes) else b"", _charset(part), fallback)
    return html_to_text(text) if kind == "text/html" else text


def _charset(part: "Message[str, str]") -> str | None:
    try:
        return part.get_content_charset()
    except (ValueError, LookupError, UnicodeError):
        return None


def _decoded(data: bytes, charset: str | None, fallback: str) -> str:
    for name in (charset, "utf-8", fallback):
        try:
            if name is not None:
                text = data.decode(name)
                text.encode("utf-8")  # UTF-7 can hold half of a surrogate pair
                return text
        except (ValueError, LookupError):
            continue
    return data.decode("utf-8", errors="replace")
