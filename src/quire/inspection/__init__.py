"""What a corpus, a model or a decision is made of, in words."""

from quire._shared.evidence import (
    DocumentEvidence,
    DocumentParts,
    Evidence,
    GivesEvidence,
    TermEvidence,
)
from quire._shared.term_weights import TermWeight
from quire.inspection._adapters import register_evidence
from quire.inspection._additive import AdditiveDecisions, NumberEvidence, OrderedEvidence
from quire.inspection._explain import explain
from quire.inspection._explanation import Explanation, Explanations, Passage, Span, Word
from quire.inspection._machines import PairEvidence, SupportEvidence
from quire.inspection._neighbors import NeighborEvidence
from quire.inspection._permutation_importance import (
    PermutationImportance,
    permutation_importance,
)
from quire.inspection._plot_regions import plot_decision_regions, plot_margin
from quire.inspection._top_evidence import top_evidence
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
    "Word",
    "explain",
    "permutation_importance",
    "plot_decision_regions",
    "plot_margin",
    "register_evidence",
    "top_evidence",
    "top_terms",
]
