"""Why a model prefers one class to another for a document, and the part of its text that says so.

A model whose decisions are not sums over terms cannot say why, and plain text is then shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.page.excerpts import EvidenceTerm, Piece, Span, marked_part
from quire._shared.page.html import Html, html
from quire.inspection import explain

__all__ = ["Reasons", "excerpt_of", "marks_of", "reasons_for", "rows_of"]

_TOGETHER = 256  # documents that are explained at a time
_FAINT = 0.1  # of the heaviest word: below it nothing is marked


@dataclass(frozen=True)
class Reasons:
    """Why a model prefers one class to another for one document.

    Attributes
    ----------
    spans : list of (int, int, float)
        Start, end and contribution of stretches of the text, in order and not overlapping.
    terms : list of EvidenceTerm
        Terms and contributions, from the largest, of either sign, down.
    """

    spans: list[Span]
    terms: list[EvidenceTerm]


def reasons_for(
    model: Any,
    documents: Any,
    rows: Sequence[int],
    texts: Sequence[str],
    targets: Sequence[Any] | None,
    against: Sequence[Any] | None,
) -> list[Reasons | None]:
    """Return what the words of documents say for one class and against another.

    Parameters
    ----------
    model : object or None
        A fitted pipeline or text model.
    documents : sequence or table
        All documents as the model takes them.
    rows : sequence of int
        Which of them.
    texts : sequence of str
        The texts of these.
    targets, against : sequence, default=None
        For each of these documents two classes of the model; ``None`` where numbers are predicted,
        or for the class with the next highest score.

    Returns
    -------
    list of Reasons or None
        ``None`` where the model cannot say.
    """
    found: list[Reasons | None] = [None] * len(rows)
    if model is None:
        return found
    full = [number for number, text in enumerate(texts) if text]  # a missing text has no words
    for start in range(0, len(full), _TOGETHER):
        part = full[start : start + _TOGETHER]
        asked: dict[str, Any] = {
            name: [classes[number] for number in part]
            for name, classes in (("target", targets), ("against", against))
            if classes is not None
        }
        try:
            explained = _explained(model, rows_of(documents, [rows[k] for k in part]), asked)
        except TypeError:  # the decisions of such a model are no sums
            return found
        for place, number in enumerate(part):
            found[number] = _reasons(explained, place, texts[number])
    return found


def _explained(model: Any, documents: Any, asked: dict[str, Any]) -> Any:
    """Return explanations of documents together, or one by one where one of them has none."""
    try:
        return explain(model, documents, **asked)
    except ValueError:  # a class that the model does not know, or does not compare with another
        return _OneByOne(model, documents, asked)


class _OneByOne:
    """Explanations of documents, each of which may fail by itself."""

    def __init__(self, model: Any, documents: Any, asked: dict[str, Any]) -> None:
        self.model = model
        self.documents = documents
        self.asked = asked

    def __getitem__(self, number: int) -> Any:
        pair = {name: classes[number : number + 1] for name, classes in self.asked.items()}
        return explain(self.model, rows_of(self.documents, [number]), **pair)[0]


def _reasons(explained: Any, number: int, text: str) -> Reasons | None:
    try:
        explanation = explained[number]
    except (TypeError, ValueError):  # classes that are not compared directly
        return None
    terms = [EvidenceTerm(str(t.term), float(t.contribution)) for t in explanation.terms]
    spans: list[Span] = []
    for passage in explanation.passages:
        place = text.find(passage.text)  # the texts of a table are shown as one
        if place >= 0:
            spans += [(place + w.start, place + w.end, float(w.score)) for w in passage.words]
    return Reasons(_disjoint(spans), [term for term in terms if term.weight != 0])


def _disjoint(spans: list[Span]) -> list[Span]:
    """Put spans in order; where they overlap, keep the heavier one."""
    apart: list[Span] = []
    for span in sorted(spans):
        if apart and span[0] < apart[-1][1]:
            if abs(span[2]) > abs(apart[-1][2]):
                apart[-1] = span
        else:
            apart.append(span)
    return apart


def rows_of(documents: Any, rows: list[int]) -> Any:
    """Return some documents in the form that a pipeline was fitted on.

    Parameters
    ----------
    documents : sequence or table
        All of them.
    rows : list of int
        Which ones.
    """
    if hasattr(documents, "iloc"):
        return documents.iloc[rows]
    if isinstance(documents, pl.Series | pl.DataFrame | np.ndarray):
        return documents[rows]
    return [documents[row] for row in rows]


def excerpt_of(text: str, why: Reasons | None, longest: int) -> tuple[list[Piece], int, int]:
    """Return the part of a text whose words say most, cut at these, and what is left out.

    Parameters
    ----------
    text : str
        The text.
    why : Reasons or None
        What its words say.
    longest : int
        Characters to show.

    Returns
    -------
    pieces : list of Piece
        Weights are relative to the heaviest word of the document.
    before, after : int
        Characters that are left out.
    """
    spans = [] if why is None else [span for span in why.spans if np.isfinite(span[2]) and span[2]]
    heaviest = max((abs(weight) for _, _, weight in spans), default=1.0)
    sizes = [(start, end, abs(weight)) for start, end, weight in spans]
    pieces, before, after = marked_part(text, sizes, largest=heaviest, longest=longest)
    sign = {(start, end): np.sign(weight) for start, end, weight in spans}
    signed: list[Piece] = []
    place = before
    for piece in pieces:
        end = place + len(piece.text)
        weight = round(float(piece.weight * sign.get((place, end), 0.0)), 2)
        weight = 0.0 if abs(weight) < _FAINT else weight
        if signed and weight == signed[-1].weight == 0:  # a page holds many: what is plain is one
            signed[-1] = Piece(signed[-1].text + piece.text)
        else:
            signed.append(Piece(piece.text, weight))
        place = end
    return signed, before, after


def marks_of(sides: tuple[str, str]) -> Any:
    """Return a function from a piece of a text to its HTML, marked by what it speaks for.

    Parameters
    ----------
    sides : (str, str)
        What a positive weight speaks for, and a negative one.
    """

    def marked(piece: Piece) -> Html:
        size = abs(piece.weight)
        if size < _FAINT:
            return html("{}", piece.text)
        step = 1 if size < 0.33 else 2 if size < 0.66 else 3
        kind, side = ("for", sides[0]) if piece.weight > 0 else ("against", sides[1])
        return html(
            '<mark class="{}{}" title="speaks for {}">{}</mark>', kind, step, side, piece.text
        )

    return marked
