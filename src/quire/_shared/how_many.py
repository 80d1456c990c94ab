"""Counts with their nouns: 1 text, 2 texts."""

from __future__ import annotations

__all__ = ["how_many"]

_IRREGULAR = {
    "pass": "passes",
    "class": "classes",
    "query": "queries",
    "copy": "copies",
    "index": "indices",
}


def how_many(n: int, noun: str) -> str:
    """Return a number with its noun, as people say it.

    Parameters
    ----------
    n : int
        How many.
    noun : str
        What one of them is called; of several words the last one is changed.

    Examples
    --------
    >>> how_many(1, "text"), how_many(1200, "held-out document"), how_many(0, "class")
    ('1 text', '1,200 held-out documents', '0 classes')
    """
    if n == 1:
        return f"1 {noun}"
    before, _, last = noun.rpartition(" ")
    return f"{n:,} {before}{' ' if before else ''}{_IRREGULAR.get(last, last + 's')}"
