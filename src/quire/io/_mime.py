"""One mail as the world has it: its headers decoded, and the text of its body.

The standard library reads the headers and decodes what a part holds. Parts are cut here, level by
level down to a fixed depth, and encoded words are found here in one walk, so that the time grows
with the length of the mail whatever it holds. Nothing here raises on a mail that breaks the rules.
"""

import re
from base64 import b64decode
from binascii import Error as BinasciiError
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from email.parser import BytesHeaderParser
from email.quoprimime import header_decode
from email.utils import parsedate_to_datetime

from quire.io._html import html_to_text

MOST_NESTED = 30  # parts inside parts: mail in use has fewer than ten levels
_LONGEST_PARAMETERS = 10_000  # characters of a header with parameters: past it, it is no such thing
_LONGEST_HEADERS = 2**20  # bytes: those behind are left out, for reading them takes long
_HEADERS = re.compile(rb"(?:(?:From |[!-9;-~]*:|[\t ])[^\r\n]*+(?:\r\n|\r|\n|\Z))*+")
_BREAK = re.compile(rb"\r\n|\r|\n|")
_AFTER_BOUNDARY = re.compile(rb"(--)?[ \t]*(\r\n|\r|\n|\Z)")
_WORD = re.compile(r"=\?([^?\s]{1,100})\?([qQbB])\?")
_FOLD = re.compile(r"\r?\n[ \t]+")
_SPACES = re.compile(r"[ \t]*\r?\n?[ \t]*")

_Message = Message


@dataclass(slots=True)
class Mail:
    """A mail, read."""

    raw: bytes
    fallback: str  # the encoding to try where none fits
    headers: "_Message[str, str]" = field(init=False)
    body: str = field(init=False)
    is_cut: bool = field(init=False, default=False)  # parts nested too deep were left out

    def __post_init__(self) -> None:
        self.headers, body = _headers_and_body(self.raw)
        self.body = self._text(self.headers, body, 0)

    def header(self, name: str) -> str | None:
        """Decode a header and unfold it; None if the mail has none."""
        for key, value in self.headers.raw_items():
            if key.lower() == name:
                return _FOLD.sub(" ", _decoded_header(str(value), self.fallback))
        return None

    def date(self) -> datetime | None:
        """Give the date in UTC; None if there is none, or it cannot be read."""
        try:
            date = parsedate_to_datetime(str(self.headers["date"]))
            return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
        except (ValueError, TypeError, OverflowError, IndexError):
            return None

    def _text(self, part: "_Message[str, str]", body: bytes, depth: int) -> str:
        """Give the readable text of a part: plain text where there is a choice."""
        kind = part.get_content_type()
        is_message = kind.startswith("message/") and kind != "message/delivery-status"
        if is_message or kind.startswith("multipart/"):
            if depth == MOST_NESTED:
                self.is_cut = True
                return ""
            if is_message:
                return self._text(*_headers_and_body(body), depth + 1)
            return self._multipart(part, kind, body, depth)
        if kind not in ("text/plain", "text/html") or _disposition(part) == "attachment":
            return ""
        part.set_payload(body.decode("ascii", "surrogateescape"))
        payload = part.get_payload(decode=True)
        text = decoded(
            payload if isinstance(payload, bytes) else b"", _charset(part), self.fallback
        )
        return html_to_text(text) if kind == "text/html" else text

    def _multipart(self, part: "_Message[str, str]", kind: str, body: bytes, depth: int) -> str:
        boundary = _boundary(part)
        if boundary is None:
            return ""
        default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
        parts = (_headers_and_body(piece, default) for piece in _pieces(body, boundary))
        if kind == "multipart/alternative":
            ordered = sorted(parts, key=lambda piece: piece[0].get_content_type() != "text/plain")
            texts = (self._text(*piece, depth + 1) for piece in ordered)
            return next((text for text in texts if text), "")
        texts = (self._text(*piece, depth + 1) for piece in parts)
        return "\n".join(text for text in texts if text)


