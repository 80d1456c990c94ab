"""The words of topics: which to show, and whether topics have words of their own.

References: J. Bischof and E. Airoldi, "Summarizing topical content with word frequency and
exclusivity", ICML 2012 (FREX); C. Sievert and K. Shirley, "LDAvis: A method for visualizing and
interpreting topics", 2014 (relevance); A. Dieng, F. Ruiz and D. Blei, "Topic Modeling in Embedding
Spaces", TACL 2020 (diversity).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from quire._shared.term_weights import TermWeight, plain
from quire._shared.topic_models import (
    RELEVANCE,
    checked_number,
    checked_share,
    phi_of,
    relevance_scores,
    terms_of,
    top_columns,
    topic_sizes,
)
from quire._shared.typing import Floats

__all__ = ["exclusivity", "top_words", "topic_diversity"]

_WAYS = ("probability", "frex", "relevance", "lift")


def top_words(
    topics: Any,
    terms: Any = None,
    n_words: int = 10,
    *,
    by: str = "probability",
    weight: float = 0.5,
    relevance: float = RELEVANCE,
    topic_weights: Any = None,
    with_scores: bool = False,
) -> list[list[Any]]:
    """Return the words that describe each topic.

    Parameters
    ----------
    topics : fitted model or array-like of shape (n_topics, n_words)
        The topics.
    terms : sequence of str, mapping, fitted vectorizer or None, default=None
        The words of the columns, where the model does not know them. Without any, words are the
        numbers of their columns.
    n_words : int, default=10
        How many words for each topic.
    by : {"probability", "frex", "relevance", "lift"}, default="probability"
        How to order them. "probability" takes the words that are frequent in the topic, which are
        often frequent everywhere. "lift" divides by the frequency in the whole corpus, and likes
        rare words. "relevance" and "frex" weigh one against the other.
    weight : float, default=0.5
        For "frex": the weight of exclusivity, from 0 (frequency only) to 1.
    relevance : float, default=0.6
        For "relevance": the weight of the probability, the lambda of LDAvis, from 0 (lift) to 1
        (probability). Reports, the command line and cards of models show words of relevance 0.6.
    topic_weights : array-like of shape (n_topics,), default=None
        How large the topics are, to know how frequent a word is in the corpus. ``None`` takes the
        counts of a model's ``components_``, and otherwise topics of one size.
    with_scores : bool, default=False
        Whether to return the scores beside the words.

    Returns
    -------
    list of lists of str, or of TermWeight with `with_scores`
        For each topic its words, the best first.

    Raises
    ------
    ValueError
        If an argument does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import top_words
    >>> phi = np.array([[0.6, 0.3, 0.1, 0.0], [0.6, 0.0, 0.1, 0.3]])
    >>> terms = ["the", "goal", "very", "vote"]
    >>> top_words(phi, terms, 2)
    [['the', 'goal'], ['the', 'vote']]
    >>> top_words(phi, terms, 2, by="relevance", relevance=0.2)
    [['goal', 'the'], ['vote', 'the']]
    """
    phi = phi_of(topics)
    names = terms_of(topics, terms, phi.shape[1])
    n_words = checked_number(n_words, "n_words")
    if by not in _WAYS:
        raise ValueError(f"by is {by!r}; expected one of {', '.join(_WAYS)}.")
    if by == "probability":
        scores = phi
    elif by == "frex":
        scores = frex_scores(phi, checked_share(weight, "weight"))
    else:
        share = 0.0 if by == "lift" else checked_share(relevance, "relevance")
        scores = relevance_scores(phi, _sizes(topics, topic_weights, phi), share)
        scores = np.exp(scores) if by == "lift" else scores
    found = []
    for row, columns in zip(scores, top_columns(scores, n_words), strict=True):
        words = columns.tolist() if names is None else [plain(names[c]) for c in columns]
        if with_scores:
            words = [TermWeight(w, float(row[c])) for w, c in zip(words, columns, strict=True)]
        found.append(words)
    return found


def topic_diversity(topics: Any, n_words: int = 25) -> float:
    """Return the share of different words among the top words of all topics.

    Parameters
    ----------
    topics : fitted model or array-like of shape (n_topics, n_words)
        The topics.
    n_words : int, default=25
        How many top words of each topic to look at; all, if there are fewer.

    Returns
    -------
    float
        1 if no two topics share a top word, and 1 / n_topics if all are the same. Values near 0
        mean that there are too many topics, or that common words should be left out.

    Examples
    --------
    >>> from quire.topics import topic_diversity
    >>> topic_diversity([[0.5, 0.4, 0.1, 0.0], [0.5, 0.0, 0.1, 0.4]], n_words=2)
    0.75
    """
    found = top_columns(phi_of(topics), checked_number(n_words, "n_words"))
    return len(np.unique(found)) / found.size


def exclusivity(topics: Any, n_words: int = 10, *, weight: float = 0.5) -> NDArray[np.float64]:
    """Return how much the top words of each topic are its own: their mean FREX.

    Parameters
    ----------
    topics : fitted model or array-like of shape (n_topics, n_words)
        The topics.
    n_words : int, default=10
        How many top words of each topic to look at.
    weight : float, default=0.5
        The weight of exclusivity, from 0 (frequency only) to 1.

    Returns
    -------
    ndarray of shape (n_topics,)
        From 0 to 1; more is better. The sum that R's stm gives is this times `n_words`, with
        ``weight=0.7``.

    Notes
    -----
    FREX of a word in a topic is the harmonic mean of two ranks within the topic, as shares of all
    words: that of its probability phi_kw and that of its exclusivity phi_kw / sum_j phi_jw.
    Coherence alone prefers topics of common words, which share them; look at both. The ranks are
    those within a topic, so that a copy of a topic does not lower its exclusivity;
    :func:`topic_diversity` sees it.

    Examples
    --------
    >>> from quire.topics import exclusivity
    >>> shared = [[0.5, 0.4, 0.1, 0.0], [0.5, 0.0, 0.1, 0.4]]
    >>> apart = [[0.5, 0.4, 0.1, 0.0], [0.0, 0.1, 0.4, 0.5]]
    >>> exclusivity(shared, n_words=2).round(3), exclusivity(apart, n_words=2).round(3)
    (array([0.813, 0.813]), array([0.875, 0.875]))
    """
    phi = phi_of(topics)
    scores = frex_scores(phi, checked_share(weight, "weight"))
    found = top_columns(phi, checked_number(n_words, "n_words"))
    means: Floats = np.take_along_axis(scores, found, axis=1).mean(axis=1)
    return means


def frex_scores(phi: Floats, weight: float) -> Floats:
    """Return the FREX of all words in all topics.

    Parameters
    ----------
    phi : ndarray of shape (n_topics, n_words)
        Probabilities.
    weight : float
        The weight of exclusivity.

    Returns
    -------
    ndarray of shape (n_topics, n_words)
        From 0 to 1; of equal words all have their mean rank.
    """
    sums = phi.sum(axis=0)
    own = np.divide(phi, sums, out=np.zeros_like(phi), where=sums > 0)
    n_words = phi.shape[1]
    exclusive = rankdata(own, axis=1) / n_words
    frequent = rankdata(phi, axis=1) / n_words
    scores: Floats = 1 / (weight / exclusive + (1 - weight) / frequent)
    return scores


def _sizes(topics: Any, given: Any, phi: Floats) -> Floats:
    if given is None:
        return topic_sizes(topics, phi)
    sizes = np.asarray(given, dtype=np.float64)
    if sizes.shape != (len(phi),) or not (sizes >= 0).all() or not sizes.sum() > 0:
        raise ValueError(
            f"topic_weights is {given!r}; expected {len(phi)} numbers from 0 up, one for each "
            "topic, such as theta.mean(axis=0)."
        )
    return sizes
