"""What people see: the one place through which everything that is shown passes.

Labels, texts, names and messages come from files, and a terminal obeys what they hold: colours, a
new title, what is copied and pasted, lines written over others. Here such characters become visible
marks, on a terminal and in what is piped alike. What is written for programs is not changed.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "console",
    "escaped_json",
    "formatted",
    "is_terminal",
    "marked_streams",
    "output_for_programs",
    "visible",
    "width",
]

_TURNING = "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides and isolates: they reorder a line
_OBEYED = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029{_TURNING}]|\r(?!\n)")
_BREAKS = re.compile(r"\r\n|[\t\n\r]")
_NOT_IN_JSON = re.compile(rf"[\x7f-\x9f\u2028\u2029{_TURNING}]")
_PICTURES = 0x2400  # of the characters 0 to 31, in their order
_DELETE, _PICTURE_OF_DELETE = "\x7f", "\u2421"


def visible(text: str, *, one_line: bool = False) -> str:
    r"""Return a text with marks where a terminal would obey and not show.

    Parameters
    ----------
    text : str
        From anywhere.
    one_line : bool, default=False
        Whether tabs and line breaks become marks as well.

    Examples
    --------
    >>> visible("\x1b[31mred\x07")
    '␛[31mred␇'
    >>> visible("two\nlines", one_line=True)
    'two␊lines'
    >>> print(visible("\x9b1m and \u202e"))
    \x9b1m and \u202e
    """
    if text.isprintable():
        return text
    text = _OBEYED.sub(_mark, text)
    return _BREAKS.sub(_mark, text) if one_line else text


def _mark(match: re.Match[str]) -> str:
    return "".join(map(_mark_of, match[0]))


def _mark_of(character: str) -> str:
    if character < " ":
        return chr(_PICTURES + ord(character))
    if character == _DELETE:
        return _PICTURE_OF_DELETE
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def escaped_json(document: str) -> str:
    r"""Return a JSON document, of the same meaning, without a character that a terminal obeys.

    Examples
    --------
    >>> print(escaped_json('["\x9b1m"]'))
    ["\u009b1m"]
    """
    return _NOT_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", document)


class _Marked(io.TextIOBase):
    """A stream of text that shows marks; what is under it is not handed out."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:
        self._stream.write(visible(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return bool(self._stream.isatty())

    def fileno(self) -> int:
        return int(self._stream.fileno())

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return getattr(self._stream, "errors", None)

    @property
    def rich_proxied_file(self) -> Any:
        """What consoles of rich write to: they make control characters of their own."""
        return self._stream


def _unmarked(stream: Any) -> Any:
    while (under := getattr(stream, "rich_proxied_file", None)) is not None:
        stream = under
    return stream


@contextmanager
def marked_streams() -> Iterator[None]:
    """Let standard output and standard error show marks while the block runs."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, _Marked(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def is_terminal(*, stderr: bool = False) -> bool:
    """Return whether somebody looks at standard output, or at standard error, as rich sees it."""
    # Where nobody says otherwise, a pipe or a file is none, and rich need not be imported to know.
    stream = _unmarked(sys.stderr if stderr else sys.stdout)
    isatty = getattr(stream, "isatty", None)
    if isatty is not None and not os.environ.keys() & {"FORCE_COLOR", "TTY_COMPATIBLE"}:
        with suppress(ValueError):  # it is closed; rich knows what to say of that
            if not isatty():
                return False
    return bool(console(stderr=stderr).is_terminal)


class _ForPrograms(io.RawIOBase):
    """Bytes for a stream of text: shown with marks on a terminal, as they are elsewhere."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        text = bytes(data).decode("utf-8", errors="backslashreplace")
        self._stream.write(visible(text) if self._stream.isatty() else text)
        return len(data)

    def flush(self) -> None:
        self._stream.flush()


def output_for_programs() -> Any:
    """Return standard output for bytes of UTF-8 that are data: exact, but for a terminal."""
    stream = _unmarked(sys.stdout)
    buffer = getattr(stream, "buffer", None)
    return _ForPrograms(stream) if buffer is None or stream.isatty() else buffer


def console(*, stderr: bool = False, **options: Any) -> Console:
    """Return a console of rich to which all text is data: no markup, and marks for controls.

    Parameters
    ----------
    stderr : bool, default=False
        Whether it writes to standard error.
    **options
        Of rich's console.
    """
    from quire._shared.console import DataConsole

    file = _unmarked(sys.stderr if stderr else sys.stdout)
    return DataConsole(file=file, highlight=False, markup=False, emoji=False, **options)


def formatted(part: Any, *, columns: int) -> list[str]:
    """Return the lines of a table or a text without colours, as wide as they need to be.

    Parameters
    ----------
    part : rich.console.RenderableType
        What is to be shown.
    columns : int
        How wide a line may be.
    """
    plain = console(width=columns, color_system=None)
    with plain.capture() as captured:
        plain.print(part)
    return [line.rstrip() for line in captured.get().split("\n")[:-1]]


def width(*, stderr: bool = False) -> int:
    """Return how many columns the terminal has."""
    return console(stderr=stderr).width