def decoded(data: bytes, charset: str | None, fallback: str) -> str:
    """Decode with the first of ``charset``, UTF-8 and ``fallback`` that fits."""
    for name in (charset, "utf-8", fallback):
        try:
            if name is not None:
                text = data.decode(name)
                text.encode("utf-8")  # UTF-7 can hold half of a surrogate pair
                return text
        except (ValueError, LookupError):
            continue
    return data.decode("utf-8", errors="replace")


def _headers_and_body(
    raw: bytes, default: str = "text/plain"
) -> tuple["_Message[str, str]", bytes]:
    """Read the headers, and give the rest as it is."""
    match = _HEADERS.match(raw)
    end = match.end() if match is not None else 0
    headers = BytesHeaderParser().parsebytes(raw[: min(end, _LONGEST_HEADERS)])
    headers.set_default_type(default)
    for name in ("content-type", "content-disposition", "content-transfer-encoding"):
        if len(str(headers.get(name, ""))) > _LONGEST_PARAMETERS:
            del headers[name]
    blank = _BREAK.match(raw, end)  # a line among the headers that is none ends them as well
    return headers, raw[blank.end() if blank is not None else end :]


def _pieces(body: bytes, boundary: bytes) -> Iterator[bytes]:
    """Cut the body of a multipart at the lines of its boundary; what is around them is no part."""
    mark = b"--" + boundary
    start: int | None = None
    at = body.find(mark)
    while at >= 0:
        after = _AFTER_BOUNDARY.match(body, at + len(mark))
        if after is None or body[at - 1 : at] not in (b"", b"\n", b"\r"):
            at = body.find(mark, at + 1)
            continue
        if start is not None:
            yield body[start : _before_break(body, at)] if at > start else b""
        if after[1]:
            return
        start = after.end()
        at = body.find(mark, start)
    if start is not None:  # the last part is not closed
        end = len(body)
        yield body[start : _before_break(body, end) if body.endswith((b"\n", b"\r")) else end]


def _before_break(body: bytes, at: int) -> int:
    """Return where the line break before ``at`` begins: it belongs to the boundary."""
    return at - 2 if body[at - 2 : at] == b"\r\n" else at - 1


def _boundary(part: "_Message[str, str]") -> bytes | None:
    try:
        boundary = part.get_boundary()
        return None if boundary is None else boundary.encode("ascii", "surrogateescape")
    except (ValueError, LookupError, TypeError, AttributeError):  # parameters against all rules
        return None


def _charset(part: "_Message[str, str]") -> str | None:
    try:
        return part.get_content_charset()
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _disposition(part: "_Message[str, str]") -> str | None:
    try:
        return part.get_content_disposition()
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _decoded_header(value: str, fallback: str) -> str:
    """Decode the encoded words of a header; blanks between two of them are left out."""
    pieces: list[tuple[bytes, str | None]] = []
    place = 0
    while (word := _WORD.search(value, place)) is not None:
        end = value.find("?=", word.end())
        if end < 0:
            break  # nor will a later word end
        data = _word_bytes(word[2].lower(), value[word.end() : end])
        between = value[place : word.start()]
        if data is None:
            pieces.append((_as_bytes(value[place : end + 2]), None))
        else:
            if not (pieces and pieces[-1][1] is not None and _SPACES.fullmatch(between)):
                pieces.append((_as_bytes(between), None))
            charset = word[1].partition("*")[0].lower()  # a language may follow
            if pieces[-1][1] == charset:  # a character may be cut between two words
                pieces[-1] = (pieces[-1][0] + data, charset)
            else:
                pieces.append((data, charset))
        place = end + 2
    pieces.append((_as_bytes(value[place:]), None))
    return "".join(decoded(data, charset, fallback) for data, charset in pieces)


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _word_bytes(encoding: str, text: str) -> bytes | None:
    """Decode what an encoded word holds; None if that is damaged."""
    try:
        if encoding == "q":
            return header_decode(text).encode("latin-1")
        data = text.encode("ascii")
        return b64decode(data + b"=" * (-len(data) % 4))
    except (ValueError, BinasciiError):
        return None
