r"""Regular expressions as trees, for the part of their language that automata can do.

Sets of characters, sequences, alternatives and repeats; groups, of which one may be captured; word
boundaries; the flags ``a``, ``i``, ``m``, ``s``, ``u``. What else ``re`` knows (looking around,
going back to groups, anchors, repeats that give nothing back) raises :class:`Unsupported`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from quire.feature_extraction.text._characters import (
    N_CODE_POINTS,
    Bounds,
    asked,
    complement,
    named,
    union,
)

__all__ = [
    "Boundary",
    "Choice",
    "Group",
    "Node",
    "Repeat",
    "Sequence",
    "Set",
    "Unsupported",
    "category",
    "lengths",
    "parse",
]

_FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "u": re.UNICODE}
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CATEGORIES = {"w": "word", "s": "space", "d": "digit"}
_HEX = {"x": 2, "u": 4, "U": 8}
_SPECIAL = "^$*+?{}()|[].\\"
_MANY = 1 << 20


class Unsupported(Exception):
    """The expression needs Python; says why in a few words."""


@dataclass(frozen=True)
class Set:
    """One character out of a set."""

    bounds: Bounds


@dataclass(frozen=True)
class Boundary:
    r"""``\b``, or ``\B`` if ``negated``."""

    negated: bool


@dataclass(frozen=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """The first of some ways that leads to a match."""

    ways: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A part at least ``low`` times and at most ``high`` times (``None``: without end)."""

    part: Node
    low: int
    high: int | None
    greedy: bool


@dataclass(frozen=True)
class Group:
    """A captured part."""

    part: Node


Node: TypeAlias = Set | Boundary | Sequence | Choice | Repeat | Group


def parse(pattern: str) -> tuple[Node, int]:
    """Return the tree of an expression that ``re`` accepts, and its flags.

    Raises
    ------
    Unsupported
        If there is anything in it that automata cannot do.
    """
    try:
        flags = re.compile(pattern).flags
    except (re.error, OverflowError, RecursionError) as error:
        raise Unsupported("token_pattern is no regular expression") from error
    return _Parser(pattern, flags).whole(), flags


def category(letter: str, flags: int) -> Bounds:
    r"""Return what ``\w``, ``\s`` or ``\d`` stands for."""
    return asked("\\" + letter, re.ASCII) if flags & re.ASCII else named(_CATEGORIES[letter])


def lengths(node: Node) -> tuple[int, int | None]:
    """Return how many characters match at least and at most (``None``: any number)."""
    match node:
        case Set():
            return 1, 1
        case Boundary():
            return 0, 0
        case Group():
            return lengths(node.part)
        case Sequence():
            each = [lengths(part) for part in node.parts]
            longest = [high for _, high in each]
            return sum(low for low, _ in each), _total(longest)
        case Choice():
            each = [lengths(way) for way in node.ways]
            highs = [high for _, high in each]
            known = [high for high in highs if high is not None]
            return min(low for low, _ in each), max(known) if len(known) == len(highs) else None
        case Repeat():
            low, high = lengths(node.part)
            longest_of_all = None if high is None or node.high is None else high * node.high
            return low * node.low, longest_of_all


def _total(lengths: list[int | None]) -> int | None:
    known = [length for length in lengths if length is not None]
    return sum(known) if len(known) == len(lengths) else None


