"""The twins of the automaton that finds tokens, and of the sets of characters."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PATTERNS = {"word": r"\w", "space": r"\s", "digit": r"\d"}


def character_set(name: str) -> list[int]:
    """Where the characters of a set begin and end, by turns."""
    members = re.compile(PATTERNS[name])
    inside = [False, *(bool(members.match(chr(code))) for code in range(0x110000)), False]
    return [code for code in range(0x110001) if inside[code] != inside[code + 1]]


@dataclass(frozen=True)
class TokenAutomaton:
    """The arguments of ``_core.text.TokenAutomaton``, and what it finds."""

    starts: Sequence[int]
    classes: Sequence[int]
    n_classes: int
    next: Sequence[int]
    accepts: Sequence[int]
    first: Sequence[int]
    skip: int = 0
    keep: int = 0
    drop: int = 0

    def tokens(self, text: str) -> list[str]:
        """The tokens that are not empty, from left to right."""
        return [text[begin:end] for begin, end in self.spans(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where they are."""
        spans = []
        for begin, end in self.matches(text):
            begin = min(begin + self.skip, end)
            end = min(begin + self.keep, end) if self.keep else max(end - self.drop, begin)
            spans.append((begin, end))
        return [(begin, end) for begin, end in spans if begin < end]

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Read on from each beginning until the state is 0 or the text is over."""
        column = [self.classes[bisect_right(self.starts, ord(c)) - 1] for c in text]
        column.append(self.n_classes)  # the end
        begin = 0
        while begin < len(text):
            state = self.first[column[begin - 1] if begin else self.n_classes]
            at, end = begin, begin
            while True:
                step = state * (self.n_classes + 1) + column[at]
                if self.accepts[step]:
                    end = at
                state = self.next[step]
                if state == 0 or at == len(text):
                    break
                at += 1
            if end > begin:
                yield begin, end
            begin = max(end, begin + 1)
