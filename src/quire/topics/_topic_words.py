"""The top words of topics as lists of numbers, whether words have names or only columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.topic_models import is_model, phi_of, terms_of, top_columns
from quire._shared.typing import Ints

__all__ = ["WordLists", "word_lists"]


@dataclass(frozen=True, eq=False)
class WordLists:
    """The distinct words of all topics, and which of them each topic has.

    Attributes
    ----------
    words : list of str or None
        The distinct words; ``None`` if they are known by their columns only.
    columns : ndarray of shape (n_distinct,) or None
        Their columns in phi; ``None`` if the topics were given as words.
    width : int
        How many columns phi has; 0 if the topics were given as words.
    topics : list of ndarray
        For each topic the numbers of its words, from the most important down.
    """

    words: list[str] | None
    columns: Ints | None
    width: int
    topics: list[Ints]

    def named(self, chosen: NDArray[np.bool_] | None = None) -> list[list[Any]]:
        """Return the words of each topic, or those of them that are chosen."""
        names = self.words if self.words is not None else self.columns.tolist()  # type: ignore[union-attr]
        return [
            [names[word] for word in topic.tolist() if chosen is None or chosen[word]]
            for topic in self.topics
        ]


def word_lists(topics: Any, n_words: int, vocabulary: Any) -> WordLists:
    """Read topics: a model, a matrix, or lists of words.

    Parameters
    ----------
    topics : fitted model, array-like of shape (n_topics, n_columns) or list of lists of str
        The topics.
    n_words : int
        How many words of each to take.
    vocabulary : sequence of str, mapping, vectorizer or None
        The words of the columns, where the model does not know them.

    Returns
    -------
    WordLists
        The top words.

    Raises
    ------
    ValueError
        If there is no topic, or one has fewer than two words or a word twice.
    """
    if not is_model(topics) and _is_words(topics):
        return _from_words(topics, n_words)
    phi = phi_of(topics)
    terms = terms_of(topics, None, phi.shape[1])
    if terms is None:
        terms = terms_of(None, vocabulary, phi.shape[1])
    chosen = top_columns(phi, n_words)
    columns, numbers = np.unique(chosen, return_inverse=True)
    words = None if terms is None else [str(term) for term in terms[columns]]
    return WordLists(words, columns, phi.shape[1], list(numbers.reshape(chosen.shape)))


def _is_words(topics: Any) -> bool:
    if isinstance(topics, str):
        raise TypeError(f"topics is one string, {topics!r}; expected a list of lists of words.")
    try:
        first = next(iter(topics), None)
        return isinstance(next(iter(first), None), str)  # type: ignore[arg-type]
    except TypeError:
        return False


def _from_words(topics: Any, n_words: int) -> WordLists:
    numbers: dict[str, int] = {}
    lists = []
    for number, topic in enumerate(topics):
        if isinstance(topic, str):
            raise TypeError(f"topic {number} is one string, {topic!r}; expected a list of words.")
        words = list(topic)[:n_words]
        if len(words) < 2 or len(set(words)) < len(words):
            raise ValueError(
                f"topic {number} is {words!r}; expected two or more different words, from the most "
                "important down."
            )
        lists.append(np.array([numbers.setdefault(word, len(numbers)) for word in words]))
    return WordLists(list(numbers), None, 0, lists)
