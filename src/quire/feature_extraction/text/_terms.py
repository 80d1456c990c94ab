"""Terms with their frequencies, as arrays: what a fit counts, before anything is pruned.

Two forms with one set of methods. :class:`NativeTerms` is what the kernels make: UTF-8 bytes, and
n-grams as rows of word numbers, so that millions of terms take megabytes. :class:`PythonTerms`
holds whatever a custom analyzer yields.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quire import _core

__all__ = ["NativeTerms", "PythonTerms", "Terms", "merge_terms", "merge_terms_with_places"]

Ints: TypeAlias = NDArray[np.int64]

_N_MARKS = 2**18  # into which words are sorted


@dataclass(frozen=True, eq=False)
class NativeTerms:
    """Terms in string order, in the arrays of the kernels (see ``cpp/text/terms.hpp``).

    Parameters
    ----------
    words : array of uint8
        The words in UTF-8, one after the other.
    word_offsets : array of int64 of shape (n_words + 1,)
        Where they start.
    width : int
        1 if the terms are the words themselves, otherwise the most words a term has.
    grams : array of int32 of shape (n_terms * width,)
        The words of each term by number, -1 where it has fewer. Empty if ``width`` is 1.
    document_frequency, term_frequency : array of int64 of shape (n_terms,)
        In how many documents a term occurs, and how often in all.
    """

    words: NDArray[np.uint8]
    word_offsets: Ints
    width: int
    grams: NDArray[np.int32]
    document_frequency: Ints
    term_frequency: Ints

    def __len__(self) -> int:
        return len(self.document_frequency)

    def names(self) -> list[Any]:
        """Return the terms as strings."""
        return self.names_at(np.arange(len(self), dtype=np.int64))

    def names_at(self, chosen: Ints) -> list[Any]:
        """Return the terms with these numbers as strings."""
        names: list[Any] = _core.text.term_strings(
            self.words, self.word_offsets, self.width, self.grams, chosen
        )
        return names

    def take(self, chosen: Ints) -> NativeTerms:
        """Return the terms with these numbers, which must be increasing."""
        frequencies = self.document_frequency[chosen], self.term_frequency[chosen]
        if self.width == 1:
            words, offsets = _take_words(self.words, self.word_offsets, chosen)
            return NativeTerms(words, offsets, 1, self.grams, *frequencies)
        grams = self.grams.reshape(-1, self.width)[chosen]
        used = np.zeros(len(self.word_offsets), dtype=bool)  # the last place is for -1
        used[grams.ravel()] = True
        used[-1] = False
        numbers = np.cumsum(used, dtype=np.int32) - 1
        numbers[-1] = -1
        words, offsets = _take_words(self.words, self.word_offsets, np.flatnonzero(used))
        return NativeTerms(words, offsets, self.width, numbers[grams.ravel()], *frequencies)

    def perhaps_of(self, others: NativeTerms) -> Ints | None:
        """Return the numbers of all terms that are made of words of others, and of some more.

        Parameters
        ----------
        others : NativeTerms
            A few terms.

        Returns
        -------
        array of int64 or None
            Rising; ``None`` if these arrays are not sound, which the kernels say in their way.
        """
        offsets, n_words = self.word_offsets, len(self.word_offsets) - 1
        if n_words < 1 or len(self) < 1 or offsets[0] != 0 or offsets[-1] > len(self.words):
            return None
        if self.width > 1 and (
            len(self.grams) != len(self) * self.width
            or not -1 <= self.grams.min() <= self.grams.max() < n_words
        ):
            return None
        if self.width == 1 and len(self) != n_words:
            return None
        if (np.diff(offsets) < 1).any():
            return None
        known = np.zeros(_N_MARKS, dtype=bool)
        known[_marks(others)] = True
        may_be = np.append(known[_marks(self)], True)  # the last place is for -1
        if self.width == 1:
            return np.flatnonzero(may_be[:-1])
        grams = self.grams.reshape(-1, self.width)
        chosen = np.flatnonzero(may_be[grams[:, 0]])
        return chosen[may_be[grams[chosen]].all(axis=1)]


def _marks(terms: NativeTerms) -> NDArray[np.uint32]:
    """Return a number for each word, from its length and some of its letters."""
    starts, ends = terms.word_offsets[:-1], terms.word_offsets[1:]
    lengths = ends - starts
    marks = lengths.astype(np.uint32)
    for places in (starts, np.minimum(starts + 1, ends - 1), starts + lengths // 2, ends - 1):
        marks = marks * np.uint32(0x9E3779B1) + terms.words[places]
    return (marks ^ (marks >> np.uint32(15))) * np.uint32(0x85EBCA77) >> np.uint32(14)


@dataclass(frozen=True, eq=False)
class PythonTerms:
    """Terms of a custom analyzer: sorted, hashable Python objects, strings as a rule."""

    terms: Sequence[Hashable]
    document_frequency: Ints
    term_frequency: Ints

    def __len__(self) -> int:
        return len(self.terms)

    def names(self) -> list[Any]:
        """Return the terms."""
        return list(self.terms)

    def names_at(self, chosen: Ints) -> list[Any]:
        """Return the terms with these numbers."""
        return [self.terms[number] for number in chosen.tolist()]

    def take(self, chosen: Ints) -> PythonTerms:
        """Return the terms with these numbers, which must be increasing."""
        return PythonTerms(
            [self.terms[i] for i in chosen],
            self.document_frequency[chosen],
            self.term_frequency[chosen],
        )


Terms: TypeAlias = NativeTerms | PythonTerms


def merge_terms(parts: Sequence[Terms], options: Any, n_threads: int) -> Terms:
    """Join terms counted on different documents, summing their frequencies.

    Parameters
    ----------
    parts : sequence of terms
        At least one.
    options : _core.text.AnalyzerOptions or None
        How native terms were counted; ``None`` if they were not.
    n_threads : int
        Threads for sorting.

    Returns
    -------
    terms
        In order, each once.
    """
    if len(parts) == 1:
        return parts[0]
    return merge_terms_with_places(parts, options, n_threads)[0]


def merge_terms_with_places(
    parts: Sequence[Terms], options: Any, n_threads: int
) -> tuple[Terms, list[Ints]]:
    """Join terms as :func:`merge_terms` does, and say where those of each part went.

    Parameters
    ----------
    parts : sequence of terms
        At least one.
    options : _core.text.AnalyzerOptions or None
        How native terms were counted; ``None`` if they were not.
    n_threads : int
        Threads for sorting.

    Returns
    -------
    terms
        In order, each once.
    places : list of array of int64
        For each part, the place of its terms among them.
    """
    native = [part for part in parts if isinstance(part, NativeTerms)]
    if len(native) == len(parts) and options is not None:
        counter = _core.text.TextCounter(options, [], False)
        numbers = [
            counter.add_terms(
                terms.words,
                terms.word_offsets,
                terms.width,
                terms.grams,
                terms.document_frequency,
                terms.term_frequency,
            )
            for terms in native
        ]
        joined = NativeTerms(*counter.finish(n_threads))
        return joined, [counter.places_of(part) for part in numbers]
    totals: dict[Any, list[int]] = {}
    all_names = [part.names() for part in parts]
    for part, part_names in zip(parts, all_names, strict=True):
        frequencies = part.document_frequency.tolist(), part.term_frequency.tolist()
        for name, df, tf in zip(part_names, *frequencies, strict=True):
            total = totals.setdefault(name, [0, 0])
            total[0] += df
            total[1] += tf
    names = sorted(totals)
    sums = np.array([totals[name] for name in names], dtype=np.int64).reshape(-1, 2)
    place = {name: i for i, name in enumerate(names)}
    places = [np.array([place[n] for n in part], dtype=np.int64) for part in all_names]
    return PythonTerms(names, sums[:, 0].copy(), sums[:, 1].copy()), places


def _take_words(
    words: NDArray[np.uint8], offsets: Ints, chosen: Ints
) -> tuple[NDArray[np.uint8], Ints]:
    """Return the bytes and offsets of some of the words."""
    if len(chosen) == len(offsets) - 1:
        return words, offsets
    lengths = np.diff(offsets)[chosen]
    new_offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
    np.cumsum(lengths, out=new_offsets[1:])
    shift = np.repeat(offsets[chosen] - new_offsets[:-1], lengths)
    return words[np.arange(new_offsets[-1]) + shift], new_offsets
