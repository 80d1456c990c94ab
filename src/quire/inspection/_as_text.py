"""An explanation as lines of text, and as plain objects for JSON."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from quire._shared.terminal import visible

if TYPE_CHECKING:
    from quire._shared.evidence import TermEvidence
    from quire.inspection._explanation import Explanation, Passage

__all__ = [
    "headline",
    "largest_score",
    "runs",
    "sides",
    "table",
    "term_label",
    "to_dict",
]


def term_label(term: TermEvidence) -> str:
    """Return a term with its value, on one line.

    Parameters
    ----------
    term : TermEvidence
        A term, or the number of a column.
    """
    name = f"column {term.term}" if isinstance(term.term, int) else _with_blanks(str(term.term))
    if not term.is_count:
        label = f"{name} = {term.value:{'.3g' if abs(term.value) < 1 else 'g'}}"
    elif term.value == 0:
        label = f"{name} (absent)"
    else:
        label = name if term.value == 1 else f"{name} x {term.value:g}"
    return visible(label).replace("\n", " ").replace("\t", " ")


def _with_blanks(term: str) -> str:
    """Show the blanks at the ends of an n-gram of characters."""
    inner = term.strip(" ")
    if len(inner) == len(term):
        return term
    before = len(term) - len(term.lstrip(" "))
    return "␣" * before + inner + "␣" * (len(term) - before - len(inner))


def headline(explanation: Explanation) -> str:
    """Return what a positive score speaks for, with the probability if there is one.

    Parameters
    ----------
    explanation : Explanation
        Of any kind.
    """
    said = visible(explanation.headline)
    known = explanation.probabilities
    if known is None or explanation.target not in known:
        return said
    return f"{said} (probability {known[explanation.target]:.4g})"


def table(explanation: Explanation, n_terms: int | None) -> str:
    """Return the most telling terms as lines of text.

    Parameters
    ----------
    explanation : Explanation
        What to show.
    n_terms : int or None
        How many terms.
    """
    terms, n_rest, rest = explanation.shown(n_terms)
    lines = [f"{explanation.score:+10.4f}  {headline(explanation)}"]
    lines.append(f"{explanation.offset:+10.4f}  before anything is read")
    lines += [f"{term.contribution:+10.4f}  {term_label(term)}" for term in terms]
    if n_rest:
        lines.append(
            f"{rest:+10.4f}  {n_rest} other {explanation.part_noun}{'s' if n_rest > 1 else ''}"
        )
    lines += explanation.notes
    return "\n".join(lines)


def runs(passage: Passage, max_chars: int | None = None) -> list[tuple[str, float | None]]:
    """Cut a text into words with their scores and what is between them.

    Parameters
    ----------
    passage : Passage
        A text with its words.
    max_chars : int, default=None
        If the text is longer, the part of it whose words say most, of about this length, with dots
        where something was left out.

    Returns
    -------
    list of (str, float or None)
        Joined, they are the text; ``None`` where nothing is known.
    """
    first, last = _window(passage, max_chars)
    edges: list[int] = [first]
    scores: list[float | None] = []
    for word in passage.words:
        if word.start < first or word.end > last:
            continue
        start, end = max(word.start, edges[-1]), max(word.end, edges[-1])
        if not word.is_known or end == start:
            continue
        if start > edges[-1]:
            edges.append(start)
            scores.append(None)
        edges.append(end)
        scores.append(word.score)
    if edges[-1] < last:
        edges.append(last)
        scores.append(None)
    pieces = [
        (passage.text[start:end], score)
        for (start, end), score in zip(pairwise(edges), scores, strict=True)
    ]
    before: list[tuple[str, float | None]] = [("… ", None)] if first > 0 else []
    after: list[tuple[str, float | None]] = [(" …", None)] if last < len(passage.text) else []
    return before + pieces + after


def _window(passage: Passage, max_chars: int | None) -> tuple[int, int]:
    """Return the ends of the part of a text whose words have the largest scores in sum."""
    n = len(passage.text)
    if max_chars is None or n <= max_chars:
        return 0, n
    words = passage.words
    best, chosen, total, tail = -1.0, (0, max_chars), 0.0, 0
    sizes = [abs(word.score) if math.isfinite(word.score) else 1e3 for word in words]
    for head, word in enumerate(words):
        total += sizes[head]
        while tail < head and (sizes[tail] == 0 or word.end - words[tail].start > max_chars):
            total -= sizes[tail]
            tail += 1
        if total > best + 1e-9:
            best, chosen = total, (words[tail].start, word.end)
    start, end = chosen
    room = max(max_chars - (end - start), 0)  # context, first before and then behind
    start = max(start - room // 2, 0)
    end = min(max(end, start + max_chars), n)
    while 0 < start and not passage.text[start - 1].isspace() and start < chosen[0]:
        start += 1
    while end < n and not passage.text[end].isspace() and end > chosen[1]:
        end -= 1
    return start, end


def sides(explanation: Explanation) -> tuple[str, str]:
    """Return what the words of either colour say.

    Parameters
    ----------
    explanation : Explanation
        Of any kind.
    """
    if explanation.against is None:
        if explanation.target not in (explanation.probabilities or {}):
            return "higher", "lower"
        target = visible(str(explanation.target))  # the share of one class
        return f"for {target}", f"against {target}"
    return f"for {visible(str(explanation.target))}", f"for {visible(str(explanation.against))}"


def largest_score(explanation: Explanation) -> float:
    """Return the largest finite score of a word, of either sign; 1 if there is none.

    Parameters
    ----------
    explanation : Explanation
        Its words are those of all its texts.
    """
    sizes = [abs(word.score) for passage in explanation.passages for word in passage.words]
    return max((size for size in sizes if math.isfinite(size)), default=0.0) or 1.0


def to_dict(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as plain objects.

    Parameters
    ----------
    explanation : Explanation
        What to return.
    """
    known = explanation.probabilities
    return {
        "prediction": _plain(explanation.prediction),
        "target": _plain(explanation.target),
        "against": _plain(explanation.against),
        "headline": explanation.headline,
        "score": _plain(explanation.score),
        "offset": _plain(explanation.offset),
        "probabilities": None
        if known is None
        else [{"label": _plain(label), "probability": p} for label, p in known.items()],
        "terms": [
            {
                "term": _plain(term.term),
                "value": _plain(term.value),
                "contribution": _plain(term.contribution),
            }
            for term in explanation.strongest(explanation.n_terms)
        ],
        "n_words": explanation.n_words,
        "n_unknown": explanation.n_unknown,
        "texts": [_passage(passage) for passage in explanation.passages],
        "notes": list(explanation.notes),
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "field": _plain(passage.field),
        "text": passage.text,
        "is_located": passage.is_located,
        "spans": [
            {
                "start": span.start,
                "end": span.end,
                "term": _plain(span.term),
                "contribution": _plain(span.contribution),
            }
            for span in passage.spans
        ],
        "words": [
            {"start": word.start, "end": word.end, "score": _plain(word.score)}
            for word in passage.words
            if word.is_known
        ],
    }


def _plain(value: Any) -> Any:
    """Return what JSON has: numbers that it lacks, and other objects, as strings."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
