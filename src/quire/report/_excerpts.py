"""Parts of long documents on a page: the one with the words that matter, and these marked."""

from __future__ import annotations

from quire.inspection._excerpts import excerpt
from quire.report._data import Piece
from quire.report._html import count, esc

__all__ = ["cut", "marked_part", "quoted"]

_LONGEST = 600  # characters that are shown


def cut(text: str, n: int) -> str:
    """Return the start of a text in one line, cut at a word where one ends nearby.

    Parameters
    ----------
    text : str
        Any text.
    n : int
        Characters at most.

    Examples
    --------
    >>> cut("The cat   sat on the mat", 15)
    'The cat sat on…'
    """
    line = " ".join(text[: 4 * n].split())
    if len(line) <= n and len(text) <= 4 * n:
        return line
    short = line[: n - 1]
    space = short.rfind(" ")
    if line[n - 1 : n].strip() and space > n // 2:
        short = short[:space]
    return short.rstrip() + "…"


def marked_part(text: str, spans: list[tuple[int, int, float]]) -> tuple[list[Piece], int, int]:
    """Return the part of a text with the most marked words, cut at these.

    Parameters
    ----------
    text : str
        The whole text.
    spans : list of (start, end, weight)
        Places of marked words, in order.

    Returns
    -------
    pieces : list of Piece
        The part.
    before, after : int
        Characters that are left out.
    """
    shown = excerpt(text, spans, _LONGEST)
    pieces = [Piece(part, round(weight, 3)) for part, weight in shown.pieces]
    return pieces, shown.before, shown.after


def quoted(
    pieces: list[Piece], before: int, after: int, *, steps: tuple[float, float] = (0.6, 0.85)
) -> str:
    """Return a part of a document as HTML, its marked words in three strengths.

    Parameters
    ----------
    pieces : list of Piece
        From :func:`marked_part`, with weights from 0 to 1.
    before, after : int
        Characters that are left out.
    steps : (float, float), default=(0.6, 0.85)
        Weights from which on a mark is stronger.
    """
    text = "".join(_piece(piece, steps) for piece in pieces) or '<em class="soft">empty text</em>'
    first = '<span class="soft">… </span>' if before else ""
    last = f' <span class="soft">… and {count(after)} more characters</span>' if after else ""
    return f'<blockquote dir="auto">{first}{text}{last}</blockquote>'


def _piece(piece: Piece, steps: tuple[float, float]) -> str:
    if not piece.weight:
        return esc(piece.text)
    step = 1 + sum(piece.weight >= step for step in steps)
    return f'<mark class="for{step}">{esc(piece.text)}</mark>'
