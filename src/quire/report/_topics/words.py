"""The words of topics for the slider: whichever weight is chosen, its top words are here.

Relevance of a word to a topic, with a weight lambda from 0 to 1:
lambda log p(word | topic) + (1 - lambda) log(p(word | topic) / p(word)). C. Sievert and K. Shirley,
"LDAvis: A method for visualizing and interpreting topics", 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quire._shared.typing import Floats, Ints

__all__ = ["RELEVANCE_STEPS", "TopicTerms", "relevant_terms"]


RELEVANCE_STEPS = 20  # the slider stops at 0, 1/20, ..., 1
_SPREAD, _LEAST = 8, 0.02  # topics that are named for a word, and the least part


@dataclass(frozen=True)
class TopicTerms:
    """The words that are in the lists of topics, and how often each occurs in all documents.

    `spread` has, for each word, the topics with the largest parts of its occurrences, and the
    parts.
    """

    words: list[str]
    frequencies: list[float]
    spread: list[list[tuple[int, float]]]


def relevant_terms(
    phi: Floats, sizes: Floats, names: list[str], n_terms: int
) -> tuple[TopicTerms, list[list[int]], list[list[float]]]:
    """Return the words that are among the first for any stop of the slider.

    Parameters
    ----------
    phi : ndarray of shape (n_topics, n_words)
        The topics.
    sizes : ndarray of shape (n_topics,)
        Their words.
    names : list of str
        The words.
    n_terms : int
        How many words of a topic are shown at a time.

    Returns
    -------
    terms : TopicTerms
        All of them.
    numbers : list of lists of int
        For each topic the numbers of its words.
    frequencies : list of lists of float
        How often each of these occurs in the topic.
    """
    overall = sizes @ phi
    with np.errstate(divide="ignore"):
        log_overall = np.log(overall / sizes.sum())
    candidates = [_candidates(row, log_overall, n_terms) for row in phi]
    columns = np.unique(np.concatenate(candidates))
    terms = TopicTerms(
        words=[names[column] for column in columns],
        frequencies=[_short(value) for value in overall[columns]],
        spread=_spread(phi[:, columns] * sizes[:, None]),
    )
    numbers = [np.searchsorted(columns, own).tolist() for own in candidates]
    frequencies = [
        [_short(value) for value in row[own] * size]
        for row, own, size in zip(phi, candidates, sizes, strict=True)
    ]
    return terms, numbers, frequencies


def _candidates(row: Floats, log_overall: Floats, n_terms: int) -> Ints:
    n_terms = min(n_terms, len(row))
    known = np.flatnonzero(row > 1.001 * row.min())
    if len(known) <= n_terms:  # else no word that the topic never had can come first
        known = np.flatnonzero(row > 0)
    logs, others = np.log(row[known]), log_overall[known]
    columns = []
    for step in range(RELEVANCE_STEPS + 1):
        scores = logs - (1 - step / RELEVANCE_STEPS) * others
        if len(scores) > n_terms:
            # A few more than are shown: equal words may come in any order.
            place = max(len(scores) - n_terms - 2, 0)
            columns.append(known[np.argpartition(scores, place)[place:]])
        else:
            columns.append(known)
    return np.unique(np.concatenate(columns))


def _spread(counts: Floats) -> list[list[tuple[int, float]]]:
    parts = counts / np.maximum(counts.sum(axis=0), np.finfo(np.float64).tiny)
    spread = []
    for column in parts.T:
        best = np.argsort(-column, kind="stable")[:_SPREAD]
        spread.append([(int(k), round(float(column[k]), 3)) for k in best if column[k] >= _LEAST])
    return spread


def _short(value: float) -> float:
    """Return a number with seven digits that count, so that near words keep their order."""
    return float(f"{value:.7g}")
