"""Patterns of words: one grammar for all functions and commands.

A pattern is one or more words with blanks between them; several words are a phrase, which stands in
a text in this order. Each word is

- a glob: ``*`` is any letters, ``?`` is one, as in ``econom*``; ``*`` alone is any word;
- ``/expression/``: a regular expression that the whole word matches;
- ``=Word``: exactly this, as it is written.

Globs and expressions do not look at case unless they are told to.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PatternSets", "Vocabulary", "pattern_sets", "patterns_of"]

_ANY = -1  # in place of a set: any token
_WILD = re.compile(r"[*?]")


def patterns_of(patterns: Any, name: str = "patterns") -> list[str]:
    """Return patterns as a list of strings.

    Parameters
    ----------
    patterns : str or iterable of str
        One, or several.
    name : str, default="patterns"
        The parameter, for messages.

    Raises
    ------
    TypeError
        If one is no string.
    ValueError
        If there is none, or one is empty.
    """
    listed = [patterns] if isinstance(patterns, str) else list(patterns)
    if not listed:
        raise ValueError(f"{name} is empty; give at least one pattern.")
    for number, one in enumerate(listed):
        if not isinstance(one, str):
            raise TypeError(f"{name}[{number}] is {type(one).__name__}; expected a string.")
        if not one.split():
            raise ValueError(f"{name}[{number}] is empty; a pattern has at least one word.")
    return listed


class Vocabulary:
    """Types and the ways to find those that a word of a pattern means.

    Parameters
    ----------
    types : sequence of str
        As they are counted.
    forms : sequence of str
        As they are written.
    type_of_form : ndarray of int32 of shape (n_forms,)
        The type of each form, -1 for none.
    """

    def __init__(
        self, types: Sequence[str], forms: Sequence[str], type_of_form: NDArray[np.int32]
    ) -> None:
        self._types, self._forms, self._type_of_form = types, forms, type_of_form
        self._made: dict[tuple[str, bool], NDArray[np.int64]] = {}
        self._sorted: dict[bool, tuple[list[str], NDArray[np.int64]]] = {}

    @property
    def n_forms(self) -> int:
        """How many forms there are."""
        return len(self._forms)

    def forms_of(self, word: str, *, case: bool) -> NDArray[np.int64]:
        """Return the forms that a word of a pattern means, in their order.

        Parameters
        ----------
        word : str
            One word of a pattern.
        case : bool
            Whether letters must be written as they are in the pattern.

        Raises
        ------
        ValueError
            If it is an expression that Python's ``re`` does not know.
        """
        key = word, case
        if key not in self._made:
            self._made[key] = self._found(word, case)
        return self._made[key]

    def _found(self, word: str, case: bool) -> NDArray[np.int64]:
        if len(word) > 1 and word.startswith("="):
            names, numbers = self._names(case=True)
            at = bisect_left(names, word[1:])
            is_there = at < len(names) and names[at] == word[1:]
            return numbers[at : at + 1] if is_there else numbers[:0]
        names, numbers = self._names(case=case)
        if len(word) > 2 and word.startswith("/") and word.endswith("/"):
            matches = _compiled(word[1:-1], 0 if case else re.IGNORECASE).fullmatch
            found = [n for n, name in enumerate(names) if matches(name)]
        else:
            found = self._globbed(word if case else word.lower(), names)
        return self._forms_of_names(numbers[found], case)

    def _names(self, *, case: bool) -> tuple[list[str], NDArray[np.int64]]:
        """Return forms, or types in lower case, in their order, and the number of each."""
        if case not in self._sorted:
            given = self._forms if case else [one.lower() for one in self._types]
            order = sorted(range(len(given)), key=given.__getitem__)
            self._sorted[case] = [given[n] for n in order], np.array(order, dtype=np.int64)
        return self._sorted[case]

    @staticmethod
    def _globbed(word: str, names: list[str]) -> list[int]:
        """Return the places of names that a glob means: only those with its beginning are tried."""
        wild = _WILD.search(word)
        beginning = word[: wild.start()] if wild else word
        first = bisect_left(names, beginning)
        last = first
        if wild is None:
            while last < len(names) and names[last] == word:
                last += 1
            return list(range(first, last))
        last = bisect_left(names, beginning + "\U0010ffff", lo=first)
        if word == beginning + "*":
            return list(range(first, last))
        matches = re.compile(_glob(word), re.DOTALL).fullmatch
        return [place for place in range(first, last) if matches(names[place])]

    def _forms_of_names(self, numbers: NDArray[np.int64], case: bool) -> NDArray[np.int64]:
        if case or not len(numbers):
            return np.sort(numbers)
        chosen = np.zeros(len(self._types) + 1, dtype=bool)  # the last one is that of no type
        chosen[numbers] = True
        return np.flatnonzero(chosen[self._type_of_form])


def _compiled(expression: str, flags: int) -> re.Pattern[str]:
    try:
        return re.compile(expression, flags)
    except re.error as error:
        raise ValueError(f"/{expression}/ is no regular expression: {error}.") from error


def _glob(word: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(one) or re.escape(one) for one in word)


@dataclass(frozen=True)
class PatternSets:
    """Patterns as the kernel takes them, and what was found out on the way.

    Attributes
    ----------
    form_bounds, form_sets : ndarray
        Of each form the sets that it is in.
    pattern_bounds, pattern_sets : ndarray
        Of each pattern the set of each of its words; -1 means any.
    n_words : ndarray
        Words of each pattern.
    empty : list of int
        Patterns that match nothing, since one of their words does not occur.
    """

    form_bounds: NDArray[np.int64]
    form_sets: NDArray[np.int32]
    pattern_bounds: NDArray[np.int64]
    pattern_sets: NDArray[np.int32]
    n_words: NDArray[np.int64]
    empty: list[int]


def pattern_sets(vocabulary: Vocabulary, patterns: Sequence[str], *, case: bool) -> PatternSets:
    """Return patterns as sets of forms.

    Parameters
    ----------
    vocabulary : Vocabulary
        What occurs.
    patterns : sequence of str
        From :func:`patterns_of`.
    case : bool
        Whether letters must be written as they are in the patterns.
    """
    numbers: dict[str, int] = {}
    rows, empty = [], []
    for number, pattern in enumerate(patterns):
        words = pattern.split()
        if words[0] == "*":
            raise ValueError(f"{pattern!r} begins with any word; begin with one that is known.")
        for word in words:
            if word != "*" and not len(vocabulary.forms_of(word, case=case)):
                empty.append(number)
                break
        rows.append(
            [_ANY if word == "*" else numbers.setdefault(word, len(numbers)) for word in words]
        )
    members = {place: vocabulary.forms_of(word, case=case) for word, place in numbers.items()}
    return _as_arrays(members, rows, vocabulary.n_forms, empty)


def _as_arrays(
    members: Mapping[int, NDArray[np.int64]], rows: list[list[int]], n_forms: int, empty: list[int]
) -> PatternSets:
    forms = np.concatenate([*members.values(), np.empty(0, dtype=np.int64)])
    sets = np.repeat(
        np.array(list(members), dtype=np.int32), [len(one) for one in members.values()]
    )
    order = np.lexsort((sets, forms))
    counts = np.bincount(forms, minlength=n_forms)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    return PatternSets(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        sets[order].astype(np.int32),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([place for row in rows for place in row], dtype=np.int32),
        lengths,
        empty,
    )
