r"""Kinds of tokens by name: words by the rules of Unicode, punctuation, emoji, hashtags, addresses.

Words are those of Unicode Standard Annex #29 that hold a letter or a number. Vowel signs and
accents stay with their letter, apostrophes and dots inside words and numbers (can't, 3.14, 1,000),
and ``_`` joins. Scripts without spaces between words (ideographs, Hiragana, Thai, Lao, Khmer,
Myanmar) give a token for each letter with its signs: pairs of them (``ngram_range``) stand in for
words.

Reference: Unicode Standard Annex #29, Unicode Text Segmentation, rules WB3 to WB999. The version of
Unicode is that of the interpreter, ``unicodedata.unidata_version``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from quire.feature_extraction.text._automaton import Automaton, automaton_of
from quire.feature_extraction.text._characters import Bounds, complement, named, union
from quire.feature_extraction.text._expression import (
    Boundary,
    Choice,
    Group,
    Node,
    Repeat,
    Sequence,
    Set,
)

__all__ = ["KINDS", "automaton_of_kinds", "pattern_of_kinds"]

# In the order in which they are tried at each place.
KINDS = ("urls", "hashtags", "mentions", "emoji", "words", "punctuation")


@lru_cache(maxsize=64)
def automaton_of_kinds(tokens: str) -> tuple[Automaton, Any]:
    """Return the automaton of some kinds of tokens, and its kernel.

    Parameters
    ----------
    tokens : str
        Names of kinds with ``+`` between them.

    Raises
    ------
    ValueError
        If there is no kind of some name.
    """
    automaton = automaton_of(_tree(tokens))
    return automaton, automaton.kernel()


@lru_cache(maxsize=16)
def pattern_of_kinds(tokens: str) -> str:
    """Return a regular expression with the same tokens, for Python."""
    return _written(_tree(tokens))


def _tree(tokens: str) -> Node:
    chosen = [name.strip() for name in tokens.split("+")]
    unknown = [name for name in chosen if name not in KINDS]
    if unknown:
        raise ValueError(
            f"tokens must be some of {', '.join(sorted(KINDS))}, joined by +, as in "
            f"'words+emoji'; there is no kind {unknown[0]!r}."
        )
    made: dict[str, Callable[[], Node]] = {
        "urls": _urls,
        "hashtags": lambda: _tag("#"),
        "mentions": lambda: _tag("@"),
        "emoji": _emoji,
        "words": _words,
        "punctuation": lambda: Set(named("sign")),
    }
    return Choice(tuple(made[name]() for name in KINDS if name in chosen))


def _characters(characters: str) -> Bounds:
    return union((ord(c), ord(c) + 1) for c in characters)


def _any(part: Node) -> Node:
    return Repeat(part, 0, None, greedy=True)


def _some(part: Node) -> Node:
    return Repeat(part, 1, None, greedy=True)


def _maybe(part: Node) -> Node:
    return Repeat(part, 0, 1, greedy=True)


def _sequence(*parts: Node) -> Node:
    return Sequence(parts)


def _with_signs(bounds: Bounds) -> Node:
    """Return one character and the marks, joiners and format characters behind it (WB4)."""
    return _sequence(Set(bounds), _any(Set(named("extend"))))


def _words() -> Node:
    quote = _characters("'")
    hebrew, number = _with_signs(named("hebrew")), _with_signs(named("numeric"))
    letter = _with_signs(union([named("letter"), named("hebrew")]))
    in_word = _with_signs(union([named("mid_letter"), named("mid_both"), quote]))
    in_number = _with_signs(union([named("mid_number"), named("mid_both"), quote]))
    letters_and_numbers = _some(
        Choice(
            (
                _sequence(hebrew, _some(_sequence(_with_signs(_characters('"')), hebrew))),  # WB7b
                _sequence(hebrew, _with_signs(quote)),  # WB7a
                _sequence(letter, _any(_sequence(in_word, letter))),  # WB5 to WB7
                _sequence(number, _any(_sequence(in_number, number))),  # WB8 to WB12
            )
        )
    )
    part = Choice((letters_and_numbers, _some(_with_signs(named("katakana")))))  # WB13
    connectors = _some(_with_signs(named("connector")))  # WB13a, WB13b
    joined = _sequence(
        _maybe(connectors), part, _any(_sequence(connectors, part)), _maybe(connectors)
    )
    return Choice((joined, _with_signs(named("alone"))))


def _emoji() -> Node:
    """Return pictures with their variants, joined pictures, flags and keys."""
    joiner = (0x200D, 0x200E)
    variants = complement(union([complement(named("extend")), joiner]))
    picture = _sequence(Set(named("picture")), _any(Set(variants)))
    flag = _sequence(Set(named("regional")), Set(named("regional")))
    key = _sequence(
        Set(_characters("0123456789#*")), _maybe(Set((0xFE0F, 0xFE10))), Set((0x20E3, 0x20E4))
    )
    return Choice((key, flag, _sequence(picture, _any(_sequence(Set(joiner), picture)))))


def _tag(sign: str) -> Node:
    """Return a sign that no word stands before, and the letters behind it."""
    kinds = ("letter", "hebrew", "katakana", "numeric", "connector", "alone", "extend")
    letters = union(map(named, kinds))
    return _sequence(Boundary(negated=True), Set(_characters(sign)), _some(Set(letters)))


def _urls() -> Node:
    """Return what begins with http://, https:// or www., without the punctuation behind it."""

    def either(letters: str) -> Node:
        return _sequence(*(Set(_characters(c.lower() + c.upper())) for c in letters))

    begin = Choice(
        (
            _sequence(either("http"), _maybe(Set(_characters("sS"))), either("://")),
            _sequence(either("www"), Set(_characters("."))),
        )
    )
    outside = union([named("space"), _characters('<>"')])
    last = union([outside, _characters("'.,;:!?)]}\u2026\u2019\u201d")])
    return _sequence(begin, _any(Set(complement(outside))), Set(complement(last)))


def _written(node: Node) -> str:
    match node:
        case Set():
            pairs = zip(node.bounds[::2], node.bounds[1::2], strict=True)
            ranges = (rf"\U{begin:08x}-\U{end - 1:08x}" for begin, end in pairs)
            return f"[{''.join(ranges)}]"
        case Boundary():
            return r"\B" if node.negated else r"\b"
        case Group():
            return f"({_written(node.part)})"
        case Sequence():
            return "".join(map(_written, node.parts))
        case Choice():
            return f"(?:{'|'.join(map(_written, node.ways))})"
        case Repeat():
            high = "" if node.high is None else node.high
            lazy = "" if node.greedy else "?"
            return f"(?:{_written(node.part)}){{{node.low},{high}}}{lazy}"
