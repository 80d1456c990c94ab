"""Topics judged and read: likelihood, coherence, words, documents, and what they go with.

Functions take fitted models, or arrays of any make, through one small reader. The
held-out likelihood is checked against the sum over all assignments; it takes any topics, and no
other number compares models of different libraries. Windows of words are counted once, for the
words in question alone (``_occurrences``).
"""

from quire.topics._coherence import coherence
from quire.topics._coherence_result import Coherence
from quire.topics._effects import topic_effects
from quire.topics._effects_result import TopicEffects
from quire.topics._formula import formula_columns
from quire.topics._held_out import HeldOutLikelihood, held_out_likelihood
from quire.topics._over_time import topics_over_time
from quire.topics._over_time_result import TopicsOverTime
from quire.topics._prevalence import prevalence
from quire.topics._prevalence_result import Prevalence
from quire.topics._relations import (
    match_topics,
    representative_documents,
    topic_correlations,
    topic_map,
)
from quire.topics._sweep import sweep
from quire.topics._sweep_result import Sweep
from quire.topics._tokens import TokenTopics, token_topics
from quire.topics._words import exclusivity, top_words, topic_diversity

__all__ = [
    "Coherence",
    "HeldOutLikelihood",
    "Prevalence",
    "Sweep",
    "TokenTopics",
    "TopicEffects",
    "TopicsOverTime",
    "coherence",
    "exclusivity",
    "formula_columns",
    "held_out_likelihood",
    "match_topics",
    "prevalence",
    "representative_documents",
    "sweep",
    "token_topics",
    "top_words",
    "topic_correlations",
    "topic_diversity",
    "topic_effects",
    "topic_map",
    "topics_over_time",
]
