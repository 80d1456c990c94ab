"""What a corpus, a model or a decision is made of, in words."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quire._shared.evidence import (
    DocumentEvidence,
    DocumentParts,
    Evidence,
    GivesEvidence,
    TermEvidence,
)
from quire._shared.term_weights import TermWeight, UsedTerm
from quire.inspection._adapters import register_evidence
from quire.inspection._additive import AdditiveDecisions, NumberEvidence, OrderedEvidence
from quire.inspection._explain import explain
from quire.inspection._explanation import Explanation, Explanations, Passage, Span, Word
from quire.inspection._top_evidence import top_evidence

if TYPE_CHECKING:
    from quire.inspection._card import model_card
    from quire.inspection._machines import PairEvidence, SupportEvidence
    from quire.inspection._neighbors import NeighborEvidence
    from quire.inspection._permutation_importance import (
        PermutationImportance,
        permutation_importance,
    )
    from quire.inspection._plot_regions import plot_decision_regions, plot_margin
    from quire.inspection._top_terms import TermScore, top_terms
    from quire.inspection._tree_evidence import TreeEvidence

__all__ = [
    "AdditiveDecisions",
    "DocumentEvidence",
    "DocumentParts",
    "Evidence",
    "Explanation",
    "Explanations",
    "GivesEvidence",
    "NeighborEvidence",
    "NumberEvidence",
    "OrderedEvidence",
    "PairEvidence",
    "Passage",
    "PermutationImportance",
    "Span",
    "SupportEvidence",
    "TermEvidence",
    "TermScore",
    "TermWeight",
    "TreeEvidence",
    "UsedTerm",
    "Word",
    "explain",
    "model_card",
    "permutation_importance",
    "plot_decision_regions",
    "plot_margin",
    "register_evidence",
    "top_evidence",
    "top_terms",
]

_LATER = {  # what few models need: a naive Bayes model is explained without any trees
    "NeighborEvidence": "_neighbors",
    "PairEvidence": "_machines",
    "PermutationImportance": "_permutation_importance",
    "SupportEvidence": "_machines",
    "TermScore": "_top_terms",
    "TreeEvidence": "_tree_evidence",
    "model_card": "_card",
    "permutation_importance": "_permutation_importance",
    "plot_decision_regions": "_plot_regions",
    "plot_margin": "_plot_regions",
    "top_terms": "_top_terms",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
