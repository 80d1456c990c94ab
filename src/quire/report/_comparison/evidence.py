"""Evidence: the terms that speak most for each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quire._shared.page.excerpts import EvidenceTerm
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import number
from quire._shared.page.sections import Section, bar_items, paragraph, section
from quire.inspection import top_evidence

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["evidence_note", "evidence_section", "strongest_terms"]

_MOST_CARDS = 12  # classes whose terms are open to be read
_IMPORTANCE = (
    "Terms of the model that was fitted on all documents, by importance: the share of the decrease "
    "of impurity that questions about a term brought, over all trees. It says that a term matters, "
    "not for which class."
)


_OF_COLUMNS = (
    "Columns of the model that was fitted on all rows, by their weight: of a number that of one "
    "standard deviation above the mean, of a category that of being so."
)


def strongest_terms(model: Any, n_terms: int) -> dict[Any, list[EvidenceTerm]]:
    """Return the terms that speak most for each class, or for a larger and a smaller number.

    Parameters
    ----------
    model : object
        A fitted pipeline or text model.
    n_terms : int
        How many for each class.

    Returns
    -------
    dict from class to list of EvidenceTerm
        Empty if the model cannot say. Where numbers are predicted the keys are ``"higher"`` and
        ``"lower"``; trees and forests have ``"importance"``, whatever the class.
    """
    try:
        evidence = top_evidence(model, n_terms)
    except TypeError:  # terms have no weights in such a model
        return {}
    return {
        label: [
            EvidenceTerm(str(term.term), float(term.weight))
            for term in terms
            if term.weight > 0 or label == "lower"
        ]
        for label, terms in evidence.items()
    }


def evidence_note(
    model: Any, evidence: dict[Any, list[EvidenceTerm]], *, of_table: bool = False
) -> str:
    """Say where the terms come from, or why there are none."""
    if model is None:
        return "The comparison kept no fitted model, and none was given: pass model='best'."
    if not any(evidence.values()):
        what = "columns" if of_table else "terms"
        return f"This model does not say which {what} speak for a class."
    if list(evidence) == ["importance"]:
        return (
            _IMPORTANCE.replace("Terms", "Columns").replace("term", "column")
            if of_table
            else (_IMPORTANCE)
        )
    if of_table:
        return _OF_COLUMNS
    return "Terms of the model that was fitted on all documents, by the weight of one occurrence."


def evidence_section(report: ReportData) -> Section:
    """Return the terms that speak most for each class."""
    groups = [_card(label, terms) for label, terms in report.evidence.items() if terms]
    shown, more = groups[:_MOST_CARDS], groups[_MOST_CARDS:]
    cards = _cards(shown) if shown else NOTHING
    if more:
        summary = f"{len(more)} more classes"
        cards += html("<details><summary>{}</summary>{}</details>", summary, _cards(more))
    return section("evidence", "Evidence", paragraph(report.evidence_note), cards)


def _cards(cards: list[Html]) -> Html:
    return html('<div class="cards">{}</div>', join(cards))


def _card(label: str, terms: list[EvidenceTerm]) -> Html:
    return html(
        '<div class="card"><h3 dir="auto">{}</h3><ol class="terms">{}</ol></div>',
        label,
        bar_items([(term.term, term.weight) for term in terms], number),
    )
