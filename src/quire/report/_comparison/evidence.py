"""Evidence: the terms that speak most for each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.page.excerpts import EvidenceTerm
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count, number
from quire._shared.page.sections import Section, bar_items, paragraph, section
from quire.inspection import TermWeight, UsedTerm, top_evidence
from quire.report._comparison.picker import picker
from quire.report._comparison.reasons import rows_of

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["evidence_note", "evidence_section", "sample_of", "strongest_terms"]

_MOST_CARDS = 12  # classes whose terms are open to be read
_FEW_CARDS = 4  # classes among which nobody has to choose
_MOST_COUNTED = 100_000  # documents that terms are counted in
_BY_USE = (
    "Terms of the model that was fitted on all documents. First is what tells documents of the "
    "class most from others: the bar is the weight times how much more of the term there is in a "
    "document of the class than in another. The weight is that of one occurrence, above its mean "
    "weight for the other classes. Documents are those that have the term, and then the share of "
    "them that is of the class."
)
_BY_USE_OF_NUMBERS = (
    "Terms of the model that was fitted on all documents. First is what moves predictions most: "
    "the bar is the weight of one occurrence times the standard deviation of the term."
)
_IMPORTANCE = (
    "Terms of the model that was fitted on all documents, by importance: the share of the decrease "
    "of impurity that questions about a term brought, over all trees. It says that a term matters, "
    "not for which class."
)


_OF_COLUMNS = (
    "Columns of the model that was fitted on all rows, by their weight: of a number that of one "
    "standard deviation above the mean, of a category that of being so."
)


def strongest_terms(
    model: Any, n_terms: int, documents: Any = None, y: Any = None
) -> dict[Any, list[EvidenceTerm]]:
    """Return the terms that add most to each class, or to a larger and a smaller number.

    Parameters
    ----------
    model : object
        A fitted pipeline or text model.
    n_terms : int
        How many for each class.
    documents : sequence or table, default=None
        Documents, to rank terms by weight times use; by weight alone if ``None``.
    y : array-like, default=None
        Their labels.

    Returns
    -------
    dict from class to list of EvidenceTerm
        Empty if the model cannot say. Where numbers are predicted the keys are ``"higher"`` and
        ``"lower"``; trees and forests have ``"importance"``, whatever the class.
    """
    try:
        evidence = top_evidence(model, n_terms, documents, y)
    except TypeError:  # terms have no weights in such a model
        return {}
    return {
        label: [_plain(term) for term in terms if term.weight > 0 or label == "lower"]
        for label, terms in evidence.items()
    }


def _plain(term: TermWeight) -> EvidenceTerm:
    if isinstance(term, UsedTerm):
        return EvidenceTerm(
            str(term.term), float(term.weight), term.documents, term.share, term.contribution
        )
    return EvidenceTerm(str(term.term), float(term.weight))


def sample_of(documents: Any, y: Any) -> tuple[Any, Any, int]:
    """Return documents to count terms in, their labels and how many: all, or evenly spaced ones.

    Parameters
    ----------
    documents : sequence or table
        As models take them.
    y : ndarray or LabelSets
        Their labels.
    """
    n = len(y)
    if n <= _MOST_COUNTED:
        return documents, y, n
    rows = np.linspace(0, n - 1, _MOST_COUNTED).astype(np.int64)
    return rows_of(documents, rows.tolist()), y[rows], len(rows)


def evidence_note(
    model: Any,
    evidence: dict[Any, list[EvidenceTerm]],
    *,
    of_table: bool = False,
    n_counted: int = 0,
    n_documents: int = 0,
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
    if any(term.contribution is not None for terms in evidence.values() for term in terms):
        said = _BY_USE_OF_NUMBERS if list(evidence) == ["higher", "lower"] else _BY_USE
        if n_counted < n_documents:
            said += f" Documents are counted among {n_counted:,} of {n_documents:,}."
        return said
    return "Terms of the model that was fitted on all documents, by the weight of one occurrence."


def evidence_section(report: ReportData) -> Section:
    """Return the terms that speak most for each class."""
    shown = [(label, terms) for label, terms in report.evidence.items() if terms]
    groups = [_card(label, terms) for label, terms in shown]
    first, more = groups[:_MOST_CARDS], groups[_MOST_CARDS:]
    cards = _cards(first) if first else NOTHING
    if more:
        summary = f"{len(more)} more classes"
        cards += html("<details><summary>{}</summary>{}</details>", summary, _cards(more))
    choice = NOTHING
    if len(groups) > _FEW_CARDS:
        choice = picker("evidence-of", "Class", [label for label, _ in shown], "#evidence .card")
    return section("evidence", "Evidence", paragraph(report.evidence_note), choice, cards)


def _cards(cards: list[Html]) -> Html:
    return html('<div class="cards evidence-cards">{}</div>', join(cards))


def _card(label: str, terms: list[EvidenceTerm]) -> Html:
    if all(term.contribution is None for term in terms):
        return html(
            '<div class="card" data-is="{}"><h3 dir="auto">{}</h3><ol class="terms">{}</ol></div>',
            label,
            label,
            bar_items([(term.term, term.weight) for term in terms], number),
        )
    has_share = any(term.share is not None for term in terms)
    heads = ["Term", "", "Weight", "Documents", *(["In class"] if has_share else [])]
    largest = max(abs(term.contribution or 0.0) for term in terms) or 1.0
    rows = join(_row(term, largest, has_share) for term in terms)
    head = join(
        html('<th scope="col"{}>{}</th>', html(' class="n"') if place > 1 else NOTHING, one)
        if one
        else html('<th scope="col"><span class="hidden">What it adds</span></th>')
        for place, one in enumerate(heads)
    )
    return html(
        '<div class="card" data-is="{label}"><h3 dir="auto">{label}</h3>'
        '<table class="evidence"><caption class="hidden">Terms that speak for {label}</caption>'
        "<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>",
        label=label,
        head=head,
        rows=rows,
    )


def _row(term: EvidenceTerm, largest: float, has_share: bool) -> Html:
    documents = "" if term.documents is None else count(term.documents)
    contribution = term.contribution or 0.0
    said = f"{term.term}: adds {number(contribution)}, one occurrence {number(term.weight)}"
    if term.documents is not None:
        said += "; in 1 document" if term.documents == 1 else f"; in {documents} documents"
        said += "" if term.share is None else f", {term.share:.0%} of them of this class"
    share = NOTHING
    if has_share:
        share = html('<td class="n">{}</td>', "" if term.share is None else f"{term.share:.0%}")
    return html(
        '<tr title="{said}"><th scope="row" dir="auto">{term}</th>'
        '<td class="drawn"><span class="bar" style="--w:{width:.3f}" aria-hidden="true"></span>'
        "</td>"
        '<td class="n">{weight}</td><td class="n">{documents}</td>{share}</tr>',
        said=said,
        term=term.term,
        width=abs(contribution) / largest,
        weight=number(term.weight),
        documents=documents,
        share=share,
    )