class _Parser:
    """Reads an expression from left to right."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags
        self.at = 0
        self.plain = not flags & (re.IGNORECASE | re.ASCII)
        if flags & re.VERBOSE:
            raise Unsupported("token_pattern has the flag x")

    def whole(self) -> Node:
        flags = re.match(r"\(\?([a-zA-Z]+)\)", self.pattern)
        if flags:
            if not set(flags[1]) <= set(_FLAGS):
                raise Unsupported("token_pattern has flags that only Python knows")
            self.at = flags.end()
        tree = self.choice()
        if self.at < len(self.pattern):
            self.refuse()
        return tree

    def refuse(self) -> None:
        raise Unsupported(f"token_pattern has {self.pattern[self.at : self.at + 3]!r} in it")

    def looking_at(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def skip(self, text: str) -> bool:
        there = self.looking_at(text)
        self.at += len(text) * there
        return there

    def choice(self) -> Node:
        ways = [self.sequence()]
        while self.skip("|"):
            ways.append(self.sequence())
        return ways[0] if len(ways) == 1 else Choice(tuple(ways))

    def sequence(self) -> Node:
        parts = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self.repeated(self.atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def atom(self) -> Node:
        if self.skip("(?:"):
            return self.closed(self.choice())
        if self.looking_at("(?"):
            self.refuse()
        if self.skip("("):
            return Group(self.closed(self.choice()))
        if self.skip("["):
            return self.set()
        if self.skip("."):
            newline = () if self.flags & re.DOTALL else (10, 11)
            return Set(complement(newline))
        if self.skip(r"\b"):
            return Boundary(False)
        if self.skip(r"\B"):
            return Boundary(True)
        begin = self.at
        if self.looking_at("\\"):
            one = self.escape()
            return Set(one if isinstance(one, tuple) else self.literal(one, begin))
        if self.pattern[self.at] in _SPECIAL:
            self.refuse()
        self.at += 1
        return Set(self.literal(self.pattern[begin], begin))

    def closed(self, node: Node) -> Node:
        if not self.skip(")"):
            self.refuse()
        return node

    def literal(self, character: str, begin: int) -> Bounds:
        if self.plain:
            return ord(character), ord(character) + 1
        return asked(self.pattern[begin : self.at], self.flags)

    def escape(self) -> str | Bounds:
        """Read a backslash and what it stands for: a character, or a set."""
        self.at += 1
        letter = self.pattern[self.at]
        if letter in "wWdDsS":
            self.at += 1
            found = category(letter.lower(), self.flags)
            return complement(found) if letter.isupper() else found
        if letter in _CONTROLS:
            self.at += 1
            return _CONTROLS[letter]
        if letter in _HEX:
            digits = self.pattern[self.at + 1 : self.at + 1 + _HEX[letter]]
            self.at += 1 + _HEX[letter]
            return chr(int(digits, 16))
        if letter.isascii() and (letter.isalnum() or letter == "_"):
            self.at -= 1
            self.refuse()
        self.at += 1
        return letter

    def set(self) -> Node:
        begin = self.at - 1
        negated = self.skip("^")
        parts: list[Bounds] = []
        first = self.at
        while self.at == first or not self.looking_at("]"):
            if any(map(self.looking_at, ("[", "--", "&&", "~~", "||"))):
                self.refuse()  # kept for what re may come to mean by them
            low = self.member()
            if isinstance(low, str) and self.looking_at("-") and not self.looking_at("-]"):
                self.at += 1
                high = self.member()
                if not isinstance(high, str):
                    self.refuse()
                else:
                    parts.append((ord(low), ord(high) + 1))
            else:
                parts.append((ord(low), ord(low) + 1) if isinstance(low, str) else low)
        self.at += 1
        if not self.plain:
            return Set(asked(self.pattern[begin : self.at], self.flags))
        bounds = union(parts)
        return Set(complement(bounds) if negated else bounds)

    def member(self) -> str | Bounds:
        if self.skip(r"\b"):
            return "\b"
        if self.looking_at("\\"):
            return self.escape()
        self.at += 1
        return self.pattern[self.at - 1]

    def repeated(self, node: Node) -> Node:
        found = re.compile(r"([*+?]|\{(\d*)(,?)(\d*)\})([?+]?)").match(self.pattern, self.at)
        if found is None or found[1] in ("{}", "{,}"):
            return node
        if found[5] == "+" or isinstance(node, Group) or lengths(node)[0] == 0:
            self.refuse()  # no way back into it, a group several times, or nothing many times
        self.at = found.end()
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(found[1], (-1, None))
        if low < 0:
            low = int(found[2] or 0)
            high = int(found[4]) if found[4] else None if found[3] else low
        if max(low, high or 0) > _MANY:
            raise Unsupported("token_pattern repeats too often")
        return Repeat(node, low, high, greedy=found[5] != "?")


assert N_CODE_POINTS > _MANY
