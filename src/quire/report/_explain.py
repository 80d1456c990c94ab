"""The only place where a report asks a model why: its strongest terms, and those of one document.

A model whose decisions are not sums over terms cannot say, and the report then shows plain text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire.inspection import explain, top_evidence
from quire.report._data import EvidenceTerm

__all__ = ["Reasons", "reasons", "strongest_terms"]


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

    spans: list[tuple[int, int, float]]
    terms: list[EvidenceTerm]


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
        found = top_evidence(model, n_terms)
    except TypeError:  # terms have no weights in such a model
        return {}
    return {
        label: [EvidenceTerm(str(term.term), float(term.weight)) for term in terms]
        for label, terms in found.items()
    }


def reasons(model: Any, document: Any, text: str, target: Any, against: Any) -> Reasons | None:
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
    spans = []
    for passage in explanation.passages:
        place = text.find(passage.text)  # the texts of a table are shown as one
        if place >= 0:
            spans += [(place + w.start, place + w.end, float(w.score)) for w in passage.words]
    return Reasons(_disjoint(spans), [term for term in terms if term.weight != 0])


def _disjoint(spans: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """Put spans in order; where they overlap, keep the heavier one."""
    kept: list[tuple[int, int, float]] = []
    for span in sorted(spans):
        if kept and span[0] < kept[-1][1]:
            if abs(span[2]) > abs(kept[-1][2]):
                kept[-1] = span
        else:
            kept.append(span)
    return kept
