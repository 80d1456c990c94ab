"""Topic models beyond the fit: how well they predict, and corpora made from them."""

from quire.topics._generate import GeneratedCorpus, generate_corpus, match_topics
from quire.topics._held_out import HeldOutLikelihood, held_out_likelihood

__all__ = [
    "GeneratedCorpus",
    "HeldOutLikelihood",
    "generate_corpus",
    "held_out_likelihood",
    "match_topics",
]
