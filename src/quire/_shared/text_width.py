"""How wide a text is when it is drawn, without a font: for boxes, and for lines that are cut.

Which font a page gets is known to the reader's machine alone. Widths here are those of Helvetica,
made wider so that they hold for the usual sans-serif fonts.
"""

from __future__ import annotations

import unicodedata

__all__ = ["shortened", "text_width", "wrapped"]

# Thousandths of the size, of the characters from space to tilde.
_ASCII = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_WIDER = 1.17  # the widest of the usual fonts, beside Helvetica
_BOLD = 1.14
_OTHER, _WIDE = 600, 1000


def text_width(text: str, size: float = 12.0, *, bold: bool = False) -> float:
    """Return how wide a line is at most, in the unit of `size`.

    Parameters
    ----------
    text : str
        One line.
    size : float, default=12.0
        The size of the letters.
    bold : bool, default=False
        Whether they are bold.

    Examples
    --------
    >>> text_width("ill") < text_width("mmm")
    True
    >>> round(text_width("三"), 1)
    14.0
    """
    total = sum(_width_of(character) for character in text)
    return total / 1000.0 * size * _WIDER * (_BOLD if bold else 1.0)


def _width_of(character: str) -> int:
    code = ord(character)
    if 32 <= code < 127:
        return _ASCII[code - 32]
    if unicodedata.combining(character):
        return 0
    return _WIDE if unicodedata.east_asian_width(character) in "WF" else _OTHER


def shortened(text: str, width: float, size: float = 12.0, *, bold: bool = False) -> str:
    """Return a line that is no wider than it may be; what is left out becomes three dots.

    Examples
    --------
    >>> shortened("a line that is long", 60.0)
    'a line th…'
    """
    each = size / 1000.0 * _WIDER * (_BOLD if bold else 1.0)
    room = width - text_width("…", size, bold=bold)
    end, total = 0, 0.0
    for position, character in enumerate(text, start=1):
        total += _width_of(character) * each
        if total <= room:
            end = position
        if total > width:
            return text[:end].rstrip() + "…"
    return text


def wrapped(
    text: str, width: float, n_lines: int, size: float = 12.0, *, bold: bool = False
) -> list[str]:
    """Return a text in lines that are no wider than they may be; the last may be shortened.

    Lines end between words, and inside of a word only where it is wider than a line.

    Parameters
    ----------
    text : str
        What to write.
    width : float
        Of a line.
    n_lines : int
        How many there may be.
    size : float, default=12.0
        The size of the letters.
    bold : bool, default=False
        Whether they are bold.

    Examples
    --------
    >>> wrapped("one two three four", 70.0, 2)
    ['one two', 'three four']
    >>> wrapped("one two three four five", 70.0, 2)
    ['one two', 'three four…']
    """
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest:
        if len(lines) == n_lines - 1:
            lines.append(shortened(rest, width, size, bold=bold))
            break
        end = len(shortened(rest, width, size, bold=bold).removesuffix("…"))
        if end < len(rest) and not rest[end].isspace():
            between = rest.rfind(" ", 0, end + 1)
            end = between if between > 0 else max(end, 1)
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return lines or [""]
