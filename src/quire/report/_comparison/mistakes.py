"""Mistakes: the documents that the best model got wrong, the most confident errors first.

A model whose decisions are not sums over terms cannot say why, and plain text is then shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from quire._shared.page.excerpts import EvidenceTerm, Piece, Span, quotation
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count
from quire._shared.page.sections import Section, paragraph, section
from quire._shared.typing import Floats, Ints
from quire.inspection import explain
from quire.model_selection import Comparison, Trial
from quire.report._comparison.labels import SetOutcomes
from quire.report._comparison.outcomes import Outcomes

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["HELD_OUT", "Mistake", "count_mistakes", "mistakes_of", "mistakes_section"]

_LONGEST = 700  # characters of a document that are shown
_TERMS = 8
HELD_OUT = (
    "Wrong while held out; the highlighted words are those of the model that was fitted on all "
    "documents."
)


@dataclass(frozen=True)
class Mistake:
    """A document that the best model got wrong while it was held out.

    Of several labels, those that it missed and those that it added are named, and `terms` are about
    the first added one, or else the first missed.
    """

    row: int
    truth: str
    predicted: str
    confidence: float | None
    pieces: list[Piece]
    cut: int
    terms: list[EvidenceTerm]
    missing: list[str] = field(default_factory=list)
    superfluous: list[str] = field(default_factory=list)


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


def count_mistakes(outcomes: Outcomes) -> int:
    """Return how many predicted classes are wrong; 0 where numbers are predicted."""
    if not outcomes.labels:
        return 0
    return int((outcomes.codes != outcomes.predicted)[outcomes.known].sum())


def mistakes_of(
    comparison: Comparison,
    trial: Trial,
    outcomes: Outcomes,
    texts: Any,
    column: pl.Series,
    model: Any,
    n_mistakes: int,
) -> list[Mistake]:
    """Return the most confident errors, or the largest ones of numbers; each text once.

    Parameters
    ----------
    comparison : Comparison
        Its classes.
    trial : Trial
        The best model.
    outcomes : Outcomes
        What it predicted.
    texts : sequence or table
        The documents as given.
    column : polars.Series
        The documents as strings.
    model : object or None
        A fitted model that can say why.
    n_mistakes : int
        How many.
    """
    wrong, sizes = _wrong(trial, outcomes)
    order = wrong[np.argsort(-sizes, kind="stable")]
    mistakes: list[Mistake] = []
    seen = set()
    for row in order.tolist():
        if len(mistakes) >= n_mistakes:
            break
        text = column[row] or ""
        if text in seen:
            continue
        seen.add(text)
        if isinstance(outcomes, SetOutcomes):
            mistakes.append(_mistake_of_sets(comparison, outcomes, texts, text, model, row))
            continue
        why = _why(comparison, outcomes, texts, text, model, row)
        mistakes.append(_mistake(trial, outcomes, text, row, why))
    return mistakes


def _wrong(trial: Trial, outcomes: Outcomes) -> tuple[Ints, Floats]:
    if not outcomes.labels:
        rows = np.flatnonzero(outcomes.known)
        return rows, np.abs(outcomes.numbers[rows] - outcomes.predicted_numbers[rows])
    rows = np.flatnonzero(outcomes.known & (outcomes.codes != outcomes.predicted))
    if isinstance(outcomes, SetOutcomes):  # by how many labels
        right = outcomes.true[rows].multiply(outcomes.guessed[rows])
        n_right = np.asarray(right.sum(axis=1), dtype=np.float64).ravel()
        sizes = [np.diff(Y[rows].indptr) for Y in (outcomes.true, outcomes.guessed)]
        return rows, sizes[0] + sizes[1] - 2 * n_right
    if trial.probabilities is None:
        return rows, np.zeros(len(rows))
    return rows, np.asarray(trial.probabilities)[rows, outcomes.predicted[rows]]


def _why(
    comparison: Comparison, outcomes: Outcomes, texts: Any, text: str, model: Any, row: int
) -> Reasons | None:
    if model is None:
        return None
    document = _rows_of(texts, [row])
    if comparison.classes is None:
        return _reasons(model, document, text, None, None)
    guess = comparison.classes[outcomes.predicted[row]]
    truth = comparison.classes[outcomes.codes[row]]
    return _reasons(model, document, text, guess, truth)


def _mistake(trial: Trial, outcomes: Outcomes, text: str, row: int, why: Reasons | None) -> Mistake:
    confidence = None
    if outcomes.labels:
        truth = outcomes.labels[outcomes.codes[row]]
        predicted = outcomes.labels[outcomes.predicted[row]]
        if trial.probabilities is not None:
            confidence = float(trial.probabilities[row, outcomes.predicted[row]])
    else:
        truth = f"{outcomes.numbers[row]:.4g}"
        predicted = f"{outcomes.predicted_numbers[row]:.4g}"
    return Mistake(
        row=row,
        truth=truth,
        predicted=predicted,
        confidence=confidence,
        pieces=_pieces(text[:_LONGEST], why),
        cut=max(len(text) - _LONGEST, 0),
        terms=[] if why is None else why.terms[:_TERMS],
    )


def _mistake_of_sets(
    comparison: Comparison, outcomes: SetOutcomes, texts: Any, text: str, model: Any, row: int
) -> Mistake:
    """Return a document some of whose labels are wrong."""
    assert comparison.classes is not None
    true, guessed = (outcomes.labels_at(Y, row) for Y in (outcomes.true, outcomes.guessed))
    missing = [k for k in true if k not in guessed]
    superfluous = [k for k in guessed if k not in true]
    why = None
    if model is not None:
        about = comparison.classes[[*superfluous, *missing][0]]
        why = _reasons(model, _rows_of(texts, [row]), text, about, None)
    names = outcomes.labels
    return Mistake(
        row=row,
        truth=", ".join(names[k] for k in true) or "none",
        predicted=", ".join(names[k] for k in guessed) or "none",
        confidence=None,
        pieces=_pieces(text[:_LONGEST], why),
        cut=max(len(text) - _LONGEST, 0),
        terms=[] if why is None else why.terms[:_TERMS],
        missing=[names[k] for k in missing],
        superfluous=[names[k] for k in superfluous],
    )


def _pieces(text: str, why: Reasons | None) -> list[Piece]:
    """Cut a text at its spans; weights are relative to the heaviest span that is shown."""
    spans = [] if why is None else [span for span in why.spans if span[1] <= len(text)]
    heaviest = max((abs(weight) for _, _, weight in spans), default=0.0)
    pieces, place = [], 0
    for start, end, weight in spans:
        if not heaviest or not weight:
            continue
        if start > place:
            pieces.append(Piece(text[place:start]))
        pieces.append(Piece(text[start:end], float(weight / heaviest)))
        place = end
    if place < len(text):
        pieces.append(Piece(text[place:]))
    return pieces


def _rows_of(texts: Any, rows: list[int]) -> Any:
    """Return some documents in the form that a pipeline was fitted on."""
    if hasattr(texts, "iloc"):
        return texts.iloc[rows]
    if isinstance(texts, pl.Series | pl.DataFrame | np.ndarray):
        return texts[rows]
    return [texts[row] for row in rows]


def _reasons(model: Any, document: Any, text: str, target: Any, against: Any) -> Reasons | None:
    """Return what the words of a document say for one class and against another.

    Parameters
    ----------
    model : object
        A fitted pipeline or text model.
    document : list, Series or DataFrame
        The document as the model takes it: one row.
    text : str
        Its text.
    target, against : object
        Two classes of the model; ``None`` where numbers are predicted.

    Returns
    -------
    Reasons or None
        ``None`` if the model cannot say.
    """
    pair = {} if target is None else {"target": target, "against": against}
    try:
        explanation = explain(model, document, **pair)[0]
    except (TypeError, ValueError):  # no sum of parts, or classes that are not compared directly
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


def mistakes_section(report: ReportData) -> Section:
    """Return the most confident mistakes, with the words that led to them."""
    has_classes = bool(report.class_scores)
    has_sets = report.together is not None
    is_sure = any(one.confidence is not None for one in report.mistakes)
    title = "Largest errors"
    if has_classes:
        title = "Most confident mistakes" if is_sure else "Mistakes"
    if has_sets:
        title = "Documents with the most wrong labels"
    if not report.mistakes:
        none = NOTHING
        if has_classes and not report.mistakes_total:
            none = paragraph("No held-out document was predicted wrongly.")
        return section("mistakes", title, none)
    about = ""
    if has_classes:
        about = f"{count(report.mistakes_total)} held-out documents were predicted wrongly. "
        if has_sets:
            about = (
                f"Not all labels of {count(report.mistakes_total)} held-out documents are right. "
            )
        elif not is_sure:
            about += f"{report.best} gives no probabilities, so that these are the first ones. "
    key = NOTHING
    sides = ("the prediction", "the truth") if has_classes else ("a larger number", "a smaller one")
    if has_sets:  # of the first label that is named as superfluous, or else as missing
        sides = ("the label that is named first", "not having it")
    if any(piece.weight for one in report.mistakes for piece in one.pieces):
        about += report.mistakes_note
        key = html(
            '<p class="key"><mark class="for3">solid underline</mark> speaks for {}, '
            '<mark class="against3">dotted underline</mark> for {}.</p>',
            *sides,
        )
    intro = paragraph(about) if about else NOTHING
    items = join(html("<li>{}</li>", _shown(one, sides)) for one in report.mistakes)
    return section("mistakes", title, intro, key, html('<ol class="mistakes">{}</ol>', items))


def _shown(one: Mistake, sides: tuple[str, str]) -> Html:
    sure = NOTHING
    if one.confidence is not None:
        sure = html(' <span class="n">{:.1%} sure</span>', one.confidence)
    head = html(
        '<p class="verdict">Predicted <strong dir="auto">{one.predicted}</strong>{sure}, is '
        '<strong dir="auto">{one.truth}</strong> <span class="soft">row {one.row:,}</span></p>',
        one=one,
        sure=sure,
    )

    for what, labels in (("Superfluous", one.superfluous), ("Missing", one.missing)):
        if labels:
            names = ", ".join(labels)
            head += html('<p class="verdict">{}: <strong dir="auto">{}</strong></p>', what, names)

    def marked(piece: Piece) -> Html:
        size = abs(piece.weight)
        if size < 0.1:
            return html("{}", piece.text)
        step = 1 if size < 0.33 else 2 if size < 0.66 else 3
        kind, side = ("for", sides[0]) if piece.weight > 0 else ("against", sides[1])
        return html(
            '<mark class="{}{}" title="speaks for {}">{}</mark>', kind, step, side, piece.text
        )

    words = ", ".join(f"{term.term} {term.weight:+.2f}" for term in one.terms)
    why = html('<p class="why" dir="auto">{}</p>', words) if words else NOTHING
    return head + quotation(one.pieces, marked, 0, one.cut) + why
