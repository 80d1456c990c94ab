"""Mistakes: the documents that the best model got wrong, the most confident errors first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.how_many import how_many
from quire._shared.page.excerpts import EvidenceTerm, Piece, quotation
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.sections import Section, paragraph, section
from quire._shared.typing import Floats, Ints
from quire.model_selection import Comparison, Trial
from quire.report._comparison.documents import Documents
from quire.report._comparison.labels import SetOutcomes
from quire.report._comparison.outcomes import Outcomes
from quire.report._comparison.picker import picker
from quire.report._comparison.reasons import Reasons, excerpt_of, marks_of, reasons_for

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["HELD_OUT", "Mistake", "count_mistakes", "mistakes_of", "mistakes_section"]

_LONGEST = 700  # characters of a document that are shown
_TERMS = 8
_OPEN = 10  # mistakes that are there to be read, before the others are asked for
HELD_OUT = (
    "Wrong while held out; the highlighted words are those of the model that was fitted on all "
    "documents."
)


@dataclass(frozen=True)
class Mistake:
    """A document that the best model got wrong while it was held out.

    Of several labels, those that it missed and those that it added are named, and `terms` are about
    the first added one, or else the first missed. `before` and `cut` characters of the text are
    left out before and after its pieces; `row` is the number of its row in the file.
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
    before: int = 0


def count_mistakes(outcomes: Outcomes) -> int:
    """Return how many predicted classes are wrong; 0 where numbers are predicted."""
    if not outcomes.labels:
        return 0
    return int((outcomes.codes != outcomes.predicted)[outcomes.known].sum())


def mistakes_of(
    comparison: Comparison,
    trial: Trial,
    outcomes: Outcomes,
    documents: Documents,
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
    documents : Documents
        What it was predicted of.
    model : object or None
        A fitted model that can say why.
    n_mistakes : int
        How many.
    """
    wrong, sizes = _wrong(trial, outcomes)
    chosen: dict[str, int] = {}
    for row in wrong[np.argsort(-sizes, kind="stable")].tolist():
        if len(chosen) >= n_mistakes:
            break
        chosen.setdefault(documents.text(row), row)
    rows, texts = list(chosen.values()), list(chosen)
    targets = against = None
    if comparison.classes is not None:
        if isinstance(outcomes, SetOutcomes):
            targets = [comparison.classes[_about(outcomes, row)] for row in rows]
        else:
            targets = [comparison.classes[outcomes.predicted[row]] for row in rows]
            against = [comparison.classes[outcomes.codes[row]] for row in rows]
    reasons = reasons_for(model, documents.given, rows, texts, targets, against)
    return [
        _mistake(trial, outcomes, text, row, documents.number(row), why)
        for row, text, why in zip(rows, texts, reasons, strict=True)
    ]


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


def _about(outcomes: SetOutcomes, row: int) -> int:
    """Return the label that the marks in a text are about: a wrong one."""
    missing, superfluous = _differences(outcomes, row)
    return [*superfluous, *missing][0]


def _differences(outcomes: SetOutcomes, row: int) -> tuple[list[int], list[int]]:
    """Return the labels that are missing from a prediction, and those that are superfluous."""
    true, guessed = (outcomes.labels_at(Y, row) for Y in (outcomes.true, outcomes.guessed))
    return [k for k in true if k not in guessed], [k for k in guessed if k not in true]


def _mistake(
    trial: Trial, outcomes: Outcomes, text: str, row: int, number: int, why: Reasons | None
) -> Mistake:
    pieces, before, cut = excerpt_of(text, why, _LONGEST)
    names = outcomes.labels
    missing: list[int] = []
    superfluous: list[int] = []
    confidence = None
    if isinstance(outcomes, SetOutcomes):
        true, guessed = (outcomes.labels_at(Y, row) for Y in (outcomes.true, outcomes.guessed))
        truth = ", ".join(names[k] for k in true) or "none"
        predicted = ", ".join(names[k] for k in guessed) or "none"
        missing, superfluous = _differences(outcomes, row)
    elif names:
        truth, predicted = names[outcomes.codes[row]], names[outcomes.predicted[row]]
        if trial.probabilities is not None:
            confidence = float(trial.probabilities[row, outcomes.predicted[row]])
    else:
        truth = f"{outcomes.numbers[row]:.4g}"
        predicted = f"{outcomes.predicted_numbers[row]:.4g}"
    return Mistake(
        row=number,
        truth=truth,
        predicted=predicted,
        confidence=confidence,
        pieces=pieces,
        cut=cut,
        terms=[] if why is None else why.terms[:_TERMS],
        missing=[names[k] for k in missing],
        superfluous=[names[k] for k in superfluous],
        before=before,
    )


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
        wrong = how_many(report.mistakes_total, "held-out document")
        about = f"{wrong} {'was' if report.mistakes_total == 1 else 'were'} predicted wrongly. "
        if has_sets:
            about = f"Not all labels of {wrong} are right. "
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
    items = [
        html('<li data-is="{}" data-or="{}">{}</li>', one.truth, one.predicted, _shown(one, sides))
        for one in report.mistakes
    ]
    listed = html('<ol class="mistakes">{}</ol>', join(items[:_OPEN]))
    if items[_OPEN:]:
        listed += html(
            '<details><summary>{} more</summary><ol class="mistakes" start="{}">{}</ol></details>',
            len(items) - _OPEN,
            _OPEN + 1,
            join(items[_OPEN:]),
        )
    choice = NOTHING
    if has_classes and not has_sets and len(report.mistakes) > _OPEN:
        known = {label for one in report.mistakes for label in (one.truth, one.predicted)}
        labels = [one.label for one in report.class_scores if one.label in known]
        if len(labels) > 2:
            choice = picker("mistakes-of", "True or predicted", labels, "#mistakes li[data-is]")
    return section("mistakes", title, intro, key, choice, listed)


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

    words = ", ".join(f"{term.term} {term.weight:+.2f}" for term in one.terms)
    why = html('<p class="why" dir="auto">{}</p>', words) if words else NOTHING
    return head + quotation(one.pieces, marks_of(sides), one.before, one.cut) + why
