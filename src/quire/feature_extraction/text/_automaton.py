r"""Regular expressions as automata that the kernels run.

A matcher that goes back tries one way after another and takes the first that leads to a match. The
automaton follows all ways at once: its state is the list of places in the expression where these
ways are, those tried first in front. Where a way has arrived at the end, those behind it are
dropped, for they would never be tried; the ways in front of it go on, and replace its match if they
come to one. So each character is read once, and the tokens are those of ``re.findall``.

References: Thompson (1968), Regular expression search algorithm; Cox (2010), Regular Expression
Matching in the Wild, for the order of the ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from quire import _core
from quire._shared.typing import AnyArray
from quire.feature_extraction.text._characters import Bounds, contains, partition
from quire.feature_extraction.text._expression import (
    Boundary,
    Choice,
    Group,
    Node,
    Repeat,
    Sequence,
    Set,
    Unsupported,
    category,
    lengths,
    parse,
)

__all__ = ["Automaton", "automaton_of", "compiled"]

_MOST_PLACES = 2000
_MOST_STATES = 1000
_MOST_CLASSES = 250


@dataclass(frozen=True)
class Automaton:
    """The arguments of ``_core.text.TokenAutomaton``, and what tokens can hold."""

    starts: AnyArray
    classes: AnyArray
    n_classes: int
    next: AnyArray
    accepts: AnyArray
    first: AnyArray
    skip: int
    keep: int
    drop: int
    takes_blanks: bool
    takes_surrogates: bool

    def kernel(self) -> Any:
        """Return the automaton of the compiled core."""
        return _core.text.TokenAutomaton(
            self.starts,
            self.classes,
            self.n_classes,
            self.next.ravel(),
            self.accepts.ravel(),
            self.first,
            self.skip,
            self.keep,
            self.drop,
        )


@lru_cache(maxsize=64)
def compiled(pattern: str) -> tuple[Automaton, Any] | str:
    """Return the automaton of a pattern and its kernel, or why Python has to do it.

    Parameters
    ----------
    pattern : str
        A regular expression.

    Returns
    -------
    tuple of (Automaton, _core.text.TokenAutomaton), or str
        The reason in a few words, if it is a str.
    """
    try:
        tree, flags = parse(pattern)
        automaton = automaton_of(tree, flags)
    except Unsupported as reason:
        return str(reason)
    return automaton, automaton.kernel()


def automaton_of(tree: Node, flags: int = 0) -> Automaton:
    """Return the automaton of an expression.

    Parameters
    ----------
    tree : node
        The expression.
    flags : int
        With ``re.ASCII``, word boundaries are those of ASCII.

    Raises
    ------
    Unsupported
        If a token can be empty, if the part that is captured cannot be told from its place, or if
        the automaton is too large.
    """
    skip, keep, drop = _part(tree)
    if lengths(tree)[0] == 0:
        raise Unsupported("token_pattern has empty tokens")
    places = _Places()
    begin = places.add(tree, places.end)
    word = category("w", flags) if places.looks_at_words else ()
    starts, classes, members = partition([*places.sets, word])
    n_classes = members.shape[1]
    if n_classes > _MOST_CLASSES:
        raise Unsupported("token_pattern has too many classes of characters")
    table = _Table(places, members, begin)
    following, accepts, first = _with_states_joined(
        np.array(table.next), np.array(table.accepts), np.array(table.first)
    )
    columns, classes = _joined_classes(following, accepts, first, classes)
    return Automaton(
        *_joined_ranges(starts, classes),
        len(columns) - 1,
        following[:, columns].astype(np.uint16),
        accepts[:, columns].astype(np.uint8),
        first[columns].astype(np.uint16),
        skip,
        keep,
        drop,
        takes_blanks=any(contains(bounds, " ") for bounds in places.sets),
        takes_surrogates=any(_holds_surrogates(bounds) for bounds in places.sets),
    )


def _with_states_joined(
    following: AnyArray, accepts: AnyArray, first: AnyArray
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the table with states that no text tells apart made one (Moore, 1956)."""
    block, n_blocks = np.zeros(len(following), dtype=np.intp), 0
    while True:
        rows = np.hstack([accepts, block[following]])
        _, chosen, found = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        block, n_before, n_blocks = found.ravel(), n_blocks, len(chosen)
        if n_blocks == n_before:
            break
    # State 0, which has failed, stays in front; the others are in the order of their first.
    order = np.argsort(chosen)
    number = np.empty(n_blocks, dtype=np.intp)
    number[order] = np.arange(n_blocks)
    kept = chosen[order]
    return number[block[following[kept]]], accepts[kept], number[block[first]]


