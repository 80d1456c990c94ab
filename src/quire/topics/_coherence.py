"""Topic coherence: whether the words of a topic occur together in documents.

Four measures in one frame: which words are compared, in which windows they are counted, what
confirms a pair, and a mean. Reference: M. Röder, A. Both and A. Hinneburg, "Exploring the Space of
Topic Coherence Measures", WSDM 2015; UMass is from D. Mimno et al., "Optimizing Semantic Coherence
in Topic Models", EMNLP 2011.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from quire._shared.topic_models import checked_number
from quire._shared.typing import Floats
from quire.topics._coherence_result import Coherence
from quire.topics._reference import occurrences_in
from quire.topics._topic_words import WordLists, word_lists

__all__ = ["coherence"]


_WINDOWS: dict[str, int | None] = {"npmi": 10, "c_uci": 10, "c_v": 110, "umass": None}
_NAMES = {"c_npmi": "npmi", "u_mass": "umass", "uci": "c_uci", "cv": "c_v"}


def coherence(
    topics: Any,
    corpus: Any,
    *,
    measure: str = "npmi",
    n_words: int = 10,
    window: int | str | None = None,
    vocabulary: Any = None,
    epsilon: float = 1e-12,
) -> Coherence:
    """Measure how often the top words of each topic occur together.

    Parameters
    ----------
    topics : fitted model, array-like of shape (n_topics, n_words), or list of lists of str
        The topics: a model, its matrix of words, or words from the most important down.
    corpus : sparse matrix or array of counts, or sequence of texts
        Where to count: the training documents, or others for reference. Counts are counted by whole
        documents. Texts (or lists of tokens) are counted in windows that slide over them; they are
        cut into words as the model's vectorizer does it, without its stop words, or as quire's
        ``CountVectorizer()`` does.
    measure : {"npmi", "umass", "c_v", "c_uci"}, default="npmi"
        What to measure; see Notes. The names of gensim are understood as well.
    n_words : int, default=10
        How many words of each topic to look at.
    window : int, "document" or None, default=None
        How many tokens a window holds. ``None`` is what the measure was proposed with: 10 for
        "npmi" and "c_uci", 110 for "c_v" and the whole document for "umass".
    vocabulary : sequence of str, mapping, fitted vectorizer or None, default=None
        The words of the columns: those of the topics, where the model does not know its words, and
        those of a corpus of counts.
    epsilon : float, default=1e-12
        Is added to the probability of a pair before its logarithm is taken. It decides what a pair
        that never occurs together costs. With 0 its NPMI is exactly -1, and with the default a
        little more; the other logarithms need more than 0. The original form of UMass adds one
        document: ``epsilon=1 / n_documents``.

    Returns
    -------
    Coherence
        The value of each topic, their mean, and the words that the corpus does not have.

    Raises
    ------
    ValueError
        If an argument does not fit, or no topic has two words that occur in the corpus.

    Warns
    -----
    UserWarning
        If some topics have fewer than two words that occur; their value is NaN, and the mean is
        that of the others.

    Notes
    -----
    P is the share of windows in which a word or two words occur. Means are over pairs of the top
    words.

    - "npmi": log(P(a, b) / P(a) P(b)) / -log P(a, b), from -1 (never together) over 0 (as often as
      by chance) to 1 (only together). It agrees well with people and is easy to read.
    - "c_uci": the same without the denominator.
    - "umass": log(P(a, b) / P(b)), b being the more important word. At most 0. It is made for the
      training documents.
    - "c_v": each word has a vector, its NPMI with every word of the topic. The value is the mean
      cosine between it and the sum of the vectors, in windows of 110 tokens. It agrees best with
      people, and rewards topics whose words are all rare; from 0 to 1 as a rule.

    A word that never occurs in the corpus tells nothing: pairs with it are left out, and
    ``missing`` names it. Two words that are in every window have an NPMI of 1.

    Values equal those of gensim's ``CoherenceModel`` where both define them, with one exception.
    When a word that occurs twice in a window leaves it once, gensim takes it for gone; here
    it is still counted.

    The work is one pass over the corpus. Only top words are looked up; no loop goes over windows.

    Examples
    --------
    >>> from quire.topics import coherence
    >>> texts = ["cats and dogs", "dogs chase cats", "bonds and stocks", "stocks fall", "cats"]
    >>> result = coherence([["cats", "dogs"], ["cats", "stocks"]], texts, epsilon=0)
    >>> print(result)
    npmi of 2 topics, mean -0.22 (2 words each, 5 windows)
    <BLANKLINE>
    topic    npmi  words
        0   0.557  cats dogs
        1  -1.000  cats stocks
    >>> result.per_topic.round(3)
    array([ 0.557, -1.   ])
    """
    measure = _NAMES.get(measure, measure)
    if measure not in _WINDOWS:
        raise ValueError(f"measure is {measure!r}; expected one of {', '.join(sorted(_WINDOWS))}.")
    _check_epsilon(epsilon, measure)
    lists = word_lists(topics, checked_number(n_words, "n_words", least=2), vocabulary)
    found = occurrences_in(corpus, lists, _window_of(window, measure), topics, vocabulary)

    values = np.full(len(found.topics), np.nan)
    for number, (words, pairs) in enumerate(zip(found.topics, found.pairs, strict=True)):
        known = np.flatnonzero(found.single[words] > 0)
        if len(known) > 1:
            values[number] = _value(
                found.single[words[known]],
                pairs[np.ix_(known, known)],
                found.total,
                measure,
                epsilon,
            )
    _check_values(values, lists, found.single)
    return Coherence(
        measure=measure,
        per_topic=values,
        words=lists.named(),
        missing=lists.named(found.single == 0),
        n_windows=found.total,
    )


def _value(single: Floats, pairs: Floats, total: int, measure: str, epsilon: float) -> float:
    """Return the coherence of words that all occur, from the numbers of windows."""
    p, joint = single / total, pairs / total
    if measure == "umass":
        later, before = np.tril_indices(len(p), -1)  # every word with those before it
        return float(np.mean(np.log((joint[later, before] + epsilon) / p[before])))
    if measure == "c_uci":
        one, other = np.triu_indices(len(p), 1)
        return float(np.mean(np.log((joint[one, other] + epsilon) / (p[one] * p[other]))))
    npmi = _npmi(p, joint, epsilon)
    if measure == "npmi":
        return float(np.mean(npmi[np.triu_indices(len(p), 1)]))
    whole = npmi.sum(axis=0)
    sizes = np.linalg.norm(npmi, axis=1) * np.linalg.norm(whole)
    cosines = np.divide(npmi @ whole, sizes, out=np.zeros(len(p)), where=sizes > 0)
    return float(np.mean(cosines))


def _npmi(p: Floats, joint: Floats, epsilon: float) -> Floats:
    """Return log(P(a, b) / P(a) P(b)) / -log P(a, b), with its limits at 0 and 1."""
    never, always = joint + epsilon <= 0, joint >= 1
    usual = np.where(never | always, 0.5, joint + epsilon)
    ratios = np.log(usual / np.outer(p, p)) / -np.log(usual)
    npmi: Floats = np.where(never, -1.0, np.where(always, 1.0, ratios))
    return npmi


def _window_of(window: int | str | None, measure: str) -> int | None:
    if window is None:
        return _WINDOWS[measure]
    if window == "document":
        return None
    if isinstance(window, str):
        raise ValueError(f"window is {window!r}; expected a number of tokens or 'document'.")
    return checked_number(window, "window")


def _check_epsilon(epsilon: Any, measure: str) -> None:
    wanted = "from 0 up" if measure == "npmi" else "above 0"
    fits = isinstance(epsilon, int | float | np.floating) and 0 <= epsilon < np.inf
    if not fits or (epsilon == 0 and measure in ("umass", "c_uci")):
        raise ValueError(f"epsilon is {epsilon!r}; {measure} takes a number {wanted}.")


def _check_values(values: Floats, lists: WordLists, single: Floats) -> None:
    bad = np.flatnonzero(np.isnan(values))
    if not len(bad):
        return
    if len(bad) == len(values):
        raise ValueError(
            "no topic has two words that occur in the corpus; the first topic is "
            f"{' '.join(map(str, lists.named()[0][:5]))}. Compare how words are cut and whether "
            "they are in lower case, and that the columns of the counts are those of the topics."
        )
    shown = ", ".join(map(str, bad[:8])) + (", ..." if len(bad) > 8 else "")
    warnings.warn(
        f"{len(bad)} of {len(values)} topics have fewer than two words that occur in the corpus, "
        f"and no coherence: {shown}.",
        UserWarning,
        stacklevel=3,
    )
