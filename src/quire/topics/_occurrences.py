"""In how many documents, or windows of a text, words occur and occur together.

Only pairs within a topic matter, so a matrix of windows by words is multiplied with itself for one
topic at a time. A window that slides over a text changes only where a word of a topic enters or
leaves it. Stretches between such places are one row with a weight, so that the number of rows does
not depend on the number of windows, and no loop goes over windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.typing import Floats, Ints

__all__ = ["Occurrences", "count_matrix", "count_windows"]

Analyze = Callable[[Any], Sequence[str]]

_TOKENS = 1 << 20  # of a batch


@dataclass(eq=False)
class Occurrences:
    """Ints of windows in which words occur, alone and in pairs.

    Attributes
    ----------
    topics : list of ndarray
        The words of each topic, by their numbers.
    single : ndarray of shape (n_words,)
        In how many windows each word occurs.
    pairs : list of ndarray of shape (n, n)
        For each topic, in how many windows two of its n words occur together.
    total : int
        How many windows there are, those without any of the words as well.
    """

    topics: list[Ints]
    single: Floats
    pairs: list[Floats] = field(init=False)
    total: int = 0

    def __post_init__(self) -> None:
        self.pairs = [np.zeros((len(words), len(words))) for words in self.topics]

    def add(self, present: Any, weights: Floats, total: int) -> None:
        """Add windows.

        Parameters
        ----------
        present : csc_array of shape (n_rows, n_words)
            One where a word is present.
        weights : ndarray of shape (n_rows,)
            How many windows a row stands for.
        total : int
            How many windows there are; some may have no row.
        """
        self.total += total
        self.single += weights @ present
        for words, pairs in zip(self.topics, self.pairs, strict=True):
            part = present[:, words]
            weighted = part.copy()
            weighted.data = weights[part.indices]
            pairs += (part.T @ weighted).toarray()


def count_matrix(X: Any, columns: Ints, topics: list[Ints]) -> Occurrences:
    """Count the documents in which words occur, from their counts.

    Parameters
    ----------
    X : sparse matrix or ndarray of shape (n_documents, n_columns)
        Counts; what is not zero is present.
    columns : ndarray of shape (n_words,)
        The column of each word; -1 if it has none.
    topics : list of ndarray
        The words of each topic.

    Returns
    -------
    Occurrences
        Every document is one window.
    """
    known = np.flatnonzero(columns >= 0)
    if sparse.issparse(X):
        chosen = sparse.coo_array(sparse.csr_array(X)[:, columns[known]])
        kept = chosen.data != 0
        rows, places = chosen.coords[0][kept], chosen.coords[1][kept]
    else:
        rows, places = np.nonzero(np.asarray(X)[:, columns[known]])
    shape = (X.shape[0], len(columns))
    present = sparse.csc_array((np.ones(len(rows)), (rows, known[places])), shape)
    present.data[:] = 1.0  # where an entry was stored in parts
    found = Occurrences(topics, np.zeros(len(columns)))
    found.add(present, np.ones(X.shape[0]), X.shape[0])
    return found


def count_windows(
    documents: Iterable[Any],
    analyze: Analyze,
    words: Sequence[str],
    topics: list[Ints],
    window: int | None,
) -> Occurrences:
    """Count the windows of texts in which words occur.

    Parameters
    ----------
    documents : iterable
        What `analyze` takes.
    analyze : callable
        Gives the tokens of a document, in order.
    words : sequence of str
        The words; one with blanks is a phrase of several tokens.
    topics : list of ndarray
        The words of each topic, as numbers of `words`.
    window : int or None
        How many tokens a window holds; ``None`` is the whole document.

    Returns
    -------
    Occurrences
        A document that is shorter than the window is one window.
    """
    phrases = [(word,) if " " not in word else tuple(word.split(" ")) for word in words]
    tokens: dict[str, int] = {}
    coded = [[tokens.setdefault(token, len(tokens)) for token in phrase] for phrase in phrases]
    found = Occurrences(topics, np.zeros(len(words)))
    for ids, lengths in _batches(documents, analyze, tokens):
        word, first, size, document = _places(ids, lengths, coded, len(tokens))
        _add_windows(found, word, first, size, document, lengths, window)
    return found


def _batches(
    documents: Iterable[Any], analyze: Analyze, tokens: dict[str, int]
) -> Iterator[tuple[NDArray[np.int32], Ints]]:
    """Yield the tokens of some documents as numbers, -1 for all others, and their lengths."""
    ids: list[int] = []
    lengths: list[int] = []
    for document in documents:
        found = analyze(document)
        lengths.append(len(found))
        ids.extend(map(tokens.get, found, repeat(-1)))
        if len(ids) + len(lengths) >= _TOKENS:
            yield np.array(ids, dtype=np.int32), np.array(lengths, dtype=np.int64)
            ids, lengths = [], []
    if lengths:
        yield np.array(ids, dtype=np.int32), np.array(lengths, dtype=np.int64)


def _places(
    ids: NDArray[np.int32], lengths: Ints, coded: list[list[int]], n_tokens: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return word, first token within the document, number of tokens and document, by word."""
    at = np.flatnonzero(ids >= 0)
    at = at[np.argsort(ids[at], kind="stable")]
    bounds = np.searchsorted(ids[at], np.arange(n_tokens + 1))
    document_of = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    parts = []
    for phrase in coded:
        place = at[bounds[phrase[0]] : bounds[phrase[0] + 1]]
        if len(phrase) > 1:
            place = place[place + len(phrase) <= len(ids)]
            place = place[document_of[place] == document_of[place + len(phrase) - 1]]
        for step, token in enumerate(phrase[1:], start=1):
            place = place[ids[place + step] == token]
        parts.append(place)
    sizes = np.array([len(part) for part in parts])
    place = np.concatenate(parts)
    document = document_of[place]
    word = np.repeat(np.arange(len(coded)), sizes)
    return word, place - starts[document], np.repeat([len(c) for c in coded], sizes), document


def _add_windows(
    found: Occurrences,
    word: Ints,
    first: Ints,
    size: Ints,
    document: Ints,
    lengths: Ints,
    window: int | None,
) -> None:
    """Add the windows of a batch of documents, those with the same words as one row."""
    reach = lengths if window is None else np.minimum(lengths, window)
    last = lengths - reach  # where the last window starts
    offsets = np.cumsum(last + 1) - (last + 1)
    # Windows that hold an occurrence, numbered through all documents: from `start` up to `end`.
    start = np.maximum(first + size - reach[document], 0) + offsets[document]
    end = np.minimum(first, last[document]) + 1 + offsets[document]
    # Occurrences come by word and place: each leaves out the windows that the one before it took.
    same = word[1:] == word[:-1]
    start[1:] = np.where(same, np.maximum(start[1:], end[:-1]), start[1:])
    kept = start < end
    word, start, end = word[kept], start[kept], end[kept]

    edges = np.unique(np.concatenate([start, end]))
    low, high = np.searchsorted(edges, start), np.searchsorted(edges, end)
    counts = high - low
    before = np.cumsum(counts) - counts
    rows = np.arange(counts.sum()) - np.repeat(before - low, counts)
    ends = np.cumsum(np.bincount(word, weights=counts, minlength=len(found.single)))
    indptr = np.concatenate([[0], ends]).astype(np.int64)
    weights = np.diff(edges).astype(np.float64) if len(edges) else np.zeros(0)
    shape = (max(len(edges) - 1, 0), len(found.single))
    present = sparse.csc_array((np.ones(len(rows)), rows, indptr), shape)
    found.add(present, weights, int((last + 1).sum()))