def _joined_classes(
    following: AnyArray, accepts: AnyArray, first: AnyArray, classes: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """Return a column for each class that makes a difference, and the end, and the new classes."""
    columns = np.vstack([following, accepts, first])[:, :-1]
    _, chosen, found = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    return np.append(chosen, columns.shape[1]), found.ravel()[classes]


def _joined_ranges(starts: AnyArray, classes: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the ranges of characters with neighbours of one class made one."""
    new = np.append(True, classes[1:] != classes[:-1])
    return starts[new], classes[new].astype(np.uint8)


def _holds_surrogates(bounds: Bounds) -> bool:
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return any(begin < 0xE000 and end > 0xD800 for begin, end in pairs)


def _n_groups(node: Node) -> int:
    match node:
        case Group():
            return 1 + _n_groups(node.part)
        case Sequence():
            return sum(map(_n_groups, node.parts))
        case Choice():
            return sum(map(_n_groups, node.ways))
        case Repeat():
            return _n_groups(node.part)
    return 0


def _part(tree: Node) -> tuple[int, int, int]:
    """Return how many characters of a match to skip, to keep (0: all but the last so many)."""
    if _n_groups(tree) == 0:
        return 0, 0, 0
    parts = tree.parts if isinstance(tree, Sequence) else (tree,)
    at = [i for i, part in enumerate(parts) if isinstance(part, Group)]
    if _n_groups(tree) > 1 or not at:
        raise Unsupported("token_pattern has groups inside others, or several")
    before, group, after = parts[: at[0]], parts[at[0]], parts[at[0] + 1 :]
    skip, most = lengths(Sequence(before))
    low, high = lengths(group)
    drop, most_after = lengths(Sequence(after))
    if low == 0:
        raise Unsupported("token_pattern has a group that can be empty")
    if skip == most and drop == most_after:
        return skip, 0, drop
    if skip == most and low == high:
        return skip, low, 0
    raise Unsupported("token_pattern has a group whose place varies")


# A place is ("set", number of the set, next), ("split", first way, second way), ("boundary",
# negated, next) or ("end", 0, 0).
_Place: TypeAlias = tuple[str, int, int]


class _Places:
    """The places of an expression."""

    def __init__(self) -> None:
        self.sets: list[Bounds] = []
        self.places: list[_Place] = []
        self.looks_at_words = False
        self.end = self.put(("end", 0, 0))

    def put(self, place: _Place) -> int:
        if len(self.places) >= _MOST_PLACES:
            raise Unsupported("token_pattern is too large")
        self.places.append(place)
        return len(self.places) - 1

    def add(self, node: Node, then: int) -> int:
        """Add the places of a part before ``then``; return the first of them."""
        match node:
            case Set():
                if node.bounds not in self.sets:
                    self.sets.append(node.bounds)
                return self.put(("set", self.sets.index(node.bounds), then))
            case Boundary():
                self.looks_at_words = True
                return self.put(("boundary", int(node.negated), then))
            case Group():
                return self.add(node.part, then)
            case Sequence():
                for part in reversed(node.parts):
                    then = self.add(part, then)
                return then
            case Choice():
                first = self.add(node.ways[-1], then)
                for way in reversed(node.ways[:-1]):
                    first = self.put(("split", self.add(way, then), first))
                return first
            case Repeat():
                return self.add_repeat(node, then)

    def add_repeat(self, node: Repeat, then: int) -> int:
        def split(more: int) -> tuple[str, int, int]:
            return ("split", more, then) if node.greedy else ("split", then, more)

        start = then
        if node.high is None:
            start = self.put(("end", 0, 0))  # the loop, once its body is there
            self.places[start] = split(self.add(node.part, start))
        else:
            for _ in range(node.high - node.low):
                start = self.put(split(self.add(node.part, start)))
        for _ in range(node.low):
            start = self.add(node.part, start)
        return start


class _Table:
    """The states that can be reached and where each class of characters leads from them."""

    def __init__(self, places: _Places, members: AnyArray, begin: int) -> None:
        self.places = places.places
        self.members = members[:-1]
        n_classes = members.shape[1]
        # The last row is the set of word characters; the end of a text is none.
        self.is_word = [*members[-1].tolist(), False]
        self.looks_at_words = places.looks_at_words
        self.number: dict[tuple[tuple[int, ...], bool], int] = {((), False): 0}
        self.states: list[tuple[tuple[int, ...], bool]] = [((), False)]
        self.first = [self.state((begin,), self.is_word[c]) for c in range(n_classes + 1)]
        self.next: list[list[int]] = []
        self.accepts: list[list[bool]] = []
        for at, before in self.states:  # which grow on the way
            steps = [self.step(at, before, c) for c in range(n_classes + 1)]
            self.next.append([state for state, _ in steps])
            self.accepts.append([accepts for _, accepts in steps])

    def state(self, at: tuple[int, ...], before: bool) -> int:
        key = at, before and self.looks_at_words and at != ()
        if key not in self.number:
            if len(self.states) >= _MOST_STATES:
                raise Unsupported("token_pattern is too large")
            self.number[key] = len(self.states)
            self.states.append(key)
        return self.number[key]

    def step(self, at: tuple[int, ...], before: bool, c: int) -> tuple[int, bool]:
        """Return where a class leads, and whether a token ends before it."""
        is_end = c == len(self.is_word) - 1
        onward: dict[int, None] = {}
        for place in self.followed(at, before != self.is_word[c]):
            kind, which, then = self.places[place]
            if kind == "end":
                return self.state(tuple(onward), self.is_word[c]), True
            if not is_end and self.members[which, c]:
                onward.setdefault(then)
        return self.state(tuple(onward), self.is_word[c]), False

    def followed(self, at: tuple[int, ...], boundary: bool) -> list[int]:
        """Return the sets and ends that can be reached without a character, in order."""
        found: list[int] = []
        seen: set[int] = set()
        todo = list(reversed(at))
        while todo:
            place = todo.pop()
            if place in seen:
                continue
            seen.add(place)
            kind, one, two = self.places[place]
            if kind == "split":
                todo += two, one
            elif kind == "boundary":
                if boundary != bool(one):
                    todo.append(two)
            else:
                found.append(place)
        return found
