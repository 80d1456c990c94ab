"""Random regular expressions, of the kind that people write to say what a word is."""

from __future__ import annotations

from random import Random

__all__ = ["random_pattern"]

_ATOMS = [
    *"ab_'#@-",
    r"\w", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", ".", r"\.", r"\n", r"\x41", "\u00e9",
    r"\u0301", "[a-z]", "[A-Za-z']", r"[^\w\s]", r"[^\W\d_]", r"[\w'-]", "[^a]", "[]a]", "[^]a]",
    r"[\d.,]", "[\u00e0-\u00ff]", r"[\u4e00-\u9fff]", "[\U0001f600-\U0001f64f]",
    r"[\]\\^-]", "[k\u0130s]",
]  # fmt: skip
_BOUNDED = ["", "", "", "", "?", "{2}", "{1,3}", "{,2}", "??"]
_UNBOUNDED = ["+", "+", "*", "{2,}", "+?", "*?"]
_FLAGS = ["", "", "", "", "(?u)", "(?i)", "(?a)", "(?s)", "(?ai)", "(?is)"]


def random_pattern(random: Random) -> str:
    """Return a pattern; some are refused by ``re``, and some are beyond automata.

    Repeats without end are few and not inside others: ``re`` would try all the ways there are.
    """
    return random.choice(_FLAGS) + _Writer(random).choice(2, group=random.random() < 0.15)


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.n_unbounded = 2

    def choice(self, depth: int, *, group: bool = False) -> str:
        n_ways = self.random.choice([1, 1, 2, 3]) if not group else 1
        return "|".join(self.sequence(depth, group=group) for _ in range(n_ways))

    def sequence(self, depth: int, *, group: bool) -> str:
        random = self.random
        parts = [self.part(depth) for _ in range(random.choice([1, 1, 2, 3]))]
        if group:
            parts.insert(random.randrange(len(parts) + 1), f"({self.choice(0)})")
        if random.random() < 0.2:
            parts.insert(random.randrange(len(parts) + 1), random.choice([r"\b", r"\b", r"\B"]))
        return "".join(parts)

    def part(self, depth: int) -> str:
        random = self.random
        if depth and random.random() < 0.3:
            repeat = random.choice(_BOUNDED)
            before, self.n_unbounded = self.n_unbounded, 0 if repeat else self.n_unbounded
            inner = self.choice(depth - 1)
            self.n_unbounded = before if repeat else self.n_unbounded
            return f"(?:{inner}){repeat}"
        if self.n_unbounded and random.random() < 0.5:
            self.n_unbounded -= 1
            return f"{random.choice(_ATOMS)}{random.choice(_UNBOUNDED)}"
        return f"{random.choice(_ATOMS)}{random.choice(_BOUNDED)}"
