"""The cells of a confusion matrix: documents of each, and the words that led there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.page.excerpts import Piece, quotation
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count
from quire._shared.typing import Floats, Ints
from quire.model_selection import Comparison, Trial
from quire.report._comparison.documents import Documents
from quire.report._comparison.outcomes import Outcomes
from quire.report._comparison.reasons import excerpt_of, marks_of, reasons_for

if TYPE_CHECKING:
    from quire.report._comparison.classes import Confusion

__all__ = ["Cell", "CellDocument", "cell_name", "cells_html", "cells_note", "cells_of"]

_OF_WRONG, _OF_RIGHT = 6, 3  # documents of a cell
_OF_ALL = 200  # documents of all cells
_LONGEST = 320  # characters of a document that are shown
_TERMS = 5


@dataclass(frozen=True)
class CellDocument:
    """A document of a cell.

    Attributes
    ----------
    row : int
        The number of its row in the file.
    confidence : float or None
        The probability of the predicted class.
    pieces : list of Piece
        Its text, or the part of it whose words say most.
    before, after : int
        Characters that are left out.
    terms : list of (str, float)
        What says most for the predicted class and against the true one, and how much.
    """

    row: int
    confidence: float | None
    pieces: list[Piece]
    before: int
    after: int
    terms: list[tuple[str, float]]


@dataclass(frozen=True)
class Cell:
    """A cell of a confusion matrix: places of two classes among those that are shown.

    `documents` are the most confident of its `count`.
    """

    truth: int
    predicted: int
    count: int
    documents: list[CellDocument]


def cells_of(
    comparison: Comparison,
    trial: Trial,
    outcomes: Outcomes,
    documents: Documents,
    model: Any,
    shown: list[int],
) -> list[Cell]:
    """Return documents for each cell that has some, as many as a page can hold.

    Half of the room is for one document of each cell, those of most errors first. The rest goes to
    the same cells in the same order, as many as each may have.

    Parameters
    ----------
    comparison : Comparison
        Its classes.
    trial : Trial
        The best model.
    outcomes : Outcomes
        What it predicted.
    documents : Documents
        Of what.
    model : object or None
        A fitted model that can say why.
    shown : list of int
        The numbers of the classes that the matrix shows.
    """
    n = len(outcomes.labels)
    place = np.full(n, -1)
    place[shown] = np.arange(len(shown))
    rows = np.flatnonzero(outcomes.known)
    truth, predicted = place[outcomes.codes[rows]], place[outcomes.predicted[rows]]
    inside = (truth >= 0) & (predicted >= 0)
    rows, cell = rows[inside], (truth * len(shown) + predicted)[inside]
    sizes = np.bincount(cell, minlength=len(shown) ** 2)
    taken = _shares_of_room(sizes, len(shown))
    chosen = _most_confident(rows, cell, _confidence(trial, outcomes, rows), taken)
    every = [row for _, of_cell in chosen for row in of_cell]
    texts = [documents.text(row) for row in every]
    assert comparison.classes is not None
    targets = [comparison.classes[outcomes.predicted[row]] for row in every]
    against = [comparison.classes[outcomes.codes[row]] for row in every]
    reasons: list[Any] = [None] * len(every)
    for is_right in (False, True):  # of right ones, the class is compared with the next best
        some = [k for k, row in enumerate(every) if _is_right(outcomes, row) == is_right]
        found = reasons_for(
            model,
            documents.given,
            [every[k] for k in some],
            [texts[k] for k in some],
            [targets[k] for k in some],
            None if is_right else [against[k] for k in some],
        )
        for k, why in zip(some, found, strict=True):
            reasons[k] = why
    shares = None if trial.probabilities is None else np.asarray(trial.probabilities)
    cells, number = [], 0
    for code, of_cell in chosen:
        listed = []
        for row in of_cell:
            why = reasons[number]
            sure = None if shares is None else float(shares[row, outcomes.predicted[row]])
            excerpt = excerpt_of(texts[number], why, _LONGEST)
            strong = [] if why is None else [one for one in why.terms if one.weight > 0][:_TERMS]
            terms = [(one.term, round(one.weight, 4)) for one in strong]
            listed.append(CellDocument(documents.number(row), sure, *excerpt, terms))
            number += 1
        true, guessed = divmod(code, len(shown))
        cells.append(Cell(true, guessed, int(sizes[code]), listed))
    return cells


def _is_right(outcomes: Outcomes, row: int) -> bool:
    return bool(outcomes.codes[row] == outcomes.predicted[row])


def _confidence(trial: Trial, outcomes: Outcomes, rows: Ints) -> Floats:
    if trial.probabilities is None:
        return np.zeros(len(rows))
    shares: Floats = np.asarray(trial.probabilities)[rows, outcomes.predicted[rows]]
    return shares


def _shares_of_room(sizes: Ints, n: int) -> Ints:
    """Return how many documents of each cell are shown."""
    is_right = np.eye(n, dtype=bool).ravel()
    most = np.minimum(sizes, np.where(is_right, _OF_RIGHT, _OF_WRONG))
    order = np.lexsort((-sizes, is_right))
    order = order[most[order] > 0]
    taken = np.zeros(len(sizes), dtype=np.int64)
    taken[order[: _OF_ALL // 2]] = 1
    for cell in order:
        more = min(int(most[cell]) - int(taken[cell]), _OF_ALL - int(taken.sum()))
        if more <= 0 and taken.sum() >= _OF_ALL:
            break
        taken[cell] += more
    return taken


def _most_confident(
    rows: Ints, cell: Ints, confidence: Floats, taken: Ints
) -> list[tuple[int, list[int]]]:
    """Return for each cell that has documents to show those that the model is most sure of."""
    wanted = taken[cell] > 0
    rows, cell, confidence = rows[wanted], cell[wanted], confidence[wanted]
    order = np.lexsort((rows, -confidence, cell))
    rows, cell = rows[order], cell[order]
    codes, starts = np.unique(cell, return_index=True)
    return [
        (int(code), rows[start : start + taken[code]].tolist())
        for code, start in zip(codes, starts, strict=True)
    ]


def cell_name(cell: Cell) -> str:
    """Return the id of a cell's documents on the page."""
    return f"cell-{cell.truth}-{cell.predicted}"


