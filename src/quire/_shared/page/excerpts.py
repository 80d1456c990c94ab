"""Parts of long documents on a page: the one with the words that matter, and these marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quire._shared.excerpts import Excerpt, excerpt
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count

__all__ = ["EvidenceTerm", "Piece", "Span", "marked_part", "quotation", "quoted"]

Span = tuple[int, int, float]  # start, end and weight of a stretch of text

_LONGEST = 600  # characters that are shown


@dataclass(frozen=True)
class EvidenceTerm:
    """A term and how much it speaks for a class.

    Attributes
    ----------
    term : str
        The term.
    weight : float
        What one occurrence adds.
    documents : int or None
        Documents that have it, where they were counted.
    share : float or None
        Share of these that are of the class.
    contribution : float or None
        What it adds over the documents: its weight times its use.
    """

    term: str
    weight: float
    documents: int | None = None
    share: float | None = None
    contribution: float | None = None


@dataclass(frozen=True)
class Piece:
    """A stretch of text and its weight.

    From -1, for the truth or a smaller number, to 1, for the prediction or a larger number.
    """

    text: str
    weight: float = 0.0


def marked_part(
    text: str,
    spans: list[Span],
    *,
    largest: float = 1.0,
    faint: float = 0.0,
    longest: int = _LONGEST,
) -> tuple[list[Piece], int, int]:
    """Return the part of a text with the most marked words, cut at these.

    Parameters
    ----------
    text : str
        The whole text.
    spans : list of (start, end, weight)
        Places of marked words, in order.
    largest : float, default=1.0
        The weight of the strongest mark, of which the others are parts.
    faint : float, default=0.0
        Weights below this part of it are not marked.
    longest : int, default=600
        Characters to show.

    Returns
    -------
    pieces : list of Piece
        The part.
    before, after : int
        Characters that are left out.
    """
    part: Excerpt = excerpt(text, spans, longest)
    shares = [(piece, round(weight / largest, 3)) for piece, weight in part.pieces]
    pieces = [Piece(piece, share if share >= faint else 0.0) for piece, share in shares]
    return pieces, part.before, part.after


def quoted(
    pieces: list[Piece], before: int, after: int, *, steps: tuple[float, float] = (0.6, 0.85)
) -> Html:
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

    def marked(piece: Piece) -> Html:
        if not piece.weight:
            return html("{}", piece.text)
        strength = 1 + sum(piece.weight >= step for step in steps)
        return html('<mark class="for{}">{}</mark>', strength, piece.text)

    return quotation(pieces, marked, before, after)


def quotation(
    pieces: list[Piece], marked: Callable[[Piece], Html], before: int, after: int
) -> Html:
    """Return a part of a document as a quotation that says what is left out.

    Parameters
    ----------
    pieces : list of Piece
        The part.
    marked : callable
        From a piece to what is shown of it.
    before, after : int
        Characters that are left out.
    """
    more = NOTHING
    if after:
        more = html(' <span class="soft">… and {} more characters</span>', count(after))
    return html(
        '<blockquote dir="auto">{}{}{}</blockquote>',
        html('<span class="soft">… </span>') if before else NOTHING,
        join(map(marked, pieces)) or html('<em class="soft">empty text</em>'),
        more,
    )
