"""Pairs of words that belong together: given, checked, and judged by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire._shared.typing import Ints
from quire.alignment._word_vectors import WordVectors

__all__ = ["checked_pairs", "gold_targets"]


def checked_pairs(
    source: WordVectors, target: WordVectors, pairs: Any, missing: str
) -> list[tuple[str, str]]:
    """Return pairs both of whose words have a vector.

    Parameters
    ----------
    source, target : WordVectors
        The vocabularies.
    pairs : iterable of (str, str) or mapping
        Words of the two.
    missing : {"error", "skip"}
        What to do about other pairs.
    """
    if missing not in ("error", "skip"):
        raise ValueError(f"missing is {missing!r}; expected 'error' or 'skip'.")
    given = list(pairs.items() if isinstance(pairs, Mapping) else pairs)
    odd = next((p for p in given if isinstance(p, str) or len(p) != 2), None)
    if odd is not None:
        raise ValueError(f"pairs holds {odd!r}; expected two words, of the source and the target.")
    listed = [(str(s), str(t)) for s, t in given]
    if missing == "skip":
        listed = [(s, t) for s, t in listed if s in source and t in target]
    if not listed:
        raise ValueError("There is no pair both of whose words have a vector.")
    source.rows(s for s, _ in listed)  # a word that is missing is named here
    target.rows(t for _, t in listed)
    return listed


def gold_targets(
    source: WordVectors, target: WordVectors, pairs: Any, missing: str
) -> tuple[Ints, list[set[int]]]:
    """Return the rows of distinct source words, and for each the rows of its right targets.

    Parameters
    ----------
    source, target : WordVectors
        The vocabularies.
    pairs : iterable of (str, str) or mapping
        Words of the two.
    missing : {"error", "skip"}
        What to do about pairs with a word that has no vector.
    """
    gold: dict[str, set[int]] = {}
    for s, t in checked_pairs(source, target, pairs, missing):
        gold.setdefault(s, set()).add(int(target.rows([t])[0]))
    return source.rows(gold), list(gold.values())