def cells_note(confusion: Confusion) -> str:
    """Return how to see documents of a cell, and how many there are; nothing if there are none."""
    shown = sum(len(cell.documents) for cell in confusion.cells)
    if not shown:
        return ""
    is_sure = any(one.confidence is not None for cell in confusion.cells for one in cell.documents)
    first = "those that the model is most sure of" if is_sure else "the first ones"
    said = (
        f"Choose a cell to read documents of it: {first}, up to {_OF_WRONG} of each kind of error "
        f"and {_OF_RIGHT} that are right."
    )
    if shown == _OF_ALL:
        said += (
            f" The page holds {_OF_ALL} of them at most; a cell that is not underlined has none."
        )
    return said


def cells_html(confusion: Confusion) -> Html:
    """Return the documents of all cells; the page shows those of the one that is chosen."""
    cells = join(_cell(cell, confusion.labels) for cell in confusion.cells)
    return html('<div class="cells">{}</div>', cells) if cells else NOTHING


def _cell(cell: Cell, labels: list[str]) -> Html:
    shown = len(cell.documents)
    how_many = "1 document" if cell.count == 1 else f"{count(cell.count)} documents"
    if shown < cell.count:
        how_many += f", {shown} of them here"
    truth, predicted = labels[cell.truth], labels[cell.predicted]
    if cell.truth == cell.predicted:
        head = html('<strong dir="auto">{}</strong>, predicted rightly', truth)
        sides = (predicted, "another class")
    else:
        head = html(
            'Predicted <strong dir="auto">{}</strong>, is <strong dir="auto">{}</strong>',
            predicted,
            truth,
        )
        sides = (predicted, truth)
    items = join(html("<li>{}</li>", _document(one, sides)) for one in cell.documents)
    return html(
        '<div class="cell" id="{}" tabindex="-1"><p class="verdict">{} '
        '<span class="soft">{}</span></p><ol class="mistakes">{}</ol>'
        '<p><a class="back" href="#confusion">Back to the matrix</a></p></div>',
        cell_name(cell),
        head,
        how_many,
        items,
    )


def _document(one: CellDocument, sides: tuple[str, str]) -> Html:
    sure = NOTHING
    if one.confidence is not None:
        sure = html(', <span class="n">{:.1%} sure</span>', one.confidence)
    head = html('<p class="verdict soft">Row {:,}{}</p>', one.row, sure)
    words = ", ".join(f"{term} {weight:+.2f}" for term, weight in one.terms)
    why = html('<p class="why" dir="auto">{}</p>', words) if words else NOTHING
    return head + quotation(one.pieces, marks_of(sides), one.before, one.after) + why
