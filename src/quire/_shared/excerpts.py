"""The part of a text that is worth showing: its start, or stretches with and without a weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.locate import locate

__all__ = ["Excerpt", "cut", "excerpt", "term_spans", "word_spans"]

Span = tuple[int, int, float]

_SEARCHED = 30_000  # characters in which the part to show is looked for
_LEAD = 40  # characters before the first stretch
_WORD = 20  # most of them that are given up to begin or end with a whole word


@dataclass(frozen=True)
class Excerpt:
    """A part of a text.

    Attributes
    ----------
    pieces : list of (str, float)
        Its stretches in order; the weight of those between is 0.
    before, after : int
        Characters of the text that are left out.
    """

    pieces: list[tuple[str, float]]
    before: int
    after: int


def term_spans(vectorizer: Any, text: str, weights: Mapping[str, float]) -> list[Span]:
    """Return where terms stand in a text, word by word, with the largest weight of each word.

    Parameters
    ----------
    vectorizer : object
        What cut the text into terms.
    text : str
        The text; its first 30,000 characters are looked at.
    weights : mapping from str to float
        Terms and their weights, positive.

    Returns
    -------
    list of (start, end, weight)
        In order; empty if a vectorizer leaves no positions.

    Examples
    --------
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> term_spans(TfidfVectorizer(), "Rain, then sun.", {"rain": 0.5})
    [(0, 4, 0.5)]
    """
    columns = {term: number for number, term in enumerate(weights)}
    if not columns:
        return []
    values = np.fromiter(weights.values(), dtype=np.float64)
    spans = word_spans(vectorizer, text, columns, values.__getitem__)
    return [span for span in spans if span[2] > 0]


def word_spans(
    vectorizer: Any,
    text: str,
    columns: dict[str, int],
    weigh: Callable[[NDArray[np.intp]], NDArray[np.float64]],
) -> list[Span]:
    """Return the words of a text, with the largest weight of the terms that cover each.

    Parameters
    ----------
    vectorizer : object
        What cut the text into terms.
    text : str
        The text; its first 30,000 characters are looked at.
    columns : dict from str to int
        The terms and their numbers.
    weigh : callable
        From the numbers of the terms that were found, one for each place, to their weights.

    Returns
    -------
    list of (start, end, weight)
        In order; empty if there is none of the terms, or a vectorizer leaves no positions.
    """
    try:
        located = locate(vectorizer, text[:_SEARCHED], columns)
    except (AttributeError, TypeError, ValueError):  # a vectorizer that is not one of text
        return []
    if located is None or not len(located.column):
        return []
    scores = np.zeros(len(located.word_start))
    np.maximum.at(scores, located.covered, weigh(located.column)[located.covering])
    return list(
        zip(located.word_start.tolist(), located.word_end.tolist(), scores.tolist(), strict=True)
    )


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


def excerpt(text: str, spans: list[Span], longest: int) -> Excerpt:
    """Cut out the part of a text with the heaviest spans.

    Parameters
    ----------
    text : str
        The text.
    spans : list of (start, end, weight)
        Stretches that matter, in order.
    longest : int
        Characters to show.

    Examples
    --------
    >>> excerpt("Rain, then sun.", [(0, 4, 0.5)], 100).pieces
    [('Rain', 0.5), (', then sun.', 0.0)]
    """
    start, end = _at_blanks(text, *_window(spans, len(text), longest))
    pieces, place = [], start
    for first, last, score in spans:
        if first < place or last > end:
            continue
        if first > place:
            pieces.append((text[place:first], 0.0))
        pieces.append((text[first:last], score))
        place = last
    if place < end:
        pieces.append((text[place:end], 0.0))
    return Excerpt(pieces, start, len(text) - end)


def _at_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """Move the ends of a part inward to where words begin and end, if one is near."""
    if start:
        blank = next(
            (i for i in range(start - 1, min(start + _WORD, end)) if text[i].isspace()), -1
        )
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = next((i for i in range(end, max(end - _WORD, start), -1) if text[i].isspace()), -1)
        end = blank if blank >= 0 else end
    return start, end


def _window(spans: list[Span], length: int, longest: int) -> tuple[int, int]:
    if length <= longest:
        return 0, length
    if not spans:
        return 0, longest
    starts = np.array([start for start, _, _ in spans])
    sums = np.concatenate([[0.0], np.cumsum([score for _, _, score in spans])])
    ends = np.searchsorted(starts, starts + longest - min(60, longest // 2))
    best = int(np.argmax(sums[ends] - sums[: len(starts)]))
    start = max(int(starts[best]) - min(_LEAD, longest // 4), 0)
    start = 0 if start < longest // 3 else start
    return start, min(start + longest, length)
